"""calibscope: calibrate interest-rate models, and know how far to trust the result.

The names below are the public ones. They are imported at first use, so that
``import calibscope`` and ``calibscope --help`` stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0.dev0"

_HOMES = {
    "Fit": "calibscope.calibration.solution",
    "PlausibleBox": "calibscope.calibration.g2.plausible",
    "BondOption": "calibscope.market.instruments.bond_option",
    "Cap": "calibscope.market.instruments.cap",
    "DiscountCurve": "calibscope.market.curve",
    "Floor": "calibscope.market.instruments.cap",
    "G2": "calibscope.models.g2.model",
    "HullWhite": "calibscope.models.hull_white.model",
    "Metric": "calibscope.study.metric",
    "Model": "calibscope.models.model",
    "ParameterSpec": "calibscope.base.parameters",
    "register": "calibscope.models.model",
    "register_metric": "calibscope.study.metric",
    "Market": "calibscope.market.market",
    "MarketDataError": "calibscope.market.errors",
    "MarketDay": "calibscope.market.day",
    "Quote": "calibscope.market.instruments.instrument",
    "calibrate": "calibscope.calibration.calibrate",
    "calibrate_many": "calibscope.calibration.calibrate",
    "Diagnosis": "calibscope.diagnosis.diagnosis",
    "DiagnosisSettings": "calibscope.diagnosis.settings",
    "demo_market": "calibscope.market.demo",
    "diagnose": "calibscope.diagnosis.diagnose",
    "diagnose_least_squares": "calibscope.diagnosis.diagnose_least_squares",
    "diagnose_many": "calibscope.diagnosis.diagnose",
    "evidence": "calibscope.calibration.near_optimal.evidence",
    "export": "calibscope.report.export.export",
    "ExportError": "calibscope.report.export.target",
    "leverage_balanced_weights": "calibscope.calibration.balance",
    "open_study": "calibscope.study.study",
    "read_market": "calibscope.study.read",
    "run_study": "calibscope.study.run",
    "screen_quotes": "calibscope.market.screening.screening",
    "Screening": "calibscope.market.screening.screening",
    "SettingsError": "calibscope.base.errors",
    "simulate_market": "calibscope.study.simulate",
    "Study": "calibscope.study.study",
    "StudySettings": "calibscope.study.settings",
    "StoreError": "calibscope.study.errors",
    "write_report": "calibscope.report.html.write_report",
}

__all__ = [
    "G2",
    "BondOption",
    "Cap",
    "Diagnosis",
    "DiagnosisSettings",
    "DiscountCurve",
    "ExportError",
    "Fit",
    "Floor",
    "HullWhite",
    "Market",
    "MarketDataError",
    "MarketDay",
    "Metric",
    "Model",
    "ParameterSpec",
    "PlausibleBox",
    "Quote",
    "Screening",
    "SettingsError",
    "StoreError",
    "Study",
    "StudySettings",
    "__version__",
    "calibrate",
    "calibrate_many",
    "demo_market",
    "diagnose",
    "diagnose_least_squares",
    "diagnose_many",
    "evidence",
    "export",
    "leverage_balanced_weights",
    "open_study",
    "read_market",
    "register",
    "register_metric",
    "run_study",
    "screen_quotes",
    "simulate_market",
    "write_report",
]

if TYPE_CHECKING:
    from calibscope.base.errors import SettingsError
    from calibscope.base.parameters import ParameterSpec
    from calibscope.calibration.balance import leverage_balanced_weights
    from calibscope.calibration.calibrate import calibrate, calibrate_many
    from calibscope.calibration.g2.plausible import PlausibleBox
    from calibscope.calibration.near_optimal.evidence import evidence
    from calibscope.calibration.solution import Fit
    from calibscope.diagnosis.diagnose import diagnose, diagnose_many
    from calibscope.diagnosis.diagnose_least_squares import diagnose_least_squares
    from calibscope.diagnosis.diagnosis import Diagnosis
    from calibscope.diagnosis.settings import DiagnosisSettings
    from calibscope.market.curve import DiscountCurve
    from calibscope.market.day import MarketDay
    from calibscope.market.demo import demo_market
    from calibscope.market.errors import MarketDataError
    from calibscope.market.instruments.bond_option import BondOption
    from calibscope.market.instruments.cap import Cap, Floor
    from calibscope.market.instruments.instrument import Quote
    from calibscope.market.market import Market
    from calibscope.market.screening.screening import Screening, screen_quotes
    from calibscope.models.g2.model import G2
    from calibscope.models.hull_white.model import HullWhite
    from calibscope.models.model import Model, register
    from calibscope.report.export.export import export
    from calibscope.report.export.target import ExportError
    from calibscope.report.html.write_report import write_report
    from calibscope.study.errors import StoreError
    from calibscope.study.metric import Metric, register_metric
    from calibscope.study.read import read_market
    from calibscope.study.run import run_study
    from calibscope.study.settings import StudySettings
    from calibscope.study.simulate import simulate_market
    from calibscope.study.study import Study, open_study


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'calibscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
