"""Polygons that queries may use, as arrays of booleans: radii x links x batches x worlds that change."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, box, floor, join

START, END = [1.0, 0.0, 1.0], [19.0, 0.0, 1.0]
RADII = [None, 0.4]
GATE = 8.5
"""Lower end of the wide opening of the wall, which is closed by filters."""


def bake() -> waymesh.NavMesh:
    """Two halves of a hall, joined by openings at z = 4 to 6 and 8.5 to 12, whose ground has areas of its own."""
    walls = join(floor(20, 12), box((9, -1, -1), (11, 3, 4)), box((9, -1, 6), (11, 3, GATE)))
    marks = [
        waymesh.Mark(waymesh.Box(min=[9, -1, 4], max=[11, 1, 6]), 2),
        waymesh.Mark(waymesh.Box(min=[9, -1, GATE], max=[11, 1, 12]), 3),
    ]
    return waymesh.bake(*walls, replace(THIN, keep="largest", marks=marks))


@pytest.fixture(scope="module")
def hall() -> waymesh.NavMesh:
    return bake()


def crossing(points: Any) -> float:
    """Returns z where a path crosses the middle of the wall."""
    points = np.asarray(points)
    return float(np.interp(10.0, points[:, 0], points[:, 2]))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("shortest", [False, True])
def test_paths_keep_to_the_polygons_that_are_allowed(hall: waymesh.NavMesh, radius: float | None, shortest: bool) -> None:
    areas = hall.polygon_areas
    near, far, neither = (hall.filter(~np.isin(areas, shut)) for shut in ([3], [2], [2, 3]))
    how: dict[str, Any] = {"radius": radius, "shortest": shortest} if radius is None else {"radius": radius}
    assert 3.9 < crossing(hall.find_path(START, END, **how)) < 6
    path = hall.find_path(START, END, allowed=near, **how)
    assert path.is_complete and 3.9 < crossing(path) < 6
    path = hall.find_path(START, END, allowed=far, **how)
    assert path.is_complete and crossing(path) >= GATE - 0.1 and (areas[path.polygons] != 2).all()
    path = hall.find_path(START, END, allowed=neither, **how)
    assert path.outcome == "partial" and path.points[-1][0] < 9.2 and set(areas[path.polygons]) <= {1}
    starts, ends = hall.random_points(40, seed=1, allowed=neither), hall.random_points(40, seed=2, allowed=neither)
    for allowed in (None, near, far, neither):
        paths = hall.find_paths(starts, ends, allowed=allowed, **how)
        for row, (start, end) in enumerate(zip(starts, ends)):
            try:
                alone = hall.find_path(start, end, allowed=allowed, **how)
                assert np.array_equal(paths[row].points, alone.points), row
            except waymesh.NoMeshNearError:
                assert paths.outcomes[row] == 3


def test_a_disc_keeps_its_radius_from_ground_that_is_not_allowed(hall: waymesh.NavMesh) -> None:
    # Ground is cut along x = 5, without a wall there.
    marks = [waymesh.Mark(waymesh.Box(min=[5, -1, -1], max=[20, 1, 10]), 2)]
    mesh = waymesh.bake(*floor(20, 12), replace(THIN, marks=marks))
    west = mesh.filter(mesh.polygon_areas == 1)
    path = mesh.find_path([1, 0, 1], [19, 0, 11], radius=0.4, allowed=west)
    for at in path.points:
        assert math.hypot(max(5 - at[0], 0), max(at[2] - 10, 0)) > 0.399, at
    # The ground without a filter is another one, and stays.
    assert mesh.find_path([1, 0, 1], [19, 0, 1], radius=0.4).length == pytest.approx(18, abs=0.01)
    assert mesh.find_path([1, 0, 1], [19, 0, 11], radius=0.4, allowed=west).length == path.length


def test_every_query_knows_the_polygons(hall: waymesh.NavMesh) -> None:
    areas = hall.polygon_areas
    shut = hall.filter(areas == 1)
    door, outside = [10.0, 0.0, 5.0], [8.0, 0.0, 5.0]
    assert hall.polygon_at(door) >= 0 > hall.polygon_at(door, allowed=shut) == hall.island_at(door, allowed=shut)
    assert hall.is_navigable(door) and not hall.is_navigable(door, allowed=shut)
    assert hall.is_navigable([door, outside], allowed=shut).tolist() == [False, True]
    assert np.isnan(hall.snap(door, reach=0.5, allowed=shut)).all()
    assert abs(hall.snap(door, reach=3, allowed=shut)[0] - 10) == pytest.approx(1, abs=0.15)
    assert hall.snap(door, reach=3, island=0, allowed=shut) == pytest.approx(hall.snap(door, reach=3, allowed=shut))
    for rays in ([outside, [12.0, 0.0, 5.0]], [[outside] * 99, [[12.0, 0.0, 5.0]] * 99]):
        free, stops, hit, normals = hall.raycast(rays[0], rays[1], allowed=shut)
        assert np.all(hit) and np.asarray(stops).reshape(-1, 3)[0] == pytest.approx([9, 0, 5], abs=0.15)
        assert not np.any(hall.raycast(rays[0], rays[1])[2])
        assert np.asarray(hall.step(rays[0], rays[1], allowed=shut)).reshape(-1, 3)[0][0] < 9.2
    distance, at, _ = hall.nearest_wall(outside, 5.0, allowed=shut)
    assert distance == pytest.approx(1, abs=0.15) and at == pytest.approx([9, 0, 5], abs=0.15)
    assert distance < hall.nearest_wall(outside, 5.0)[0]
    assert math.isinf(hall.distance(START, END, allowed=shut)) and math.isfinite(hall.distance(START, END))
    assert np.isinf(hall.distance([START] * 99, END, allowed=shut)).all()
    found = hall.find_nearest_goal(START, [END, [2.0, 0.0, 11.0]], allowed=shut)
    assert found is not None and found[0] == 1 and hall.find_nearest_goal(START, [END], allowed=shut) is None
    points = hall.random_points(3000, seed=1, allowed=shut)
    assert (areas[hall.polygon_at(points)] == 1).mean() > 0.99
    near = hall.sampler(3, None, shut).near(outside, 4.0, 500)
    assert near[:, 0].max() < 9.2 < hall.sampler(3).near(outside, 4.0, 500)[:, 0].max()
    field = hall.distance_field([START], allowed=shut)
    starts = hall.random_points(300, seed=5)
    expected = hall.distance(starts, START, allowed=shut)
    for copied in (field, pickle.loads(pickle.dumps(field)), copy.deepcopy(field)):
        assert np.allclose(copied.distance(starts), expected, rtol=1e-4, atol=1e-3)
    assert np.isinf(expected).any() and np.isfinite(expected).any()
    sampler = hall.sampler(7, None, shut)
    assert np.array_equal(pickle.loads(pickle.dumps(sampler)).points(9), sampler.points(9))


def test_a_filter_holds_for_meshes_with_other_links(hall: waymesh.NavMesh) -> None:
    shut = hall.filter(hall.polygon_areas == 1)
    bridged = hall.with_link([8, 0, 2], [12, 0, 2], kind="door")
    for radius in RADII:
        assert bridged.find_path(START, END, radius=radius, allowed=shut).is_complete
        assert not hall.find_path(START, END, radius=radius, allowed=shut).is_complete
        closed = bridged.with_link_open(bridged.links[0]["id"], False)
        assert not closed.find_path(START, END, radius=radius, allowed=shut).is_complete
    # A link whose end is not allowed is not taken.
    around = np.arange(len(hall.polygon_areas)) != bridged.links[0]["polygons"][1]
    assert not bridged.find_path(START, [8.0, 0.0, 11.0], allowed=hall.filter(around), link_costs={"door": 0.0}).links
    far = bridged.find_path(START, END, allowed=hall.filter(around), reach=20.0)
    assert not far.links and far.points[-1][0] < 11.2
    other = pickle.loads(pickle.dumps(shut))
    assert np.array_equal(other.allowed, shut.allowed) and len(other) == len(shut) == len(hall.polygon_areas)
    assert pickle.loads(pickle.dumps(bridged)).find_path(START, END, allowed=other).is_complete
    assert "of" in repr(shut)


WRONG: list[Any] = [[1, 0, 1], np.array([3, 4]), np.ones((2, 2), bool), True, "all", np.ones(3)]


@pytest.mark.parametrize("wrong", WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_arrays_are_refused(hall: waymesh.NavMesh, wrong: Any) -> None:
    with pytest.raises(waymesh.InputError, match="allowed must be booleans of shape"):
        hall.filter(wrong)
    with pytest.raises(waymesh.InputError, match=r"the mesh has \d+ ids of polygons: make it of arrays of this mesh"):
        hall.filter(np.ones(len(hall.polygon_areas) + 1, bool))
    with pytest.raises(waymesh.InputError, match=r"not .*: mesh.filter\(array\) makes one"):
        hall.find_path(START, END, allowed=np.ones(len(hall.polygon_areas), bool))  # type: ignore[arg-type]


def changing() -> tuple[waymesh.World, Callable[[float], None]]:
    """A world, and what moves its obstacle to a place: every mesh has as many ids of polygons as the one before."""
    world = waymesh.World([0, -1, 0], [20, 3, 12], replace(THIN, cell_size=0.2), tile_cells=16)
    world.add_triangles(*floor(20, 12))
    known: list[int] = []

    def move(x: float) -> None:
        for obstacle in known:
            world.remove_obstacle(obstacle)
        known[:] = [world.add_obstacle(waymesh.Box(min=[x, 0, 5], max=[x + 1, 2, 7]))]
        world.update()

    move(4.0)
    return world, move


def test_a_filter_of_a_world_before_an_update_is_refused() -> None:
    world, move = changing()
    before = world.mesh
    all_ = before.filter(np.ones(len(before.polygon_areas), bool))
    field, sampler = before.distance_field([START], allowed=all_), before.sampler(0, None, all_)
    corridor = waymesh.Corridor(world, START, END, allowed=all_)
    crowd = waymesh.Crowd(world, allowed=all_)
    agent = crowd.add(START)
    crowd.set_target(agent, END)
    crowd.step(0.1)
    move(5.0)
    after = world.mesh
    # By the number of its polygons an array would be taken for one of the new mesh.
    assert len(after.polygon_areas) == len(before.polygon_areas) and after != before
    calls: list[Callable[[], Any]] = [
        lambda: after.find_path(START, END, allowed=all_),
        lambda: after.find_path(START, END, radius=0.3, allowed=all_),
        lambda: after.find_paths([START], [END], allowed=all_),
        lambda: after.find_paths([START], [END], radius=0.3, allowed=all_),
        lambda: after.distance(START, END, allowed=all_),
        lambda: after.find_nearest_goal(START, [END], allowed=all_),
        lambda: after.snap(START, allowed=all_),
        lambda: after.is_navigable(START, allowed=all_),
        lambda: after.island_at(START, allowed=all_),
        lambda: after.polygon_at(START, allowed=all_),
        lambda: after.raycast(START, END, allowed=all_),
        lambda: after.step(START, END, allowed=all_),
        lambda: after.nearest_wall(START, allowed=all_),
        lambda: after.sampler(0, None, all_),
        lambda: after.random_points(3, allowed=all_),
        lambda: after.distance_field([START], allowed=all_),
        lambda: waymesh.Corridor(world, START, END, allowed=all_),
        lambda: waymesh.Corridor(after, START, END, radius=0.3, allowed=all_),
        lambda: waymesh.Crowd(after, allowed=all_),
        lambda: corridor.move_start(START),
        lambda: corridor.move_goal(END),
        lambda: corridor.take_link(),
        lambda: corridor.replan(),
        lambda: corridor.repair(),
        lambda: corridor.walk_on(world),
        lambda: crowd.step(0.1),
        lambda: crowd.steer(0.1),
        lambda: crowd.add(START),
        lambda: crowd.set_target(agent, START),
        lambda: crowd.set_position(agent, START),
        lambda: crowd.walk_on(world),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(waymesh.QueryError, match="was made for other polygons"):
            pytest.fail(f"call {number} returned {call()}")
    assert corridor.is_outdated
    # What was made of the mesh before knows that mesh.
    assert math.isfinite(field.distance(END)) and len(sampler.points(5)) == 5
    assert before.find_path(START, END, allowed=all_).is_complete
    new = after.filter(np.ones(len(after.polygon_areas), bool))
    assert corridor.walk_on(world, allowed=new) in ("kept", "repaired", "replanned") and not corridor.is_outdated
    crowd.walk_on(world, allowed=new)
    crowd.step(0.1)
    # Copies that are read again number their polygons without gaps.
    with pytest.raises(waymesh.QueryError, match="other polygons"):
        waymesh.NavMesh.from_bytes(before.to_bytes()).find_path(START, END, allowed=all_)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("source", ["mesh", "world"])
def test_corridors_keep_to_the_polygons(hall: waymesh.NavMesh, radius: float | None, source: str) -> None:
    if source == "world" and radius is not None:
        pytest.skip("a world has no ground for discs")
    world, _ = changing()
    mesh = hall if source == "mesh" else world.mesh
    middle = np.array([mesh.vertices[corners].mean(axis=0) if len(corners) else np.full(3, np.nan) for corners in mesh.polygons])
    allowed = mesh.filter(mesh.polygon_areas != 2) if source == "mesh" else mesh.filter(middle[:, 2] > 3.2)
    ground = hall if source == "mesh" else world
    start, end = (START, END) if source == "mesh" else ([1.0, 0.0, 6.0], [19.0, 0.0, 6.0])
    corridor = waymesh.Corridor(ground, start, end, radius=radius, allowed=allowed)
    expected = mesh.find_path(start, end, radius=radius, allowed=allowed)
    assert corridor.outcome == "complete" and corridor.length == pytest.approx(expected.length, rel=1e-4)
    assert corridor.replan() in ("kept", "replanned") and corridor.length == pytest.approx(expected.length, rel=1e-4)
    everything = mesh.filter(np.ones(len(mesh.polygon_areas), bool))
    corridor.walk_on(ground, allowed=everything)
    corridor.replan()
    assert corridor.length == pytest.approx(mesh.find_path(start, end, radius=radius).length, rel=1e-3)
    # Without a filter the last one stays.
    corridor.walk_on(ground, allowed=allowed)
    corridor.walk_on(ground)
    corridor.replan()
    assert corridor.length == pytest.approx(expected.length, rel=1e-3)


@pytest.mark.parametrize("clearance", [False, True])
def test_crowds_keep_to_the_polygons(hall: waymesh.NavMesh, clearance: bool) -> None:
    far = hall.filter(hall.polygon_areas != 2)
    crowd = waymesh.Crowd(hall, allowed=far, clearance=clearance)
    agents = crowd.add([[1.0, 0.0, 1.0 + row] for row in range(8)], radius=0.2)
    crowd.set_target(agents, [[19.0, 0.0, 1.0 + row] for row in range(8)])
    with pytest.raises(waymesh.NoMeshNearError):
        crowd.add([10.0, 0.0, 5.0])
    crossings = []
    for _ in range(400):
        crowd.step(0.1)
        at = crowd.positions
        crossings += at[np.abs(at[:, 0] - 10) < 0.5].tolist()
    assert len(crossings) > 8 and min(at[2] for at in crossings) > GATE - 0.1
    assert (crowd.positions[:, 0] > 17).all()
    # Allowed from now on, the near opening is taken back.
    crowd.walk_on(hall, allowed=hall.filter(np.ones(len(hall.polygon_areas), bool)))
    crowd.set_target(agents, START)
    near = 0
    for _ in range(300):
        crowd.step(0.1)
        at = crowd.positions
        near += int(((np.abs(at[:, 0] - 10) < 0.5) & (at[:, 2] < 6)).sum())
    assert near > 8


def test_a_crowd_in_a_world_is_given_a_filter_of_each_mesh() -> None:
    world, move = changing()

    def allowed() -> waymesh.PolygonFilter:
        mesh = world.mesh
        return mesh.filter((mesh.polygon_areas == 1) & (mesh.polygon_islands == mesh.island_at([1, 0, 1])))

    crowd = waymesh.Crowd(world, allowed=allowed())
    agents = crowd.add([[1.0, 0.0, 2.0 + row] for row in range(6)], radius=0.2)
    crowd.set_target(agents, [[18.0, 0.0, 2.0 + row] for row in range(6)])
    for tick in range(300):
        if tick % 20 == 0:
            move(6.0 + tick * 0.02)
            crowd.walk_on(world, allowed=allowed())
        crowd.step(0.1)
    assert {crowd.STATUSES[status] for status in crowd.statuses} == {"arrived"}


def test_a_filter_closes_what_costs_and_height_close() -> None:
    # A strip across the hall of area 2, with a low ceiling over half of its length.
    hall = join(floor(20, 12), box((9, 2.2, -1), (11, 2.6, 6)))
    mud = waymesh.Mark(waymesh.Box(min=[9, -1, -1], max=[11, 1, 13]), 2)
    mesh = waymesh.bake(*hall, replace(THIN, marks=[mud], agent_height=1.5, height_classes=[1.5, 3]))
    hows: list[dict[str, Any]] = [{}, {"agent_height": 2.5}, {"area_costs": {2: math.inf}}, {"area_costs": {2: math.inf}, "agent_height": 2.5}]
    for how in hows:
        allowed = mesh.filter(**how)
        is_low, is_mud = "agent_height" in how, "area_costs" in how
        assert allowed.allowed.all() == (not how)
        assert not (allowed.allowed & (mesh.polygon_areas == 2)).any() or not is_mud
        for z, is_closed in [(3.0, is_low or is_mud), (9.0, is_mud)]:
            start, end = [5.0, 0.0, z], [15.0, 0.0, z]
            assert mesh.raycast(start, end, allowed=allowed)[2] == is_closed
            assert (mesh.step(start, end, slide=False, allowed=allowed)[0] < 9.5) == is_closed
            assert (mesh.polygon_at([10.0, 0.0, z], reach=0.3, allowed=allowed) < 0) == is_closed
        start, end = [5.0, 0.0, 3.0], [15.0, 0.0, 3.0]
        searched, filtered = mesh.find_path(start, end, shortest=True, **how), mesh.find_path(start, end, shortest=True, allowed=allowed)
        assert searched.outcome == filtered.outcome and np.allclose(searched.points, filtered.points, atol=1e-4)
        disc = mesh.find_path(start, end, radius=0.1, allowed=allowed)
        assert disc.is_complete == searched.is_complete and disc.length >= searched.length - 0.5
        assert not how or (mesh.random_points(300, seed=4, allowed=allowed) != mesh.random_points(300, seed=4)).any()
    masked = mesh.filter(mesh.polygon_areas != 2, agent_height=1.5)
    assert (masked.allowed == (mesh.polygon_areas != 2)).all()
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(waymesh.QueryError, match="agent_height"):
            mesh.filter(agent_height=bad)
    with pytest.raises(waymesh.QueryError, match="200"):
        mesh.filter(area_costs={200: -1.0})
