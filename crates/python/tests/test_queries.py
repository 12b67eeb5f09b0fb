"""Queries against closed forms, and properties on real levels."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import DETOUR, THIN, box, floor, join

RAISED = np.array([0, 0.5, 0], dtype=np.float32)


def test_paths(walled: waymesh.NavMesh) -> None:
    path = walled.find_path([2, 0, 4], (8, 0, 4), shortest=True)
    assert path.outcome == "complete" and path.is_complete and len(path) == len(path.points) == 4
    assert path.length == pytest.approx(DETOUR, abs=0.3) and path.cost == path.length
    assert np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum() == pytest.approx(path.length, abs=1e-4)
    assert walled.find_path(np.array([2, 0, 4]), [8, 0, 4]).length == pytest.approx(DETOUR, abs=0.3)
    assert len(walled.find_path([2, 0, 4], [8, 0, 4], cross_points=True)) >= 4
    wide = walled.find_path([2, 0, 4], [8, 0, 4], radius=0.5)
    assert path.length + 0.2 < wide.length < path.length + 2
    short = walled.find_path([2, 0, 4], [8, 0, 4], radius=0.5, fast=True)
    assert short.is_complete and wide.length - 1e-3 <= short.length < wide.length * 1.05
    with pytest.raises(waymesh.QueryError, match="radius"):
        walled.find_path([2, 0, 4], [8, 0, 4], radius=-1)
    refused: list[dict[str, Any]] = [{}, {"radius": 0.5, "shortest": True}]
    for others in refused:
        with pytest.raises(waymesh.QueryError, match="fast needs a radius"):
            walled.find_path([2, 0, 4], [8, 0, 4], fast=True, **others)
    with pytest.raises(waymesh.NoMeshNearError, match="no mesh near the goal"):
        walled.find_path([2, 0, 4], [80, 0, 4])
    assert walled.find_path([2, 0, 4], [10.5, 0, 4], reach=1).points[-1] == pytest.approx([10, 0, 4], abs=0.15)
    with pytest.raises(waymesh.NoMeshNearError):
        walled.find_path([2, 0, 4], [10.5, 0, 4], reach=(0.1, 1, 1))


def test_paths_follow_the_ground() -> None:
    # A ridge, 2 m high, across a hall; round its end the way is longer in plan.
    ridge = np.array([[8, 0, 0], [8, 0, 8], [10, 2, 0], [10, 2, 8], [12, 0, 0], [12, 0, 8]], dtype=np.float32)
    faces = np.array([[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]], dtype=np.uint32)
    mesh = waymesh.bake(*join(floor(20, 12), (ridge, faces)), THIN)
    start, end = [2, 0, 4], [18, 0, 4]
    plain = mesh.find_path(start, end, shortest=True)
    bound = mesh.find_path(start, end, shortest=True, ground_error=0.1)
    assert len(bound) > len(plain) == 2 and bound.length > plain.length + 0.5
    assert bound.points[:, 1].max() == pytest.approx(2, abs=0.3)
    rises = mesh.find_path(start, end, shortest=True, rises=True, ground_error=0.1)
    assert rises.length <= bound.length + 1e-3
    many = mesh.find_paths([start], [end], shortest=True, ground_error=0.1)
    assert many[0].length == pytest.approx(bound.length)
    with pytest.raises(waymesh.QueryError, match="rises and ground_error cannot be used with a radius"):
        mesh.find_path(start, end, radius=0.5, ground_error=0.1)
    with pytest.raises(waymesh.WaymeshError, match="ground_error"):
        mesh.find_path(start, end, ground_error=-1)


def test_costs_of_areas_count() -> None:
    # Mud in the middle of the direct way.
    mud = waymesh.Mark(waymesh.Box(min=[4, -1, -1], max=[6, 1, 4]), 2)
    costs = waymesh.Settings(areas={2: waymesh.Area("mud", cost=10.0)}, marks=[mud], agent_radius=0.0, cell_size=0.1)
    mesh = waymesh.bake(*floor(10, 6), costs)
    start, end = [2.0, 0.0, 2.0], [8.0, 0.0, 2.0]
    for shortest in (False, True):
        path = mesh.find_path(start, end, shortest=shortest)
        assert path.cost == mesh.find_path(start, end, shortest=shortest, area_costs={}).cost
        assert path.cost == mesh.find_paths([start], [end], shortest=shortest)[0].cost
        plain = mesh.find_path(start, end, shortest=shortest, area_costs={"mud": 1.0})
        assert plain.length == plain.cost == pytest.approx(6.0)
    cheap, short = mesh.find_path(start, end), mesh.find_path(start, end, shortest=True)
    assert cheap.length == pytest.approx(cheap.cost) == pytest.approx(2 * math.hypot(2, 2) + 2, abs=0.3)
    assert (short.length, short.cost) == pytest.approx((6.0, 2 + 2 * 10 + 2), abs=0.3)
    assert mesh.distance(start, end) == short.length
    assert mesh.distance(start, end, shortest=False) == cheap.length


def test_costs_of_links_count() -> None:
    # A platform across a hall, a metre high: the way leads over its ledges.
    block = np.array([[8, 0, 0], [8, 1, 0], [12, 1, 0], [12, 0, 0]], dtype=np.float32)
    corners = np.concatenate([block, block + np.array([0, 0, 12], dtype=np.float32)])
    faces = np.array([[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6]], dtype=np.uint32)
    faces = faces[:, ::-1] if np.cross(corners[2] - corners[1], corners[6] - corners[1])[1] < 0 else faces
    mesh = waymesh.bake(*join(floor(20, 12), (corners, faces)), waymesh.Settings(agent_radius=0.3, max_ledge=1.5))
    start, end = [2, 0, 6], [18, 0, 6]
    plain = mesh.find_path(start, end)
    assert plain.is_complete and len(plain.links) == 2
    kind = mesh.links[0]["kind"]
    dear = mesh.find_path(start, end, link_costs={kind: 5.0})
    assert dear.cost == pytest.approx(plain.cost + 10, abs=0.01)
    assert mesh.find_paths([start], [end], link_costs={kind: 5.0})[0].cost == dear.cost
    assert mesh.distance(start, end, link_costs={kind: math.inf}) == math.inf
    first = plain.links[0][0]
    assert first in [link["id"] for link in mesh.links]
    around = mesh.find_path(start, end, link_costs={first: math.inf})
    assert first not in [link for link, _, _ in around.links]
    assert mesh.find_path(start, end, link_costs={kind: math.inf, "user": 1}).outcome == "partial"
    wrongs: list[tuple[dict[int | str, Any], str]] = [
        ({"leap": 1}, "nor a kind of links"),
        ({kind: -1}, "0 or more"),
        ({kind: "dear"}, "a number"),
    ]
    for wrong, text in wrongs:
        with pytest.raises(waymesh.WaymeshError, match=text):
            mesh.find_path(start, end, link_costs=wrong)
    with pytest.raises(waymesh.QueryError, match="link_costs"):
        mesh.find_path(start, end, radius=0.5, link_costs={kind: 1})


def test_partial_paths(two_islands: waymesh.NavMesh) -> None:
    assert two_islands.find_path([1, 0, 1], [8, 0, 1]).outcome == "partial"
    none = two_islands.find_path([1, 0, 1], [8, 0, 1], allow_partial=False)
    assert none.outcome == "unreachable" and len(none) == 0
    assert none.length == none.cost == math.inf
    both = two_islands.find_paths([[1, 0, 1]] * 2, [[8, 0, 1], [90, 0, 0]], allow_partial=False)
    assert [both[0].length, both[1].length] == [math.inf] * 2 == both.lengths.tolist()
    assert two_islands.distance([1, 0, 1], [8, 0, 1]) == math.inf


def test_batches_are_the_single_queries(walled: waymesh.NavMesh) -> None:
    starts, ends = walled.random_points(500, seed=1), walled.random_points(500, seed=2)
    paths = walled.find_paths(starts, ends)
    assert len(paths) == 500 and paths.offsets[-1] == len(paths.points)
    lengths = walled.distance(starts, ends)
    rays = walled.raycast(starts, ends)
    steps = walled.step(starts, ends)
    walls = walled.nearest_wall(starts)
    snapped = walled.snap(starts + RAISED)
    for row in range(0, 500, 7):
        one = walled.find_path(starts[row], ends[row])
        assert paths[row].length == one.length == paths.lengths[row] and paths.outcomes[row] == 0
        assert (paths.points[paths.offsets[row] : paths.offsets[row + 1]] == one.points).all()
        assert lengths[row] == walled.distance(starts[row], ends[row]) <= one.length + 1e-4
        ray = walled.raycast(starts[row], ends[row])
        assert (rays[0][row], rays[2][row]) == (ray[0], ray[2]) and (rays[1][row] == ray[1]).all()
        assert (steps[row] == walled.step(starts[row], ends[row])).all()
        assert walls[0][row] == walled.nearest_wall(starts[row])[0]
        assert (snapped[row] == walled.snap(starts[row] + RAISED)).all()
    assert paths[-1].length == paths[499].length
    with pytest.raises(IndexError):
        paths[500]
    assert (walled.distance(starts[0], ends) == [walled.distance(starts[0], end) for end in ends]).all()
    assert len(walled.distance(starts, ends[0])) == 500
    off = walled.find_paths(np.array([[0.5, 0, 0.5], [90, 0, 0]]), np.array([[1, 0, 1], [1, 0, 1]]))
    assert off.outcomes.tolist() == [0, 3] and np.isinf(off.lengths[1]) and len(off[1]) == 0


def test_a_hierarchy_finds_paths_that_are_little_longer(nav_test: waymesh.NavMesh) -> None:
    quick = nav_test.with_hierarchy(min_polygons=0, cluster_polygons=8)
    assert quick.polygon_count == nav_test.polygon_count
    places = nav_test.random_points(2000, seed=3)
    plain, found = (mesh.find_paths(places[::2], places[1::2]) for mesh in (nav_test, quick))
    assert list(found.outcomes) == list(plain.outcomes)
    assert not np.array_equal(found.lengths, plain.lengths)
    complete = np.isfinite(plain.lengths)
    assert 0 < found.lengths[complete].sum() < 1.05 * plain.lengths[complete].sum()
    exact = [mesh.find_paths(places[::2], places[1::2], shortest=True) for mesh in (nav_test, quick)]
    assert np.array_equal(exact[0].lengths, exact[1].lengths)
    # Too small for one: nothing is made.
    same = nav_test.with_hierarchy().find_paths(places[::2], places[1::2])
    assert np.array_equal(same.lengths, plain.lengths)


def test_an_oracle_finds_the_shortest_paths(nav_test: waymesh.NavMesh) -> None:
    assert nav_test.oracle is None
    known = nav_test.with_oracle()
    figures = known.oracle
    assert figures is not None and figures["covered"] == 1 and 0 < figures["bytes"] <= 64_000_000
    places = nav_test.random_points(2000, seed=3)
    plain, found = (mesh.find_paths(places[::2], places[1::2], shortest=True) for mesh in (nav_test, known))
    assert list(found.outcomes) == list(plain.outcomes)
    assert found.lengths == pytest.approx(plain.lengths, rel=1e-2)
    distances = known.distance(places[::2], places[1::2])
    assert np.array_equal(distances[np.isfinite(distances)], found.lengths[np.isfinite(distances)])
    small = nav_test.with_oracle(max_bytes=1000)
    assert small.oracle is None and small.distance(places[0], places[1]) == nav_test.distance(places[0], places[1])


def test_a_world_keeps_an_oracle_while_it_changes() -> None:
    vertices = np.array([[0, 0, 0], [60, 0, 0], [60, 0, 60], [0, 0, 60]], dtype=np.float32)
    world = waymesh.World(vertices.min(axis=0), vertices.max(axis=0), {"cell_size": 0.3}, tile_cells=32)
    world.add_triangles(vertices, [[0, 2, 1], [0, 3, 2]])
    for low in [(5, 5), (20, 31), (44, 12), (30, 50)]:
        world.add_obstacle(waymesh.Box(min=[low[0], -1, low[1]], max=[low[0] + 6, 3, low[1] + 3]))
    world.update()
    old = world.mesh
    world.add_obstacle(waymesh.Box(min=[52, -1, 52], max=[55, 3, 55]))
    world.update()
    places = world.mesh.random_points(400, seed=2)
    searched = world.mesh.distance(places[::2], places[1::2])
    # Its tables are of the mesh before the obstacle.
    world.set_oracle(old.with_oracle())
    known = world.mesh.oracle
    assert known is not None and known["covered"] == 1
    assert world.mesh.distance(places[::2], places[1::2]) == pytest.approx(searched, rel=1e-4)
    world.set_oracle(None)
    assert world.mesh.oracle is None


def test_places(square: waymesh.NavMesh, two_islands: waymesh.NavMesh) -> None:
    assert square.snap([5, 0.5, 5]) == pytest.approx([5, 0, 5], abs=0.11)
    assert square.snap([11, 0, 5], reach=2) == pytest.approx([10, 0, 5], abs=0.15)
    assert np.isnan(square.snap([50, 0, 5])).all()
    assert square.is_navigable([5, 0.3, 5]) is True and square.is_navigable([5, 0.9, 5]) is False
    assert square.is_navigable([[5, 0, 5], [11, 0, 5]]).tolist() == [True, False]
    assert two_islands.island_count == 2 and two_islands.largest_island == 1
    assert two_islands.island_at([[1, 0, 1], [8, 0, 1], [90, 0, 0]]).tolist() == [0, 1, -1]
    assert two_islands.snap([1, 0, 1], reach=20, island=1) == pytest.approx([6, 0, 1], abs=0.15)
    assert two_islands.island_area(0) == pytest.approx(16, rel=0.12)
    assert two_islands.island_radius(0) == pytest.approx(math.hypot(2, 2), abs=0.2)
    assert [island["area"] for island in two_islands.islands] == [two_islands.island_area(0), two_islands.island_area(1)]
    assert two_islands.polygon_at([1, 0, 1]) >= 0 and two_islands.polygon_at([90, 0, 0]) == -1
    with pytest.raises(waymesh.QueryError, match="there is no island 2"):
        two_islands.island_area(2)


def test_walls_rays_and_steps(walled: waymesh.NavMesh) -> None:
    distance, point, normal = walled.nearest_wall([3.5, 0, 4])
    assert distance == pytest.approx(1, abs=0.15) and point == pytest.approx([4.5, 0, 4], abs=0.15)
    assert normal == pytest.approx([-1, 0, 0], abs=1e-5)
    far, nothing, _ = walled.nearest_wall([2.4, 0, 5], 0.5)
    assert far == 0.5 and np.isnan(nothing).all()
    fraction, end, hit, normal = walled.raycast([2, 0, 4], [7, 0, 4])
    assert hit and fraction == pytest.approx(0.5, abs=0.03) and end == pytest.approx([4.5, 0, 4], abs=0.15)
    assert normal == pytest.approx([-1, 0, 0], abs=1e-5)
    assert walled.raycast([2, 0, 4], [4, 0, 4])[0] == 1.0
    assert walled.step([4, 0, 4], [5, 0, 5]) == pytest.approx([4.5, 0, 5], abs=0.15)
    assert walled.step([4, 0, 4], [5, 0, 5], slide=False) == pytest.approx([4.5, 0, 4.5], abs=0.15)
    assert (walled.step([50, 0, 4], [51, 0, 4]) == [50, 0, 4]).all()
    with pytest.raises(waymesh.NoMeshNearError):
        walled.raycast([50, 0, 4], [51, 0, 4])


def test_random_places(two_islands: waymesh.NavMesh) -> None:
    points = two_islands.random_points(20_000, seed=5)
    assert two_islands.is_navigable(points).all()
    share = (points[:, 0] < 5).mean()
    assert share == pytest.approx(two_islands.island_area(0) / two_islands.area, abs=0.015)
    assert (points == two_islands.random_points(20_000, seed=5)).all()
    assert (two_islands.random_points(100, seed=5, island=1)[:, 0] > 5).all()
    sampler = two_islands.sampler(7)
    near = sampler.near([2, 0, 2], 1.0, 500)
    assert (np.linalg.norm(near - [2, near[0, 1], 2], axis=1) <= 1.01).all() and np.unique(near[:, 0]).size > 100
    sampler.seed(7)
    again = sampler.near([2, 0, 2], 1.0, 500)
    assert (again == near).all() and sampler.point().shape == (3,) and sampler.points(0).shape == (0, 3)


def test_distance_fields(walled: waymesh.NavMesh) -> None:
    goals = np.array([[8, 0, 4], [1, 0, 1]], dtype=np.float32)
    field = walled.distance_field(goals)
    points = walled.random_points(300, seed=4)
    to_each = np.stack([walled.distance(points, goal) for goal in goals])
    assert field.distance(points) == pytest.approx(to_each.min(axis=0), abs=2e-3)
    goal, distance, corner = field.headings(points)
    clear = np.abs(to_each[0] - to_each[1]) > 0.01
    assert (goal[clear] == to_each.argmin(axis=0)[clear]).all() and (distance == field.distance(points)).all()
    straight = np.linalg.norm((corner - points)[:, [0, 2]], axis=1)
    assert (straight <= distance + 1e-3).all()
    assert field.distance([50, 0, 4]) == math.inf
    assert walled.distance_field(goals[:1], limit=1.0).distance([2, 0, 4]) == math.inf
    with pytest.raises(waymesh.NoMeshNearError, match="goal 1"):
        walled.distance_field([[1, 0, 1], [50, 0, 50]])
    found = walled.find_nearest_goal([2, 0, 4], goals)
    assert found is not None and found[0] == 1
    assert walled.find_nearest_goal([7, 0, 3], goals)[0] == 0  # type: ignore[index]
    assert walled.find_nearest_goal([7, 0, 3], np.zeros((0, 3))) is None


def muddy(seed: int) -> waymesh.NavMesh:
    """A floor of 30 by 20 metres with pillars and pools of mud, whose area costs nothing more by itself."""
    random = np.random.default_rng(seed)
    corners = random.uniform([0, 0], [26, 16], (10, 2)).tolist()
    pillars = [box((x, -1, z), (x + 2, 3, z + 2)) for x, z in corners[:5]]
    marks = [waymesh.Mark(waymesh.Box(min=[x, -1, z], max=[x + 5, 1, z + 5]), 2) for x, z in corners[5:]]
    areas = {2: waymesh.Area("mud")}
    settings = waymesh.Settings(cell_size=0.2, agent_radius=0.0, keep="largest", areas=areas, marks=marks)
    return waymesh.bake(*join(floor(30, 20), *pillars), settings)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("costs", [None, {"mud": 10.0}, {"mud": math.inf}, {1: 4.0, "mud": 0.25}])
@pytest.mark.parametrize("reach", [None, 6.0, (1.0, 15.0, 15.0)])
def test_the_nearest_goal_is_the_best_of_all(seed: int, costs: dict[int | str, float] | None, reach: Any) -> None:
    mesh = muddy(seed)
    random = np.random.default_rng(seed)
    for _ in range(8):
        start = mesh.random_points(1, seed=int(random.integers(1000)))[0]
        # Far above and below the ground, or on it.
        goals = mesh.random_points(6, seed=int(random.integers(1000))) + [0, 1, 0] * random.choice([0, 5, -5, 14], (6, 1))

        def price(goal: Any) -> float:
            best = math.inf
            for shortest in (True, False) if costs else (True,):
                try:
                    path = mesh.find_path(start, goal, shortest=shortest, allow_partial=False, reach=reach, area_costs=costs)
                    best = min(best, path.cost if costs else path.length)
                except waymesh.NoMeshNearError:
                    pass
            return best

        prices = [price(goal) for goal in goals]
        found = mesh.find_nearest_goal(start, goals, reach=reach, area_costs=costs)
        if found is None:
            assert min(prices) == math.inf
            continue
        assert prices[found[0]] == min(prices)
        assert (found[1].cost if costs else found[1].length) == min(prices)


def test_distances_on_slopes_are_lengths_in_space() -> None:
    ramp = np.array([[0, 0, 0], [20, 16, 0], [20, 16, 6], [0, 0, 6]], dtype=np.float32)
    faces = np.array([[0, 2, 1], [0, 3, 2]], dtype=np.uint32)
    mesh = waymesh.bake(ramp, faces, waymesh.Settings(cell_size=0.1, level_height=0.1, agent_radius=0.0, max_step=0.3))
    goals, points = mesh.random_points(3, seed=1), mesh.random_points(300, seed=2)
    expected = np.min([mesh.distance(points, goal) for goal in goals], axis=0)
    assert mesh.distance_field(goals).distance(points) == pytest.approx(expected, abs=1e-3)
    for limit in (0.0, 3.0, 8.0):
        found = mesh.distance_field(goals, limit).distance(points)
        near, far = expected < limit - 1e-3, expected > limit + 1e-3
        assert found[near] == pytest.approx(expected[near], abs=1e-3) and np.isinf(found[far]).all()


def test_ground_that_costs_close_is_not_absent() -> None:
    mesh = muddy(1)
    mud = [place for place in mesh.random_points(200, seed=1) if mesh.polygon_areas[mesh.polygon_at(place)] == 2]
    # In the middle of the mud nothing else is within reach.
    start = min(mud, key=lambda place: -np.linalg.norm(place - mesh.snap(place)))
    dry = next(place for place in mesh.random_points(200, seed=1) if mesh.polygon_areas[mesh.polygon_at(place)] == 1)
    closed: dict[int | str, float] = {"mud": math.inf}
    reach = (0.0, 1.0, 1.0)
    for ends, end in (((start, dry), "start"), ((dry, start), "goal")):
        with pytest.raises(waymesh.NoMeshNearError, match=f"the costs close all ground near the {end}"):
            mesh.find_path(*ends, area_costs=closed, reach=reach)
        with pytest.raises(waymesh.NoMeshNearError, match=f"no mesh near the {end}"):
            mesh.find_path(*(np.add(at, [0, 50, 0]) if at is start else at for at in ends), area_costs=closed, reach=reach)
    assert mesh.find_path(start, dry, radius=0.1).cost == mesh.find_path(start, dry, radius=0.1).length


def test_an_oracle_covers_nothing_while_links_are_others(walled: waymesh.NavMesh) -> None:
    known = walled.with_oracle()
    assert walled.oracle is None and known.oracle is not None and known.oracle["covered"] == 1.0
    linked = known.with_link([2, 0, 4], [8, 0, 4])
    assert linked.oracle is not None and linked.oracle["covered"] == 0.0
    assert linked.oracle["bytes"] == known.oracle["bytes"]
    assert linked.without_link(linked.links[0]["id"]).oracle == known.oracle
    again = linked.with_oracle()
    assert again.oracle is not None and again.oracle["covered"] > 0.0
    link = again.links[0]["id"]
    shut = again.with_link_open(link, False)
    assert shut.oracle is not None and shut.oracle["covered"] == 0.0
    assert shut.with_link_open(link, True).oracle == again.oracle


def test_numbers_out_of_range_are_refused(square: waymesh.NavMesh, tmp_path: Path) -> None:
    for radius in (-1.0, math.nan):
        with pytest.raises(waymesh.QueryError, match="radius is"):
            square.sampler().near([5, 0, 5], radius)
    assert square.sampler().near([5, 0, 5], 0.0) == pytest.approx([5, 0, 5], abs=0.01)
    for side in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(waymesh.ConfigError, match="tile_side"):
            square.to_detour(tmp_path / "tiles.bin", tile_side=side)
    square.to_detour(tmp_path / "tiles.bin", tile_side=4.0)
    assert str(waymesh.World([0, 0, 0], [1, 1, 1]).mesh.area) == "0.0"


def test_views_from_above(two_islands: waymesh.NavMesh) -> None:
    view = two_islands.plan_view(0.1, 0.0)
    assert view.dtype == np.int32 and set(np.unique(view)) == {-1, 0, 1}
    for island in (0, 1):
        assert (view == island).sum() * 0.01 == pytest.approx(two_islands.island_area(island), rel=0.1)
    assert (two_islands.plan_view(0.1, 2.0) == -1).all()
    with pytest.raises(waymesh.QueryError, match="step"):
        two_islands.plan_view(0.0, 0.0)
    with pytest.raises(waymesh.QueryError, match="step"):
        two_islands.plan_view(1e-7, 0.0)


@pytest.mark.parametrize("bad", [[0, np.inf, 0], [-np.inf, 0, 0], [1e300, 0, 0]])
def test_positions_that_are_infinite(square: waymesh.NavMesh, bad: Any) -> None:
    field = square.distance_field([[1, 0, 1]])
    for query in (
        lambda point: square.find_path(point, [1, 0, 1]),
        lambda point: square.distance([1, 0, 1], point),
        lambda point: square.distance([[1, 0, 1]], [point]),
        square.snap,
        square.is_navigable,
        square.island_at,
        square.nearest_wall,
        field.distance,
        lambda point: square.raycast(point, [1, 0, 1]),
        lambda point: square.step(point, [1, 0, 1]),
        lambda point: square.snap([[1, 0, 1], point]),
        lambda point: square.distance_field([point]),
        lambda point: square.find_paths([point], [[1, 0, 1]]),
        lambda point: square.find_nearest_goal([1, 0, 1], [point]),
    ):
        with pytest.raises(waymesh.QueryError, match="finite"):
            query(bad)


def test_places_that_are_not_there_are_off_the_mesh(square: waymesh.NavMesh) -> None:
    points = square.snap([[1, 0, 1], [50, 0, 50], [5, 0, 6]])
    assert np.isnan(points).all(axis=1).tolist() == [False, True, False]
    ends = points[::-1]
    field = square.distance_field([[1, 0, 1]])
    off = [False, True, False]
    for lengths in (square.distance(points, ends), square.find_paths(points, ends).lengths, field.distance(points)):
        assert np.isinf(lengths).tolist() == off
    assert square.find_paths(points, ends).outcomes.tolist() == [0, 3, 0]
    assert square.find_paths(points[:1], points[1:2]).outcomes.tolist() == [3]
    assert np.isnan(square.snap(points)).any(axis=1).tolist() == off
    assert square.is_navigable(points).tolist() == [True, False, True]
    assert (square.island_at(points) < 0).tolist() == (square.polygon_at(points) < 0).tolist() == off
    assert np.isnan(square.nearest_wall(points)[0]).tolist() == off
    assert np.isnan(square.raycast(points, ends)[0]).tolist() == off
    assert np.isnan(square.step(points, ends)).any(axis=1).tolist() == off
    assert (square.step(points[:1], points[1:2]) == points[:1]).all()
    assert (field.headings(points)[0] < 0).tolist() == off
    found = square.find_nearest_goal([5, 0, 5], points)
    assert found is not None and found[0] == 2
    nowhere = points[1]
    assert square.distance(points[0], nowhere) == math.inf and square.island_at(nowhere) == -1
    assert square.is_navigable(nowhere) is False and np.isnan(square.snap(nowhere)).all()
    assert field.distance(nowhere) == math.inf and math.isnan(square.nearest_wall(nowhere)[0])
    for query in (square.find_path, square.raycast):
        with pytest.raises(waymesh.QueryError, match="finite"):
            query(points[0], nowhere)
    with pytest.raises(waymesh.QueryError, match="goal"):
        square.distance_field(points)


@pytest.mark.parametrize(
    "bad",
    [None, "abc", [1, 2], [1, 2, 3, 4], [[1, 2], [3, 4]], [True, False, True], np.zeros((2, 2, 3)), 5, [1j, 0, 0], {}],
)
def test_points_of_a_wrong_shape(square: waymesh.NavMesh, bad: Any) -> None:
    for query in (square.snap, square.is_navigable, square.nearest_wall, square.island_at):
        with pytest.raises(waymesh.InputError):
            query(bad)
    with pytest.raises(waymesh.InputError):
        square.find_path(bad, [1, 0, 1])
    with pytest.raises(waymesh.InputError):
        square.distance(bad, [1, 0, 1])


def test_odd_but_fine_arrays(square: waymesh.NavMesh) -> None:
    assert square.snap(np.zeros((0, 3))).shape == (0, 3)
    assert square.distance(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)
    points = square.random_points(100, seed=1)
    expected = square.is_navigable(points)
    for other in (np.asfortranarray(points), points.astype(np.float64), points[::-1][::-1], points.tolist()):
        assert (square.is_navigable(other) == expected).all()
    frozen = points.copy()
    frozen.flags.writeable = False
    assert (square.snap(frozen) == square.snap(points)).all()
    assert (square.snap(points.astype(np.float16)).shape) == (100, 3)
    assert square.snap(np.array([5, 0, 5], dtype=np.int8)) == pytest.approx([5, 0, 5], abs=0.1)
    with pytest.raises(waymesh.InputError, match="3 starts and 2 ends"):
        square.distance(points[:3], points[:2])
    with pytest.raises((waymesh.InputError, MemoryError)):
        square.random_points(2**60)


def test_properties_of_a_real_level(nav_test: waymesh.NavMesh) -> None:
    island = nav_test.largest_island
    starts = nav_test.random_points(2000, seed=1, island=island)
    ends = nav_test.random_points(2000, seed=2, island=island)
    there, back = nav_test.distance(starts, ends), nav_test.distance(ends, starts)
    assert np.isfinite(there).all() and there == pytest.approx(back, rel=1e-3, abs=1e-2)
    plan = np.linalg.norm((starts - ends)[:, [0, 2]], axis=1)
    assert (there >= plan - 1e-2).all()
    fast = nav_test.find_paths(starts, ends).lengths
    assert (fast >= there * 0.98 - 0.1).all() and fast.mean() <= there.mean() * 1.02
    free, stops, hit, _ = nav_test.raycast(starts, ends)
    assert (np.isclose(free, 1.0) == ~hit).mean() > 0.999 and nav_test.is_navigable(stops, 1.0).mean() > 0.999
    assert (there[~hit] <= plan[~hit] * 1.3 + 3.0).all()


def test_paths_are_arrays_slices_and_pickles(walled: waymesh.NavMesh) -> None:
    path = walled.find_path([2, 0, 4], [8, 0, 4])
    assert np.array_equal(np.asarray(path), path.points) and np.asarray(path, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError, match="copied"):
        np.array(path, copy=False)
    starts, ends = walled.random_points(40, seed=1), walled.random_points(40, seed=2)
    ends[3], ends[4] = np.nan, [500, 0, 0]
    paths = walled.find_paths(starts, ends, area_costs={1: 2.0})
    found = np.isfinite(paths.lengths)
    assert found.sum() == 38 and np.allclose(paths.costs[found], 2 * paths.lengths[found], rtol=1e-5)
    assert np.isinf(paths.costs[~found]).all()
    for chosen in (slice(3), slice(2, 9, 3), slice(None, None, -1), slice(30, 99), slice(5, 5), slice(-4, -1)):
        part = paths[chosen]
        assert isinstance(part, waymesh.Paths) and np.array_equal(part.lengths, paths.lengths[chosen])
        assert [len(it) for it in part] == [len(it) for it in paths][chosen]
    assert len(paths[np.int64(-1)]) == len(paths[39])
    for index in (40, -41):
        with pytest.raises(IndexError):
            paths[index]
    for copied in (pickle.loads(pickle.dumps(paths)), copy.deepcopy(paths)):
        for name in ("lengths", "costs", "outcomes", "points", "offsets"):
            assert np.array_equal(getattr(copied, name), getattr(paths, name)), name
    again = pickle.loads(pickle.dumps(path))
    assert np.array_equal(again.points, path.points) and again.polygons.tolist() == path.polygons.tolist()
    assert (again.outcome, again.length, again.was_cut) == (path.outcome, path.length, path.was_cut)


def test_samplers_and_fields_are_copied(walled: waymesh.NavMesh) -> None:
    for island in (None, 0):
        sampler = walled.sampler(7, island)
        sampler.points(5)
        others = [pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)]
        expected = sampler.points(20)
        assert all(np.array_equal(other.points(20), expected) for other in others)
    starts = walled.random_points(50, seed=3)
    field = walled.distance_field(walled.random_points(4, seed=1), 9.0)
    for other in (pickle.loads(pickle.dumps(field)), copy.deepcopy(field)):
        assert np.array_equal(other.distance(starts), field.distance(starts))


@pytest.mark.parametrize("fast", [False, True])
def test_batches_of_discs_are_single_discs(walled: waymesh.NavMesh, fast: bool) -> None:
    starts, ends = walled.random_points(150, seed=1), walled.random_points(150, seed=2)
    paths = walled.find_paths(starts, ends, radius=0.4, fast=fast)
    for path, start, end in zip(paths, starts, ends):
        try:
            alone = walled.find_path(start, end, radius=0.4, fast=fast)
            assert np.array_equal(path.points, alone.points) and path.outcome == alone.outcome
        except waymesh.NoMeshNearError:
            assert len(path) == 0
    assert np.isfinite(paths.lengths).sum() > 100
    with pytest.raises(waymesh.QueryError, match="radius"):
        walled.find_paths(starts, ends, radius=-1.0)
    with pytest.raises(waymesh.QueryError, match="cannot be used with a radius"):
        walled.find_paths(starts, ends, radius=0.4, rises=True)
    with pytest.raises(waymesh.QueryError, match="fast needs a radius"):
        walled.find_paths(starts, ends, fast=True)


def test_tall_agents_walk_where_they_have_room() -> None:
    # A bar, 1.5 m above the middle of the ground.
    scene = join(floor(10, 10), box((4.5, 1.5, -1), (5.5, 2, 8)))
    settings = waymesh.Settings(cell_size=0.1, level_height=0.1, agent_radius=0.0, agent_height=1.0, height_classes=[1.0, 2.0], keep="largest")
    mesh = waymesh.bake(*scene, settings)
    start, end = [2, 0, 4], [8, 0, 4]
    for mesh in (mesh, mesh.with_hierarchy(min_polygons=0)):
        straight, around = (mesh.find_path(start, end, shortest=True, agent_height=height).length for height in (None, 2.0))
        assert straight == pytest.approx(6, abs=0.05) and around == pytest.approx(DETOUR, abs=0.2)
        assert mesh.find_path(start, end, agent_height=1.0).length == pytest.approx(6, abs=0.05)
        assert mesh.find_path(start, end, agent_height=2.0).length == pytest.approx(DETOUR, abs=0.2)
        assert mesh.distance(start, end, agent_height=2.0) == around
        assert mesh.find_paths([start], [end], shortest=True, agent_height=2.0).lengths[0] == around
        nearest = mesh.find_nearest_goal(start, [end], agent_height=2.0)
        assert nearest is not None and nearest[1].length == around
    for height in (-1.0, math.nan, math.inf):
        with pytest.raises(waymesh.QueryError, match="agent_height"):
            mesh.find_path(start, end, agent_height=height)
    with pytest.raises(waymesh.QueryError, match="cannot be used with a radius"):
        mesh.find_path(start, end, agent_height=2.0, radius=0.1)
