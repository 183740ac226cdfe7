"""What `calibscope run` shows while it runs, and what it has done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from calibscope.base.numbers import counted, number, percent
from calibscope.report.render.terminal import on_terminal
from calibscope.study.rag import Rag
from calibscope.study.run import LATEST, News, Tally
from calibscope.study.study import Study

COLOURS = {Rag.GREEN: "green", Rag.AMBER: "yellow", Rag.RED: "red", Rag.GREY: "dim"}


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{number(task.speed, '.0f')} days/s" if task.speed else "", style="cyan")


@contextmanager
def run_progress(is_quiet: bool = False) -> Iterator[Callable[[Tally], None]]:
    """A function for `run_study`'s progress: days done, rate, time left, days flagged.

    Nothing is shown where stderr is no terminal, so that logs stay readable.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.fields[doing]}"), BarColumn(None), MofNCompleteColumn(), _Rate(),
        TimeRemainingColumn(), TextColumn("{task.fields[flagged]}"),
        console=console, transient=True, disable=is_quiet or not console.is_terminal,
    )  # fmt: skip
    task = bar.add_task("", total=None, flagged="", doing="calibrating")

    def report(tally: Tally) -> None:
        bar.start()
        if tally.refits_total:
            done, total, doing = tally.refits_done, tally.refits_total, "fitting again"
        else:
            done, total, doing = tally.done, tally.total, "calibrating"
        bar.update(task, completed=done, total=total, doing=doing, flagged=_flagged(tally))

    try:
        yield report
    finally:
        bar.stop()


def _flagged(tally: Tally) -> str:
    return " ".join(
        f"[{COLOURS[rag]}]{tally.rag[rag]} {rag.value}[/]" for rag in (Rag.AMBER, Rag.RED)
    ) + (f" [red]{tally.refits_failed} failed[/]" if tally.refits_failed else "")


def run_page(study: Study, tally: Tally, is_full: bool = False) -> RenderableType:
    """Whether the latest calibration may be used, and what was computed.

    Parameters
    ----------
    is_full : the whole study below the answer
    """
    from calibscope.report.study import study_page, study_screen  # and pandas

    parts: list[RenderableType] = [on_terminal(study_screen(study, is_full))]
    parts += [Text(), study_page(study)] if is_full else []
    latest = None if study.days.empty else study.days["date"].iloc[-1].date()
    others = [news for news in tally.latest if news.date != latest]
    if others and tally.total <= LATEST * len(tally.models or ("",)):
        several = len(tally.models) > 1
        parts += [Text(), *(_news(news, news.model if several else "") for news in others)]
    summary = Text(f"\n{_summary(tally)}", style="bold")
    return Group(*parts, summary, Text(f"Results: {study.path}", no_wrap=True, overflow="ignore"))


def _news(news: News, model: str = "") -> Text:
    text = Text.assemble((f"{news.date} ", "bold"), (news.rag.value, COLOURS[news.rag]))
    if model:
        text.append(f" {model}")
    if news.rmsre is None:
        return text.append(f": {'; '.join(news.reasons)}")
    text.append(f": RMSRE {percent(news.rmsre)}, EDoF {number(news.edof, '.0f')}")
    return text.append(f"; {'; '.join(news.reasons)}." if news.reasons else ".")


def _summary(tally: Tally) -> str:
    answered = tally.refits_done - tally.refits_failed
    refits = f" Profile intervals for {counted(answered, 'day')}." if tally.refits_done else ""
    if tally.refits_failed:
        lost = counted(tally.refits_failed, "day")
        refits += f" {lost} could not be fitted again (study.failed_refits says why)."
    if tally.repaired:
        refits += (
            f" The store was damaged; removed, and computed anew where possible: {tally.repaired}."
        )
    if not tally.total:
        days = "the day is" if tally.kept == 1 else f"all {counted(tally.kept, 'day')} are"
        stored = f"{days} stored, with these quotes and settings."
        return f"Nothing to {'calibrate' if refits else 'do'}: {stored}{refits}"
    is_one = len(tally.models) < 2
    fits = counted(tally.done, "fit") + f" of {len(tally.models)} models"
    text = f"Computed {counted(tally.done, 'day') if is_one else fits}"
    text += f", kept {tally.kept:,} that were stored already." if tally.kept else "."
    if tally.failed:
        text += f" Without results: {counted(tally.failed, 'day')}."
    return text + refits
