"""One error for a store that cannot be used: which file, why, and what to do."""


class StoreError(RuntimeError):
    """A store that cannot be read or written; what was reported as done is kept."""


DAMAGED = "the file is damaged; restore it from a backup, or run into a new one"
