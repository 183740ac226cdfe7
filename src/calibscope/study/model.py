"""The model whose fits a study stores: G2++, by its parameters."""

from calibscope.models.g2.parameters import PARAMETERS, SPECS

__all__ = ["PARAMETERS", "SPECS"]
