"""Meshes and paths in axes with z up, as ROS, Blender and Gazebo have them."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._waymesh import NavMesh, Path, Paths

_ARGUMENTS = {
    "distance": 2,
    "find_nearest_goal": 2,
    "find_path": 2,
    "find_paths": 2,
    "is_navigable": 1,
    "island_at": 1,
    "nearest_wall": 1,
    "polygon_at": 1,
    "random_points": 0,
    "raycast": 2,
    "snap": 1,
    "step": 2,
    "triangles": 0,
}
"""Methods, and how many of their first arguments are positions."""
_PARTS = {"nearest_wall": (1, 2), "raycast": (1, 3), "triangles": (0,), "find_nearest_goal": (1,)}
"""Places of positions, normals and paths in a result of several parts."""
_WHOLE = {"find_path", "find_paths", "random_points", "snap", "step", "vertices"}
_SAME = {"agent", "area", "areas", "island_count", "polygon_areas", "polygon_count", "polygon_islands", "polygons", "walls"}


def to_z_up(points: ArrayLike) -> NDArray[Any]:
    """Returns positions or directions of a mesh, of shape (.., 3), in axes with z up: (x, -z, y)."""
    points = np.asarray(points)
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def from_z_up(points: ArrayLike) -> NDArray[Any]:
    """Returns positions or directions with z up, of shape (.., 3), in the axes of a mesh: (x, z, -y)."""
    points = np.asarray(points)
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


class ZUpPath:
    """A path, or many, with ``points`` in axes with z up; :attr:`path` has the others."""

    def __init__(self, path: Path | Paths) -> None:
        self.path = path

    @property
    def points(self) -> NDArray[Any]:
        """The points, of shape (n, 3)."""
        return to_z_up(self.path.points)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.points, dtype=dtype)

    def __len__(self) -> int:
        return len(self.path)

    def __getitem__(self, index: Any) -> ZUpPath:
        return ZUpPath(self.path[index])  # type: ignore[index]

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "path"), name)


class ZUp:
    """The queries of a mesh with positions, normals and paths in axes with z up: (x, y, z) here is (x, z, -y) of the mesh.

    It has the methods of :class:`NavMesh` with the same arguments: ``distance``, ``find_path``, ``find_paths``, ``find_nearest_goal``,
    ``is_navigable``, ``island_at``, ``polygon_at``, ``nearest_wall``, ``raycast``, ``step``, ``snap``, ``random_points``, ``triangles``;
    and ``vertices``. :attr:`mesh` has everything else.

    >>> import waymesh
    >>> square = waymesh.bake([[0, 0, 5], [9, 0, 5], [9, 9, 5], [0, 9, 5]], [[0, 1, 2], [0, 2, 3]], waymesh.Settings(up="z"))
    >>> waymesh.ZUp(square).find_path([2, 2, 5], [5, 6, 5]).points.round(1).tolist()
    [[2.0, 2.0, 5.0], [5.0, 6.0, 5.0]]
    """

    def __init__(self, mesh: NavMesh) -> None:
        self.mesh = mesh

    def __getattr__(self, name: str) -> Any:
        if name not in _WHOLE | _SAME | _ARGUMENTS.keys():
            raise AttributeError(f"ZUp has no {name}: use that of its mesh, whose positions are (x, z, -y)")
        member = getattr(self.mesh, name)
        if name not in _ARGUMENTS:
            return to_z_up(member) if name in _WHOLE else member

        @wraps(member)
        def call(*given: Any, **named: Any) -> Any:
            count = _ARGUMENTS[name]
            found = member(*(from_z_up(it) for it in given[:count]), *given[count:], **named)
            if name in _PARTS and found is not None:
                return tuple(_turned(part) if at in _PARTS[name] else part for at, part in enumerate(found))
            return _turned(found) if name in _WHOLE else found

        return call


def _turned(found: Any) -> Any:
    return ZUpPath(found) if isinstance(found, (Path, Paths)) else to_z_up(found)
