"""What a bake needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

Vec3 = Sequence[float]
"""Three numbers: x, y, z in metres."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """An axis-aligned box."""

    min: Vec3
    max: Vec3

    def _entries(self) -> dict[str, Any]:
        return {"box": [_numbers(self.min), _numbers(self.max)]}


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """An upright cylinder: the centre of its base, its radius and its height."""

    base: Vec3
    radius: float
    height: float

    def _entries(self) -> dict[str, Any]:
        return {"cylinder": (_numbers(self.base), self.radius, self.height)}


@dataclass(frozen=True, kw_only=True)
class Prism:
    """An upright prism over a simple polygon of corners (x, z), from the lower to the upper height."""

    corners: Sequence[Sequence[float]]
    heights: tuple[float, float]

    def _entries(self) -> dict[str, Any]:
        return {"prism": ([_numbers(corner) for corner in self.corners], _numbers(self.heights))}


@dataclass(frozen=True, eq=False)
class ClosedMesh:
    """What a closed mesh encloses: vertices (n x 3) and triangles (m x 3), which may face either way; or a scene file of it.

    An even number of triangles meets at every edge. A place is inside if a line from it crosses the mesh an odd number of times, so a
    body within a body is hollow.

    >>> ClosedMesh.from_file("pool.obj").file
    'pool.obj'
    """

    vertices: ArrayLike = ()
    triangles: ArrayLike = ()
    file: str | None = None

    @classmethod
    def from_file(cls, file: str | PathLike[str]) -> ClosedMesh:
        """The mesh of a scene file, in metres, y up."""
        return cls(file=str(file))

    def _entries(self) -> dict[str, Any]:
        if self.file is not None:
            return {"mesh": self.file}
        return {"mesh": (np.asarray(self.vertices).tolist(), np.asarray(self.triangles).tolist())}


Shape = Box | Cylinder | Prism | ClosedMesh


@dataclass(frozen=True)
class Mark:
    """A shape in which the ground has another area: its number or name, or ``"blocked"`` to cut it out."""

    shape: Shape
    area: int | str

    def _entries(self) -> dict[str, Any]:
        return {**self.shape._entries(), "area": self.area}


@dataclass(frozen=True)
class Area:
    """What an area is called, what a metre of it costs, and its colour in pictures (red, green, blue)."""

    name: str
    cost: float = 1.0
    colour: tuple[int, int, int] | None = None

    def _entries(self) -> dict[str, Any]:
        return {"name": self.name, "cost": self.cost, "colour": self.colour}


@dataclass(frozen=True, kw_only=True)
class Jumps:
    """Jumps and drops to look for, in metres. What is None keeps its default."""

    max_length: float | None = None
    max_rise: float | None = None
    arc_height: float | None = None
    max_drop: float | None = None
    max_drop_length: float | None = None
    spacing: float | None = None
    min_detour: float | None = None

    def _entries(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a bake. What is None keeps the default of the pipeline.

    Lengths are in metres, areas in square metres, slopes in degrees. A setting that a pipeline does not use is refused by name
    (:class:`waymesh.ConfigError`).

    >>> Settings(cell_size=0.1, agent_radius=0.2).entries()
    {'cell_size': 0.1, 'agent_radius': 0.2}
    """

    pipeline: Literal["voxels", "tiles", "storeys", "slices"] | None = None
    """Default ``"voxels"``. ``"tiles"`` gives the same mesh in bounded memory, ``"storeys"`` borders that do not lie on a grid,
    ``"slices"`` every level and stair by itself. Not for floor plans."""
    cell_size: float | None = None
    """Side of a cell of the grid. Default 0.3."""
    level_height: float | None = None
    """Height of a level of the grid. Default 0.2."""
    agent_height: float | None = None
    """Room that the agent needs above the ground. Default 2.0."""
    agent_radius: float | None = None
    """Distance that the agent's centre keeps from walls and drops. Default 0.6."""
    max_step: float | None = None
    """Highest step. Default 0.9."""
    max_slope: float | None = None
    """Steepest slope in degrees. Default 45."""
    max_ledge: float | None = None
    """Highest ledge that becomes a climb link. Default 0: none."""
    max_edge_error: float | None = None
    """Farthest that a simplified wall may lie from the traced one. Default 1.3 cells."""
    max_edge_length: float | None = None
    """Longest edge along a wall, 0 for no limit. Default 12."""
    max_seam_error: float | None = None
    """Farthest that a border between two regions may be moved to run straight. Default 5."""
    corners: Literal["farthest", "fewest_notches", "by_width"] | None = None
    """Which points of a border become its corners."""
    min_region: float | None = None
    """Smallest piece of ground that is kept. Default 0.05."""
    merge_region: float | None = None
    """Watershed and monotone regions below this are merged into a neighbour. Default 36."""
    partition: Literal["surfaces", "watershed", "monotone"] | None = None
    """How the ground is cut into regions. Default ``"surfaces"``."""
    decomposition: Literal["notch_portals", "greedy", "hertel_mehlhorn"] | None = None
    """How the ground is cut into convex polygons. Default ``"notch_portals"``: the fewest."""
    max_vertices: int | None = None
    """Most corners of a polygon, 0 for no limit. Default 0."""
    max_height_error_levels: float | None = None
    """Largest difference between the ground of the mesh and that of the grid, in levels. Default 1."""
    height_detail: bool | None = None
    """False for a smaller mesh whose ground is only known at the vertices of its polygons. Default True."""
    enclosed: Literal["keep", "remove"] | None = None
    """What becomes of ground inside of solids. Default ``"keep"``."""
    keep: Literal["all", "largest"] | float | Sequence[Vec3] | None = None
    """Which ground is kept: all, the largest piece, pieces of at least an area, or those that some places lie on."""
    areas: Mapping[int, Area] | None = None
    """Names, costs and colours of areas, by number from 1 (plain ground) to 255."""
    area_rules: Sequence[str] | None = None
    """What surfaces of files are made of: ``"PATTERN=NAME[:COST]"`` or ``"PATTERN=blocked"``. For files only."""
    marks: Sequence[Mark] | None = None
    """Shapes in which the ground has another area."""
    jumps: Jumps | None = None
    """Jumps and drops to look for, which become links."""
    threads: int | None = None
    """Default 0: one per core. The result does not depend on it."""
    max_memory_bytes: int | None = None
    """Memory to work in. Default 2 GiB."""
    validate_stages: bool | None = None
    """Whether the result of each stage is checked: it takes about as long as the bake."""
    up: Literal["y", "z"] | None = None
    """Which axis of scene files points up. Default ``"y"``. For files only."""
    scale: float | None = None
    """Metres per unit of the files. Default 1. For files only."""
    tile_cells: int | None = None
    """Side of a tile in cells, for tiles, storeys and slices. Default 256."""
    folder: str | PathLike[str] | None = None
    """Folder in which finished tiles are kept, so that a bake that was stopped goes on. For tiles only."""
    spill_folder: str | PathLike[str] | None = None
    """Folder for triangles that memory does not hold. For tiles only."""
    rough_cells: int | None = None
    """Fine cells along a side of a rough one, for storeys. Default 0: chosen."""
    link_reach: float | None = None
    """Widest gap that a stair link bridges, for slices (default 0.25) and plans (default 0.5)."""
    steep_blocks: bool | None = None
    """Whether what is too steep to walk on stands in the way, for slices. Default True."""
    join: Literal["square", "round", "miter"] | None = None
    """How the offset goes round corners, for plans. Default ``"square"``."""
    miter_limit: float | None = None
    """Longest corner of ``join="miter"``, in radii. Default 2."""
    arc_error: float | None = None
    """How far an arc of ``join="round"`` may be cut short, for plans. Default 0.005."""
    shrink_walkable: bool | None = None
    """Whether the agent keeps its radius from the borders of walkable ground too, for plans. Default True."""
    near_distance: float | None = None
    """Vertices nearer than this to the one before are left out, for plans. Default 0.01."""
    close_distance: float | None = None
    """Narrower gaps between walkable shapes are closed, for plans. Default 0: none."""
    merge_distance: float | None = None
    """Vertices nearer than this become one, for plans. Default 0: none."""
    steiner_grid: float | None = None
    """Spacing of a grid of vertices inside, for plans. Default 0: none."""
    wall_width: float | None = None
    """Thickness of walls for which a plan gives none. Default 0.1."""
    storey: str | None = None
    """Storey of elements of a plan that name none. Default ``"0"``."""
    elevation: float | None = None
    """Height of that storey. Default 0."""

    def entries(self) -> dict[str, Any]:
        """The settings that are not None, as plain Python values."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _plain(value) for name, value in given.items() if value is not None}


def entries_of(settings: Settings | Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings of any form as a dictionary of plain values."""
    if settings is None:
        return {}
    if isinstance(settings, Settings):
        return settings.entries()
    return {name: _plain(value) for name, value in settings.items() if value is not None}


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in values]


def _plain(value: Any) -> Any:
    if hasattr(value, "_entries"):
        return value._entries()
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, PathLike):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value
