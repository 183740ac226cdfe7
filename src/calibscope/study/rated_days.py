"""The current days of a store with results, and the RAG status of each."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from calibscope.study import schema
from calibscope.study.rag import Rag, ratings_of
from calibscope.study.results import Columns
from calibscope.study.settings import StudySettings


def rated_days(
    connection: Connection, settings: StudySettings
) -> Iterator[tuple[dict[str, Any], Rag, str]]:
    """Row, RAG status and reasons of every current day that has results, oldest first."""
    wanted = select(schema.days).where(schema.is_current, schema.days.c.rmsre.is_not(None))
    rows = connection.execute(wanted.order_by(schema.days.c.date)).mappings().all()
    names = [column.name for column in schema.days.columns]
    columns: Columns = {name: [row[name] for row in rows] for name in names}
    ratings = ratings_of(columns, settings.governance)
    for row, (rag, reasons) in zip(rows, ratings, strict=True):
        yield dict(row), rag, "; ".join(reasons)
