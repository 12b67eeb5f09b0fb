"""Crowds: arrays of agents on meshes, with clearance, in worlds."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import Scene, box, floor, join


def hall() -> Scene:
    """Two halves of a square, joined by a way of 1 m in the middle and one of 4 m at its end."""
    return join(floor(20, 20), box((9, -1, -1), (11, 3, 9.5)), box((9, -1, 10.5), (11, 3, 16)))


def walk(crowd: waymesh.Crowd, seconds: float = 30.0) -> None:
    for _ in range(int(seconds * 10)):
        crowd.step(0.1)


def names(crowd: waymesh.Crowd) -> set[str]:
    return {crowd.STATUSES[status] for status in crowd.statuses}


def test_agents_swap_their_places_and_stay_apart() -> None:
    mesh = waymesh.bake(*floor(20, 20))
    crowd = waymesh.Crowd(mesh)
    rows = np.array([[x, 0, z] for x in (3, 17) for z in np.arange(3, 17, 2)], dtype=np.float32)
    agents = crowd.add(rows, radius=0.3)
    assert list(agents) == list(crowd.agents) == list(range(len(rows))) and len(crowd) == len(rows)
    crowd.set_target(agents, rows * [-1, 1, 1] + [20, 0, 0])
    assert names(crowd) == {"waiting"}
    nearest = np.inf
    for _ in range(300):
        crowd.step(0.1)
        at = crowd.positions
        apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 9 * np.eye(len(at))
        nearest = min(nearest, apart.min())
    assert nearest > 0.55 and names(crowd) == {"arrived"}
    assert np.allclose(crowd.positions[:, 0], 20 - rows[:, 0], atol=0.5)
    assert (crowd.remaining < 0.5).all() and (np.linalg.norm(crowd.velocities, axis=1) < 0.5).all()


def test_the_same_calls_give_the_same_bits() -> None:
    mesh = waymesh.bake(*hall())

    def run() -> bytes:
        crowd = waymesh.Crowd(mesh, lane_bias=-0.2, max_neighbours=5)
        agents = crowd.add(mesh.random_points(60, seed=5), max_speed=2.0)
        crowd.set_target(agents, mesh.random_points(60, seed=6))
        walk(crowd, 10)
        return crowd.positions.tobytes() + crowd.velocities.tobytes()

    assert run() == run()


def test_agents_come_and_go() -> None:
    mesh = waymesh.bake(*floor(10, 10))
    crowd = waymesh.Crowd(mesh)
    first, second = crowd.add([2, 0, 2]), crowd.add([8, 0, 8])
    assert (first, second) == (0, 1)
    assert crowd.remove(first) and not crowd.remove(first)
    third = crowd.add((5, 0, 5))
    assert third not in (first, second) and sorted(crowd.agents) == sorted([second, third])
    crowd.set_target([second, third], [5, 0, 2])
    crowd.step(0.1)
    assert crowd.path(second).shape == (2, 3) and np.allclose(crowd.path(second)[-1], [5, 0, 2], atol=0.1)
    crowd.stop(second)
    crowd.set_position(third, [1.5, 0, 1.5])
    for call in (crowd.stop, crowd.path):
        with pytest.raises(waymesh.QueryError, match=f"no agent {first}"):
            call(first)
    with pytest.raises(waymesh.QueryError, match=f"no agent {first}"):
        crowd.set_target([second, first], [[5, 0, 5], [5, 0, 5]])
    empty = waymesh.Crowd(mesh)
    empty.step(0.1)
    assert empty.positions.shape == (0, 3) and len(empty.add(np.zeros((0, 3), np.float32))) == 0


def test_wide_agents_take_wide_ways_only_with_clearance() -> None:
    mesh = waymesh.bake(*hall(), waymesh.Settings(agent_radius=0.2, cell_size=0.1, level_height=0.05))
    start, end = [2, 0, 10], [18, 0, 10]
    narrow = mesh.find_path(start, end, radius=0.2).length
    wide = mesh.find_path(start, end, radius=0.9)
    lengths = {}
    for radius in (0.2, 0.9):
        crowd = waymesh.Crowd(mesh, clearance=True)
        agent = crowd.add(start, radius=radius)
        crowd.set_target(agent, end)
        crowd.step(0.1)
        path = crowd.path(agent)
        lengths[radius] = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    assert lengths[0.2] == pytest.approx(narrow, rel=0.1)
    assert wide.is_complete and lengths[0.9] == pytest.approx(wide.length, rel=0.1)


def test_costs_close_areas() -> None:
    vertices, triangles = floor(20, 20)
    mud = waymesh.Mark(waymesh.Box(min=[8, -1, -1], max=[12, 1, 15]), "mud")
    mesh = waymesh.bake(vertices, triangles, waymesh.Settings(areas={7: waymesh.Area("mud")}, marks=[mud]))
    closed: dict[int | str, float] = {"mud": np.inf}
    for costs in (None, closed):
        crowd = waymesh.Crowd(mesh, area_costs=costs)
        agent = crowd.add([2, 0, 5])
        crowd.set_target(agent, [18, 0, 5])
        crowd.step(0.1)
        assert (crowd.path(agent)[:, 2].max() > 14) == (costs is not None)


def test_a_world_changes_under_its_crowd() -> None:
    vertices, triangles = floor(20, 20)
    world = waymesh.World(vertices.min(axis=0), vertices.max(axis=0))
    world.add_triangles(vertices, triangles)
    world.update()
    crowd = waymesh.Crowd(world)
    agent = crowd.add([2, 0, 10])
    crowd.set_target(agent, [18, 0, 10])
    walk(crowd, 1)
    world.add_obstacle(waymesh.Box(min=[8, 0, 4], max=[12, 2, 20]))
    world.update()
    walk(crowd, 0.2)
    assert crowd.path(agent)[:, 2].min() < 4
    walk(crowd)
    assert names(crowd) == {"arrived"}
    # A mesh stays as it was.
    crowd.walk_on(world.mesh)
    world.add_obstacle(waymesh.Box(min=[-1, 0, -1], max=[21, 2, 3.9]))
    world.update()
    crowd.set_target(agent, [2, 0, 10])
    walk(crowd)
    assert names(crowd) == {"arrived"}


def test_games_may_move_the_bodies() -> None:
    mesh = waymesh.bake(*floor(20, 20))
    crowd = waymesh.Crowd(mesh)
    agents = crowd.add([[2, 0, 10], [18, 0, 10]])
    crowd.set_target(agents, [[18, 0, 10], [2, 0, 10]])
    for _ in range(200):
        crowd.steer(0.1)
        crowd.set_position(agents, crowd.positions + 0.1 * crowd.velocities)
    assert names(crowd) == {"arrived"}


def test_threads_may_share_a_crowd() -> None:
    mesh = waymesh.bake(*floor(20, 20))
    crowd = waymesh.Crowd(mesh)
    agents = crowd.add(mesh.random_points(100, seed=1))
    crowd.set_target(agents, mesh.random_points(100, seed=2))

    def work() -> None:
        for _ in range(50):
            crowd.step(0.02)
            assert np.isfinite(crowd.positions).all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(crowd) == 100


def test_mistakes_are_named() -> None:
    mesh = waymesh.bake(*floor(10, 10))
    crowd = waymesh.Crowd(mesh)
    cases: list[tuple[type[Exception], str, Any]] = [
        (waymesh.ConfigError, "horizon", lambda: waymesh.Crowd(mesh, horizon=-1)),
        (waymesh.ConfigError, "crowd: there is no setting \"horizons\"", lambda: waymesh.Crowd(mesh, horizons=1)),  # type: ignore[call-arg]
        (waymesh.ConfigError, "agent: priority cannot be 256", lambda: crowd.add([1, 0, 1], priority=256)),
        (waymesh.ConfigError, "radius", lambda: crowd.add([1, 0, 1], radius=0)),
        (waymesh.InputError, "NavMesh or a World", lambda: waymesh.Crowd("mesh")),  # type: ignore[arg-type]
        (waymesh.InputError, "2 agents and 3 targets", lambda: crowd.set_target([0, 1], np.zeros((3, 3)))),
        (waymesh.InputError, "agents must be whole numbers", lambda: crowd.stop([0.5])),
        (waymesh.NoMeshNearError, "no mesh", lambda: crowd.add([[5, 0, 5], [500, 0, 5]])),
        (waymesh.QueryError, "row 1", lambda: crowd.add(np.array([[5, 0, 5], [np.inf, 0, 5]]))),
        (waymesh.QueryError, "no agent 7", lambda: crowd.set_target(7, [1, 0, 1])),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()
    assert len(crowd) == 0
    world = waymesh.World([0, 0, 0], [1, 0, 1])
    with pytest.raises(waymesh.ConfigError, match="clearance"):
        waymesh.Crowd(world, clearance=True)


@pytest.mark.parametrize("chosen", [None, {1: 2.0}, {"mud": 1.0}])
def test_agents_pay_for_the_ground_that_they_walk_on(chosen: dict[int | str, float] | None) -> None:
    given = None if chosen is None else dict(chosen)
    def bake(mud: float) -> waymesh.NavMesh:
        marks = [waymesh.Mark(waymesh.Box(min=[8, -1, 0], max=[12, 1, 15]), 2)]
        return waymesh.bake(*floor(20, 20), waymesh.Settings(agent_radius=0.3, areas={2: waymesh.Area("mud", cost=mud)}, marks=marks))

    start, end = [4, 0, 8], [16, 0, 8]
    grounds = [bake(1.0), bake(50.0), bake(1.0)]
    crowd = waymesh.Crowd(grounds[0], area_costs=given)
    if given is not None:
        # A dictionary that changes later changes nothing.
        given["mud"] = 7.0
    before = crowd.add(start)
    crowd.set_target(before, end)
    crowd.step(0.1)
    for ground in [*grounds, grounds[1]]:
        crowd.walk_on(ground)
        after = crowd.add(start)
        crowd.set_target(after, end)
        for _ in range(3):
            crowd.step(0.1)
        expected = ground.find_path(start, end, area_costs=chosen).points
        for agent in (before, after):
            assert crowd.path(agent)[1:, 2] == pytest.approx(expected[1:, 2], abs=0.35)
        assert crowd.positions[0] == pytest.approx([4, 0, 8], abs=2.0)
    with pytest.raises(waymesh.WaymeshError, match="mud"):
        waymesh.Crowd(grounds[0], area_costs={"mud": 2.0}).walk_on(waymesh.bake(*floor(20, 20)))
