"""Write two small synthetic markets in every layout: `python tests/golden/market/make_layouts.py`.

Each folder holds the same quotes as `long`. Curve and quotes are smooth formulas; nothing was
observed. The quote of 2024-06-04, 5Y is a gap everywhere. `../surface` has caps at the money, caps
of two strikes and floors, in the layouts with columns for them.
"""

import csv
import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import xlsxwriter

from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay

HERE = Path(__file__).parent
DATES = [datetime.date(2024, 5, 30), datetime.date(2024, 5, 31)] + [
    datetime.date(2024, 6, day) for day in (3, 4, 5, 6)
]
YEARS = [3, 5, 10]
NODES = ["1M", "3M", "6M", "1Y", "2Y", "3Y", "4Y", "5Y", "6Y", "7Y", "8Y", "10Y"]
NODE_YEARS = [1 / 12, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10]
LONG = ["date", "maturity", "quantity", "value"]
GAP = (datetime.date(2024, 6, 4), "5Y")


def quotes():
    """(date, maturity, quantity, value) of caps and curve; None is the gap."""
    caps, curve = [], []
    for k, date in enumerate(DATES):
        times = np.array(NODE_YEARS)
        rates = 0.026 + 0.011 * np.exp(-times / 2.2) + 0.0002 * k
        factors = np.round(np.exp(-rates * times), 8)
        curve += [
            (date, node, "discount_factor", float(factor))
            for node, factor in zip(NODES, factors, strict=True)
        ]
        day = MarketDay.from_arrays(
            curve=DiscountCurve.from_discount_factors(times, factors),
            maturities=YEARS,
            vols=0.0085 - 0.0001 * np.sqrt(YEARS) + 0.00005 * k,
        )
        for i, years in enumerate(YEARS):
            gap = (date, f"{years}Y") == GAP
            price, strike = (float(round(x[i], 8)) for x in (day.prices, day.strikes))
            caps.append((date, f"{years}Y", "price", None if gap else price))
            caps.append((date, f"{years}Y", "strike", None if gap else strike))
    return caps, curve


def text(name, rows, *, delimiter=",", encoding="utf-8", end="\n"):
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)


def book(name, sheets, **options):
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    workbook = xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy", **options})
    workbook.set_properties({"created": datetime.datetime(2024, 6, 6)})
    for title, rows in sheets.items():
        sheet = workbook.add_worksheet(title)
        for i, row in enumerate(rows):
            for k, cell in enumerate(row):
                if cell is not None:
                    sheet.write(i, k, cell)
    workbook.close()


def settings(folder, content):
    (HERE / folder / "settings.toml").write_text(content, encoding="utf-8")


def serial(date):
    return (date - datetime.date(1899, 12, 30)).days


def with_gap(rows, word):
    return [[word if cell is None else cell for cell in row] for row in rows]


def long_of(rows, date=str, value=str, gap="#N/A"):
    return [LONG] + [
        [date(day), years, quantity, gap if x is None else value(x)]
        for day, years, quantity, x in rows
    ]


def pivot(rows, quantity):
    """{date: {maturity: value}}, and the maturities."""
    table: dict = {}
    for day, years, name, x in rows:
        if name == quantity:
            table.setdefault(day, {})[years] = x
    return table, list(next(iter(table.values())))


def wide_of(rows, quantity, date=str, value=str, gap="", name="date"):
    table, years = pivot(rows, quantity)
    return [[name, *years]] + [
        [date(day)] + [gap if x is None else value(x) for x in line.values()]
        for day, line in table.items()
    ]


def tidy_of(rows, quantities, header):
    tables = [pivot(rows, quantity)[0] for quantity in quantities]
    return [header] + [
        [day, years, *(table[day][years] for table in tables)]
        for day in tables[0]
        for years in tables[0][day]
    ]


def blocks_of(rows, quantity, date, value, gap=None):
    """(date, maturity) blocks with a blank between; without a word for it, a gap is left out."""
    table, years = pivot(rows, quantity)
    blocks = [[["Date", year]] for year in years]
    for day, line in table.items():
        for block, x in zip(blocks, line.values(), strict=True):
            if x is not None or gap is not None:
                block.append([date(day), gap if x is None else value(x)])
    height = max(map(len, blocks))
    grid = []
    for i in range(height):
        row = []
        for block in blocks:
            row += [*(block[i] if i < len(block) else ["", ""]), ""]
        grid.append(row[:-1])
    return grid


def german_date(day):
    return day.strftime("%d.%m.%Y")


def comma(x):
    return str(x).replace(".", ",")


def same(x):
    return x


def make():
    caps, curve = quotes()
    both = {"caps": caps, "curve": curve}

    for role, rows in both.items():
        text(f"long/{role}.csv", long_of(rows))
        newest = sorted(rows, key=lambda row: row[0], reverse=True)
        text(f"newest_first/{role}.csv", long_of(newest, gap="NULL"), end="\r\n")
        german = long_of(rows, german_date, comma, "#N/A N/A")
        text(f"german_long/{role}.csv", german, delimiter=";", encoding="utf-8-sig", end="\r\n")
        text(f"excel_serials/{role}.csv", long_of(rows, lambda day: str(serial(day)), gap=""))
        slashes = long_of(rows, lambda day: day.strftime("%d/%m/%Y"), gap="n/a")
        text(f"slashes/{role}.csv", slashes, delimiter="\t")
        book(f"excel_long/{role}.xlsx", {"Sheet1": with_gap([LONG, *rows], "#N/A")})
        frame = pd.DataFrame(rows, columns=LONG)
        (HERE / "parquet_long").mkdir(exist_ok=True)
        frame.to_parquet(HERE / f"parquet_long/{role}.parquet", index=False)

    text("combined/market.csv", long_of(caps + curve))

    for quantity in ("price", "strike"):
        text(f"wide/caps_{quantity}.csv", wide_of(caps, quantity))
        german = wide_of(caps, quantity, german_date, comma, "-", "Datum")
        german[0] = [name.replace("Y", "J") for name in german[0]]
        text(f"german_wide/caps_{quantity}.csv", german, delimiter=";", encoding="utf-8-sig")
        gap = "#N/A N/A" if quantity == "strike" else None
        text(f"blocks/caps_{quantity}.csv", blocks_of(caps, quantity, str, str, gap))
        table, years = pivot(caps, quantity)
        frame = pd.DataFrame(list(table.values()), columns=years, dtype=float)
        frame.insert(0, "date", pd.to_datetime(list(table)))
        (HERE / "parquet_wide").mkdir(exist_ok=True)
        frame.to_parquet(HERE / f"parquet_wide/caps_{quantity}.parquet", index=False)
    text("wide/curve.csv", wide_of(curve, "discount_factor"))
    german = wide_of(curve, "discount_factor", german_date, comma, name="Datum")
    text("german_wide/curve.csv", german, delimiter=";", encoding="utf-8-sig")
    text("blocks/curve.csv", blocks_of(curve, "discount_factor", str, str))
    table, years = pivot(curve, "discount_factor")
    frame = pd.DataFrame(list(table.values()), columns=years)
    frame.insert(0, "date", [str(day) for day in table])
    frame.to_parquet(HERE / "parquet_wide/curve.parquet", index=False)

    text(
        "tidy/caps.csv", tidy_of(caps, ["price", "strike"], ["date", "maturity", "price", "strike"])
    )
    text(
        "tidy/curve.csv",
        tidy_of(curve, ["discount_factor"], ["date", "maturity", "discount_factor"]),
    )

    sheets = {
        title: wide_of(rows, quantity, date, same, "#N/A N/A")
        for title, rows, quantity, date in (
            ("Prices", caps, "price", same),
            ("Strikes", caps, "strike", same),
            ("Discount factors", curve, "discount_factor", same),
        )
    }
    book("excel_wide/market.xlsx", {"Notes": [["synthetic"]], **sheets})
    for title, rows in sheets.items():
        sheets[title] = [rows[0]] + [[serial(row[0]), *row[1:]] for row in rows[1:]]
    book("excel_unformatted/market.xlsx", sheets)
    book(
        "excel_blocks/market.xlsx",
        {
            "price": blocks_of(caps, "price", same, same, "#N/A"),
            "strike": blocks_of(caps, "strike", same, same),
            "discount_factor": blocks_of(curve, "discount_factor", same, same),
        },
    )

    header = ["Stichtag", "Laufzeit", "Größe", "Wert", "Quelle"]
    words = {"price": "Prämie", "strike": "Basispreis", "discount_factor": "Diskontfaktor"}
    for role, rows in both.items():
        theirs = [
            [day.strftime("%d.%m.%y"), f"{round(float(12 * YEAR_OF[years]))}M", words[quantity],
             "k.A." if x is None else comma(x), "synthetisch"]
            for day, years, quantity, x in rows
        ]  # fmt: skip
        preamble = [["Export vom 06.06.2024"], []]
        text(f"mapped/{role}.csv", [*preamble, header, *theirs], delimiter=";", encoding="cp1252")
    section = """[{role}]
header_row = 3
date_format = "%d.%m.%y"
encoding = "cp1252"
missing = ["k.A."]
columns = {{ Stichtag = "date", Laufzeit = "maturity", "Größe" = "quantity", Wert = "value" }}
quantities = {{ {words} }}
"""
    settings(
        "mapped",
        section.format(role="caps", words='"Prämie" = "price", Basispreis = "strike"')
        + section.format(role="curve", words='Diskontfaktor = "discount_factor"'),
    )


SURFACE = [(f"{years}Y", kind, strike) for years in YEARS
           for kind, strike in (("cap", None), ("cap", 0.02), ("cap", 0.04), ("floor", 0.01))
           if years > 3 or strike is None or kind == "floor"]  # fmt: skip


def surface():
    """(date, maturity, kind, strike, vol) of caps and floors; no strike is at the money."""
    return [
        (date, years, kind, strike, None if (date, years) == GAP and strike == 0.02 else
         round(0.0085 + 0.00005 * k + 0.02 * abs((strike or 0.0285) - 0.0285) - 0.0001 * i, 8))
        for k, date in enumerate(DATES)
        for i, (years, kind, strike) in enumerate(SURFACE)
    ]  # fmt: skip


def tidy_surface(rows, header, date=str, value=str, kinds=str, atm="ATM", gap="#N/A"):
    return [header] + [
        [date(day), years, kinds(kind), atm if strike is None else value(strike),
         gap if vol is None else value(vol)]
        for day, years, kind, strike, vol in rows
    ]  # fmt: skip


def make_surface():
    rows, (_, curve) = surface(), quotes()
    there = "../surface"
    names = ["date", "maturity", "kind", "strike", "normal_vol"]
    tidy = tidy_surface(rows, names)
    text(f"{there}/tidy/caps.csv", tidy)
    long = [[*row[:4], "normal_vol", row[4]] for row in tidy[1:]]
    text(f"{there}/long/caps.csv", [["date", "maturity", "kind", "strike", *LONG[2:]], *long])
    mixed = sorted(tidy_surface(rows, names, atm="")[1:], key=lambda row: row[1:4])
    text(f"{there}/blanks/caps.csv", [names, *mixed])
    german = tidy_surface(rows, ["Datum", "Laufzeit", "Typ", "Basispreis", "normal_vol"],
                          german_date, comma, str.capitalize, gap="-")  # fmt: skip
    text(f"{there}/german/caps.csv", german, delimiter=";", encoding="utf-8-sig", end="\r\n")
    cells = tidy_surface(rows, names, same, same, lambda kind: f"{kind.capitalize()}s", gap=None)
    book(f"{there}/excel/caps.xlsx", {"Sheet1": cells})
    percents = [[*row[:3], None if row[3] is None else round(100 * row[3], 6), row[4]]
                for row in rows]  # fmt: skip
    text(f"{there}/percents/caps.csv", tidy_surface(percents, names))
    settings(f"{there}/percents", '[caps.units]\nstrike = "percent"\n')
    for folder in ("tidy", "long", "blanks", "german", "excel", "percents"):
        text(f"{there}/{folder}/curve.csv", wide_of(curve, "discount_factor"))


YEAR_OF = {f"{years}Y": years for years in YEARS} | dict(zip(NODES, NODE_YEARS, strict=True))

if __name__ == "__main__":
    make()
    make_surface()
