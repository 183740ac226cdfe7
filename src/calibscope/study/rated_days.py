"""The current days of a model with results, and the RAG status of each."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.rag import Rag, ratings_of, with_further
from calibscope.study.rows import read_rows
from calibscope.study.screening import suspicions
from calibscope.study.settings import StudySettings


def rated_days(
    connection: Connection, settings: StudySettings
) -> Iterator[tuple[dict[str, Any], Rag, str]]:
    """Row, RAG status and reasons of every current day that has results, oldest first.

    A row also has the labels that screening accuses, `accused`.

    Parameters
    ----------
    settings : of one model
    """
    days = schema.days.c
    wanted = select(schema.days).where(
        schema.is_current, days.model == settings.calibration.model, days.rmsre.is_not(None)
    )
    rows = connection.execute(wanted.order_by(schema.days.c.date)).mappings().all()
    names = [column.name for column in schema.days.columns]
    columns: Columns = {name: [row[name] for row in rows] for name in names}
    further = read_rows(connection, schema.metrics).columns
    suspected = suspicions(read_rows(connection, schema.screening).columns)
    ratings = ratings_of(with_further(columns, further, "day_id"), settings.governance, suspected)
    for row, (rag, reasons) in zip(rows, ratings, strict=True):
        found = suspected.get(str(row["date"]))
        yield {**row, "accused": found.accused if found else ()}, rag, "; ".join(reasons)
