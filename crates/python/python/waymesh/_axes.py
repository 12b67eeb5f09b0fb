"""Meshes, worlds, crowds and paths in axes with z up, as ROS, Blender and Gazebo have them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, update_wrapper
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import InputError
from ._exports import METHODS
from ._pictures import plot
from ._waymesh import Corridor, Crowd, DistanceField, NavMesh, Path, Paths, Sampler
from ._world import World
from .settings import Box, ClosedMesh, Cylinder, Mark, Prism, Shape

T = TypeVar("T")
_SWAPPED = np.array([0, 2, 1])


def to_z_up(points: ArrayLike) -> NDArray[Any]:
    """Returns positions or directions of a mesh, of shape (.., 3), in axes with z up: (x, -z, y)."""
    turned = _swapped(points)
    np.negative(turned[..., 1], out=turned[..., 1])
    return turned


def from_z_up(points: ArrayLike) -> NDArray[Any]:
    """Returns positions or directions with z up, of shape (.., 3), in the axes of a mesh: (x, z, -y)."""
    turned = _swapped(points)
    np.negative(turned[..., 2], out=turned[..., 2])
    return turned


def _swapped(points: ArrayLike) -> NDArray[Any]:
    """A copy of positions with the second and the third coordinate in each other's place."""
    try:
        array = np.asarray(points)
    except ValueError:
        raise InputError(f"points must be numbers of shape (.., 3), not {type(points).__name__}") from None
    if array.ndim == 0 or array.shape[-1] != 3 or array.dtype.kind not in "fiu":
        raise InputError(f"points must be numbers of shape (.., 3), not {array.dtype} of shape {array.shape}")
    # A negative number has no unsigned type.
    array = array.astype(np.int64) if array.dtype.kind == "u" else array
    return array.take(_SWAPPED, axis=-1)


def _box(corners: ArrayLike, turn: Callable[[ArrayLike], NDArray[Any]]) -> NDArray[Any]:
    ends = turn(corners)
    return np.stack([ends.min(axis=0), ends.max(axis=0)])


def _shape(shape: Shape) -> Shape:
    """A shape with z up in the axes of a mesh. Files of closed meshes keep their axes."""
    if isinstance(shape, Box):
        low, high = _box(shape._entries()["box"], from_z_up).tolist()
        return Box(min=low, max=high)
    if isinstance(shape, Cylinder):
        return Cylinder(base=from_z_up(shape._entries()["cylinder"][0]).tolist(), radius=shape.radius, height=shape.height)
    if isinstance(shape, Prism):
        corners, heights = shape._entries()["prism"]
        return Prism(corners=[(x, -y) for x, y in corners], heights=heights)
    if not isinstance(shape, ClosedMesh) or shape.file is not None:
        return shape
    return ClosedMesh(from_z_up(shape.vertices), shape.triangles)


def _mark(mark: Mark) -> Mark:
    return Mark(_shape(mark.shape), mark.area) if isinstance(mark, Mark) else mark


def _entries(*names: str) -> Callable[[Any], Any]:
    return lambda rows: [{**row, **{name: to_z_up(row[name]).tolist() for name in names}} for row in rows]


def _parts(*turned: int) -> Callable[[Any], Any]:
    return lambda found: tuple(to_z_up(part) if at in turned else part for at, part in enumerate(found))


def _wrapped(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(map(_wrapped, found))
    return ZUp(found) if type(found) in _TURNED else found


Turn = Callable[[Any], Any]

_ENDS: dict[str, Turn] = {"start": from_z_up, "end": from_z_up}
_PAIRS: dict[str, Turn] = {"starts": from_z_up, "ends": from_z_up}
_PLACES: dict[str, Turn] = {"points": from_z_up}

_TURNED: dict[type, dict[str, tuple[dict[str, Turn], Turn]]] = {
    NavMesh: {
        "bounds": ({}, lambda corners: _box(corners, to_z_up)),
        "distance": (_PAIRS, _wrapped),
        "distance_field": ({"goals": from_z_up}, _wrapped),
        "find_nearest_goal": ({"start": from_z_up, "goals": from_z_up}, _wrapped),
        "find_path": (_ENDS, _wrapped),
        "find_paths": (_PAIRS, _wrapped),
        "is_navigable": (_PLACES, _wrapped),
        "island_at": (_PLACES, _wrapped),
        "islands": ({}, _entries("place")),
        "links": ({}, _entries("start", "end")),
        "nearest_wall": (_PLACES, _parts(1, 2)),
        # Rows go along y, which is -z.
        "plan_view": ({}, lambda rows: rows[::-1]),
        "polygon_at": (_PLACES, _wrapped),
        "random_points": ({}, to_z_up),
        "raycast": (_PAIRS, _parts(1, 3)),
        "snap": (_PLACES, to_z_up),
        "step": (_PAIRS, to_z_up),
        "triangles": ({}, _parts(0)),
        "vertices": ({}, to_z_up),
        "with_link": (_ENDS, _wrapped),
    },
    World: {
        "add_link": (_ENDS, _wrapped),
        "add_mark": ({"mark": _mark}, _wrapped),
        "add_obstacle": ({"shape": _shape}, _wrapped),
        "tiles_near": ({"position": from_z_up}, _wrapped),
    },
    Path: {"points": ({}, to_z_up)},
    Paths: {"points": ({}, to_z_up)},
    Sampler: {
        "near": ({"centre": from_z_up}, to_z_up),
        "point": ({}, to_z_up),
        "points": ({}, to_z_up),
    },
    DistanceField: {"distance": (_PLACES, _wrapped), "headings": (_PLACES, _parts(2))},
    Corridor: {
        "corners": ({}, to_z_up),
        "move_goal": ({"position": from_z_up}, _wrapped),
        "move_start": ({"position": from_z_up}, _wrapped),
        "points": ({}, to_z_up),
        "position": ({}, to_z_up),
    },
    Crowd: {
        "add": ({"positions": from_z_up}, _wrapped),
        "path": ({}, to_z_up),
        "positions": ({}, to_z_up),
        "set_position": ({"positions": from_z_up}, _wrapped),
        "set_target": ({"targets": from_z_up}, _wrapped),
        "velocities": ({}, to_z_up),
    },
}
"""Members with coordinates: how their arguments and their results are turned."""

_OF_WRAPPER: dict[str, Callable[..., Any]] = {**METHODS, "plot": plot}
"""Methods of NavMesh that use others of its methods, and have the axes of these."""

_OF_SCENE = {"add_triangles", "add_mesh_obstacle"}
"""Methods of World whose vertices have the axes of its settings."""

_SAME = {
    NavMesh: """agent area areas cell_size filter from_bytes from_detour island_area island_count island_radius largest_island
        level_height load oracle polygon_areas polygon_count polygon_islands polygon_storeys polygons portal_count portals report
        sampler save save_glb show to_bytes to_detour to_glb to_svg triangle_polygons walls with_hierarchy with_link_open with_oracle
        without_link""",
    World: """is_dirty load_tile mesh open remove_link remove_mark remove_obstacle remove_tile set_link_open set_oracle tiles update
        write_tiles""",
    Path: "cost is_complete length links outcome polygons was_cut",
    Paths: "costs lengths offsets outcomes",
    Sampler: "seed",
    DistanceField: "",
    Corridor: "is_outdated length links outcome repair replan take_link walk_on",
    Crowd: "STATUSES agents remaining remove set_link_rule statuses steer step stop walk_on",
}
"""Members without coordinates. Files, GLB models and reports have the axes of the mesh, and pictures show x and y as maps do."""

_MADE: dict[type, dict[str, Turn]] = {
    Corridor: {"start": from_z_up, "goal": from_z_up},
    Crowd: {},
    World: {},
}
"""Classes that can be called in axes with z up."""


@lru_cache(maxsize=None)
def _names(kind: type, name: str) -> tuple[str, ...]:
    """Names of the arguments of a method."""
    member = getattr(kind, name)
    names = tuple(inspect.signature(member).parameters)
    # Those that are no native ones are functions of a mesh.
    return names[1:] if names[:1] in (("self",), ("mesh",)) else names


def _call(member: Any, names: tuple[str, ...], turns: dict[str, Turn], given: Any, named: Any) -> Any:
    def turned(name: str, value: Any) -> Any:
        return turns[name](value) if name in turns and value is not None else y_up(value)

    rest = given[len(names) :]
    values = [turned(name, value) for name, value in zip(names, given)]
    return member(*values, *rest, **{name: turned(name, value) for name, value in named.items()})


class _ZUp:
    """An object, or a class that makes one, with positions in axes with z up."""

    _up = 2
    """Axis that points up."""

    def __init__(self, of: Any) -> None:
        if type(of) not in _TURNED and of not in _TURNED:
            raise InputError(f"ZUp needs one of {', '.join(kind.__name__ for kind in _TURNED)}, not {type(of).__name__}")
        self._of = of
        self._kind: type = of if isinstance(of, type) else type(of)

    def __getattr__(self, name: str) -> Any:
        kind = self._kind
        turns: dict[str, Turn]
        result: Turn
        if name in _OF_WRAPPER and kind is NavMesh:
            return self._keep(name, getattr(self._of, name), partial(_OF_WRAPPER[name], self))
        if name in _OF_SCENE and kind is World:
            turns, result = {} if self._of._up == "z" else {"vertices": from_z_up}, _wrapped
        elif name in _TURNED[kind]:
            turns, result = _TURNED[kind][name]
        elif name in _SAME[kind].split():
            turns, result = {}, _wrapped
        else:
            raise AttributeError(f"{kind.__name__} has no {name!r} in axes with z up: waymesh.y_up returns the object without them")
        member = getattr(self._of, name)
        if not callable(member):
            return result(member)
        names = _names(kind, name)

        def call(*given: Any, **named: Any) -> Any:
            found = _call(member, names, turns, given, named)
            return None if found is None else result(found)

        return self._keep(name, member, call)

    def _keep(self, name: str, member: Any, call: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps a method, with the text and the arguments of that of the object: the next call finds it at once."""
        call = update_wrapper(call, member, ("__doc__", "__name__", "__qualname__"), ())
        self.__dict__[name] = call
        return call

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self._of not in _MADE:
            raise TypeError(f"{self!r} is not called")
        if self._of is World:
            corners = [named.pop(name) if name in named else None for name in ("min", "max")]
            if len(given) < corners.count(None):
                raise TypeError("World needs min and max: two corners, x, y, z in metres")
            low, high = [corner if corner is not None else given[at] for at, corner in enumerate(corners)]
            low, high = _box([list(low), list(high)], from_z_up).tolist()
            given = given[sum(corner is None for corner in corners) :]
            return ZUp(World(low, high, *given, **named))
        return ZUp(_call(self._of, ("ground", "start", "goal"), _MADE[self._of], given, named))

    def __dir__(self) -> list[str]:
        extra = [*_OF_WRAPPER] if self._kind is NavMesh else [*_OF_SCENE] if self._kind is World else []
        return sorted([*_TURNED[self._kind], *_SAME[self._kind].split(), *extra])

    def __repr__(self) -> str:
        return f"waymesh.ZUp({self._of!r})"

    def __reduce__(self) -> Any:
        return ZUp, (self._of,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ZUp) and bool(self._of == other._of)

    def __hash__(self) -> int:
        return hash((_ZUp, self._of))

    def __len__(self) -> int:
        return len(self._of)

    def __bool__(self) -> bool:
        return bool(self._of)

    def __getitem__(self, index: Any) -> Any:
        return _wrapped(self._of[index])

    def __iter__(self) -> Iterator[Any]:
        return map(_wrapped, self._of)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the points of a path are copied into an array")
        return np.array(self.points, dtype=dtype)

    def _repr_html_(self) -> str:
        return str(self._of._repr_html_())


def ZUp(of: T) -> T:  # noqa: N802
    """Returns an object with all positions, normals and shapes in axes with z up: (x, y, z) here is (x, z, -y) of the mesh.

    It takes a NavMesh, World, Crowd, Corridor, Path, Paths, Sampler or DistanceField, and has the members and arguments of that; what
    its methods return has these axes, too. Of the classes ``Corridor``, ``Crowd`` and ``World`` it makes one that is called in these axes.
    Files and GLB models keep the axes of their formats, and :meth:`World.add_triangles` those of the settings of the world.
    :func:`y_up` returns the object itself.

    >>> import waymesh
    >>> square = waymesh.bake([[0, 0, 5], [9, 0, 5], [9, 9, 5], [0, 9, 5]], [[0, 1, 2], [0, 2, 3]], waymesh.Settings(up="z"))
    >>> mesh = waymesh.ZUp(square)
    >>> mesh.find_path([2, 2, 5], [5, 6, 5]).points.round(1).tolist()
    [[2.0, 2.0, 5.0], [5.0, 6.0, 5.0]]
    >>> waymesh.ZUp(waymesh.Corridor)(mesh, start=[2, 2, 5], goal=[5, 6, 5]).position.round(1).tolist()
    [2.0, 2.0, 5.0]
    """
    return of if isinstance(of, _ZUp) else cast(T, _ZUp(of))


def y_up(of: T) -> T:
    """Returns the object of :func:`ZUp`, in the axes of its mesh; all else as it is."""
    return cast(T, of._of) if isinstance(of, _ZUp) else of
