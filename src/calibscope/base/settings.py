"""Sections of a settings file: checked, generous about spelling, explained in a user's words.

What a section holds is for the layer to say that uses it; here is what all of them share.
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from calibscope.base.brief import LONGEST, brief, cut
from calibscope.base.errors import SettingsError
from calibscope.base.settings_file import monster
from calibscope.base.spelling import LONGEST_WORD, choose_from, did_you_mean, nearest, plain

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]

WHOLE = "whole"  # type of an error whose text is the whole problem, not only its remedy


class Section(BaseModel):
    """A section of a settings file: frozen, without strangers, generous about spelling."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: ClassVar[Mapping[str, str]] = {}  # an entry, by the setting that holds many

    @field_validator("*", mode="before")
    @classmethod
    def _in_our_spelling(cls, value: Any, info: ValidationInfo) -> Any:
        """Case matters in no word of ours: `target` is TARGET."""
        annotation = cls.model_fields[info.field_name or ""].annotation
        literals = (
            part for part in (annotation, *get_args(annotation)) if get_origin(part) is Literal
        )
        return spelt(value, (word for literal in literals for word in get_args(literal)))


Settings = TypeVar("Settings", bound=Section)


def spelt(value: Any, words: Iterable[str]) -> Any:
    """The word of ours that differs only in case, blanks and hyphens; else the value itself."""
    if not isinstance(value, str):
        return value
    return {plain(word): word for word in words}.get(plain(value), value)


def alone(value: Any) -> Any:
    """A single entry may stand without its list."""
    return (value,) if isinstance(value, str | int | float | datetime.date) else value


def refused(problem: str) -> PydanticCustomError:
    """What a validator raises to say the whole problem in its own words."""
    return PydanticCustomError(WHOLE, "{text}", {"text": problem})


def checked_settings(kind: type[Settings], content: Mapping[str, Any], where: str) -> Settings:
    """Settings of this kind, or one error with everything that is wrong about them."""
    if problem := monster(content):
        raise SettingsError(where, [f"{problem}; correct or remove it"])
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        problems = [_problem(item, kind) for item in error.errors()]
        raise SettingsError(where, problems) from None


def part_of(whole: Section, kind: type[Settings]) -> Settings:
    """The sections of one kind, out of settings that have been checked."""
    said = whole.model_fields_set
    return kind(**{name: getattr(whole, name) for name in kind.model_fields if name in said})


# By the first word of pydantic's type of error.
REMEDIES = {
    "bool": "use true or false",
    "float": "use a number",
    "finite": "use a finite number",
    "int": "use a whole number",
    "string": "use a text in quotes",
    "tuple": "use a list in brackets",
    "model": "write single settings, each with its name",
}


def _problem(item: ErrorDetails, kind: type[Section]) -> str:
    """What is wrong and what to do, in a user's words."""
    parts = [str(part) for part in item["loc"] if isinstance(part, str) and part != "[key]"]
    place, given, context = cut(".".join(parts), LONGEST), item["input"], item.get("ctx", {})
    error = item["type"]
    if error == "extra_forbidden":
        return f"{place}: there is no such setting; {_instead(parts, kind)}"
    if error == WHOLE:
        return f"{place}: {item['msg']}" if place else item["msg"]
    if error == "literal_error":
        remedy = choose_from(re.findall(r"'([^']*)'", context["expected"]), given)
    elif error == "dict_type":
        example = _example(parts, kind)
        remedy = f"write one by one under [{place}]" + (f", such as {example}" if example else "")
    elif error == "missing":
        return f"{place}: numbers are missing; give as many as there should be"
    elif error == "too_short":
        remedy = "give at least one"
    elif error == "less_than":
        remedy = f"use a number below {context['lt']:g}"
    elif error == "greater_than":
        remedy = f"use a number above {context['gt']:g}"
    elif error == "greater_than_equal":
        remedy = f"use a number of at least {context['ge']:g}"
    else:
        remedy = REMEDIES.get(error.split("_")[0], item["msg"])
    return f"{place} is {brief(given)}; {remedy}"


def _example(parts: list[str], kind: type[Section]) -> str | None:
    """An entry of a setting that holds many, as its section shows it."""
    *above, name = parts
    for section in above:
        field = kind.model_fields.get(section)
        if field is None or not isinstance(field.default, Section):
            return None
        kind = type(field.default)
    return kind.examples.get(name)


def _instead(parts: list[str], kind: type[Section]) -> str:
    """What an unknown name may have meant: in another section, nested, or spelt differently."""
    *above, name = parts
    if len(name) > LONGEST_WORD:
        return "remove it"
    sections = {
        section: list(getattr(type(field.default), "model_fields", ()))
        for section, field in kind.model_fields.items()
    }
    if "." in name:
        nested = "..."
        for part in reversed(".".join(parts).split(".")):
            nested = f'{{"{part}": {nested}}}'
        return f"write nested: {nested}"
    if elsewhere := [f"{section}.{name}" for section in sections if name in sections[section]]:
        return did_you_mean(elsewhere)
    near = nearest(name, sections.get(above[0], ()) if above else sections)
    return did_you_mean([repr(near)]) if near else "remove it"
