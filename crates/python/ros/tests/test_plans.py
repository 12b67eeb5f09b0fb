"""Plans, costmaps and markers against the cells of maps."""

from __future__ import annotations

import heapq
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import waymesh
from conftest import Floats, Map, write_map
from waymesh_ros import convert, ground
from waymesh_ros.ground import NoPlanError, find_plan

RADIUS = 0.22

KEPT = RADIUS - 1e-3
"""Least distance from walls. Corners of floor plans lie on a grid of 1 mm, and chains of points run
as far outside of arcs."""


@pytest.fixture(scope="session")
def mesh(rooms: Map) -> waymesh.NavMesh:
    return ground.load(str(rooms.file), {})


def header(ros: Any) -> Any:
    return ros.types.Header(stamp=ros.types.Time(sec=12, nanosec=34), frame_id="map")


def plan(mesh: waymesh.NavMesh, start: Any, goal: Any, **given: Any) -> Floats:
    return find_plan(mesh, start, goal, **{"radius": RADIUS, "tolerance": 0.0, "spacing": 0.05, **given})


def grid_length(rooms: Map, wide: Any, start: tuple[int, int], goal: tuple[int, int]) -> float:
    """The length of the shortest path over middles of cells, with diagonals; infinite for none."""
    best = {start: 0.0}
    queue = [(0.0, start)]
    while queue:
        length, at = heapq.heappop(queue)
        if at == goal:
            return length * rooms.resolution
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            to = (at[0] + step[0], at[1] + step[1])
            # The side cells of a diagonal must be wide too.
            if wide[to] and wide[at[0], to[1]] and wide[to[0], at[1]]:
                longer = length + math.hypot(*step)
                if longer < best.get(to, math.inf):
                    best[to] = longer
                    heapq.heappush(queue, (longer, to))
    return math.inf


def test_plans_are_short_and_keep_the_radius_from_cells_that_are_not_free(rooms: Map, mesh: waymesh.NavMesh) -> None:
    middles = rooms.middles()
    distance = rooms.distance(middles.reshape(-1, 2)).reshape(rooms.free.shape)
    wide = distance > RADIUS
    cells = np.argwhere(wide)
    counts = [0, 0]
    for first, second in np.random.default_rng(1).integers(len(cells), size=(60, 2)):
        a, b = tuple(cells[first]), tuple(cells[second])
        start, goal = [*middles[a], 0.0], [*middles[b], 0.0]
        shortest_on_grid = grid_length(rooms, wide, a, b)
        try:
            points = plan(mesh, start, goal)
        except NoPlanError as error:
            assert math.isinf(shortest_on_grid), f"{start} {goal} {shortest_on_grid} {error}"
            counts[1] += 1
            continue
        assert rooms.distance(points).min() > KEPT
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert lengths.max(initial=0.0) < 0.05 + 1e-6
        assert lengths.sum() <= shortest_on_grid + 1e-3
        np.testing.assert_allclose(points[[0, -1]], [start, goal], atol=1e-5)
        counts[0] += 1
    assert counts[0] > 20 and counts[1] > 5


def test_plans_keep_apart_from_the_walls_of_turned_maps(tmp_path: Path) -> None:
    picture = np.full((40, 60), 254, dtype=np.uint8)
    picture[[0, -1]] = picture[:, [0, -1]] = 0
    picture[8:, 30] = 0
    turn = 0.5
    turned = write_map(tmp_path, picture, 0.1, (2.0, -1.0, turn))
    mesh = ground.load(str(turned.file), {})
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    ends = turned.origin + np.array([[1.0, 1.0], [5.0, 1.0]]) @ rotation.T
    points = plan(mesh, *([*end, 0.0] for end in ends))
    straight = turned.origin + (points[:, :2] - turned.origin) @ rotation
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).sum() > 6.0
    assert turned.distance(straight).min() > KEPT


def test_costs_are_those_of_the_cells(ros: Any, rooms: Map, mesh: waymesh.NavMesh) -> None:
    given = {"resolution": rooms.resolution, "radius": RADIUS, "inflation": 0.4}
    message = ros.round_trip(convert.costmap_message(ros.types, header(ros), mesh, **given))
    assert (message.header.frame_id, message.header.stamp.sec, message.info.map_load_time.nanosec) == ("map", 12, 34)
    corner = np.array([message.info.origin.position.x, message.info.origin.position.y])
    offset = (corner - rooms.origin) / rooms.resolution
    np.testing.assert_allclose(offset, np.round(offset), atol=1e-4)
    column, row = np.round(offset).astype(int)
    costs = np.asarray(message.data).reshape(message.info.height, message.info.width)
    # The border of one cell lies on the walls of the map.
    assert (row, column, *costs.shape) == (0, 0, *rooms.free.shape)
    np.testing.assert_array_equal(costs == convert.NO_GROUND, ~rooms.free)
    distance = rooms.distance(rooms.middles().reshape(-1, 2)).reshape(rooms.free.shape)
    exact = np.round(98 * (1 - (distance - RADIUS) / 0.4)).clip(0, 98)
    exact[distance < RADIUS] = convert.TOO_NEAR
    assert np.abs(distance - RADIUS).min() > 1e-4
    assert np.abs(costs - exact)[rooms.free].max() <= 1
    assert {0, 98, 99} & set(costs.ravel().tolist()) >= {0, 99}
    fine = convert.costmap_message(ros.types, header(ros), mesh, **{**given, "resolution": 0.05})
    assert (fine.info.width, fine.info.height) == (178, 118)
    with pytest.raises(ValueError, match="the limit is"):
        convert.costmap_message(ros.types, header(ros), mesh, **{**given, "resolution": 1e-4})
    with pytest.raises(ValueError, match="above 0"):
        convert.costmap_message(ros.types, header(ros), mesh, **{**given, "resolution": 0.0})


def test_plans_cross_cells_where_the_agent_fits(ros: Any, rooms: Map, mesh: waymesh.NavMesh) -> None:
    grid = convert.costmap_message(ros.types, header(ros), mesh, resolution=0.02, radius=RADIUS, inflation=0.4)
    costs = np.asarray(grid.data).reshape(grid.info.height, grid.info.width)
    points = plan(mesh, [-2.8, 3.1, 0.0], [5.2, 7.1, 0.0])
    corner = np.array([grid.info.origin.position.x, grid.info.origin.position.y])
    columns, rows = np.floor((points[:, :2] - corner) / grid.info.resolution).astype(int).T
    # The middle of a cell may be nearer to a wall than the point of the plan in it, by half a diagonal.
    limit = np.where(rooms.distance(points) > RADIUS + 0.02 * math.sqrt(0.5), 98, convert.TOO_NEAR)
    assert (costs[rows, columns] <= limit).all()
    assert (limit == 98).sum() > 20


def test_poses_face_the_next_pose(ros: Any, mesh: waymesh.NavMesh) -> None:
    points = plan(mesh, [-2.8, 3.1, 0.0], [5.2, 7.1, 0.0])
    last = ros.types.Quaternion(x=0.0, y=0.0, z=1.0, w=0.0)
    message = ros.round_trip(convert.path_message(ros.types, header(ros), points, last))
    assert len(message.poses) == len(points)
    for index, stamped in enumerate(message.poses[:-1]):
        assert stamped.header.frame_id == "map"
        it = stamped.pose.orientation
        assert (it.x, it.y) == (0.0, 0.0)
        forward = points[index + 1][:2] - points[index][:2]
        ahead = np.array([1 - 2 * it.z**2, 2 * it.w * it.z])
        assert ahead @ forward == pytest.approx(np.linalg.norm(forward), abs=1e-9)
    end = message.poses[-1].pose
    assert (end.orientation.z, end.position.x) == (1.0, pytest.approx(5.2, abs=1e-5))
    still = convert.path_message(ros.types, header(ros), np.array([[0, 0, 0], [0, 1, 0], [0, 1, 3.0]]), last)
    assert [round(it.pose.orientation.z, 6) for it in still.poses] == [0.707107, 0.707107, 1.0]
    assert ros.round_trip(convert.path_message(ros.types, header(ros), np.zeros((0, 3)), last)).poses == []


def test_markers_have_the_area_and_the_edges_of_the_mesh(ros: Any, mesh: waymesh.NavMesh) -> None:
    polygons, edges = ros.round_trip(convert.markers_message(ros.types, header(ros), mesh)).markers
    corners = np.array([[it.x, it.y, it.z] for it in polygons.points]).reshape(-1, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    assert normals[:, 2].sum() == pytest.approx(mesh.area, rel=1e-4)
    assert (normals[:, 2] > -1e-9).all()
    assert len(edges.points) == 2 * (mesh.portal_count + len(mesh.walls))
    assert (polygons.ns, polygons.type, edges.ns, edges.type) == ("polygons", 11, "edges", 5)


@pytest.mark.parametrize(
    ("start", "goal", "given", "reason"),
    [
        ((-2.8, 3.1, 0), (4.0, 3.5, 0), {}, r"the nearest place that it reaches is \d\.\d+ m away, and the tolerance is 0 m"),
        ((-2.8, 3.1, 0), (-0.25, 3.1, 0), {}, r"no room for an agent of radius 0.22 m within 0.001 m of the goal \(-0.250, 3.100"),
        ((-9.0, 3.1, 0), (5.2, 7.1, 0), {}, r"within 0.221 m of the start \(-9.000, 3.100, 0.000\)"),
        ((-2.8, 3.1, 5), (5.2, 7.1, 0), {}, r"2 m above or below it"),
        ((math.nan, 3.1, 0), (5.2, 7.1, 0), {}, "the start"),
        ((-2.8, 3.1, 0), (5.2, math.inf, 0), {}, "the goal"),
        ((-2.8, 3.1, 0), (5.2, 7.1, 0), {"tolerance": math.nan}, "tolerance"),
        ((-2.8, 3.1, 0), (5.2, 7.1, 0), {"radius": 0.7}, "radius 0.7 m"),
    ],
)
def test_reasons(mesh: waymesh.NavMesh, start: Any, goal: Any, given: dict[str, float], reason: str) -> None:
    with pytest.raises(NoPlanError, match=reason):
        plan(mesh, start, goal, **given)


def test_the_tolerance_moves_the_goal(rooms: Map, mesh: waymesh.NavMesh) -> None:
    in_a_wall = [-0.25, 3.1, 0.0]
    points = plan(mesh, [-2.8, 3.1, 0.0], in_a_wall, tolerance=0.3)
    assert np.linalg.norm(points[-1] - in_a_wall) <= 0.3
    assert rooms.distance(points).min() > KEPT
    behind_a_wall = [4.0, 4.4, 0.0]
    with pytest.raises(NoPlanError, match="the tolerance is 0.5 m"):
        plan(mesh, [-2.8, 3.1, 0.0], [4.0, 3.5, 0.0], tolerance=0.5)
    assert len(plan(mesh, [-2.8, 3.1, 0.0], [4.0, 3.5, 0.0], tolerance=3.0))
    assert len(plan(mesh, [-2.8, 3.1, 0.0], behind_a_wall, tolerance=0.7))


def test_saved_meshes_of_hills_give_plans_on_the_ground(tmp_path: Path) -> None:
    x = np.array([0.0, 10.0, 20.0])
    heights = np.array([0.0, 6.0, 0.0])
    vertices = np.array([[a, height, z] for a, height in zip(x, heights) for z in (0.0, 8.0)])
    triangles = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]
    file = tmp_path / "hill.wmesh"
    waymesh.bake(vertices, triangles, {"agent_radius": 0.4, "cell_size": 0.1, "level_height": 0.05}).save(file)
    mesh = ground.load(str(file), {})
    points = plan(mesh, [1.0, -4.0, 0.6], [19.0, -4.0, 0.6], radius=0.3)
    assert len(points) > 300
    np.testing.assert_allclose(points[:, 2], np.interp(points[:, 0], x, heights), atol=0.15)
    # The mesh keeps 0.4 m from the drop by itself.
    low = plan(mesh, [1.0, -7.9, 0.6], [19.0, -7.9, 0.6], radius=0.3, tolerance=0.5)
    assert low[:, 1].min() > -7.65
    wide = plan(mesh, [1.0, -7.9, 0.6], [19.0, -7.9, 0.6], radius=1.0, tolerance=1.2)
    assert wide[:, 1].min() > -7.05


def test_plans_take_doors_and_lifts(tmp_path: Path) -> None:
    storey = """
[[storey]]
name = "NAME"
elevation = NAME.0
[[storey.walkable]]
outline = [[0, 0], [10, 0], [10, 6], [0, 6]]
[[storey.blocked]]
line = [[5, 0], [5, 6]]
width = 0.2
[[storey.door]]
name = "door NAME"
line = [[5, 2], [5, 3]]
"""
    lift = """
[[lift]]
name = "lift"
storeys = ["0", "4"]
at = [1.5, 1.5]
"""
    file = tmp_path / "house.toml"
    file.write_text(storey.replace("NAME", "0") + storey.replace("NAME", "4") + lift)
    mesh = ground.load(str(file), {})
    assert sorted(link["kind"] for link in mesh.links) == ["door", "door", "lift"]
    points = plan(mesh, [9.0, -1.0, 0.0], [9.0, -5.0, 4.0], spacing=0.1)
    steps = np.diff(points, axis=0)
    assert np.linalg.norm(steps[:, :2], axis=1).max() < 0.1 + 1e-6
    # One step goes up, in the lift; two cross the wall, in the doors.
    assert [round(float(rise), 3) for rise in steps[:, 2] if rise != 0] == [4.0]
    at_walls = points[np.abs(points[:, 0] - 5.0) < 0.1]
    assert len(at_walls) and (at_walls[:, 1] < -2.0).all() and (at_walls[:, 1] > -3.0).all()


def test_costmaps_of_storeys(ros: Any) -> None:
    floors = [[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4], [0, 3, 0], [2, 3, 0], [2, 3, 4], [0, 3, 4]]
    triangles = [[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]]
    mesh = waymesh.bake(np.array(floors), triangles, {"agent_radius": 0.0, "cell_size": 0.1, "level_height": 0.1})
    given = {"resolution": 0.1, "radius": 0.2, "inflation": 0.3}
    costs = []
    for height in (None, 0.0, 3.0):
        grid = convert.costmap_message(ros.types, header(ros), mesh, **given, height=height)
        costs.append(np.asarray(grid.data).reshape(grid.info.height, grid.info.width)[grid.info.height // 2])
    assert [(row < 100).sum() for row in costs] == [38, 38, 18]
    # The upper floor ends at x = 2, less a cell at its drop.
    assert (costs[0][18], costs[1][18]) == (99, 0)


def test_bad_files_and_settings_are_refused(rooms: Map) -> None:
    with pytest.raises(waymesh.FileError, match="absent"):
        ground.load(str(rooms.file.with_name("absent.yaml")), {})
    with pytest.raises(waymesh.ConfigError, match="cell_width"):
        ground.load(str(rooms.file), {"cell_width": 1.0})


def test_the_version_is_that_of_the_package() -> None:
    package = ElementTree.parse(Path(__file__).parents[1] / "package.xml")
    assert package.findtext("version") == waymesh.__version__
