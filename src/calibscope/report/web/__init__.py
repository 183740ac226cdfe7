"""The live page: `calibscope serve study.db`."""
