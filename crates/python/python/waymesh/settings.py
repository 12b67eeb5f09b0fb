"""What a bake needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike, fsdecode
from typing import Any, Literal

from numpy.typing import ArrayLike

from ._checks import numbers, path_of
from ._errors import InputError

Vec3 = Sequence[float]
"""Three numbers: x, y, z in metres."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """An axis-aligned box."""

    min: Vec3
    max: Vec3

    def _entries(self) -> dict[str, Any]:
        return {"box": [numbers("min of a Box", self.min, 3), numbers("max of a Box", self.max, 3)]}


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """An upright cylinder: the centre of its base, its radius and its height."""

    base: Vec3
    radius: float
    height: float

    def _entries(self) -> dict[str, Any]:
        return {"cylinder": (numbers("base of a Cylinder", self.base, 3), self.radius, self.height)}


@dataclass(frozen=True, kw_only=True)
class Prism:
    """An upright prism over a simple polygon of corners (x, z), from the lower to the upper height."""

    corners: Sequence[Sequence[float]]
    heights: tuple[float, float]

    def _entries(self) -> dict[str, Any]:
        corners = [numbers(f"corner {at} of a Prism", corner, 2) for at, corner in enumerate(_items("corners of a Prism", self.corners))]
        return {"prism": (corners, numbers("heights of a Prism", self.heights, 2))}


@dataclass(frozen=True, eq=False)
class ClosedMesh:
    """What a closed mesh encloses: vertices (n x 3) and triangles (m x 3), which may face either way; or a scene file of it.

    An even number of triangles meets at every edge. A place is inside if a line from it crosses the mesh an odd number of times, so a
    body within a body is hollow. As an obstacle, its triangles all face out of the solid, or all into it.

    >>> ClosedMesh.from_file("pool.obj").file
    'pool.obj'
    """

    vertices: ArrayLike = ()
    triangles: ArrayLike = ()
    file: str | None = None

    @classmethod
    def from_file(cls, file: str | PathLike[str]) -> ClosedMesh:
        """The mesh of a scene file, in metres, y up."""
        return cls(file=path_of(file))

    def _entries(self) -> dict[str, Any]:
        if self.file is not None:
            return {"mesh": self.file}
        vertices, triangles = (_items(f"{name} of a ClosedMesh", getattr(self, name)) for name in ("vertices", "triangles"))
        return {"mesh": (_plain(vertices), _plain(triangles))}


Shape = Box | Cylinder | Prism | ClosedMesh


def shape_entries(shape: Shape) -> dict[str, Any]:
    """The entries of a shape. Raises InputError for anything else."""
    if not isinstance(shape, (Box, Cylinder, Prism, ClosedMesh)):
        raise InputError(f"a shape must be a Box, Cylinder, Prism or ClosedMesh, not {type(shape).__name__}")
    return shape._entries()


@dataclass(frozen=True)
class Mark:
    """A shape in which the ground has another area: its number or name, or ``"blocked"`` to cut it out."""

    shape: Shape
    area: int | str

    def _entries(self) -> dict[str, Any]:
        return {**shape_entries(self.shape), "area": self.area}


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

    # <jumps>
    max_length: float | None = None
    """Longest jump from border to border of the mesh. 0 for none. Default 4 m."""
    max_rise: float | None = None
    """How much higher or lower a jump may land. Default 0.6 m."""
    arc_height: float | None = None
    """Height of the feet at the top of a jump, above its higher end. Default 0.4 m."""
    max_drop: float | None = None
    """Deepest drop. 0 for none. Default 4 m."""
    max_drop_length: float | None = None
    """How far out a drop may land, from border to border of the mesh. Default 2 m."""
    spacing: float | None = None
    """Distance below which the shorter of two links stands for both. Default 2 m."""
    min_detour: float | None = None
    """Least detour on foot that a link must save. Default 4 m."""
    # </jumps>

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

    pipeline: Literal["voxels", "storeys", "slices"] | None = None
    """Default ``"voxels"``. ``"storeys"`` gives borders that do not lie on a grid, ``"slices"`` every level and stair by itself.
    Not for floor plans."""
    area_rules: Sequence[str] | None = None
    """What surfaces of files are made of: ``"PATTERN=NAME[:COST]"`` or ``"PATTERN=blocked"``. For files only."""
    # <settings>
    agent: str | None = None
    """Usual agent: recast, person, crouched, wheelchair, robot:RADIUS or vehicle:WIDTH. Sets its
    height, radius, step and slope, and on a grid of the default size cells and levels that resolve
    it. Other settings override it. Default "recast"."""
    cell_size: float | None = None
    """Side of a cell of the grid. Smaller cells follow walls and narrow doors more closely; half
    the side takes four times the work. Default 0.3 m, storeys 0.1 m, slices 0.05 m."""
    level_height: float | None = None
    """Height of a level of the grid. Steps and head room are judged to this. Default 0.2 m, storeys
    0.1 m, slices 0.02 m."""
    height_classes: Sequence[float] | None = None
    """Heights of agents that share the mesh, ascending: ground is divided by the head room it has.
    Default none, not for slices."""
    agent_height: float | None = None
    """Height of the agent. Ground with less head room is left out. Default 2 m."""
    agent_radius: float | None = None
    """Radius of the agent. The mesh keeps this far from walls and drops, since it is where the
    agent's centre may be. Default 0.6 m, not for slices."""
    max_step: float | None = None
    """Highest step that the agent walks over: stairs, kerbs, sills. Default 0.9 m, slices 0.5 m."""
    max_slope: float | None = None
    """Steepest slope that the agent walks on. Default 45 degrees."""
    max_ledge: float | None = None
    """Highest ledge that becomes a link for an agent that can climb. 0 for none. Default 0 m, not
    for storeys, not for slices."""
    max_edge_error: float | None = None
    """Farthest that a simplified wall may lie from the traced one; automatic is 1.3 cells. More
    gives fewer polygons. Default automatic, slices 0 m."""
    max_edge_length: float | None = None
    """Longest edge along a wall; longer ones are split. 0 for no limit. Default 12 m, slices 0
    m."""
    max_seam_error: float | None = None
    """Farthest that a border between two regions may be moved to run straight. Default 5 m."""
    corners: Literal["farthest", "fewest_notches", "by_width"] | None = None
    """Which points of a border become its corners: those farthest from the simplified border, those
    that give the fewest polygons, or these around narrow ground only. Default "by_width", storeys
    "fewest_notches"."""
    min_region: float | None = None
    """Pieces of ground smaller than this are left out. Default 0.05 m2, slices 0 m2."""
    merge_region: float | None = None
    """Watershed and monotone regions smaller than this are merged into a neighbour. Default 36 m2,
    not for slices."""
    partition: Literal["surfaces", "watershed", "monotone"] | None = None
    """How the ground is cut into regions: whole storeys, compact regions like Recast's, or strips.
    Default "surfaces", not for slices."""
    decomposition: Literal["notch_portals", "greedy", "hertel_mehlhorn"] | None = None
    """How the ground is cut into convex polygons: the fewest, fast, or with the least work. Default
    "notch_portals"."""
    max_vertices: int | None = None
    """Most corners of a polygon. 0 for no limit; 6 is usual for Detour. Default 0."""
    max_height_error_levels: float | None = None
    """Largest difference between the ground of the mesh and that of the grid. Default 1 levels."""
    height_detail: bool | None = None
    """Keep the height of the ground inside of polygons. Without it the mesh is smaller and flat
    between its vertices. Default true."""
    enclosed: Literal["keep", "remove", "remove_unreachable"] | None = None
    """What becomes of ground inside of walls, rocks and other closed bodies; ground that is
    connected to ground outside of them, or to a seed, can be kept. Default "keep"."""
    keep: Literal["all", "largest"] | float | Sequence[Vec3] | None = None
    """Which ground is kept: all, the largest piece, pieces of at least so many square metres, or
    those connected to places. Default "all"."""
    areas: Mapping[int, Area] | None = None
    """Names, costs per metre and colours of areas, by number."""
    marks: Sequence[Mark] | None = None
    """Volumes that give the ground in them another area, or cut it out."""
    jumps: Jumps | None = None
    """Jumps and drops to look for along all borders, which become links."""
    threads: int | None = None
    """Threads, 0 for one per core. The result does not depend on it. Default 0."""
    max_memory_bytes: int | None = None
    """Memory to work in. Default 2147483648 bytes."""
    validate_stages: bool | None = None
    """Check the result of every stage against its invariants. It takes about as long as the bake.
    Default false."""
    tile_cells: int | None = None
    """Side of a tile in cells, 0 for none. The mesh does not depend on it. Default 0. For voxels.
    Side of a tile in cells, 0 for none. The mesh does not depend on it. Default 256. For storeys,
    slices."""
    rough_cells: int | None = None
    """Cells along a side of a rough voxel, 0 to choose. It changes the cost only. Default 0. For
    storeys."""
    link_reach: float | None = None
    """Widest gap in plan that a link of a stair bridges. Default 0.25 m. For slices. How far from
    the ground the ends of stairs and lifts may lie, beyond the agent's radius. Default 0.5 m. For
    plans."""
    steep_blocks: bool | None = None
    """What is too steep to walk on stands in the way. Default true. For slices."""
    folder: str | PathLike[str] | None = None
    """Folder for finished tiles: a bake that was stopped continues from there. For voxels."""
    update: bool | None = None
    """The folder may hold tiles of an earlier state of the scene: those that did not change are
    kept. Default false. For voxels."""
    spill_folder: str | PathLike[str] | None = None
    """Folder for triangles that do not fit in memory. For voxels."""
    join: Literal["square", "round", "miter"] | None = None
    """How the border goes round corners: cut across, as an arc, or on to a point. Default "square".
    For plans."""
    miter_limit: float | None = None
    """Farthest that a mitred corner may stick out, in radii. Default automatic. For plans."""
    arc_error: float | None = None
    """How far an arc may be cut short. Default 0.005 m. For plans."""
    shrink_walkable: bool | None = None
    """Keep the agent's distance from the borders of walkable ground too, where nothing is blocked
    beyond. Default true. For plans."""
    near_distance: float | None = None
    """Vertices nearer than this to the one before are left out. Default 0.01 m. For plans."""
    close_distance: float | None = None
    """Gaps between walkable shapes narrower than this are closed. 0 for none. Default 0 m. For
    plans."""
    merge_distance: float | None = None
    """Vertices closer than this become one. 0 for none. Default 0 m. For plans."""
    steiner_grid: float | None = None
    """Spacing of a grid of additional vertices. 0 for none. Default 0 m. For plans."""
    up: Literal["y", "z"] | None = None
    """Which axis of the scene points up. Default "y". For scenes."""
    scale: float | None = None
    """Metres per unit of the scene. Default 1 m. For scenes. Metres per unit of the file; automatic
    is the unit that a DXF drawing gives, else 1. Plans in TOML are in metres. Default automatic.
    For plans."""
    origin: Sequence[float] | None = None
    """Position of the scene that becomes 0, 0, 0, in its units and axes. It is subtracted in double
    precision; the mesh and all queries are relative to it. Default [0, 0, 0]. For scenes."""
    winding: Literal["as_read", "flipped", "two_sided"] | None = None
    """Upper side of triangles: as the file has it, turned over, or both. Default "as_read". For
    scenes."""
    height_step: float | None = None
    """Metres of one step of the heights in a grey picture or a raw file. Default 1 m. For
    scenes."""
    geo_origin: Sequence[float] | None = None
    """Degrees that become 0, 0: coordinates are degrees. Automatic for GeoJSON and WKT less than
    half a degree wide, and for buildings of Open-RMF in degrees; a scale of 1 makes them metres.
    For plans."""
    wall_width: float | None = None
    """Thickness of walls that have none of their own. Default 0.1 m. For plans."""
    storey: str | None = None
    """Storey of shapes that name none. Default "0". For plans."""
    elevation: float | None = None
    """Height of that storey. Default 0 m. For plans."""
    storey_height: float | None = None
    """Height from one level to the next, where a file numbers levels and gives no heights:
    OpenStreetMap, IMDF. Default 3 m. For plans."""
    map_error: float | None = None
    """Farthest that a border of cells of a map may be moved to run straight; 0 follows the cells.
    Default 0 m. For plans."""
    map_unknown: bool | None = None
    """Whether cells that a map calls unknown are ground. Default false. For plans."""
    # </settings>

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
    if not isinstance(settings, Mapping):
        raise InputError(f"settings must be Settings or a dictionary of some of their fields, not {type(settings).__name__}")
    return {name: _plain(value) for name, value in settings.items() if value is not None}


def _items(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} must be a list, not {type(values).__name__}") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "_entries"):
        return value._entries()
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (PathLike, bytes)):
        return fsdecode(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value
