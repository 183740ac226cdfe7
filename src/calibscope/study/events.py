"""The dates to which the paper comes back in every figure, and what happened on them."""

REFERENCE_DATES = {"2020-03-18": "COVID", "2022-07-21": "ECB hike", "2024-06-06": "ECB cut"}
