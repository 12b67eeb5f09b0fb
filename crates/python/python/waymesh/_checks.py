"""Arguments and files, checked: an error names the argument, its value and what it must be."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fsdecode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import ConfigError, FileError, InputError

_SHOWN_CHARACTERS = 60
"""Length of a value in an error."""


def shown(value: Any) -> str:
    """Returns a value as a short text."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of more than 4,300 digits.
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + ".."


def real(value: Any) -> float:
    """Returns a number: infinite where it is too large for a float, NaN where it is none."""
    try:
        return math.nan if isinstance(value, (str, bytes, bytearray)) else float(value)
    except OverflowError:
        return math.copysign(math.inf, int(value > 0) - 0.5)
    except (TypeError, ValueError):
        return math.nan


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf, unit: str = "") -> float:
    """Returns a number from ``low`` to ``high``. Raises :class:`ConfigError`."""
    found = real(value)
    if low <= found <= high:
        return found
    limits = f" from {low:g}{unit}" * (low > -math.inf) + f" to {high:g}{unit}" * (high < math.inf)
    raise ConfigError(f"{name} is {shown(value)}, but must be a number{limits}")


def whole(name: str, value: Any, high: float = math.inf) -> int:
    """Returns a whole number from 0 to ``high``. Raises :class:`ConfigError`."""
    try:
        found = operator.index(value)
    except TypeError:
        found = -1
    if 0 <= found <= high:
        return found
    limit = f" to {high:,.0f}" if high < math.inf else " or more"
    raise ConfigError(f"{name} is {shown(value)}, but must be a whole number, 0{limit}")


def numbers(name: str, values: Any, count: int) -> list[float]:
    """Returns finite numbers, of which there are ``count``. Raises :class:`ConfigError`."""
    try:
        found = [] if isinstance(values, (str, bytes)) else [real(value) for value in values]
    except TypeError:
        found = []
    if len(found) == count and np.isfinite(found).all():
        return found
    raise ConfigError(f"{name} is {shown(values)}, but must be {count} finite numbers")


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Returns one of some texts. Raises :class:`ConfigError`."""
    if value in choices:
        return str(value)
    raise ConfigError(f"{name} is {shown(value)}, but must be one of {', '.join(map(repr, choices))}")


def listed(name: str, values: Any) -> list[Any]:
    """Returns the items of a list; a text is one name, not a list of its letters."""
    try:
        return [values] if isinstance(values, (str, bytes, PathLike)) else list(values)
    except TypeError:
        raise InputError(f"{name} is {shown(values)}, but must be a list of texts") from None


def rules(name: str, value: Any) -> Any:
    """Returns a function, or names by patterns. Raises :class:`InputError`."""
    if value is None or callable(value) or isinstance(value, Mapping):
        return value
    raise InputError(f"{name} must be a function or a dictionary of names by patterns, not {type(value).__name__}")


def path_of(file: Any) -> str:
    """Returns the name of a file as text. Raises :class:`InputError`."""
    try:
        return fsdecode(file)
    except TypeError:
        raise InputError(f"a file is named by a text or a path, not by {type(file).__name__}") from None


def write(file: Any, data: bytes, opened: Callable[..., Any] = open) -> None:
    """Writes a file. Raises :class:`FileError`."""
    path = path_of(file)
    try:
        with opened(path, "wb") as out:
            out.write(data)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def position(name: str, point: Any) -> NDArray[np.float32]:
    """Returns a position, (3,), in single precision, infinite beyond it. Raises :class:`InputError`."""
    try:
        with np.errstate(over="ignore"):
            found = np.asarray(point if hasattr(point, "dtype") else [real(part) for part in point], dtype=np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, dtype=np.float32)
    if found.shape != (3,):
        raise InputError(f"{name} is {shown(point)}, but must be three numbers")
    return found
