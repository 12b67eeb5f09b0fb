"""Corridors of points and of discs, on meshes and in worlds that change."""

from __future__ import annotations

import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import DETOUR, THIN, box, floor, join

RADII = [None, 0.3]


def walked(corridor: waymesh.Corridor, step: float, most: int = 400) -> float:
    """Walks to the end of a corridor in steps, and returns how far."""
    sum_ = 0.0
    for _ in range(most):
        ahead = corridor.corners(1)
        if len(ahead) == 0 or corridor.length < 1e-3:
            break
        here = corridor.position
        way = ahead[0] - here
        far = float(np.linalg.norm(way))
        if far < 1e-4:
            break
        assert corridor.move_start(here + way * min(step / far, 1.0)) in ("kept", "replanned")
        sum_ += float(np.linalg.norm(corridor.position - here))
    return sum_


@pytest.mark.parametrize("radius", RADII)
def test_an_agent_walks_to_its_goal(walled: waymesh.NavMesh, radius: float | None) -> None:
    corridor = waymesh.Corridor(walled, [2, 0, 4], [8, 0, 4], shortest=radius is None, radius=radius)
    path = walled.find_path([2, 0, 4], [8, 0, 4], shortest=radius is None, radius=radius)
    assert corridor.outcome == "complete" and not corridor.is_outdated and corridor.links == []
    assert np.allclose(corridor.points, path.points) and corridor.length == pytest.approx(path.length, rel=1e-5)
    assert np.array_equal(corridor.points[0], corridor.position)
    assert np.array_equal(corridor.points[1:3], corridor.corners(2)) and len(corridor.corners(1000)) == len(corridor.points) - 1
    assert walked(corridor, 0.2) == pytest.approx(path.length, rel=0.02)
    assert np.allclose(corridor.position, [8, 0, 4], atol=0.02)


@pytest.mark.parametrize("radius", RADII)
def test_a_goal_moves(walled: waymesh.NavMesh, radius: float | None) -> None:
    corridor = waymesh.Corridor(walled, [2, 0, 4], [8, 0, 4], radius=radius)
    for z in np.arange(4, 7, 0.1):
        assert corridor.move_goal([8, 0, z]) in ("kept", "replanned")
        assert np.allclose(corridor.points[-1], [8, 0, z], atol=0.02)
        shortest = walled.find_path([2, 0, 4], [8, 0, z], shortest=True, radius=radius).length
        assert corridor.length <= shortest * 1.11 + 0.1
    assert corridor.replan() == "replanned"
    assert corridor.length == pytest.approx(walled.find_path([2, 0, 4], [8, 0, 6.9], radius=radius).length, rel=1e-3)


def test_a_world_changes_under_a_corridor() -> None:
    world = waymesh.World([0, -1, 0], [20, 3, 20], waymesh.Settings(cell_size=0.2, agent_radius=0.2), tile_cells=32)
    world.add_triangles(*floor(20, 20))
    world.update()
    corridor = waymesh.Corridor(world, [2, 0, 10], [18, 0, 10], shortest=True)
    disc = waymesh.Corridor(world.mesh, [2, 0, 10], [18, 0, 10], radius=0.5)
    straight, of_disc = corridor.length, disc.length
    assert straight == pytest.approx(16, abs=0.01) and of_disc == pytest.approx(16, abs=0.01)
    crate = world.add_obstacle(waymesh.Box(min=[9, 0, 8], max=[11, 2, 12]))
    assert corridor.repair() == "kept" and not corridor.is_outdated
    world.update()
    assert corridor.is_outdated
    assert corridor.move_start([3, 0, 10]) in ("repaired", "replanned") and not corridor.is_outdated
    assert corridor.length > straight - 1 + 0.5 and disc.walk_on(world.mesh) == "replanned" and disc.length > of_disc + 0.5
    # Nothing is left of the way to the goal.
    wall = world.add_obstacle(waymesh.Box(min=[14, 0, -1], max=[15, 2, 21]))
    world.update()
    assert corridor.repair() in ("repaired", "replanned") and corridor.outcome == "partial"
    assert world.remove_obstacle(wall) and world.remove_obstacle(crate)
    world.update()
    assert corridor.repair() == "replanned" and corridor.outcome == "complete"
    assert corridor.length == pytest.approx(straight - 1, abs=0.01)
    with pytest.raises(waymesh.ConfigError, match="give world.mesh"):
        waymesh.Corridor(world, [2, 0, 10], [18, 0, 10], radius=0.5)


@pytest.mark.parametrize("radius", [None, 0.2])
def test_links_are_taken_and_closed(two_islands: waymesh.NavMesh, radius: float | None) -> None:
    jump = two_islands.with_link([3.5, 0, 2], [6.5, 0, 2], kind="jump")
    number = jump.links[0]["id"]
    corridor = waymesh.Corridor(jump, [1, 0, 2], [9, 0, 2], radius=radius)
    assert [link[:2] for link in corridor.links] == [(number, False)]
    row = corridor.links[0][2]
    assert np.allclose(corridor.points[row], [3.5, 0, 2], atol=0.3)
    assert corridor.take_link() == (number, False)
    assert np.allclose(corridor.position, [6.5, 0, 2], atol=0.3) and corridor.take_link() is None
    corridor = waymesh.Corridor(jump, [1, 0, 2], [9, 0, 2], radius=radius, allow_partial=False)
    assert corridor.walk_on(jump.with_link_open(number, False)) == "nothing"
    closed: str = corridor.outcome
    assert closed == "unreachable" and corridor.points.shape == (0, 3) and np.isnan(corridor.position).all()
    assert math.isinf(corridor.length)
    assert corridor.walk_on(jump) == "replanned" and corridor.outcome == "complete"


def test_costs_are_those_of_the_ground() -> None:
    half = waymesh.Mark(waymesh.Box(min=[4, -1, -1], max=[6, 2, 8]), 7)
    settings = waymesh.Settings(cell_size=0.1, agent_radius=0.0, marks=[half], areas={7: waymesh.Area("mud")})
    mesh = waymesh.bake(*floor(10, 10), settings)
    corridor = waymesh.Corridor(mesh, [1, 0, 4], [9, 0, 4], area_costs={"mud": math.inf})
    around = mesh.find_path([1, 0, 4], [9, 0, 4], area_costs={"mud": math.inf})
    assert corridor.length == pytest.approx(around.length, rel=1e-4) and corridor.length > 10
    assert waymesh.Corridor(mesh, [1, 0, 4], [9, 0, 4]).length == pytest.approx(8, abs=0.01)


def test_mistakes_are_named(square: waymesh.NavMesh) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"max_drift": -1.0}, "max_drift"),
        ({"range": math.nan}, "range"),
        ({"fast": True}, "fast needs a radius"),
        ({"radius": 0.2, "rises": True}, "cannot be used with a radius"),
        ({"radius": -0.2}, "radius"),
        ({"agent_height": math.inf}, "agent_height"),
        ({"reach": "far"}, "reach"),
    ]
    for given, text in cases:
        with pytest.raises(waymesh.WaymeshError, match=text):
            waymesh.Corridor(square, [1, 0, 1], [9, 0, 9], **given)
    with pytest.raises(waymesh.NoMeshNearError):
        waymesh.Corridor(square, [50, 0, 1], [9, 0, 9])
    with pytest.raises(waymesh.InputError, match="ground must be"):
        waymesh.Corridor("mesh", [1, 0, 1], [9, 0, 9])  # type: ignore[arg-type]
    corridor = waymesh.Corridor(square, [1, 0, 1], [9, 0, 9])
    with pytest.raises(waymesh.QueryError, match="finite"):
        corridor.move_start([math.nan, 0, 0])
    with pytest.raises(waymesh.NoMeshNearError):
        corridor.move_goal([50, 0, 0])
    with pytest.raises(waymesh.InputError, match="shape"):
        corridor.move_goal([[1, 2, 3]])
    # After errors the corridor is as it was.
    assert corridor.move_start([1.5, 0, 1.5]) == "kept" and np.allclose(corridor.points[-1], [9, 0, 9], atol=1e-3)


def test_threads_share_a_corridor() -> None:
    mesh = waymesh.bake(*join(floor(20, 20), box((9, -1, -1), (11, 3, 15))), THIN)
    corridor = waymesh.Corridor(mesh, [2, 0, 4], [18, 0, 4])
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for point in mesh.random_points(200, seed=seed):
                corridor.move_goal(point) if seed % 2 else corridor.move_start(point)
                assert corridor.points.shape[1] == 3
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert errors == []


def test_a_corridor_is_what_queries_find_after_any_moves(walled: waymesh.NavMesh) -> None:
    points = walled.random_points(60, seed=8)
    corridor = waymesh.Corridor(walled, points[0], points[1], shortest=True)
    for here, goal in zip(points[2::2], points[3::2]):
        corridor.move_start(here)
        corridor.move_goal(goal)
        corridor.replan()
        found = walled.find_path(corridor.position, goal, shortest=True)
        assert corridor.length == pytest.approx(found.length, rel=1e-3, abs=1e-3)


def test_detour_is_the_way_around(walled: waymesh.NavMesh) -> None:
    corridor = waymesh.Corridor(walled, [2, 0, 4], [8, 0, 4], shortest=True)
    assert corridor.length == pytest.approx(DETOUR, rel=0.01)
    with pytest.raises(TypeError):
        pickle.dumps(corridor)
