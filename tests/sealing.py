"""Tests that change a store by hand make it look as if a run had written it so."""

from calibscope.study.sealed import seal_everything
from calibscope.study.store import engine_of


def seal_again(path):
    """Hash everything that the store has now."""
    engine = engine_of(path, "mode=rw")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM day_hashes")
        connection.exec_driver_sql("DELETE FROM row_hashes")
        seal_everything(connection)
    engine.dispose()
