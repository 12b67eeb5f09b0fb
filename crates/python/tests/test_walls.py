"""Positions that queries gave out are taken back: rays and steps along walls, and along paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, box, floor, join, level
from numpy.typing import NDArray

STEP = 0.05

PLANS = {
    # Walls that run obliquely: their points are rounded.
    "tilted": "POLYGON((7.1 7.1, -7.1 -7.1, -8.5 -5.7, 5.7 8.5, 7.1 7.1))",
    "star": "POLYGON((0 0, 3.3 1.1, 9.7 0.3, 6.1 4.7, 9.1 9.3, 4.9 6.7, 0.7 9.9, 2.3 5.1, 0 0))",
    "pillar": "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0), (4.142 2.932, 4.142 5.064, 6.47 5.064, 6.47 2.932, 4.142 2.932))",
    "far": "POLYGON((1007.1 2007.1, 992.9 1992.9, 991.5 1994.3, 1005.7 2008.5, 1007.1 2007.1))",
}


@pytest.fixture(scope="module", params=[*PLANS, "voxels", "storeys", "radius", "level"])
def mesh(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> waymesh.NavMesh:
    if request.param in PLANS:
        file = tmp_path_factory.mktemp("plan") / "plan.wkt"
        file.write_text(PLANS[request.param])
        return waymesh.from_plan(file, waymesh.Settings(agent_radius=0.0))
    if request.param == "level":
        return waymesh.from_file(level("nav_test.obj"), waymesh.Settings(keep="largest"))
    # Boxes that stand obliquely. One island: the place of a point that lies on two of them is that of either.
    turn = np.array([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]], dtype=np.float32)
    crates = [(corners @ turn, faces) for corners, faces in (box((3, -1, 1), (5, 3, 4)), box((6, -1, 4), (7, 3, 5)))]
    scene = join(floor(14, 12), *crates)
    if request.param == "radius":
        return waymesh.bake(*scene, waymesh.Settings(cell_size=0.1, agent_radius=0.3, keep="largest"))
    return waymesh.bake(*scene, {**THIN.entries(), "pipeline": request.param, "keep": "largest"})


def walls(mesh: waymesh.NavMesh) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Both ends of each wall, in both directions."""
    corners, ends = mesh.vertices, mesh.walls
    return np.concatenate([corners[ends[:, 0]], corners[ends[:, 1]]]), np.concatenate([corners[ends[:, 1]], corners[ends[:, 0]]])


def plan_length(way: Any) -> Any:
    return np.linalg.norm(way[..., [0, 2]], axis=-1)


def test_rays_run_along_walls(mesh: waymesh.NavMesh) -> None:
    starts, ends = walls(mesh)
    free, stops, hit, _ = mesh.raycast(starts, ends)
    assert (free == 1).all() and not hit.any()
    assert plan_length(stops - ends).max() < 1e-3


def test_rays_run_along_paths(mesh: waymesh.NavMesh) -> None:
    starts, ends = mesh.random_points(100, seed=1), mesh.random_points(100, seed=2)
    for shortest in (False, True):
        paths = mesh.find_paths(starts, ends, shortest=shortest)
        for row in range(len(paths)):
            path = paths[row]
            if path.links or len(path) < 2:
                continue
            for a, b in ((path.points[:-1], path.points[1:]), (path.points[1:], path.points[:-1])):
                assert (mesh.raycast(a, b)[0] == 1).all(), (starts[row], ends[row])


def test_steps_run_along_walls(mesh: waymesh.NavMesh) -> None:
    starts, ends = walls(mesh)
    length = plan_length(ends - starts)
    keep = length > 1e-3
    starts, ends, length = starts[keep], ends[keep], length[keep]
    way = (ends - starts) / length[:, None]
    at = starts
    for number in range(1, 41):
        goal = starts + way * np.minimum(STEP * number, length)[:, None]
        at = mesh.step(at, goal)
        assert plan_length(at - goal).max() < 1e-3, number
    for slide in (True, False):
        assert plan_length(mesh.step(starts, ends, slide=slide) - ends).max() < 1e-3


def test_followers_of_paths_arrive(mesh: waymesh.NavMesh) -> None:
    starts, ends = mesh.random_points(60, seed=3), mesh.random_points(60, seed=4)
    for start, end in zip(starts, ends):
        path = mesh.find_path(start, end)
        if path.links or not path.is_complete:
            continue
        at = path.points[0]
        for corner in path.points[1:]:
            for _ in range(int(plan_length(corner - at) / STEP) + 3):
                rest = corner - at
                if plan_length(rest) < 1e-3:
                    break
                at = mesh.step(at, at + rest * min(1.0, STEP / plan_length(rest)))
            assert plan_length(corner - at) < 2e-3, (start, end, corner)
