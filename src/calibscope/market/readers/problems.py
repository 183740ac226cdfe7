"""Everything that is wrong with a file, collected while reading goes on."""

from collections import Counter

from calibscope.market.readers.table import Table

# A thousand lines of the same complaint help nobody.
LISTED = 5
ROWS_LISTED = 5
KEPT = 1_000  # of a kind: a file of another kind may have millions


class Problems:
    """The problems of a file, in order; of each kind the first ones, and how many more."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[object, list[str]]] = {}
        self._rows: dict[object, list[int]] = {}
        self._further: Counter[str] = Counter()  # that are counted only

    def add(self, kind: str, text: str) -> None:
        """Note a problem that names its place itself; `kind` groups those that are alike."""
        found = self._kinds.setdefault(kind, {})
        if text in found or len(found) < KEPT:
            found[text] = ["", text]
        else:
            self._further[kind] += 1

    def add_cell(self, kind: str, table: Table, row: int, column: int, text: str) -> None:
        """Note a problem of a cell; the same in further rows of the column makes no new line."""
        key = (table.sheet, column, text)
        found = self._kinds.setdefault(kind, {})
        if key in found:
            self._rows[key].append(int(table.rows[row]))
        elif len(found) < KEPT:
            found[key] = [table.place(row, column), text]
            self._rows[key] = [int(table.rows[row])]
        else:
            self._further[kind] += 1

    def has(self, kind: str) -> bool:
        """Whether there is any of this kind."""
        return kind in self._kinds

    def lines(self) -> list[str]:
        """One line per problem."""
        lines = []
        for kind, found in self._kinds.items():
            for key, (place, text) in list(found.items())[:LISTED]:
                lines.append(f"{place}{_also(self._rows[key][1:])}: {text}" if place else text)
            if len(found) > LISTED:
                more = len(found) - LISTED + self._further[kind]
                lines.append(f"and {more} more like it")
        return lines


def _also(rows: list[int]) -> str:
    if not rows:
        return ""
    more = f" and {len(rows) - ROWS_LISTED} more" if len(rows) > ROWS_LISTED else ""
    return f" (also row {', '.join(map(str, rows[:ROWS_LISTED]))}{more})"
