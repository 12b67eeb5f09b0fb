"""The half of waymesh that is written in Rust.

Wherever a method takes *points*, one point (any three numbers) gives one answer and an array of shape (n, 3) an array of answers, from
all cores and without the interpreter's lock; Ctrl-C ends it. Arrays may have any memory layout, byte order and type of numbers; those of
float32 in C order are read where they lie. Positions with a NaN, as :meth:`NavMesh.snap` returns where there is no mesh, are off the mesh.
Infinite positions raise :class:`waymesh.QueryError`, arguments of another shape or kind :class:`waymesh.InputError`.

*reach* is how far from the mesh a point may lie: metres, or metres to the side, up and down. By default twice the agent's radius to the
side (at least a cell) and its height up and down.

*allowed* is a :class:`PolygonFilter`, which :meth:`NavMesh.filter` makes of an array of booleans: other polygons count as walls. One that
was made for other polygons, as those of a world before an update, raises :class:`waymesh.QueryError`.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, SupportsIndex, final, overload

import geopandas
import networkx
import numpy as np
import open3d
import shapely
import trimesh
import xarray
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _world
from ._pictures import Picture
from ._types import (
    AgentEntry,
    Agents,
    AnyShape,
    AreaEntry,
    Bools,
    Bytes,
    Change,
    Costs,
    IdRows,
    Ids,
    IslandEntry,
    LinkEntry,
    Outcome,
    Point,
    Points,
    Progress,
    Reach,
    Rows,
    Signed,
    Update,
    Vector,
)

class NavMesh:
    """A navigation mesh. It never changes, may be used from many threads, and can be pickled."""

    @staticmethod
    def load(
        file: str | PathLike[str], *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> NavMesh:
        """Reads a ``.wmesh`` or ``.wmrun`` file, or one of Detour's: RecastDemo's ``.bin``, habitat-sim's ``.navmesh``.
        ``progress`` is called with "load", and 0 until it is done."""
    def save(
        self, file: str | PathLike[str], *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> None:
        """Writes a file in the format that its name ends in: ``.wmesh`` to keep, ``.wmrun`` to load fast, ``.navmesh`` for
        Detour. A call that is cancelled leaves the file as it was. ``progress`` is called with "save", and 0 until it is done."""
    def with_hierarchy(
        self,
        *,
        min_polygons: int = 20_000,
        cluster_polygons: int = 256,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> NavMesh:
        """Returns the mesh with a hierarchy for large meshes: its fast paths without costs are found by that, several times faster and
        some per cent longer on average. Takes seconds for 30,000 polygons; for fewer than ``min_polygons`` it does nothing. A cluster has
        about ``cluster_polygons``. It is not saved. ``progress`` is called with "hierarchy", and 0 until it is done."""
    def with_oracle(
        self, max_bytes: int = 64_000_000, *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> NavMesh:
        """Returns the mesh with tables by which shortest paths and distances are looked up, not searched for: many times faster on
        large meshes, with the same lengths. They take seconds to make for 10,000 polygons, and at most ``max_bytes`` of memory;
        what does not fit is searched for. They serve queries without areas and costs, while links are as they are now, and are not
        saved. ``progress`` is called with "oracle", and 0 until it is done."""
    @property
    def oracle(self) -> dict[str, float] | None:
        """Figures of the tables of :meth:`with_oracle`: ``sites``, ``labels``, ``views``, ``bytes`` and ``covered``, the share of
        the area from which paths are looked up: 0 while links are others than the tables were made for. None without tables."""
    @staticmethod
    def from_detour(
        file: str | PathLike[str],
    ) -> tuple[NavMesh, np.ndarray[tuple[int], np.dtype[np.uint16]], dict[str, int]]:
        """Reads a file of Detour's, as :meth:`load` does, and returns Detour's flags of each polygon as well, and a report: how many
        tiles, polygons and connections the file has, and how many were left out, joined or changed."""
    def to_detour(
        self, file: str | PathLike[str], flags: ArrayLike | None = None, tile_side: float | None = None
    ) -> None:
        """Writes a set of tiles, as RecastDemo and habitat-sim read it, whatever the name ends in. *flags*: Detour's, of each
        polygon; 1 (walk) by default. *tile_side*: metres, above 0; by default there is one tile, or as many as the mesh needs."""
    @staticmethod
    def from_bytes(data: bytes, report: str | None = None) -> NavMesh:
        """Reads the bytes of either format."""
    def to_bytes(self, format: Literal["wmesh", "wmrun"] = "wmesh") -> bytes:
        """Returns the bytes of a file."""
    @property
    def report(self) -> dict[str, Any] | None:
        """Figures and warnings of the bake; None for a mesh that was read."""
    @property
    def vertices(self) -> Rows:
        """The vertices that polygons name, of shape (n, 3). Where ground was left out, and in worlds, some are used by none."""
    @property
    def polygons(self) -> list[Ids]:
        """The corners of each polygon, as numbers of vertices. This list and the next three are by the ids that queries give. In the
        mesh of a world there may be ids without a polygon: no corners, area 0, island and storey 2**32 - 1."""
    @property
    def polygon_areas(self) -> Bytes:
        """The area of each polygon; 1 is plain ground."""
    @property
    def polygon_islands(self) -> Ids:
        """The island of each polygon."""
    @property
    def polygon_storeys(self) -> Ids:
        """The storey of each polygon, from the lowest: no two polygons of a storey overlap in plan."""
    @property
    def walls(self) -> IdRows:
        """The edges beyond which there is no polygon, as pairs of vertices, of shape (n, 2)."""
    @property
    def portals(self) -> IdRows:
        """The edges between two polygons, from both sides, of shape (n, 4): a polygon, its neighbour, and the two vertices of the
        polygon that the edge runs between. In worlds the neighbour may have other vertices at the same places."""
    def triangles(self, detail: bool = True, island: int | None = None) -> tuple[Rows, IdRows]:
        """The ground as vertices (n, 3) and triangles (m, 3) that look up: the surface with its heights, or the polygons; of one
        island, or of all."""
    def triangle_polygons(self, detail: bool = True) -> Ids:
        """The polygon of each triangle of :meth:`triangles` of all islands, of shape (m,)."""
    @property
    def bounds(self) -> Rows:
        """Lower and upper corner of the box around the mesh, of shape (2, 3); NaN for a mesh without polygons."""
    @property
    def area(self) -> float:
        """Area in plan, in square metres."""
    @property
    def polygon_count(self) -> int:
        """Number of polygons. Their numbers are those below it; in the mesh of a world there may be numbers without a polygon, and
        ``len(mesh.polygon_areas)`` is how many there are."""
    @property
    def portal_count(self) -> int:
        """Number of edges between two polygons."""
    @property
    def island_count(self) -> int:
        """Number of pieces that are connected without links."""
    @property
    def agent(self) -> AgentEntry:
        """The agent that the mesh was baked for: height, radius, max_step, max_slope in degrees."""
    @property
    def cell_size(self) -> float:
        """Side of a cell of the grid that the mesh was made on, in metres."""
    @property
    def level_height(self) -> float:
        """Height of a level of that grid, in metres."""
    @property
    def islands(self) -> list[IslandEntry]:
        """Each island: polygons, area, a place on it, links, and the first island that links join it with."""
    @property
    def largest_island(self) -> int:
        """The number of the island with the largest area; -1 for a mesh without polygons."""
    def island_area(self, island: int) -> float:
        """Area of an island in plan, in square metres."""
    def island_radius(self, island: int) -> float:
        """Distance from the mean of an island's corners to the farthest of them."""
    @property
    def areas(self) -> dict[int, AreaEntry]:
        """Names, costs and colours of areas."""
    @property
    def links(self) -> list[LinkEntry]:
        """Connections between places that share no edge, such as jumps, doors and stairs; ``id`` is the number in paths and costs,
        ``start`` and ``end`` are segments or, with two equal ends, points, and ``polygons`` are those they lie on.

        A copy of the mesh that is pickled, deep-copied, or saved and loaded numbers its links from 0 in this order: their ids may be
        others than here. ``data`` stays."""
    def with_link(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        kind: str = "user",
        both_ways: bool = True,
        is_open: bool = True,
        extra_cost: float = 0.0,
        data: int = 0,
    ) -> NavMesh:
        """A copy of this mesh with a link between the places that are nearest to two positions, as for a door, a ladder or a jump.

        It is the last of :attr:`links`, with an id that no link of this mesh had; copies that are pickled or saved may give it another.
        ``kind`` is the name of one: user, level, step, jump, drop, door, lift. ``extra_cost`` in metres is added to the distance between
        its ends; ``data`` is a number of your own.

        An end that is a position serves agents of any radius. With two positions, of shape (2, 3), it is the segment between the places
        of one polygon that are nearest to them: a disc that is wider than the segment does not take the link. The polygon is that
        nearest to the middle of both; ends are rounded to cells. What leaves at a third of the start arrives at a third of the end.
        """
    def without_link(self, link: int) -> NavMesh:
        """A copy of this mesh without a link."""
    def with_link_open(self, link: int, is_open: bool) -> NavMesh:
        """A copy of this mesh with a link opened or closed."""
    def filter(
        self, allowed: ArrayLike | None = None, *, area_costs: Costs | None = None, agent_height: float | None = None
    ) -> PolygonFilter:
        """Returns a filter for the ``allowed`` of queries, corridors and crowds: a boolean for each number of a polygon, of shape
        (len(mesh.polygon_areas),), such as ``mesh.polygon_areas != 3`` or one of the storeys, islands or positions of polygons.

        It leaves out what paths with the same ``area_costs`` and ``agent_height`` leave out: areas of infinite cost, and ground with less
        head room. So rays, steps, walls, random points and paths with a ``radius`` keep to the ground of those paths.

        Costs a query no more than areas do. It is for this mesh and its copies with other links.
        """
    def find_path(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        shortest: bool = False,
        radius: float | None = None,
        fast: bool = False,
        allow_partial: bool = True,
        cross_points: bool = False,
        rises: bool = False,
        ground_error: float | None = None,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
    ) -> Path:
        """Finds a path.

        By default a short one, fast; ``shortest`` finds the shortest of all. Where no path leads to the end, it leads to the reachable
        place nearest to it, if one is nearer than the start; with ``allow_partial=False`` it then has no points, and its length and cost
        are infinite. ``cross_points`` adds a point at each edge, ``ground_error`` as many as it takes to keep the path within so many
        metres of the ground; :attr:`Path.length` is then that of the ground. With ``rises`` the rises and falls of the ground count in the search for the shortest.

        ``radius`` finds the shortest path for a disc of this radius that keeps clear of the walls of the mesh (bake with radius 0 for
        that), with ``fast`` a short one in less time. The first one prepares the mesh, which takes about as long as a bake. Both ends, and the end of a path that does not lead to the goal, are moved to where
        the disc fits. Its points lie at most 1 mm outside of the arcs that it turns on; in a gap that just lets the disc through they
        come nearer to a wall than the radius by as much. Areas cost a disc nothing.

        A metre of an area costs what the mesh says; ``area_costs`` sets it, by number or name, and infinity closes an area.
        ``link_costs`` is what taking links costs this agent in metres, by number or kind, such as ``{"jump": 3.0, 12: math.inf}``: infinity
        for links that it cannot take. A number is an id in :attr:`links` of this mesh, which a pickled or saved copy may change. By
        default paths that cost less are preferred; ``shortest`` compares lengths, and :attr:`Path.cost` is what the shortest path costs.

        ``agent_height`` in metres leaves out ground with less head room, where the mesh was baked with ``height_classes``.
        ``allowed`` leaves out polygons (:meth:`filter`), also for discs, which keep their radius from them; the first path of discs with a filter
        prepares the mesh for it.

        Raises :class:`waymesh.NoMeshNearError` for an end without mesh within reach, or where ``area_costs`` close all of it, and
        :class:`waymesh.QueryError` for one that is NaN.
        """
    def find_paths(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        shortest: bool = False,
        radius: float | None = None,
        fast: bool = False,
        allow_partial: bool = True,
        cross_points: bool = False,
        rises: bool = False,
        ground_error: float | None = None,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Paths:
        """Finds the paths of many pairs of ends, of points or of discs, with the arguments of :meth:`find_path`. A pair with an end
        without mesh near it, or without room for the radius, has the outcome 3. ``progress`` is called with "paths"."""
    def find_nearest_goal(
        self,
        start: ArrayLike,
        goals: ArrayLike,
        *,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
    ) -> tuple[int, Path] | None:
        """Finds the goal with the shortest path: its row in ``goals`` and the path. None if no path leads to any. With costs, of the mesh
        or given, it is the goal with the cheapest path, of those that :meth:`find_path` finds with and without ``shortest``."""
    @overload
    def distance(
        self,
        starts: AnyShape,
        ends: ArrayLike,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Any: ...
    @overload
    def distance(
        self,
        starts: ArrayLike,
        ends: AnyShape,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Any: ...
    @overload
    def distance(
        self,
        starts: Point,
        ends: Point,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> float: ...
    @overload
    def distance(
        self,
        starts: Points,
        ends: ArrayLike,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Vector: ...
    @overload
    def distance(
        self,
        starts: ArrayLike,
        ends: Points,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Vector: ...
    @overload
    def distance(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        shortest: bool = True,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Any:
        """Returns the length of the shortest path (or of that of ``find_path``), infinite where there is none or an end is off
        the mesh: a float for two points, else an array of shape (n,). ``progress`` is called with "distances"."""
    @overload
    def snap(
        self, points: AnyShape, *, reach: Reach | None = None, island: int | None = None, allowed: PolygonFilter | None = None
    ) -> Any: ...
    @overload
    def snap(
        self, points: Point, *, reach: Reach | None = None, island: int | None = None, allowed: PolygonFilter | None = None
    ) -> Vector: ...
    @overload
    def snap(
        self, points: Points, *, reach: Reach | None = None, island: int | None = None, allowed: PolygonFilter | None = None
    ) -> Rows: ...
    @overload
    def snap(
        self, points: ArrayLike, *, reach: Reach | None = None, island: int | None = None, allowed: PolygonFilter | None = None
    ) -> Any:
        """Returns the places on the mesh, or on one island, nearest to points; NaN where there is none within reach."""
    @overload
    def is_navigable(self, points: AnyShape, max_height: float = 0.5, *, allowed: PolygonFilter | None = None) -> Any: ...
    @overload
    def is_navigable(self, points: Point, max_height: float = 0.5, *, allowed: PolygonFilter | None = None) -> bool: ...
    @overload
    def is_navigable(self, points: Points, max_height: float = 0.5, *, allowed: PolygonFilter | None = None) -> Bools: ...
    @overload
    def is_navigable(self, points: ArrayLike, max_height: float = 0.5, *, allowed: PolygonFilter | None = None) -> Any:
        """Returns whether ground lies straight below or above points, at most ``max_height`` away."""
    @overload
    def island_at(self, points: AnyShape, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Any: ...
    @overload
    def island_at(self, points: Point, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> int: ...
    @overload
    def island_at(self, points: Points, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Signed: ...
    @overload
    def island_at(self, points: ArrayLike, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Any:
        """Returns the island nearest to points; -1 where there is none within reach."""
    @overload
    def polygon_at(self, points: AnyShape, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Any: ...
    @overload
    def polygon_at(self, points: Point, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> int: ...
    @overload
    def polygon_at(self, points: Points, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Signed: ...
    @overload
    def polygon_at(self, points: ArrayLike, *, reach: Reach | None = None, allowed: PolygonFilter | None = None) -> Any:
        """Returns the polygon nearest to points; -1 where there is none within reach."""
    @overload
    def raycast(
        self, starts: AnyShape, ends: ArrayLike, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Any, Any, Any, Any]: ...
    @overload
    def raycast(
        self, starts: ArrayLike, ends: AnyShape, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Any, Any, Any, Any]: ...
    @overload
    def raycast(
        self, starts: Point, ends: Point, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[float, Vector, bool, Vector]: ...
    @overload
    def raycast(
        self, starts: Points, ends: ArrayLike, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Vector, Rows, Bools, Rows]: ...
    @overload
    def raycast(
        self, starts: ArrayLike, ends: Points, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Vector, Rows, Bools, Rows]: ...
    @overload
    def raycast(
        self, starts: ArrayLike, ends: ArrayLike, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Follows straight lines over the ground until a wall is in the way: the part that is free (0 to 1), where it ends, whether
        a wall was hit, and the wall's normal in plan. Starts off the mesh give NaN, one alone raises NoMeshNearError."""
    @overload
    def step(
        self, starts: AnyShape, ends: ArrayLike, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Any: ...
    @overload
    def step(
        self, starts: ArrayLike, ends: AnyShape, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Any: ...
    @overload
    def step(
        self, starts: Point, ends: Point, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Vector: ...
    @overload
    def step(
        self, starts: Points, ends: ArrayLike, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Rows: ...
    @overload
    def step(
        self, starts: ArrayLike, ends: Points, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Rows: ...
    @overload
    def step(
        self, starts: ArrayLike, ends: ArrayLike, *, slide: bool = True, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> Any:
        """Moves over the ground towards ends: along walls that are in the way, or with ``slide=False`` up to them. A start off the
        mesh stays where it is."""
    @overload
    def nearest_wall(
        self, points: AnyShape, radius: float = 2.0, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Any, Any, Any]: ...
    @overload
    def nearest_wall(
        self, points: Point, radius: float = 2.0, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[float, Vector, Vector]: ...
    @overload
    def nearest_wall(
        self, points: Points, radius: float = 2.0, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Vector, Rows, Rows]: ...
    @overload
    def nearest_wall(
        self, points: ArrayLike, radius: float = 2.0, *, reach: Reach | None = None, allowed: PolygonFilter | None = None
    ) -> tuple[Any, Any, Any]:
        """Returns the distance to the nearest wall in plan, its closest point, and its normal. Where none is within ``radius``,
        the distance is ``radius`` and the point NaN; off the mesh the distance is NaN."""
    def plan_view(self, step: float, height: float, reach: float = 0.5) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """Returns the island at each sample of a grid in plan, -1 where no ground lies at most ``reach`` from ``height``. Rows run
        along z, columns along x, from the lower corner of ``bounds``."""
    def sampler(self, seed: int = 0, island: int | None = None, allowed: PolygonFilter | None = None) -> Sampler:
        """Returns a source of random places on the mesh, or on one island."""
    def random_points(
        self, count: int, *, seed: int = 0, island: int | None = None, allowed: PolygonFilter | None = None
    ) -> Rows:
        """Returns random points, uniform over the plan area, of shape (count, 3)."""
    def distance_field(
        self,
        goals: ArrayLike,
        limit: float = ...,
        *,
        allowed: PolygonFilter | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> DistanceField:
        """Returns how far everything is from the nearest of some goals, one or of shape (n, 3), as :meth:`distance` measures it: exact at every
        place. Paths longer than ``limit`` metres are left out, also those that are so in plan with what their links cost. One-way
        links are not taken."""
    def to_svg(self, path: Path | None = None, pixels: float = 1000.0) -> str:
        """Returns a plan picture, a panel per storey."""
    def to_glb(self, detail: bool = False) -> bytes:
        """Returns a GLB model of the polygons, or of the ground with its heights."""
    def save_glb(self, file: str | PathLike[str], *, detail: bool = False) -> None:
        """Writes what :meth:`to_glb` returns."""
    def to_trimesh(self, *, detail: bool = True, island: int | None = None) -> trimesh.Trimesh:
        """Returns the ground as a ``trimesh.Trimesh``."""
    def to_shapely(self) -> list[shapely.Polygon]:
        """Returns a ``shapely.Polygon`` for each polygon, by its id: x, z, and the height as third coordinate; an empty one where
        there is no polygon of an id."""
    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """Returns a ``geopandas.GeoDataFrame`` of all polygons, with ``area`` (a name), ``island`` and ``storey``."""
    def to_networkx(self) -> networkx.MultiDiGraph[int]:
        """Returns a ``networkx.MultiDiGraph``. Nodes are polygons, with ``position`` (the mean of their corners), ``area``, ``island``
        and ``storey``. Edges lead to neighbours (``kind`` "edge", ``width`` of the edge between them) and over open links
        (``kind``, ``link``, ``extra_cost``), with the ``length`` between the positions."""
    def to_open3d(self, *, detail: bool = True) -> open3d.geometry.TriangleMesh:
        """Returns the ground as an ``open3d.geometry.TriangleMesh`` in the colours of its areas: each triangle has vertices of its
        own."""
    def to_xarray(self, step: float, height: float, reach: float = 0.5) -> xarray.DataArray:
        """Returns what :meth:`plan_view` does as an ``xarray.DataArray`` with the coordinates of the samples."""
    def show(self, path: Path | None = None, *, pixels: float = 600.0) -> Picture:
        """Returns a picture that a notebook shows."""
    def plot(
        self,
        path: Path | ArrayLike | None = None,
        *,
        points: ArrayLike | None = None,
        storey: int | None = None,
        color_by: str = "island",
        axes: Any = None,
    ) -> Any:
        """Draws the mesh in plan with matplotlib, a panel per storey, and returns the axes."""
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class PolygonFilter:
    """Polygons of a mesh that queries may use: see :meth:`NavMesh.filter`. It never changes, may be used from many threads, and can be
    pickled, for copies of its mesh that have the same numbers of polygons."""

    @property
    def allowed(self) -> Bools:
        """A copy of the array that it was made of, of shape (n,)."""
    def __len__(self) -> int: ...

@final
class Path:
    """A path over a mesh."""

    @property
    def outcome(self) -> Outcome:
        """Whether it leads to the goal, to the reachable place nearest to it, or nowhere; undecided if the search was ended."""
    @property
    def is_complete(self) -> bool:
        """Whether it leads to the goal."""
    @property
    def points(self) -> Rows:
        """Where it begins, turns and ends, of shape (n, 3)."""
    @property
    def polygons(self) -> Ids:
        """The polygons it passes."""
    @property
    def links(self) -> list[tuple[int, bool, int]]:
        """The links it takes: id, whether it is taken backwards, and the point of the path that it is taken from, which leads to the
        next one. A link that is crossed like an edge is crossed somewhere before the next point. The two points of a disc are where
        it fits near the ends of the link."""
    @property
    def length(self) -> float:
        """Length in metres; infinite for a path without points."""
    @property
    def cost(self) -> float:
        """Sum of the lengths in each area times what a metre of it costs, and of what links cost; infinite for a path without points.
        For a disc, its length and the extra costs of its links: areas cost it nothing more."""
    @property
    def was_cut(self) -> bool:
        """Whether the search for the shortest path ended at its limit of a million nodes: the path is that of the fast search."""
    def __len__(self) -> int: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """The points, for :func:`numpy.asarray`."""

@final
class Paths:
    """The paths of many pairs of ends, in their order. Slices are ``Paths``, too."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Path: ...
    @overload
    def __getitem__(self, index: slice) -> Paths: ...
    def __iter__(self) -> Iterator[Path]: ...
    @property
    def lengths(self) -> Vector:
        """Lengths in metres, of shape (n,), infinite where no path leads to the goal."""
    @property
    def costs(self) -> Vector:
        """Costs (see :attr:`Path.cost`), of shape (n,), infinite where no path leads to the goal."""
    @property
    def outcomes(self) -> Bytes:
        """0 complete, 1 partial, 2 unreachable, 3 an end without mesh near it."""
    @property
    def points(self) -> Rows:
        """The points of all paths, one after the other."""
    @property
    def offsets(self) -> Agents:
        """The first point of each path in ``points``, and their number at the end."""

@final
class Sampler:
    """Random places, uniform over the plan area. The same seed gives the same places on every machine."""

    def seed(self, seed: int) -> None:
        """Starts the sequence of places anew."""
    def point(self) -> Vector:
        """Returns the next place, of shape (3,)."""
    def points(self, count: int) -> Rows:
        """Returns the next places, of shape (count, 3)."""
    @overload
    def near(self, centre: ArrayLike, radius: float, count: None = None) -> Vector: ...
    @overload
    def near(self, centre: ArrayLike, radius: float, count: int) -> Rows: ...
    @overload
    def near(self, centre: ArrayLike, radius: float, count: int | None = None) -> Vector | Rows:
        """Returns random places within ``radius``, 0 or more, of another in plan that are connected with it there."""

@final
class DistanceField:
    """How far everything is from the nearest of some goals: lengths in space of the paths that are shortest in plan, as
    :meth:`NavMesh.distance` returns them."""

    @overload
    def distance(self, points: AnyShape) -> Any: ...
    @overload
    def distance(self, points: Point) -> float: ...
    @overload
    def distance(self, points: Points) -> Vector: ...
    @overload
    def distance(self, points: ArrayLike) -> Any:
        """Returns distances, infinite where no path within the limit leads to a goal."""
    def headings(self, points: ArrayLike) -> tuple[Signed, Vector, Rows]:
        """Returns the row of the nearest goal (-1 for none), the distance, and the next corner of the way there."""

@final
class CancelToken:
    """Ends bakes and other long calls from another thread, or before they begin: they raise :class:`waymesh.Cancelled` within some milliseconds.

    It is given to a call as ``cancel``, or to all calls of a ``with`` block, also to those that have no argument for it; ``asyncio.to_thread``
    takes the block with it. Queries of less than some milliseconds do not look at it, nor do steps of crowds."""

    def __new__(cls) -> CancelToken: ...
    def __enter__(self) -> CancelToken: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def cancel(self) -> None:
        """Ends the calls that were given it, and all that will be."""
    @property
    def is_cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""

@final
class TileJob:
    """A world in files, ready to be built tile by tile, on any number of machines."""

    def __new__(cls, files: Sequence[str], settings: dict[str, Any]) -> TileJob: ...
    def layout(self) -> tuple[int, int]:
        """Columns and rows of tiles."""
    def manifest(self) -> dict[str, Any]:
        """What the world is cut into, with the names of the tiles' files and whether the folder has them: what
        ``waymesh tile --list --json`` prints."""
    def build_share(self, index: int, of: int, progress: Progress | None = None, cancel: CancelToken | None = None) -> list[str]:
        """Builds the tiles of worker ``index`` of ``of`` that the folder does not have, and returns their files."""
    def build(self, column: int, row: int, progress: Progress | None = None, cancel: CancelToken | None = None) -> str:
        """Builds one tile into the folder of the settings and returns its file. The scene is read for the first tile, and its triangles
        are kept for the others."""
    def merge(self, folder: str | PathLike[str], progress: Progress | None = None, cancel: CancelToken | None = None) -> NavMesh:
        """Joins the tiles of a folder to the mesh that one machine would bake."""

@final
class Crowd:
    """Agents that walk to their targets on a mesh or in a world, and avoid each other and walls.

    In a world they walk on the newest mesh after each update. The same calls give the same positions everywhere, to the last bit.
    Arrays of all agents are in the order of ``agents``. Methods of agents take one agent or an array of them.

    ``horizon`` and ``wall_horizon``: seconds ahead for which collisions with agents and walls are avoided. ``lane_bias``: how far agents
    turn to the right for those that come towards them, from -1 to 1. ``plans_per_step``: new targets that get a path in one step.
    ``stuck_after``: seconds without progress. ``clearance``: paths leave room for agents that are wider than the mesh is for.
    ``area_costs`` and ``link_costs`` as in ``NavMesh.find_path``, also on ground that agents walk on later. ``allowed`` as there: where an
    update of a world changed polygons, every call raises :class:`waymesh.QueryError` until :meth:`walk_on` has a filter of its new mesh.
    """

    STATUSES: tuple[str, ...]
    """Names of the numbers in ``statuses``."""
    def __new__(
        cls,
        ground: NavMesh | _world.World,
        *,
        horizon: float = 2.0,
        wall_horizon: float = 0.15,
        max_neighbours: int = 12,
        lane_bias: float = 0.15,
        plans_per_step: int = 256,
        stuck_after: float = 2.0,
        clearance: bool = False,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        allowed: PolygonFilter | None = None,
    ) -> Crowd: ...
    def walk_on(self, ground: NavMesh | _world.World, *, allowed: PolygonFilter | None = None) -> None:
        """Lets the agents walk on other ground from now on, at what its areas cost. Paths over ground that is still there are kept,
        unless the costs or ``allowed`` are others than before: then all are planned again. Without ``allowed`` the one before stays."""
    @overload
    def add(
        self,
        positions: AnyShape,
        *,
        radius: float = 0.3,
        height: float = 1.8,
        max_speed: float = 1.4,
        acceleration: float = 6.0,
        arrival_distance: float = 0.2,
        priority: int = 0,
    ) -> Any: ...
    @overload
    def add(
        self,
        positions: Point,
        *,
        radius: float = 0.3,
        height: float = 1.8,
        max_speed: float = 1.4,
        acceleration: float = 6.0,
        arrival_distance: float = 0.2,
        priority: int = 0,
    ) -> int: ...
    @overload
    def add(
        self,
        positions: Points,
        *,
        radius: float = 0.3,
        height: float = 1.8,
        max_speed: float = 1.4,
        acceleration: float = 6.0,
        arrival_distance: float = 0.2,
        priority: int = 0,
    ) -> Agents: ...
    @overload
    def add(
        self,
        positions: ArrayLike,
        *,
        radius: float = 0.3,
        height: float = 1.8,
        max_speed: float = 1.4,
        acceleration: float = 6.0,
        arrival_distance: float = 0.2,
        priority: int = 0,
    ) -> Any:
        """Adds an agent at the place nearest to a position, or one at each of an array, or none if one of them is off the mesh.

        Returns its number, or an array of numbers. Lengths are in metres, speeds in metres a second. Of two agents, the one with the lower
        ``priority``, at most 255, takes most of the avoidance.
        """
    def remove(self, agent: int) -> bool:
        """Removes an agent. Returns True if it was there."""
    def set_target(self, agents: int | ArrayLike, targets: ArrayLike) -> None:
        """Sends agents to the places nearest to positions: one for all, or one for each. Paths are planned in the next steps."""
    def set_position(self, agents: int | ArrayLike, positions: ArrayLike) -> None:
        """Puts agents at the places nearest to positions, after ``steer``."""
    def stop(self, agents: int | ArrayLike) -> None:
        """Takes the targets of agents away."""
    def set_link_rule(self, link: int, *, seconds: float | None = None, capacity: int | None = None) -> None:
        """Sets how long a link takes, by default its length at an agent's speed, and how many agents it takes at once; the others queue."""
    def step(self, seconds: float) -> None:
        """Moves all agents on all cores. Steps of 0.1 s and less avoid collisions well."""
    def steer(self, seconds: float) -> None:
        """Chooses velocities as ``step``, and moves only agents on links: for simulators that move bodies themselves."""
    @property
    def agents(self) -> Agents:
        """Numbers of all agents; no other agent will have the number of one that was removed."""
    @property
    def positions(self) -> Rows:
        """Shape (n, 3): on the ground, or in the air on a link."""
    @property
    def velocities(self) -> Rows:
        """Shape (n, 3), in metres a second."""
    @property
    def statuses(self) -> Bytes:
        """Activities of all agents, as numbers of ``STATUSES``."""
    @property
    def remaining(self) -> Vector:
        """Metres along their paths to the ends of these; 0 without a path."""
    def path(self, agent: int) -> Rows:
        """The path of an agent: where it begins, the corners ahead, its end. Shape (n, 3), without rows if it has none."""
    def __len__(self) -> int: ...

@final
class Corridor:
    """A path that is kept while its agent and its goal move, and repaired where the ground changes.

    ``ground`` is a mesh, or a world: then the path is on its newest mesh. ``start`` and ``goal`` are positions; the other arguments are
    those of ``NavMesh.find_path``. With a ``radius`` it is the path of a disc, on a mesh: after an update of a world, give
    :meth:`walk_on` its mesh, and with ``allowed`` a filter of it. Calls take microseconds where the path is kept. Threads may share a corridor.

    ``max_drift``: a path that became longer than its plan by more than this share of its length is planned again. ``range``: longest
    detour of a repair in metres; not for discs, which are planned again.

    Methods that change it return the change: ``kept``; ``repaired``, around what changed; ``replanned``, from the agent's place; or
    ``nothing`` where no path leads anywhere. Positions off the mesh raise :class:`waymesh.NoMeshNearError`, those that are not finite
    :class:`waymesh.QueryError`.
    """

    def __new__(
        cls,
        ground: NavMesh | _world.World,
        start: ArrayLike,
        goal: ArrayLike,
        *,
        shortest: bool = False,
        radius: float | None = None,
        fast: bool = False,
        allow_partial: bool = True,
        rises: bool = False,
        reach: Reach | None = None,
        area_costs: Costs | None = None,
        link_costs: Costs | None = None,
        agent_height: float | None = None,
        allowed: PolygonFilter | None = None,
        max_drift: float = 0.1,
        range: float = 10.0,
    ) -> Corridor: ...
    def move_start(self, position: ArrayLike) -> Change:
        """Moves the agent towards a position of shape (3,): along walls that are in the way. Corners behind it are left out. An agent
        that took a link must say so (:meth:`take_link`)."""
    def move_goal(self, position: ArrayLike) -> Change:
        """Moves the goal to the place nearest to a position of shape (3,)."""
    def take_link(self) -> tuple[int, bool] | None:
        """Begins the path at the end of its next link, which the agent took. Returns its id, and whether it is taken backwards; None
        if the path has no link."""
    def replan(self) -> Change:
        """Plans again from the agent's place to the goal."""
    def repair(self) -> Change:
        """Repairs the path if the ground changed. ``move_start`` and ``move_goal`` do so by themselves."""
    def walk_on(self, ground: NavMesh | _world.World, *, allowed: PolygonFilter | None = None) -> Change:
        """Continues on other ground, such as a copy of the mesh with a door closed, and repairs the path. Without ``allowed`` the
        filter before stays."""
    @property
    def is_outdated(self) -> bool:
        """Whether the ground or its links changed since the last call."""
    @property
    def position(self) -> Vector:
        """Place of the agent on the ground, of shape (3,); NaN without a path."""
    @property
    def points(self) -> Rows:
        """Place of the agent, the corners ahead, and the goal or the reachable place nearest to it, of shape (n, 3); without rows
        if there is no path."""
    def corners(self, count: int) -> Rows:
        """The next corners, at most ``count``, of shape (n, 3). The last of all is the end of the path."""
    @property
    def links(self) -> list[tuple[int, bool, int]]:
        """Links ahead, as in :attr:`Path.links`: the third number is the row of ``points`` where a link begins."""
    @property
    def outcome(self) -> Outcome:
        """Whether it leads to the goal, to the reachable place nearest to it, or nowhere."""
    @property
    def length(self) -> float:
        """Length of the path ahead in metres; infinite without a path."""

class World:
    def __new__(
        cls, min: list[float], max: list[float], settings: dict[str, Any], tile_cells: int
    ) -> World: ...
    @staticmethod
    def open(folder: str | PathLike[str], settings: dict[str, Any]) -> World: ...
    def write_tiles(self, folder: str | PathLike[str], progress: Progress | None = None, cancel: CancelToken | None = None) -> None: ...
    def tiles(self) -> list[tuple[int, int]]: ...
    def tiles_near(self, position: ArrayLike, distance: float) -> list[tuple[int, int]]: ...
    def load_tile(self, tile: tuple[int, int]) -> bool: ...
    def remove_tile(self, tile: tuple[int, int]) -> bool: ...
    def add_triangles(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        areas: ArrayLike | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None: ...
    def add_obstacle(self, shape: dict[str, Any], walkable: bool = False) -> int: ...
    def add_mesh_obstacle(self, vertices: ArrayLike, triangles: ArrayLike, walkable: bool = False) -> int: ...
    def remove_obstacle(self, obstacle: int) -> bool: ...
    def add_mark(self, mark: dict[str, Any]) -> int: ...
    def remove_mark(self, mark: int) -> bool: ...
    def add_link(self, start: ArrayLike, end: ArrayLike, **given: Any) -> int: ...
    def remove_link(self, link: int) -> bool: ...
    def set_link_open(self, link: int, is_open: bool) -> bool: ...
    @property
    def is_dirty(self) -> bool: ...
    def update(self, progress: Progress | None = None, cancel: CancelToken | None = None) -> Update: ...
    def set_oracle(self, mesh: NavMesh | None = None) -> None: ...
    @property
    def mesh(self) -> NavMesh: ...

def bake_arrays(
    vertices: ArrayLike,
    triangles: ArrayLike,
    areas: ArrayLike | None,
    settings: dict[str, Any],
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> NavMesh: ...
def explain_arrays(
    vertices: ArrayLike,
    triangles: ArrayLike,
    areas: ArrayLike | None,
    at: ArrayLike,
    to: ArrayLike | None,
    settings: dict[str, Any],
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> dict[str, Any]: ...
def explain_files(
    files: Sequence[str],
    at: ArrayLike,
    to: ArrayLike | None,
    settings: dict[str, Any],
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> dict[str, Any]: ...
def bake_files(files: Sequence[str], settings: dict[str, Any], progress: Progress | None = None, cancel: CancelToken | None = None) -> NavMesh: ...
def bake_plans(files: Sequence[str], settings: dict[str, Any], progress: Progress | None = None, cancel: CancelToken | None = None) -> NavMesh: ...
def rust_seconds(mesh: NavMesh, starts: ArrayLike, ends: ArrayLike) -> dict[str, float]: ...
def check_cancelled() -> None:
    """Raises :class:`waymesh.Cancelled` if a token of the ``with`` blocks around was cancelled."""
def set_threads(count: int) -> None:
    """Sets how many threads batches of queries, crowds and bakes of this process use from now on; 0 is one per core. Calls that run
    keep theirs. Results do not depend on it."""
def threads() -> int:
    """Returns how many threads batches of queries, crowds and bakes of this process use."""
