"""Objects in axes with z up: every public member is turned, or listed as one without coordinates."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import waymesh
from conftest import THIN, box, floor, join
from waymesh import _axes

KINDS = list(_axes._TURNED)



def up(points: Any) -> Any:
    return waymesh.to_z_up(points)


def members(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_public_member_is_turned_or_has_no_coordinates(kind: type) -> None:
    turned, same = set(_axes._TURNED[kind]), _axes._SAME[kind].split()
    others = (set(_axes._OF_WRAPPER) if kind is waymesh.NavMesh else set()) | (set(_axes._OF_SCENE) if kind is waymesh.World else set())
    assert len(same) == len(set(same)) and not turned & set(same) and not others & (turned | set(same))
    assert turned | set(same) | others == members(kind)
    wrapper: Any = waymesh.ZUp(kind)
    assert set(dir(wrapper)) == members(kind)
    # Arguments that are turned are arguments.
    for name, (arguments, _) in _axes._TURNED[kind].items():
        if arguments:
            assert set(arguments) <= set(_axes._names(kind, name)), name


PLACES = {"start", "end", "starts", "ends", "goal", "goals", "point", "points", "position", "positions", "targets", "centre", "vertices", "shape", "mark", "min", "max", "at", "to"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_no_member_without_coordinates_takes_a_place(kind: type) -> None:
    for name in _axes._SAME[kind].split():
        if callable(getattr(kind, name)):
            # The number of a mark is no mark.
            assert not (PLACES - {name.removeprefix("remove_")}) & set(_axes._names(kind, name)), name


@pytest.fixture(scope="module")
def linked() -> waymesh.NavMesh:
    marks = [waymesh.Mark(waymesh.Box(min=[1, -1, 1], max=[3, 1, 3]), 2)]
    mesh = waymesh.bake(*join(floor(10, 10), floor(6, 10, y=2.0, x=12)), replace(THIN, marks=marks))
    return mesh.with_link([9.5, 0, 5], [12.5, 2, 5], kind="jump")


def same(found: Any, expected: Any) -> None:
    """Compares results; those of wrapped objects by their points."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            same(a, b)
    elif isinstance(expected, dict):
        assert found == expected
    elif isinstance(expected, (waymesh.Path, waymesh.Paths)):
        assert np.array_equal(found.points, up(expected.points)) and type(waymesh.y_up(found)) is type(expected)
    elif isinstance(expected, waymesh.NavMesh):
        assert waymesh.y_up(found) == expected and isinstance(found, _axes._ZUp)
    elif isinstance(expected, (waymesh.Sampler, waymesh.DistanceField)):
        assert isinstance(found, _axes._ZUp)
    else:
        assert np.array_equal(found, expected, equal_nan=isinstance(expected, np.ndarray) and expected.dtype.kind == "f")


def test_members_of_meshes(linked: waymesh.NavMesh, tmp_path: Path) -> None:
    mesh = waymesh.ZUp(linked)
    a, b = linked.random_points(30, seed=1), linked.random_points(30, seed=2)
    link = linked.links[0]["id"]
    pictures = {"to_svg", "show", "plot", "to_trimesh", "to_shapely", "to_geopandas", "to_networkx", "to_open3d", "to_xarray"}
    files = {"save", "save_glb", "to_detour", "load", "from_detour", "from_bytes"}
    calls: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
        # Arguments, and the places of positions in the result.
        "distance": ((a, b), ()),
        "distance_field": ((a[:2],), ()),
        "find_nearest_goal": ((a[0], b), ()),
        "find_path": ((a[0], b[0]), ()),
        "find_paths": ((a, b), ()),
        "filter": ((np.ones(len(linked.polygon_areas), bool),), ()),
        "is_navigable": ((a,), ()),
        "island_area": ((0,), ()),
        "island_at": ((a,), ()),
        "island_radius": ((0,), ()),
        "nearest_wall": ((a,), (1, 2)),
        "plan_view": ((0.5, 0.0), ()),
        "polygon_at": ((a,), ()),
        "random_points": ((5,), (0,)),
        "raycast": ((a, b), (1, 3)),
        "sampler": ((3,), ()),
        "snap": ((a,), (0,)),
        "step": ((a, b), (0,)),
        "to_bytes": ((), ()),
        "to_glb": ((), ()),
        "triangle_polygons": ((), ()),
        "triangles": ((), (0,)),
        "with_hierarchy": ((), ()),
        "with_link": (([1, 0, 1], [2, 0, 8]), ()),
        "with_link_open": ((link, False), ()),
        "with_oracle": ((), ()),
        "without_link": ((link,), ()),
    }
    arrays = {"vertices"}
    seen = pictures | files
    for name in sorted(members(waymesh.NavMesh) - seen):
        found, expected = getattr(mesh, name), getattr(linked, name)
        if callable(expected):
            arguments, turned = calls[name]
            named = _axes._TURNED[waymesh.NavMesh].get(name, ({}, None))[0]
            names = _axes._names(waymesh.NavMesh, name)
            given = [up(it) if at in named else it for at, it in zip(names, arguments)]
            expected = expected(*arguments)
            # Positional and named arguments are turned alike.
            for result in (found(*given), found(**dict(zip(names, given)))):
                if name == "plan_view":
                    assert np.array_equal(result[::-1], expected)
                elif name == "filter":
                    assert np.array_equal(result.allowed, expected.allowed)
                elif turned:
                    parts, of_mesh = (it if isinstance(it, tuple) else (it,) for it in (result, expected))
                    for at, (part, other) in enumerate(zip(parts, of_mesh)):
                        assert np.array_equal(waymesh.from_z_up(part) if at in turned else part, other, equal_nan=True), name
                else:
                    same(result, expected)
        elif name == "bounds":
            corners = up(linked.vertices[np.unique(np.concatenate(linked.polygons))])
            assert np.allclose(found, [corners.min(axis=0), corners.max(axis=0)], atol=0.2)
        elif name == "links":
            assert np.allclose(found[0]["start"], up(expected[0]["start"])) and np.allclose(found[0]["end"], up(expected[0]["end"]))
            assert found[0]["id"] == expected[0]["id"]
        elif name == "islands":
            assert [it["area"] for it in found] == [it["area"] for it in expected]
            assert (mesh.island_at([it["place"] for it in found]) == range(len(expected))).all()
        elif name in arrays:
            assert np.array_equal(found, up(expected))
        elif name != "report" or expected is not None:
            same(found, expected)
    mesh.save(tmp_path / "same.wmesh")
    assert waymesh.load(tmp_path / "same.wmesh").bounds.tolist() == linked.bounds.tolist()
    # Pictures take the paths of the wrapper.
    path = mesh.find_path(up(a[0]), up(b[0]))
    assert mesh.to_svg(path) == linked.to_svg(linked.find_path(a[0], b[0])) == mesh.show(path, pixels=1000.0).svg


def test_exports_have_the_axes(linked: waymesh.NavMesh) -> None:
    mesh = waymesh.ZUp(linked)
    trimesh, shapely = pytest.importorskip("trimesh"), pytest.importorskip("shapely")
    assert trimesh and np.array_equal(mesh.to_trimesh().vertices, up(linked.to_trimesh().vertices))
    assert (mesh.to_trimesh().face_normals[:, 2] > 0).all()
    for turned, plain in zip(mesh.to_shapely(), linked.to_shapely()):
        assert np.array_equal(shapely.get_coordinates(turned, include_z=True), shapely.get_coordinates(plain, include_z=True) * [1, -1, 1])
    pytest.importorskip("networkx")
    for node, place in mesh.to_networkx().nodes(data="position"):
        assert mesh.polygon_at(place) == node
    xarray = pytest.importorskip("xarray")
    view = mesh.to_xarray(0.5, 0.0)
    assert xarray and view.dims == ("y", "x") and (np.diff(view.y) > 0).all()
    y, x = np.meshgrid(view.y, view.x, indexing="ij")
    islands = mesh.island_at(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1), reach=(0.01, 0.5, 0.5))
    assert (islands.reshape(view.shape) == view.values).mean() > 0.95
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    # The top of the picture is +y, which is -z.
    panels = mesh.plot(mesh.find_path([1, -1, 0], [8, -8, 0]), points=[[1, -1, 0]], storey=0)
    assert panels.get_ylim()[0] < panels.get_ylim()[1] <= 1.0
    plain = linked.plot(linked.find_path([1, 0, 1], [8, 0, 8]), storey=0)
    assert plain.get_ylim()[0] > plain.get_ylim()[1]


def test_paths_samplers_and_fields(linked: waymesh.NavMesh) -> None:
    mesh = waymesh.ZUp(linked)
    a, b = linked.random_points(30, seed=1), linked.random_points(30, seed=2)
    paths, plain = mesh.find_paths(up(a), up(b)), linked.find_paths(a, b)
    assert len(paths) == 30 and len(paths[:4]) == 4 and np.array_equal(paths[:4].points, up(plain[:4].points))
    assert [path.length for path in paths] == [path.length for path in plain]
    assert np.array_equal(np.asarray(paths[3]), up(plain[3].points)) and paths[3].links == plain[3].links
    with pytest.raises(ValueError, match="copied"):
        np.asarray(paths[3], copy=False)
    for copied in (pickle.loads(pickle.dumps(paths[3])), copy.deepcopy(paths[3])):
        assert np.array_equal(copied.points, paths[3].points)
    sampler, other = mesh.sampler(7), linked.sampler(7)
    assert np.array_equal(sampler.points(4), up(other.points(4))) and np.array_equal(sampler.point(), up(other.point()))
    assert np.array_equal(sampler.near(up(a[0]), 2.0, 3), up(other.near(a[0], 2.0, 3)))
    field, of_mesh = mesh.distance_field(up(a[:3])), linked.distance_field(a[:3])
    assert np.array_equal(field.distance(points=up(b)), of_mesh.distance(b))
    same(field.headings(up(b))[:2], of_mesh.headings(b)[:2])
    assert np.array_equal(field.headings(up(b))[2], up(of_mesh.headings(b)[2]), equal_nan=True)
    assert field.distance(up(b[0])) == of_mesh.distance(b[0])


@pytest.mark.parametrize("ground", ["y", "z"])
def test_worlds_corridors_and_crowds(ground: Literal["y", "z"]) -> None:
    """The same world by both axes; its triangles have the axes of the settings."""
    vertices, triangles = floor(12, 10)
    settings = replace(THIN, cell_size=0.2)
    plain = waymesh.World([0, -1, 0], [12, 3, 10], settings)
    plain.add_triangles(vertices, triangles)
    world = waymesh.ZUp(waymesh.World)([0, -10, -1], max=[12, 0, 3], settings=replace(settings, up=ground))
    world.add_triangles(up(vertices), triangles)
    corners, faces = box((8, 0, 1), (9, 2, 4))
    shapes: list[waymesh.settings.Shape] = [
        waymesh.Box(min=[4, 0, 0], max=[5, 2, 7]),
        waymesh.Cylinder(base=[2, 0, 8], radius=0.5, height=2.0),
        waymesh.Prism(corners=[(6, 5), (7, 5), (7, 9)], heights=(0.0, 2.0)),
        waymesh.ClosedMesh(corners, faces),
    ]
    turned: list[waymesh.settings.Shape] = [
        waymesh.Box(min=[4, -7, 0], max=[5, 0, 2]),
        waymesh.Cylinder(base=[2, -8, 0], radius=0.5, height=2.0),
        waymesh.Prism(corners=[(6, -5), (7, -5), (7, -9)], heights=(0.0, 2.0)),
        waymesh.ClosedMesh(up(corners), faces),
    ]
    for shape, other in zip(shapes, turned):
        assert plain.add_obstacle(shape) == world.add_obstacle(other)
    assert plain.add_mark(waymesh.Mark(shapes[0], 5)) == world.add_mark(mark=waymesh.Mark(turned[0], 5))
    more, rows = box((10, 0, 5), (11, 2, 8))
    assert plain.add_mesh_obstacle(more, rows) == world.add_mesh_obstacle(up(more), rows)
    plain.update()
    world.update()
    assert waymesh.y_up(world).mesh == plain.mesh == waymesh.y_up(world.mesh) and world.mesh.area == plain.mesh.area
    assert plain.add_link([1, 0, 1], [11, 0, 1]) == world.add_link([1, -1, 0], end=[11, -1, 0])
    assert plain.update()["links"] == world.update()["links"] == 1
    assert plain.tiles_near([1, 0, 1], 2.0) == world.tiles_near([1, -1, 0], 2.0) and plain.tiles == world.tiles

    start, goal = [1.0, 0.0, 2.0], [11.0, 0.0, 2.0]
    a = waymesh.Corridor(plain, start, goal)
    b = waymesh.ZUp(waymesh.Corridor)(world, up(start), goal=up(goal))
    assert np.array_equal(b.points, up(a.points)) and b.length == a.length and b.links == a.links
    assert a.move_start([1.5, 0, 2]) == b.move_start([1.5, -2, 0]) and a.move_goal([11, 0, 3]) == b.move_goal(position=[11, -3, 0])
    assert np.array_equal(b.position, up(a.position)) and np.array_equal(b.corners(3), up(a.corners(3)))
    assert a.walk_on(plain.mesh) == b.walk_on(world.mesh) and a.outcome == b.outcome

    crowds = waymesh.Crowd(plain), waymesh.ZUp(waymesh.Crowd)(world)
    places = np.array([[1.0, 0.0, 1.0 + row] for row in range(5)])
    turns: list[Callable[[Any], Any]] = [np.asarray, up]
    for crowd, turn in zip(crowds, turns):
        agents = crowd.add(turn(places), radius=0.2)
        crowd.set_target(agents, targets=turn(goal))
        crowd.set_position(int(agents[0]), turn(start))
        for _ in range(20):
            crowd.step(0.1)
    plain_crowd, crowd = crowds
    assert len(crowd) == 5 and crowd.STATUSES == waymesh.Crowd.STATUSES
    for name in ("positions", "velocities"):
        assert np.array_equal(getattr(crowd, name), up(getattr(plain_crowd, name)))
    assert np.array_equal(crowd.path(int(crowd.agents[0])), up(plain_crowd.path(int(plain_crowd.agents[0]))))


def test_what_is_not_turned_is_refused(linked: waymesh.NavMesh) -> None:
    mesh: Any = waymesh.ZUp(linked)
    assert waymesh.ZUp(mesh) is mesh and waymesh.y_up(mesh) is linked and waymesh.y_up(3) == 3
    assert mesh == waymesh.ZUp(linked) != linked and hash(mesh) == hash(waymesh.ZUp(linked)) and "ZUp(<waymesh.NavMesh" in repr(mesh)
    with pytest.raises(AttributeError, match="y_up returns the object"):
        mesh.no_such_member
    with pytest.raises(waymesh.InputError, match="ZUp needs one of NavMesh"):
        waymesh.ZUp(3)
    with pytest.raises(waymesh.InputError, match="ground must be"):
        waymesh.Corridor(mesh, [1, 0, 1], [2, 0, 2])
    with pytest.raises(waymesh.InputError, match="y axis points up"):
        waymesh.episodes(mesh, 3)
    for wrong in ("abc", [1, 2], [[1, 2, 3], [4, 5]], 5, None, [True, False, True], np.zeros((3, 2))):
        for turn in (waymesh.from_z_up, waymesh.to_z_up):
            with pytest.raises(waymesh.InputError, match=r"shape \(.., 3\)"):
                turn(wrong)  # type: ignore[arg-type]
        with pytest.raises(waymesh.InputError):
            mesh.find_path(wrong, [1, 1, 0])
    assert waymesh.from_z_up(np.array([1, 2, 3], dtype=np.uint8)).tolist() == [1, 3, -2]
    # `help` says what the methods of the object say.
    for name in ("find_path", "snap", "plot", "random_points", "to_xarray"):
        assert inspect.signature(getattr(mesh, name)) == inspect.signature(getattr(linked, name)), name
        assert getattr(mesh, name).__doc__ == getattr(linked, name).__doc__ and getattr(mesh, name).__name__ == name
