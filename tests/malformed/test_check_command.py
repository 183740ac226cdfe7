"""`calibscope check` on the whole corpus: an explanation and exit code 1, or 3 if days are left."""

import pytest
from click.testing import CliRunner
from corpus import CASES, CHECK_CASES

from calibscope.cli import main

# What only the assembly can see: days that are left out, or everything.
EXPECTED = {
    "negative price": (3, "2024-06-03, 5Y: price is -0.0212; it must be a positive number"),
    "prices in basis points": (1, "if values are in bp, set caps.units.price = 'bp'"),
    "strikes in percent": (1, "if values are in percent, set caps.units.strike = 'percent'"),
    "strikes in basis points": (1, "caps.units.strike = 'bp'"),
    "vols in basis points": (1, "caps.units.normal_vol = 'bp'"),
    "curve ends too early": (1, "the curve ends at 3 years, before 5Y; extend"),
    "no common dates": (1, "no date is common to the caps (2024-06-03 to 2024-06-13)"),
    "bid above ask": (1, "they must be in this order and positive"),
    "negative discount factor": (3, "2024-06-03, 1Y: discount factor is -0.9672"),
    "zero rates read as discount factors": (1, "curve.quantity = 'zero_rate'"),
    "strikes only": (1, "there are no cap quotes; give one of price, normal_vol"),
}  # fmt: skip


def check(folder, case):
    arguments = ["check", str(folder / case.caps_file), "--curve", str(folder / case.curve_file)]
    arguments += ["--settings", str(folder / "settings.toml")]
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_malformed_input_ends_with_one_explanation(case, tmp_path):
    case.write(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    result = check(tmp_path, case)
    code, says = EXPECTED.get(case.name, (1, case.says[0] if case.says else ""))
    assert result.exit_code == code, result.output
    output = " ".join(result.output.split())  # a terminal wraps lines
    assert says in output
    if code == 1:
        assert result.stderr.startswith("Error: ")
        assert result.stdout == ""
    assert "Traceback" not in output
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_every_case_for_the_assembly_has_its_expectation():
    assert {case.name for case in CHECK_CASES} == set(EXPECTED)
