"""The interface of habitat-sim's ``PathFinder``, for programs that were written for it.

>>> from waymesh.habitat import NavMeshSettings, PathFinder, ShortestPath
>>> import numpy as np
>>> pathfinder = PathFinder()
>>> pathfinder.build([[0, 0, 0], [8, 0, 0], [8, 0, 8], [0, 0, 8]], [[0, 2, 1], [0, 3, 2]], NavMeshSettings())
True
>>> path = ShortestPath()
>>> path.requested_start, path.requested_end = np.array([1.0, 0.0, 1.0]), np.array([4.0, 0.0, 5.0])
>>> pathfinder.find_path(path), round(path.geodesic_distance, 3)
(True, 5.0)

Meanings are those of habitat-sim's documentation: positions that are NaN or infinite are off the mesh. The differences: meshes are
saved as ``.navmesh``, which habitat-sim reads, or as ``.wmesh`` and ``.wmrun``, which keep the settings of the agent and the grid only;
paths are the shortest (Detour's are the shortest in one corridor), goals off the mesh do not hinder those on it, islands are numbered by
their first polygon, and random points are others for a seed.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._bake import bake
from ._checks import number, path_of, position, real, shown, whole, write
from ._errors import FileError, QueryError, WaymeshError
from ._follower import (
    ActionSpec,
    ActuationSpec,
    Agent,
    AgentConfiguration,
    AgentState,
    GreedyFollowerCodes,
    GreedyFollowerError,
    GreedyGeodesicFollower,
)
from ._waymesh import NavMesh, Sampler
from .settings import Settings

__all__ = [
    "ActionSpec",
    "ActuationSpec",
    "Agent",
    "AgentConfiguration",
    "AgentState",
    "GreedyFollowerCodes",
    "GreedyFollowerError",
    "GreedyGeodesicFollower",
    "HitRecord",
    "MultiGoalShortestPath",
    "NavMeshSettings",
    "PathFinder",
    "ShortestPath",
]

_PICK = (2.0, 4.0, 4.0)
"""How far a point may be from the mesh: the extents with which habitat-sim picks polygons (2, 4, 2)."""

_SLACK = 0.01
"""How far a navigable point may be from the mesh in plan."""

_MAX_PIXELS = 2**28

_MAX_SEED = 2.0**64

_MAX_SETTING = 1e6
"""Largest setting of :class:`NavMeshSettings` from which others are computed."""

_NOWHERE = np.full(3, np.nan, dtype=np.float32)

_MAGIC = b"TESM"
"""First bytes of a ``.navmesh`` file; its version follows."""
_HEADER = 40
"""Bytes before the tiles in version 1. In version 2 the settings are between."""
_SETTINGS = struct.Struct("<13f4?")
"""The fields of :class:`NavMeshSettings`, in their order."""
_TILE = struct.Struct("<Ii72x6f4x")
"""Reference, size, and of the header the lower and upper corner."""


@dataclass(eq=False)
class NavMeshSettings:
    """The settings of habitat-sim, with its defaults. Sizes of regions are in cells: the smallest has ``region_min_size`` squared. The
    sampling of heights is not used: heights are within a level of the ground. Settings are equal that differ by less than 1e-5, as
    files keep them in single precision."""

    cell_size: float = 0.05
    cell_height: float = 0.2
    agent_height: float = 1.5
    agent_radius: float = 0.1
    agent_max_climb: float = 0.2
    agent_max_slope: float = 45.0
    region_min_size: float = 20.0
    region_merge_size: float = 20.0
    edge_max_len: float = 12.0
    edge_max_error: float = 1.3
    verts_per_poly: float = 6.0
    detail_sample_dist: float = 6.0
    detail_sample_max_error: float = 1.0
    filter_low_hanging_obstacles: bool = True
    filter_ledge_spans: bool = True
    filter_walkable_low_height_spans: bool = True
    include_static_objects: bool = False

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NavMeshSettings):
            return NotImplemented
        return all(abs(a - b) < 1e-5 for a, b in zip(astuple(self), astuple(other)))

    def set_defaults(self) -> None:
        """Sets every field to its default."""
        self.__init__()  # type: ignore[misc]

    def write_to_json(self, file: str | PathLike[str]) -> None:
        """Writes the settings to a file."""
        write(file, json.dumps(asdict(self), indent=4).encode())

    def read_from_json(self, file: str | PathLike[str]) -> None:
        """Reads what :meth:`write_to_json` wrote. Fields that the file lacks stay as they are."""
        path, known = path_of(file), asdict(self)
        try:
            given = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: {error}") from error
        if not isinstance(given, dict):
            raise FileError(f"{path}: settings are an object of names and values, not {shown(given)}")
        for name, value in given.items():
            if name not in known:
                raise FileError(f"{path}: {name!r} is no setting of a navigation mesh")
            if not isinstance(value, bool if isinstance(known[name], bool) else (int, float)):
                raise FileError(f"{path}: {name} is {shown(value)}, but must be like {known[name]!r}")
        vars(self).update(given)

    def to_settings(self) -> Settings:
        """The same as settings of waymesh."""
        cell_size, size, error, vertices = (
            number(name, getattr(self, name), 0.0, _MAX_SETTING)
            for name in ("cell_size", "region_min_size", "edge_max_error", "verts_per_poly")
        )
        return Settings(
            cell_size=cell_size,
            level_height=self.cell_height,
            agent_height=self.agent_height,
            agent_radius=self.agent_radius,
            max_step=self.agent_max_climb,
            max_slope=self.agent_max_slope,
            min_region=(size * cell_size) ** 2,
            max_edge_length=self.edge_max_len,
            max_edge_error=error * cell_size,
            max_vertices=int(vertices),
        )


@dataclass
class ShortestPath:
    """A path to one end: what was asked for, and the answer."""

    requested_start: Any = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    requested_end: Any = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    points: list[NDArray[np.float32]] = field(default_factory=list)
    geodesic_distance: float = float("inf")


@dataclass
class MultiGoalShortestPath:
    """A path to the nearest of several ends."""

    requested_start: Any = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    requested_ends: Sequence[Any] = field(default_factory=list)
    points: list[NDArray[np.float32]] = field(default_factory=list)
    geodesic_distance: float = float("inf")
    closest_end_point_index: int = -1


@dataclass
class HitRecord:
    """The obstacle closest to a point."""

    hit_pos: NDArray[np.float32] = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    hit_normal: NDArray[np.float32] = field(default_factory=lambda: np.zeros(3, dtype=np.float32))
    hit_dist: float = 0.0


class PathFinder:
    """A drop-in for ``habitat_sim.nav.PathFinder``."""

    def __init__(self) -> None:
        self._mesh: NavMesh | None = None
        self._seed = 0
        self._samplers: dict[int, Sampler] = {}
        self._settings: NavMeshSettings | None = None
        self._bounds: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self._areas: dict[int, float] = {}

    # Meshes.

    @property
    def is_loaded(self) -> bool:
        """Whether there is a mesh."""
        return self._mesh is not None

    @property
    def mesh(self) -> NavMesh:
        """The mesh, for everything that habitat-sim does not have."""
        if self._mesh is None:
            raise WaymeshError("no mesh is loaded")
        return self._mesh

    @property
    def nav_mesh_settings(self) -> NavMeshSettings | None:
        """The settings of the bake; of a mesh that was loaded, those that its file has, and defaults."""
        return self._settings

    def build(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        settings: NavMeshSettings | None = None,
    ) -> bool:
        """Bakes a mesh: what ``Simulator.recompute_navmesh`` does."""
        settings = settings or NavMeshSettings()
        self.set_mesh(bake(vertices, triangles, settings.to_settings()))
        with np.errstate(over="ignore"):
            corners = np.asarray(vertices, dtype=np.float32)
        corners = corners[np.isfinite(corners).all(axis=1)]
        self._settings, self._bounds = settings, (corners.min(axis=0), corners.max(axis=0))
        return True

    def set_mesh(self, mesh: NavMesh) -> None:
        """Takes a mesh that was baked or read before."""
        self._mesh = mesh
        self._samplers, self._areas, self._bounds = {}, {}, None
        agent = mesh.agent
        self._settings = NavMeshSettings(
            cell_size=mesh.cell_size,
            cell_height=mesh.level_height,
            agent_height=agent["height"],
            agent_radius=agent["radius"],
            agent_max_climb=agent["max_step"],
            agent_max_slope=agent["max_slope"],
        )

    def load_nav_mesh(self, path: str | PathLike[str]) -> bool:
        """Reads a mesh. Returns False if it cannot be read."""
        path = path_of(path)
        try:
            self.set_mesh(NavMesh.load(path))
            data = Path(path).read_bytes()
        except (WaymeshError, OSError):
            return False
        if data.startswith(_MAGIC):
            self._read_detour(data)
        return True

    def _read_detour(self, data: bytes) -> None:
        """Takes what habitat-sim reads from a file beside the mesh: settings, and the bounds of the scene."""
        _, version, tiles = struct.unpack_from("<4sii", data)
        at = _HEADER
        if version > 1:
            self._settings = NavMeshSettings(*_SETTINGS.unpack_from(data, at))
            at += _SETTINGS.size
        corners = []
        for _ in range(tiles):
            if at + _TILE.size > len(data):
                return
            _, size, *bounds = _TILE.unpack_from(data, at)
            corners.append(np.array(bounds, dtype=np.float32).reshape(2, 3))
            at += 8 + size
        if corners and np.isfinite(corners).all():
            self._bounds = np.min(corners, axis=(0, 1)), np.max(corners, axis=(0, 1))

    def save_nav_mesh(self, path: str | PathLike[str]) -> bool:
        """Writes the mesh. Returns False if there is none or it cannot be written."""
        path = path_of(path)
        try:
            self.mesh.save(path)
            if Path(path).suffix == ".navmesh" and self._settings is not None:
                data = Path(path).read_bytes()
                head = struct.pack("<4si", _MAGIC, 2) + data[8:_HEADER] + _SETTINGS.pack(*astuple(self._settings))
                aside = f"{os.fspath(path)}.{os.getpid()}"
                Path(aside).write_bytes(head + data[_HEADER:])
                os.replace(aside, path)
        except (WaymeshError, OSError):
            return False
        return True

    # What the mesh is.

    def get_bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The lower and upper corner of the scene that was baked, or of its tiles in a ``.navmesh`` file; of the mesh elsewhere."""
        low, high = self.mesh.bounds if self._bounds is None else self._bounds
        return low, high

    def build_navmesh_vertices(self, island_index: int = -1) -> list[NDArray[np.float32]]:
        """The vertices of the triangles of one island, or of all."""
        return list(self.mesh.triangles(True, _island(island_index))[0])

    def build_navmesh_vertex_indices(self, island_index: int = -1) -> list[int]:
        """Three vertices per triangle of one island, or of all."""
        indices: list[int] = self.mesh.triangles(True, _island(island_index))[1].ravel().tolist()
        return indices

    @property
    def num_islands(self) -> int:
        """Number of connected pieces."""
        return self.mesh.island_count

    @property
    def navigable_area(self) -> float:
        """Area of the ground, in square metres: on slopes it is larger than in plan."""
        return self.island_area()

    def island_area(self, island_index: int = -1) -> float:
        """Area of the ground of an island, or of all."""
        island_index = _whole_island(island_index)
        if island_index not in self._areas:
            vertices, triangles = self.mesh.triangles(True, _island(island_index))
            a, b, c = vertices.astype(np.float64)[triangles.T.astype(np.int64)]
            self._areas[island_index] = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
        return self._areas[island_index]

    def island_radius(self, at: Any) -> float:
        """How far an island stretches: the distance from the mean of its corners to the farthest. ``at`` is its number or a
        point, which is snapped to the mesh; 0 where there is none."""
        island = at if isinstance(at, (int, np.integer)) else self.get_island(at)
        return self.mesh.island_radius(int(island)) if island >= 0 else 0.0

    def get_island(self, point: ArrayLike) -> int:
        """The island that a point snaps to, or -1."""
        return int(self.mesh.island_at(_place(point), reach=_PICK))

    def get_topdown_view(self, meters_per_pixel: float, height: float, eps: float = 0.5) -> NDArray[np.bool_]:
        """Whether a point is navigable, on a grid over :meth:`get_bounds`: rows along z, columns along x."""
        return self.get_topdown_island_view(meters_per_pixel, height, eps) >= 0

    def get_topdown_island_view(
        self, meters_per_pixel: float, height: float, eps: float = 0.5
    ) -> NDArray[np.int32]:
        """The island at each point of the grid, -1 where there is none."""
        if not (meters_per_pixel := real(given := meters_per_pixel)) > 0:
            raise QueryError(f"meters_per_pixel is {shown(given)}, but must be above 0")
        low, high = self.get_bounds()
        columns, _, rows = (int(side / meters_per_pixel) for side in np.nan_to_num(high - low))
        if rows * columns > _MAX_PIXELS:
            raise QueryError(f"meters_per_pixel is {meters_per_pixel}: the view would have {rows} x {columns} pixels, of {_MAX_PIXELS} at most")
        view = np.empty((rows, columns), dtype=np.int32)
        points = np.empty((columns, 3), dtype=np.float32)
        points[:, 0], points[:, 1] = low[0] + np.arange(columns) * meters_per_pixel, number("height", height)
        for row in range(rows):
            points[:, 2] = low[2] + row * meters_per_pixel
            view[row] = self.mesh.island_at(points, reach=(_SLACK, eps, eps))
        return view

    # Places.

    def seed(self, new_seed: int) -> None:
        """Begins the random points anew."""
        if not isinstance(new_seed, (int, np.integer)):
            number("new_seed", new_seed, -_MAX_SEED, _MAX_SEED)
        self._seed = int(new_seed)
        self._samplers = {}

    def _sampler(self, island_index: int) -> Sampler:
        island_index = _whole_island(island_index)
        if island_index not in self._samplers:
            # Islands draw from streams of their own.
            seed = (self._seed * 0x9E3779B97F4A7C15 + int(island_index) + 1) % 2**64
            self._samplers[island_index] = self.mesh.sampler(seed, _island(island_index))
        return self._samplers[island_index]

    def get_random_navigable_point(self, max_tries: int = 10, island_index: int = -1) -> NDArray[np.float32]:
        """A random point, uniform over the area. The first try always finds one."""
        return self._sampler(island_index).point()

    def get_random_navigable_point_near(
        self, circle_center: ArrayLike, radius: float, max_tries: int = 100, island_index: int = -1
    ) -> NDArray[np.float32]:
        """A random point at most ``radius`` from a point, in space; NaN if none is found in ``max_tries``."""
        centre = self.snap_point(circle_center, island_index)
        if np.isnan(centre).any():
            return _NOWHERE.copy()
        sampler = self._sampler(island_index)
        middle, radius = _place(circle_center), real(radius)
        for _ in range(max(max_tries, 0) if isinstance(max_tries, (int, np.integer)) else whole("max_tries", max_tries)):
            point = sampler.near(centre, radius)
            if np.linalg.norm(point - middle) <= radius:
                return point
        return _NOWHERE.copy()

    def snap_point(self, point: ArrayLike, island_index: int = -1) -> NDArray[np.float32]:
        """The navigable point nearest to a point, or NaN."""
        snapped: NDArray[np.float32] = self.mesh.snap(_place(point), reach=_PICK, island=_island(island_index))
        return snapped

    def is_navigable(self, pt: ArrayLike, max_y_delta: float = 0.5) -> bool:
        """Whether a point lies on the mesh, at most ``max_y_delta`` above or below it."""
        return bool(self.mesh.is_navigable(_place(pt), max_y_delta))

    def distance_to_closest_obstacle(self, pt: ArrayLike, max_search_radius: float = 2.0) -> float:
        """The distance to the nearest wall, or ``max_search_radius`` if that is less."""
        return self.closest_obstacle_surface_point(pt, max_search_radius).hit_dist

    def closest_obstacle_surface_point(self, pt: ArrayLike, max_search_radius: float = 2.0) -> HitRecord:
        """The nearest wall. For a point off the mesh its distance is infinite."""
        distance, place, normal = self.mesh.nearest_wall(_place(pt), max_search_radius, reach=_PICK)
        return HitRecord(hit_dist=float("inf")) if np.isnan(distance) else HitRecord(place, normal, float(distance))

    # Moves and paths.

    def try_step(self, start: ArrayLike, end: ArrayLike) -> NDArray[np.float32]:
        """Moves from start towards end, along walls. Returns the start where either is off the mesh, or no path leads to the end."""
        return self._step(start, end, slide=True)

    def try_step_no_sliding(self, start: ArrayLike, end: ArrayLike) -> NDArray[np.float32]:
        """Moves from start towards end, up to a wall."""
        return self._step(start, end, slide=False)

    def _step(self, start: ArrayLike, end: ArrayLike, *, slide: bool) -> NDArray[np.float32]:
        island = self.get_island(start)
        if island < 0 or island != self.get_island(end):
            return position("start", start).copy()
        return self.mesh.step(start, end, slide=slide, reach=_PICK)

    def find_path(self, path: ShortestPath | MultiGoalShortestPath) -> bool:
        """Finds the path that ``path`` asks for, and writes it there. Returns whether there is one."""
        path.points, path.geodesic_distance = [], float("inf")
        try:
            if isinstance(path, MultiGoalShortestPath):
                path.closest_end_point_index = -1
                if len(path.requested_ends) == 0:
                    return False
                ends = np.stack([_place(end) for end in path.requested_ends])
                nearest = self.mesh.find_nearest_goal(path.requested_start, ends, reach=_PICK)
                if nearest is None:
                    return False
                path.closest_end_point_index, found = nearest
            else:
                found = self.mesh.find_path(
                    path.requested_start, path.requested_end, shortest=True, allow_partial=False, reach=_PICK
                )
        except WaymeshError:
            return False
        if not found.is_complete:
            return False
        path.points, path.geodesic_distance = list(found.points), found.length
        if len(path.points) == 1:
            path.points.append(path.points[0].copy())
        return True


def _place(point: ArrayLike) -> NDArray[np.float32]:
    """A position in single precision; NaN for one that is not finite."""
    place = position("a position", point)
    return place if np.isfinite(place).all() else _NOWHERE


def _island(island_index: int) -> int | None:
    island = _whole_island(island_index)
    return None if island == -1 else island


def _whole_island(island_index: Any) -> int:
    return -1 if island_index == -1 else whole("island_index", island_index)
