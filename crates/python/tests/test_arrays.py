"""Every array that is given: of any memory layout, byte order and number type, it means the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import waymesh
from waymesh import _waymesh as native
from conftest import THIN, box, floor, join

Layout = Callable[[Any], Any]


def _packed(array: Any) -> Any:
    """A field of packed records: neighbours lie no multiple of their size apart."""
    records = np.zeros(array.shape[0], dtype=[("flag", "u1"), ("value", array.dtype, array.shape[1:])])
    records["value"] = array
    return records["value"]


def _unaligned(array: Any) -> Any:
    data = b"\0" + array.tobytes()
    return np.frombuffer(data, dtype=array.dtype, offset=1).reshape(array.shape)


def _strided(array: Any) -> Any:
    wide = np.zeros([2 * side for side in array.shape], dtype=array.dtype)
    every_other = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    every_other[...] = array
    return every_other


def _read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS: dict[str, Layout] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "transposed": lambda array: np.array([array[:, at] for at in range(3)]).T if array.ndim == 2 else array,
    "strided": _strided,
    "reversed": lambda array: np.ascontiguousarray(array[::-1])[::-1],
    "mirrored": lambda array: np.ascontiguousarray(array[..., ::-1])[..., ::-1],
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "read_only": _read_only,
    "packed": _packed,
    "unaligned": _unaligned,
    "list": lambda array: array.tolist(),
    "masked": lambda array: np.ma.masked_array(array),
}
FLOATS = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
WHOLES = [name for name in FLOATS if name[0] in "iu"]


def _scene() -> tuple[Any, Any, Any]:
    """A room with a pillar in it, of whole metres; the areas are 1 and 2."""
    vertices, triangles = join(floor(10, 12), box((4, 0, 2), (6, 3, 7)))
    areas = 1 + np.arange(len(triangles)) % 2
    return vertices, triangles, areas.astype(np.uint8)


@pytest.fixture(scope="module")
def baked() -> bytes:
    vertices, triangles, areas = _scene()
    mesh = waymesh.bake(vertices, triangles, THIN, triangle_areas=areas)
    # The pillar stands in the way.
    assert mesh.distance([2, 0, 5], [8, 0, 5]) > 7
    return mesh.to_bytes()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_vertices(layout: str, dtype: str, baked: bytes) -> None:
    vertices, triangles, areas = _scene()
    given = LAYOUTS[layout](vertices.astype(dtype))
    # Whole numbers cannot be -0 and the like: the scene is the same in all types.
    assert waymesh.bake(given, triangles, THIN, triangle_areas=areas).to_bytes() == baked


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", WHOLES)
def test_triangles(layout: str, dtype: str, baked: bytes) -> None:
    vertices, triangles, areas = _scene()
    given = LAYOUTS[layout](triangles.astype(dtype))
    assert waymesh.bake(vertices, given, THIN, triangle_areas=areas).to_bytes() == baked


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", WHOLES)
def test_areas(layout: str, dtype: str, baked: bytes) -> None:
    vertices, triangles, areas = _scene()
    given = LAYOUTS[layout](areas.astype(dtype))
    assert waymesh.bake(vertices, triangles, THIN, triangle_areas=given).to_bytes() == baked


def test_columns_of_triangles() -> None:
    # Three lists of corners, as programs keep them.
    vertices, triangles = join(floor(10, 9), floor(3, 4, x=20.0))
    i, j, k = (np.ascontiguousarray(triangles[:, at]) for at in range(3))
    assert waymesh.bake(vertices, np.array([i, j, k]).T, THIN) == waymesh.bake(vertices, triangles, THIN)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_points_of_queries(layout: str, dtype: str, walled: waymesh.NavMesh) -> None:
    grid = np.stack(np.meshgrid(np.arange(1, 9), [0], np.arange(1, 9)), axis=-1).reshape(-1, 3)
    starts, ends = grid.astype("f4"), np.roll(grid, 17, axis=0).astype("f4")
    given_starts, given_ends = (LAYOUTS[layout](points.astype(dtype)) for points in (starts, ends))
    field = walled.distance_field(np.array([[8, 0, 4], [1, 0, 1]], dtype="f4"))
    queries: dict[str, Callable[[Any, Any], Any]] = {
        "distance": walled.distance,
        "paths": lambda a, b: walled.find_paths(a, b).points,
        "rays": lambda a, b: np.hstack([np.reshape(part, (len(starts), -1)) for part in walled.raycast(a, b)]),
        "steps": walled.step,
        "snap": lambda a, _: walled.snap(a),
        "is_navigable": lambda a, _: walled.is_navigable(a),
        "island_at": lambda a, _: walled.island_at(a),
        "polygon_at": lambda a, _: walled.polygon_at(a),
        "walls": lambda a, _: walled.nearest_wall(a)[0],
        "field": lambda a, _: field.distance(a),
        "headings": lambda a, _: field.headings(a)[2],
        "goals": lambda a, _: walled.distance_field(a[:2]).distance(starts),
        "nearest_goal": lambda a, _: walled.find_nearest_goal(starts[0], a)[0],  # type: ignore[index]
    }
    for name, query in queries.items():
        assert np.array_equal(query(given_starts, given_ends), query(starts, ends), equal_nan=True), name


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "transposed"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_single_points(layout: str, dtype: str, walled: waymesh.NavMesh) -> None:
    start, end = (LAYOUTS[layout](np.array(point, dtype=dtype)) for point in ([2, 0, 4], [8, 0, 5]))
    expected = walled.find_path([2.0, 0.0, 4.0], [8.0, 0.0, 5.0])
    assert (walled.find_path(start, end).points == expected.points).all()
    assert walled.distance(start, end) == walled.distance([2, 0, 4], [8, 0, 5])
    assert (walled.snap(start) == walled.snap((2, 0, 4))).all()
    assert (walled.step(start, end) == walled.step([2, 0, 4], [8, 0, 5])).all()
    assert walled.raycast(start, end)[0] == walled.raycast([2, 0, 4], [8, 0, 5])[0]
    assert (walled.sampler(3).near(start, 2.0) == walled.sampler(3).near([2, 0, 4], 2.0)).all()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", WHOLES)
def test_other_arrays(layout: str, dtype: str, square: waymesh.NavMesh, tmp_path: Path) -> None:
    flags = np.arange(1, square.polygon_count + 1)
    square.to_detour(tmp_path / "mesh.navmesh", LAYOUTS[layout](flags.astype(dtype)))
    assert waymesh.from_detour(tmp_path / "mesh.navmesh")[1].tolist() == flags.tolist()
    vertices, triangles, areas = _scene()
    meshes = []
    for given in (triangles, LAYOUTS[layout](triangles.astype(dtype))):
        world = waymesh.World([0, -1, 0], [10, 4, 12], THIN)
        world.add_triangles(vertices, given, areas)
        world.add_mesh_obstacle(*box((1, 0, 9), (3, 2, 11)))
        world.update()
        meshes.append(world.mesh)
    assert meshes[0] == meshes[1]


@pytest.mark.parametrize(
    ("triangles", "text"),
    [
        ([[0, 2, -1]], "triangle 0 names vertex -1"),
        (np.array([[0, 1, 2], [0, 2, 2**63]], dtype="u8"), f"triangle 1 names vertex {2**63}"),
        (np.array([[0, 1, 2], [0, 2, 2**32]], dtype="i8").T.copy().T, f"triangle 1 names vertex {2**32}"),
        ([[0, 1, 2.5]], "whole numbers"),
        ([[True, False, True]], "whole numbers"),
        (np.zeros((3, 2), dtype="u4"), "shape"),
        (np.zeros(3, dtype="u4"), "shape"),
        ([[0, 1], [2]], "whole numbers"),
    ],
)
def test_triangles_that_are_refused(triangles: Any, text: str) -> None:
    with pytest.raises(waymesh.InputError, match=text):
        waymesh.bake(floor(3, 3)[0], triangles)


@pytest.mark.parametrize("areas", [[1, 256], [1, -1], [1.0, 2.0], [True, False], [[1], [2]], np.array([1, 2**64 - 1], dtype="u8")])
def test_areas_that_are_refused(areas: Any) -> None:
    with pytest.raises(waymesh.InputError, match="from 0 to 255"):
        waymesh.bake(*floor(3, 3), triangle_areas=areas)


def test_every_public_member_has_its_documentation() -> None:
    for name in dir(native):
        kind = getattr(native, name)
        # Its public form is `waymesh.World`.
        if not isinstance(kind, type) or name == "World":
            continue
        assert kind.__doc__ and kind.__doc__.strip(), name
        for member, value in vars(kind).items():
            if not member.startswith("_") and member != "STATUSES":
                assert value.__doc__ and value.__doc__.strip(), f"{name}.{member}"
    # Not that of its attribute `STATUSES`.
    assert "Agents that walk" in (native.Crowd.__doc__ or "")
    for name in waymesh.__all__:
        assert getattr(waymesh, name).__doc__, name
        for member, value in vars(getattr(waymesh, name)).items() if isinstance(getattr(waymesh, name), type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def test_no_points_and_one_goal_are_points(square: waymesh.NavMesh) -> None:
    """An empty list has no second dimension; one goal is a list of one."""
    one = [2.0, 0.0, 2.0]
    empties: list[Any] = [[], (), np.zeros(0), np.zeros((0, 3), dtype=np.float32)]
    for empty in empties:
        assert square.snap(empty).shape == square.step(empty, one).shape == (0, 3)
        assert square.distance(empty, one).shape == square.island_at(empty).shape == square.is_navigable(empty).shape == (0,)
        assert len(square.find_paths(empty, empty)) == 0 and square.find_nearest_goal(one, empty) is None
        field = square.distance_field(empty)
        assert field.distance(one) == np.inf and field.headings(empty)[2].shape == (0, 3)
        crowd = waymesh.Crowd(square)
        assert crowd.add(empty).shape == (0,) and crowd.positions.shape == (0, 3)
    with pytest.raises(waymesh.WaymeshError):
        waymesh.bake([], [])
    found = square.find_nearest_goal([1, 0, 1], one)
    assert found is not None and found[0] == 0 and found[1].length == square.distance([1, 0, 1], one)
    assert square.distance_field(one).distance([1, 0, 1]) == square.distance_field([one]).distance([1, 0, 1])
    wrongs: list[Any] = [[1.0, 2.0], [[1.0, 2.0]], [[]]]
    for wrong in wrongs:
        with pytest.raises(waymesh.InputError, match="must have shape"):
            square.distance_field(wrong)


def test_costs_may_be_any_mapping(square: waymesh.NavMesh) -> None:
    costs = MappingProxyType({1: 3.0})
    ends = [1.0, 0.0, 1.0], [5.0, 0.0, 1.0]
    assert square.find_path(*ends, area_costs=costs).cost == pytest.approx(12, rel=1e-3)
    assert square.find_paths([ends[0]], [ends[1]], area_costs=costs)[0].cost == pytest.approx(12, rel=1e-3)
    assert waymesh.Corridor(square, *ends, area_costs=costs).outcome == "complete"
    assert waymesh.Crowd(square, area_costs=costs, link_costs=MappingProxyType({"jump": 1.0})).add(ends[0]) == 0
    others: list[Any] = [[1], "mud", 3]
    for other in others:
        with pytest.raises(TypeError):
            square.find_path(*ends, area_costs=other)
