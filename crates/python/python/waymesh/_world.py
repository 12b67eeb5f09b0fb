"""A world that changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from . import _waymesh
from ._bake import AnySettings, from_origin
from ._errors import InputError
from ._types import Progress, Update
from ._waymesh import CancelToken, NavMesh
from .settings import Mark, Shape, entries_of, shape_entries


class World:
    """A world of tiles with obstacles that come and go. Only tiles in which something changed are built again.

    ``min`` and ``max`` fix its grid in plan; a tile has ``tile_cells`` cells a side. The pipeline is voxels. ``origin``, ``winding``,
    ``scale`` and ``up`` of the settings hold for all triangles; the bounds, shapes and the mesh are relative to the origin, in metres, y up.

    >>> import numpy as np, waymesh
    >>> vertices = np.array([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], dtype=np.float32)
    >>> world = waymesh.World(vertices.min(axis=0), vertices.max(axis=0))
    >>> world.add_triangles(vertices, [[0, 2, 1], [0, 3, 2]])
    >>> world.update()["rebuilt"]
    4
    >>> before = world.mesh
    >>> crate = world.add_obstacle(waymesh.Box(min=[9, 0, 9], max=[11, 2, 11]))
    >>> world.update()["rebuilt"] > 0
    True
    >>> world.mesh.area < before.area
    True
    >>> world.remove_obstacle(crate)
    True
    >>> _ = world.update()
    >>> world.mesh == before
    True
    """

    def __init__(
        self, min: Sequence[float], max: Sequence[float], settings: AnySettings = None, *, tile_cells: int = 48
    ) -> None:
        low, high = ([float(number) for number in corner] for corner in (min, max))
        self._begin(settings, lambda entries: _waymesh.World(low, high, entries, tile_cells))

    def _begin(self, settings: AnySettings, make: Callable[[dict[str, Any]], _waymesh.World]) -> None:
        entries = entries_of(settings)
        self._origin = entries.pop("origin", None)
        self._up = entries.get("up", "y")
        from_origin([[0.0, 0.0, 0.0]], self._origin)
        self._world = make(entries)

    @classmethod
    def open(cls, folder: str | PathLike[str], settings: AnySettings = None) -> World:
        """Opens a folder of tiles that :meth:`write_tiles` made with the same settings. None is loaded yet: see :meth:`load_tile`.

        Raises FileError for a folder of other settings or of another version of waymesh.
        """
        world = cls.__new__(cls)
        world._begin(settings, lambda entries: _waymesh.World.open(folder, entries))
        return world

    def write_tiles(
        self, folder: str | PathLike[str], *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> None:
        """Writes every tile into a file of a folder, so that a game or a simulator loads those around its agents. Obstacles stay out."""
        self._world.write_tiles(folder, progress, cancel)

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """Column and row of the tiles that are loaded, in the order of rows."""
        return self._world.tiles()

    def tiles_near(self, position: ArrayLike, distance: float) -> list[tuple[int, int]]:
        """Column and row of the tiles within a distance of a position in plan, in metres, loaded or not."""
        return self._world.tiles_near(position, distance)

    def load_tile(self, tile: tuple[int, int]) -> bool:
        """Reads a tile from the folder of :meth:`open`. Returns False if the folder does not have it. The mesh has it after the next update."""
        return self._world.load_tile(tile)

    def remove_tile(self, tile: tuple[int, int]) -> bool:
        """Takes a tile out of the world. Returns True if it was there. The mesh is without it after the next update."""
        return self._world.remove_tile(tile)

    @property
    def mesh(self) -> NavMesh:
        """The mesh of the last update. It stays as it is when the world changes."""
        return self._world.mesh

    @property
    def is_dirty(self) -> bool:
        """Whether anything changed since the last update."""
        return self._world.is_dirty

    def add_triangles(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        triangle_areas: ArrayLike | None = None,
        *,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Puts triangles into all tiles that they reach into; a tile that was there before is replaced."""
        self._world.add_triangles(from_origin(vertices, self._origin), triangles, triangle_areas, progress, cancel)

    def add_obstacle(self, shape: Shape, *, walkable: bool = False) -> int:
        """Puts a solid into the world, and returns its number. The mesh shows it after the next update."""
        return self._world.add_obstacle(shape_entries(shape), walkable)

    def add_mesh_obstacle(self, vertices: ArrayLike, triangles: ArrayLike, *, walkable: bool = False) -> int:
        """Puts a solid mesh whose faces look outward into the world, and returns its number. The mesh shows it after the next update."""
        return self._world.add_mesh_obstacle(from_origin(vertices, self._origin), triangles, walkable)

    def remove_obstacle(self, obstacle: int) -> bool:
        """Takes an obstacle away. Returns True if it was there."""
        return self._world.remove_obstacle(obstacle)

    def add_mark(self, mark: Mark) -> int:
        """Gives the ground in a shape another area, and returns the mark's number."""
        if not isinstance(mark, Mark):
            raise InputError(f"add_mark needs a Mark, not {type(mark).__name__}")
        return self._world.add_mark(mark._entries())

    def remove_mark(self, mark: int) -> bool:
        """Takes a mark away. Returns True if it was there."""
        return self._world.remove_mark(mark)

    def add_link(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        kind: str = "user",
        both_ways: bool = True,
        is_open: bool = True,
        extra_cost: float = 0.0,
        data: int = 0,
    ) -> int:
        """Joins the places of the newest mesh that are nearest to two positions, as by a door, a lift or a ladder, and returns the link's number.
        An end that is two positions, of shape (2, 3), is a segment.

        Updates look for the ground at its ends again; a link without ground at an end is not there until it has some. See
        :meth:`NavMesh.with_link` for the arguments.
        """
        return self._world.add_link(
            start, end, kind=kind, both_ways=both_ways, is_open=is_open, extra_cost=extra_cost, data=data
        )

    def remove_link(self, link: int) -> bool:
        """Takes a link away that was added, and closes one that an update found. Returns True if it was there."""
        return self._world.remove_link(link)

    def set_link_open(self, link: int, is_open: bool) -> bool:
        """Opens or closes a link at once, until it is changed again. Returns True if the world has it."""
        return self._world.set_link_open(link, is_open)

    def set_oracle(self, mesh: NavMesh | None) -> None:
        """Gives the world the tables of ``world.mesh.with_oracle()``, which another thread may make while the world goes on; None takes them
        away. They stay in use over updates: a shortest path that is too short to meet ground that changed since is looked up, any other is
        searched for, until this is called again.
        """
        self._world.set_oracle(mesh)

    def update(self, *, progress: Progress | None = None, cancel: CancelToken | None = None) -> Update:
        """Builds what changed. Returns how many tiles that were, and how many seconds it took."""
        return self._world.update(progress, cancel)
