"""The appendix of a study's report: everything behind the committee edition."""
