"""Types of arguments and results, for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NoReturn as Never, TypedDict

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Numbers of any shape."""
Vector = np.ndarray[tuple[int], np.dtype[np.float32]]
"""Numbers of shape (n,); a position has shape (3,)."""
Rows = np.ndarray[tuple[int, int], np.dtype[np.float32]]
"""Positions or directions of shape (n, 3)."""
Ids = np.ndarray[tuple[int], np.dtype[np.uint32]]
"""Numbers of polygons, islands, storeys or vertices, of shape (n,)."""
IdRows = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
"""Rows of such numbers, as of the corners of triangles, of shape (n, m)."""
Signed = np.ndarray[tuple[int], np.dtype[np.int64]]
"""Numbers of polygons or islands, -1 for none, of shape (n,)."""
Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]
"""Shape (n,)."""
Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
"""Areas, or numbers of outcomes and statuses, of shape (n,)."""
Agents = np.ndarray[tuple[int], np.dtype[np.uint64]]
"""Numbers of agents or of points, of shape (n,)."""

Number = float | np.floating[Any] | np.integer[Any]
Numbers = np.floating[Any] | np.integer[Any]
Point = Sequence[Number] | np.ndarray[tuple[int], np.dtype[Numbers]]
"""One position: x, y, z."""
Points = Sequence[Point] | np.ndarray[tuple[int, int], np.dtype[Numbers]]
"""Positions, of shape (n, 3)."""
AnyShape = np.ndarray[tuple[Never, Never, Never, Never, Never], np.dtype[Any]]
"""An array whose shape a type checker does not know: it is one of any shape, so also of this. Overloads for it come first."""
Costs = Mapping[int, float] | Mapping[str, float] | Mapping[int | str, float]
"""Costs by number or name."""
Reach = float | tuple[float, float, float]
"""Metres, or metres to the side, up and down."""

Progress = Callable[[str, float], object]
"""Is called with the name of a stage and the part of it that is done, from 0 to 1. What it raises ends the call."""
Change = Literal["kept", "repaired", "replanned", "nothing"]
Outcome = Literal["complete", "partial", "unreachable", "undecided"]
Position = tuple[float, float, float]


class LinkEntry(TypedDict):
    """A link of :attr:`NavMesh.links`."""

    id: int
    kind: str
    start: tuple[Position, Position]
    end: tuple[Position, Position]
    polygons: tuple[int, int]
    both_ways: bool
    is_open: bool
    extra_cost: float
    data: int


class IslandEntry(TypedDict):
    """An island of :attr:`NavMesh.islands`: polygons, square metres, a place on it, links to others, and the first island that these
    join it with."""

    polygons: int
    area: float
    place: list[float]
    links: int
    joined: int


class AreaEntry(TypedDict):
    """An area of :attr:`NavMesh.areas`."""

    name: str
    cost: float
    colour: tuple[int, int, int] | None


class AgentEntry(TypedDict):
    """The agent of a mesh: metres, and degrees."""

    height: float
    radius: float
    max_step: float
    max_slope: float


class Update(TypedDict):
    """What :meth:`World.update` built: numbers of tiles, polygons and links, and seconds."""

    rebuilt: int
    prebaked: int
    adjusted: int
    polygons: int
    links: int
    build_seconds: float
    join_seconds: float

