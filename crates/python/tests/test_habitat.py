"""The interface of habitat-sim, by what its documentation and its own tests of navigation meshes say."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import DETOUR, box, floor, join, level
from waymesh import habitat
from waymesh.habitat import (
    Agent,
    AgentState,
    GreedyFollowerCodes,
    GreedyFollowerError,
    GreedyGeodesicFollower,
    HitRecord,
    MultiGoalShortestPath,
    NavMeshSettings,
    PathFinder,
    ShortestPath,
)

def test_habitat(walled: waymesh.NavMesh, two_islands: waymesh.NavMesh, tmp_path: Any) -> None:
    finder = PathFinder()
    assert not finder.is_loaded and not finder.save_nav_mesh(tmp_path / "none.wmesh")
    assert not finder.load_nav_mesh(tmp_path / "none.wmesh")
    finder.set_mesh(walled)
    assert finder.is_loaded and finder.nav_mesh_settings is not None
    assert finder.nav_mesh_settings.agent_max_climb == pytest.approx(0.3)
    low, high = finder.get_bounds()
    assert low == pytest.approx([0, 0, 0], abs=0.15) and high == pytest.approx([10, 0, 10], abs=0.15)
    path = ShortestPath(requested_start=np.array([2.0, 0, 4]), requested_end=np.array([8.0, 0, 4]))
    assert finder.find_path(path) and path.geodesic_distance == pytest.approx(DETOUR, abs=0.3)
    assert len(path.points) == 4 and path.points[0] == pytest.approx([2, 0, 4], abs=0.05)
    path.requested_end = np.array([np.nan, 0, 0])
    assert not finder.find_path(path) and path.geodesic_distance == math.inf and path.points == []
    multi = MultiGoalShortestPath(requested_start=[2, 0, 4], requested_ends=[[8, 0, 4], [1, 0, 9], [90, 0, 0]])
    assert finder.find_path(multi) and multi.closest_end_point_index == 1
    assert multi.geodesic_distance == pytest.approx(math.hypot(1, 5), abs=0.01)
    assert finder.try_step([4, 0, 4], [5, 0, 5]) == pytest.approx([4.5, 0, 5], abs=0.15)
    assert finder.try_step_no_sliding([4, 0, 4], [5, 0, 5]) == pytest.approx([4.5, 0, 4.5], abs=0.15)
    assert finder.distance_to_closest_obstacle([3.5, 0, 4]) == pytest.approx(1, abs=0.15)
    assert finder.distance_to_closest_obstacle([2.4, 0, 5], 0.5) == 0.5
    hit = finder.closest_obstacle_surface_point([3.5, 0, 4])
    assert hit.hit_pos == pytest.approx([4.5, 0, 4], abs=0.15) and hit.hit_normal == pytest.approx([-1, 0, 0], abs=1e-5)
    assert finder.closest_obstacle_surface_point([90, 0, 0]).hit_dist == math.inf
    assert finder.is_navigable([2, 0.4, 4]) and not finder.is_navigable([5, 0, 4]) and not finder.is_navigable([2, 0.9, 4])
    assert finder.snap_point([2, 1, 4]) == pytest.approx([2, 0, 4], abs=0.05)
    assert np.isnan(finder.snap_point([90, 0, 0])).all()
    assert finder.save_nav_mesh(tmp_path / "mesh.wmesh")
    other = PathFinder()
    assert other.load_nav_mesh(tmp_path / "mesh.wmesh") and other.mesh == walled

    finder.set_mesh(two_islands)
    assert finder.num_islands == 2 and finder.get_island([8, 0, 1]) == 1 and finder.get_island([90, 0, 0]) == -1
    assert finder.island_area() == finder.navigable_area == pytest.approx(two_islands.area)
    assert finder.island_area(1) == pytest.approx(two_islands.island_area(1))
    assert finder.island_radius(0) == finder.island_radius([1, 0, 1]) == two_islands.island_radius(0)
    view, islands = finder.get_topdown_view(0.1, 0.0), finder.get_topdown_island_view(0.1, 0.0)
    assert view.dtype == bool and (view == (islands >= 0)).all() and view.sum() * 0.01 == pytest.approx(40, rel=0.12)
    vertices, indices = finder.build_navmesh_vertices(0), finder.build_navmesh_vertex_indices(0)
    assert max(indices) == len(vertices) - 1 and np.array(vertices)[:, 0].max() < 5
    assert len(finder.build_navmesh_vertex_indices()) > len(indices)
    finder.seed(3)
    points = [finder.get_random_navigable_point(island_index=1) for _ in range(50)]
    finder.seed(3)
    assert (points[0] == finder.get_random_navigable_point(island_index=1)).all()
    assert all(point[0] > 5 for point in points)
    near = [finder.get_random_navigable_point_near([2, 0, 2], 1.0) for _ in range(50)]
    assert all(np.linalg.norm(point - [2, 0, 2]) <= 1.0 for point in near)
    assert np.isnan(finder.get_random_navigable_point_near([90, 0, 2], 1.0)).all()
    assert PathFinder().build(*floor(6, 6), NavMeshSettings(agent_radius=0.5))




SCENE = join(floor(12, 10), box((5, -0.5, -0.5), (6, 3, 6)), floor(3, 3, x=16.0))
"""A room with a wall in it, and an island of 3 by 3 metres."""


@pytest.fixture(scope="module")
def finder() -> PathFinder:
    finder = PathFinder()
    assert finder.nav_mesh_settings is None and not finder.is_loaded
    assert finder.build(*SCENE, NavMeshSettings(agent_radius=0.2))
    finder.seed(42)
    return finder


def test_settings_are_compared_kept_and_read(tmp_path: Path) -> None:
    settings = NavMeshSettings()
    settings.set_defaults()
    assert settings == NavMeshSettings() and settings != "settings"
    # A value in single precision is the same.
    assert replace(settings, cell_size=float(np.float32(0.05))) == settings
    assert replace(settings, agent_radius=0.3) != settings and replace(settings, filter_ledge_spans=False) != settings
    assert replace(settings, region_min_size=21.0) != settings
    settings.agent_radius, settings.include_static_objects = 0.42, True
    settings.write_to_json(tmp_path / "settings.json")
    read = NavMeshSettings()
    read.read_from_json(tmp_path / "settings.json")
    assert read == settings and read.include_static_objects is True
    (tmp_path / "settings.json").write_text('{"colour": 1}')
    with pytest.raises(waymesh.FileError, match="colour"):
        read.read_from_json(tmp_path / "settings.json")


@pytest.mark.parametrize("radius", [0.05, 0.1, 0.2])
def test_settings_are_in_the_files_of_habitat(radius: float, tmp_path: Path) -> None:
    settings = NavMeshSettings(agent_radius=radius, region_min_size=3.0, filter_ledge_spans=False, edge_max_len=7.0)
    finder, other = PathFinder(), PathFinder()
    assert finder.build(*SCENE, settings) and finder.nav_mesh_settings == settings
    file = tmp_path / "mesh.navmesh"
    assert finder.save_nav_mesh(file) and other.load_nav_mesh(str(file))
    assert other.nav_mesh_settings == settings and file.read_bytes()[:8] == b"TESM\2\0\0\0"
    assert [entry.name for entry in tmp_path.iterdir()] == ["mesh.navmesh"]
    assert other.navigable_area == pytest.approx(finder.navigable_area, rel=1e-4)
    assert other.num_islands == finder.num_islands
    # Again, from what was read.
    assert other.save_nav_mesh(tmp_path / "again.navmesh")
    assert (tmp_path / "again.navmesh").read_bytes()[:96] == file.read_bytes()[:96]
    # Files of other programs have no settings.
    finder.mesh.to_detour(file)
    assert other.load_nav_mesh(file) and other.nav_mesh_settings is not None
    assert other.nav_mesh_settings.agent_radius == pytest.approx(radius)
    assert finder.save_nav_mesh(tmp_path / "mesh.wmesh") and other.load_nav_mesh(tmp_path / "mesh.wmesh")
    assert other.nav_mesh_settings.agent_radius == pytest.approx(radius)
    assert not other.save_nav_mesh(tmp_path / "none" / "mesh.navmesh")
    file.write_bytes(file.read_bytes()[:60])
    assert not other.load_nav_mesh(file)


def test_the_smallest_region_is_a_square_of_cells() -> None:
    # An island of .8 m2: less than 20 by 20 cells of 5 cm, more than 20 cells.
    scene = join(floor(6, 6), floor(0.95, 0.95, x=8.0))
    for size, islands in [(20.0, 1), (10.0, 2), (0.0, 2)]:
        finder = PathFinder()
        assert finder.build(*scene, NavMeshSettings(agent_radius=0.0, region_min_size=size))
        assert finder.num_islands == islands, size
    assert NavMeshSettings().to_settings().min_region == pytest.approx(1.0)


def test_bounds_and_maps_have_the_extent_of_the_scene(finder: PathFinder, tmp_path: Path) -> None:
    low, high = finder.get_bounds()
    assert low == pytest.approx([0, -0.5, -0.5]) and high == pytest.approx([19, 3, 10])
    binary, islands = finder.get_topdown_view(0.1, 0.0), finder.get_topdown_island_view(0.1, 0.0)
    assert binary.shape == islands.shape == (105, 190)
    assert binary.dtype == np.bool_ and islands.dtype == np.int32 and (binary == (islands >= 0)).all()
    flat = sum(finder.mesh.island_area(island) for island in range(finder.num_islands) if (islands == island).any())
    assert binary.sum() * 0.01 == pytest.approx(flat, rel=0.03)
    for row, column in np.random.default_rng(1).integers(0, (105, 190), (300, 2)):
        point = low + np.array([column, 0, row]) * 0.1
        point[1] = 0.0
        assert binary[row, column] == finder.is_navigable(point)
        assert islands[row, column] == (finder.get_island(point) if binary[row, column] else -1)
    assert not finder.get_topdown_view(0.1, 1.0, eps=0.3).any()
    for step in (0.0, -1.0, math.nan, 1e-5):
        with pytest.raises(waymesh.QueryError, match="meters_per_pixel"):
            finder.get_topdown_view(step, 0.0)
    # Bounds are those of the tiles in a file.
    assert finder.save_nav_mesh(tmp_path / "mesh.navmesh")
    other = PathFinder()
    assert other.load_nav_mesh(tmp_path / "mesh.navmesh")
    low, high = other.get_bounds()
    assert (low <= other.mesh.bounds[0] + 1e-3).all() and (high >= other.mesh.bounds[1] - 1e-3).all()


def test_areas_are_those_of_the_ground_in_space() -> None:
    # A ramp of 8 m that rises 4 m.
    corners = np.array([[0, 0, 0], [8, 4, 0], [8, 4, 5], [0, 0, 5]], dtype=np.float32)
    finder = PathFinder()
    assert finder.build(corners, [[0, 2, 1], [0, 3, 2]], NavMeshSettings(agent_radius=0.0, cell_height=0.05))
    assert finder.navigable_area == pytest.approx(5 * math.hypot(8, 4), rel=0.05)
    assert finder.navigable_area == pytest.approx(sum(finder.island_area(island) for island in range(finder.num_islands)))
    assert finder.mesh.area == pytest.approx(40, rel=0.05)


@pytest.mark.parametrize("source", ["baked", "saved", "level"])
def test_islands(finder: PathFinder, source: str, tmp_path: Path) -> None:
    if source != "baked":
        if source == "level":
            settings = NavMeshSettings(cell_size=0.3, agent_radius=0.3, agent_max_climb=0.9)
            finder = PathFinder()
            finder.set_mesh(waymesh.from_file(level("nav_test.obj"), settings.to_settings()))
        saved, finder = finder, PathFinder()
        assert saved.save_nav_mesh(tmp_path / "mesh.navmesh") and finder.load_nav_mesh(tmp_path / "mesh.navmesh")
    vertices, indices = 0, 0
    for island in range(finder.num_islands):
        corners, triangles = finder.build_navmesh_vertices(island), finder.build_navmesh_vertex_indices(island)
        assert 0 < max(triangles) < len(corners) and len(triangles) % 3 == 0
        vertices, indices = vertices + len(corners), indices + len(triangles)
        assert finder.island_area(island) > 0 and finder.island_radius(island) > 0
        for _ in range(20):
            point = finder.get_random_navigable_point(island_index=island)
            near = finder.get_random_navigable_point_near(point, 0.5, island_index=island)
            assert np.linalg.norm(point - near) <= 0.5
            for place in (point, near):
                assert finder.is_navigable(place) and finder.get_island(place) == island
                assert finder.snap_point(place, island) == pytest.approx(place, abs=1e-3)
            assert finder.island_radius(point) == finder.island_radius(island)
    assert len(finder.build_navmesh_vertices()) == vertices
    assert len(finder.build_navmesh_vertex_indices()) == indices
    with pytest.raises(waymesh.QueryError, match="no island 99"):
        finder.island_area(99)


@pytest.mark.parametrize("bad", [[math.nan, 0, 0], [math.nan] * 3, [1, 0, math.inf], [1e300, 0, 0], [500, 0, 500]])
def test_places_that_are_no_place(finder: PathFinder, bad: Any) -> None:
    good = [2.0, 0.0, 2.0]
    assert finder.is_navigable(bad) is False and finder.get_island(bad) == -1 and finder.island_radius(bad) == 0.0
    assert np.isnan(finder.snap_point(bad)).all()
    assert np.isnan(finder.get_random_navigable_point_near(bad, 2.0)).all()
    assert finder.distance_to_closest_obstacle(bad) == math.inf
    hit = finder.closest_obstacle_surface_point(bad)
    assert (hit.hit_pos == 0).all() and (hit.hit_normal == 0).all() and hit.hit_dist == math.inf
    with np.errstate(over="ignore"):
        for step in (finder.try_step, finder.try_step_no_sliding):
            assert (step(good, bad) == good).all()
            assert np.array_equal(step(bad, good), np.array(bad, dtype=np.float32), equal_nan=True)
    for start, end in ((bad, good), (good, bad), (bad, bad)):
        path = ShortestPath(requested_start=start, requested_end=end, points=[np.zeros(3, dtype=np.float32)])
        assert not finder.find_path(path) and path.geodesic_distance == math.inf and path.points == []
        multi = MultiGoalShortestPath(requested_start=start, requested_ends=[end, end])
        assert not finder.find_path(multi) and multi.closest_end_point_index == -1
    multi = MultiGoalShortestPath(requested_start=good, requested_ends=[bad, [3, 0, 2]])
    assert finder.find_path(multi) and multi.closest_end_point_index == 1


def test_defaults_of_records() -> None:
    hit, path, multi = HitRecord(), ShortestPath(), MultiGoalShortestPath()
    assert (hit.hit_pos == 0).all() and (hit.hit_normal == 0).all() and hit.hit_dist == 0
    assert path.points == [] == multi.points and multi.geodesic_distance == math.inf
    assert set(habitat.__all__) <= set(vars(habitat))


def test_a_path_to_its_start_has_two_points(finder: PathFinder) -> None:
    for at in ([2.0, 0.0, 2.0], [8.3, 0.0, 9.1], [17.0, 0.0, 1.5]):
        path = ShortestPath(requested_start=at, requested_end=at)
        assert finder.find_path(path) and path.geodesic_distance == 0.0
        assert np.array(path.points).shape == (2, 3) and (path.points[0] == path.points[1]).all()
        multi = MultiGoalShortestPath(requested_start=at, requested_ends=[at])
        assert finder.find_path(multi) and len(multi.points) == 2 and multi.closest_end_point_index == 0


def test_goals_of_one_and_of_many_give_the_same(finder: PathFinder) -> None:
    for _ in range(100):
        start = finder.get_random_navigable_point()
        goals = [finder.get_random_navigable_point() for _ in range(5)]
        paths = [ShortestPath(requested_start=start, requested_end=goal) for goal in goals]
        found = [finder.find_path(path) for path in paths]
        multi = MultiGoalShortestPath(requested_start=start, requested_ends=goals)
        assert finder.find_path(multi) == any(found)
        assert multi.geodesic_distance == min(path.geodesic_distance for path in paths)
        if any(found):
            assert found[multi.closest_end_point_index] and len(multi.points) > 0


def test_steps(finder: PathFinder) -> None:
    for _ in range(200):
        start = finder.get_random_navigable_point()
        end = start + np.random.default_rng(3).normal(size=3) * [0.3, 0.0, 0.3]
        for step in (finder.try_step, finder.try_step_no_sliding):
            moved = step(start, end)
            assert moved.shape == (3,) and finder.get_island(moved) == finder.get_island(start)
            assert finder.snap_point(moved) == pytest.approx(moved, abs=1e-3)
    # Beyond the wall and on the other island: no path leads there.
    assert (finder.try_step([2, 0, 2], [17, 0, 2]) == [2, 0, 2]).all()
    assert finder.try_step([4, 0, 2], [4.95, 0, 3]) == pytest.approx([4.8, 0, 3], abs=0.15)


def turn_of(degrees: float) -> tuple[float, float, float, float]:
    """A turn to the left as a quaternion (w, x, y, z)."""
    half = math.radians(degrees) / 2
    return math.cos(half), 0.0, math.sin(half), 0.0


def test_keys_of_a_follower(finder: PathFinder) -> None:
    follower = GreedyGeodesicFollower(finder, Agent())
    codes = GreedyFollowerCodes
    keys = {codes.FORWARD: "move_forward", codes.LEFT: "turn_left", codes.RIGHT: "turn_right", codes.STOP: None}
    assert follower.action_mapping == keys and follower.goal_radius == pytest.approx(0.75 * follower.forward_spec.amount)
    follower = GreedyGeodesicFollower(finder, Agent(), 1.5, stop_key="s", forward_key="f", left_key="l", right_key="r")
    assert follower.action_mapping == {codes.FORWARD: "f", codes.LEFT: "l", codes.RIGHT: "r", codes.STOP: "s"}
    assert follower.goal_radius == 1.5
    agent = Agent()
    assert (agent.agent_config.height, agent.agent_config.radius) == (1.5, 0.1)
    agent.agent_config = habitat.AgentConfiguration({})
    with pytest.raises(GreedyFollowerError, match="0 actions move_forward"):
        GreedyGeodesicFollower(finder, agent)


def test_a_follower_keeps_its_goal(finder: PathFinder) -> None:
    agent = Agent(state=AgentState(position=[2.0, 0.0, 2.0]))
    follower = GreedyGeodesicFollower(finder, agent)
    follower.next_action_along([8.0, 0.0, 2.0])
    assert np.allclose(follower.last_goal, [8, 0, 2])
    follower.next_action_along([8.0, 0.0, 3.0])
    assert np.allclose(follower.last_goal, [8, 0, 3])
    follower.reset()
    assert follower.last_goal is None
    for goal in ([17.0, 0.0, 1.5], [math.nan] * 3, [500.0, 0.0, 0.0]):
        with pytest.raises(GreedyFollowerError, match="no path"):
            follower.next_action_along(goal)
        with pytest.raises(GreedyFollowerError, match="no path"):
            follower.find_path(goal)


class Body:
    """An agent that does what it is told, on a mesh."""

    def __init__(self, finder: PathFinder, position: Any, degrees: float, *, slides: bool) -> None:
        self.degrees, self.step = degrees, finder.try_step if slides else finder.try_step_no_sliding
        controls = None if slides else SimpleNamespace(move_filter_fn=self.step)
        self.agent = Agent(state=AgentState(position=position, rotation=turn_of(degrees)), controls=controls)

    def act(self, action: str) -> None:
        state = self.agent.state
        if action == "move_forward":
            heading = math.radians(self.degrees)
            step = np.array([-math.sin(heading), 0, -math.cos(heading)], dtype=np.float32) * np.float32(0.25)
            state.position = self.step(state.position, np.asarray(state.position, dtype=np.float32) + step)
        else:
            self.degrees += 10 if action == "turn_left" else -10
            state.rotation = turn_of(self.degrees)


@pytest.mark.parametrize("slides", [True, False])
@pytest.mark.parametrize("turn", [0.0, 90.0, 180.0, -135.0])
def test_followers_arrive(finder: PathFinder, turn: float, slides: bool) -> None:
    finder.seed(5)
    arrived = 0
    for _ in range(12):
        start, goal = finder.get_random_navigable_point(), finder.get_random_navigable_point()
        path = ShortestPath(requested_start=start, requested_end=goal)
        if not finder.find_path(path) or path.geodesic_distance < 2.0:
            continue
        planned = Body(finder, start, turn, slides=slides)
        actions = GreedyGeodesicFollower(finder, planned.agent).find_path(goal)
        assert actions[-1] is None and set(actions[:-1]) <= {"move_forward", "turn_left", "turn_right"}
        walked = Body(finder, start, turn, slides=slides)
        follower = GreedyGeodesicFollower(finder, walked.agent)
        taken = []
        while (action := follower.next_action_along(goal)) is not None:
            walked.act(action)
            taken.append(action)
            assert len(taken) < 1000, f"stuck from {start} to {goal}"
        for action in actions[:-1]:
            planned.act(action)
        for body in (planned, walked):
            rest = ShortestPath(requested_start=body.agent.state.position, requested_end=goal)
            assert finder.find_path(rest) and rest.geodesic_distance < 0.25 * 0.75 + 1e-3
        assert taken.count("move_forward") * 0.25 < path.geodesic_distance * 1.3 + 1.0
        arrived += 1
    assert arrived >= 4


def test_a_real_level(tmp_path: Path) -> None:
    waymesh.from_file(level("nav_test.obj"), NavMeshSettings(cell_size=0.3, agent_radius=0.3, agent_max_climb=0.9).to_settings()).save(
        tmp_path / "level.navmesh"
    )
    finder = PathFinder()
    assert finder.load_nav_mesh(tmp_path / "level.navmesh")
    finder.seed(1)
    for _ in range(100):
        point = finder.get_random_navigable_point()
        near = finder.get_random_navigable_point_near(point, 5.0, max_tries=100)
        assert finder.is_navigable(point) and finder.is_navigable(near) and np.linalg.norm(point - near) <= 5.0
        assert not finder.is_navigable(point + [0, 40, 0])
        assert math.isfinite(finder.distance_to_closest_obstacle(point, 5.0))
