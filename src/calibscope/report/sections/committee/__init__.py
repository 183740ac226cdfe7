"""The committee edition of a study's report: what somebody reads who has to sign it."""
