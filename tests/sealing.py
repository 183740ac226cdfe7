"""Tests that change a store by hand make it look as if a run had written it so."""

from calibscope.study.sealed import seal_everything
from calibscope.study.store import engine_of

# Make a store look as before version 5: without hashes, under the old names.
OLD_NAMES = (
    "DROP TABLE day_hashes",
    "DROP TABLE row_hashes",
    "ALTER TABLE days RENAME COLUMN summary TO reading",
    "ALTER TABLE days RENAME COLUMN has_equal_speeds TO is_ridge",
    "ALTER TABLE optima RENAME COLUMN share_of_starts TO basin_share",
    "ALTER TABLE challenger_fits RENAME TO second_looks",
)


def seal_again(path):
    """Hash everything that the store has now."""
    engine = engine_of(path, "mode=rw")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM day_hashes")
        connection.exec_driver_sql("DELETE FROM row_hashes")
        seal_everything(connection)
    engine.dispose()
