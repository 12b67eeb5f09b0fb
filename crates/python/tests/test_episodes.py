"""Episodes of learning agents."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
import waymesh
from conftest import THIN, floor, join


def test_episodes_keep_every_rule(walled: waymesh.NavMesh) -> None:
    tasks = waymesh.episodes(walled, 3000, seed=3, min_distance=2.0, max_distance=12.0)
    assert len(tasks) == 3000 and np.isfinite(tasks.starts).all() and (np.abs(tasks.headings) <= math.pi).all()
    distances = np.array([walled.find_path(a, b, shortest=True).length for a, b in zip(tasks.starts, tasks.goals)])
    np.testing.assert_allclose(tasks.distances, distances, rtol=1e-5)
    assert (distances >= 2.0).all() and (distances <= 12.0).all()
    ratios = distances / np.linalg.norm(tasks.goals - tasks.starts, axis=1)
    # By chance, straight ways are kept about once in a hundred.
    every = waymesh.episodes(walled, 3000, seed=3, min_distance=2.0, max_distance=12.0, min_ratio=1.0)
    bends = every.distances / np.linalg.norm(every.goals - every.starts, axis=1)
    assert (ratios < 1.02).mean() < 0.1 < 0.5 < (bends < 1.02).mean()
    again = waymesh.episodes(walled, 3000, seed=3, min_distance=2.0, max_distance=12.0)
    assert (tasks.starts == again.starts).all() and (tasks.headings == again.headings).all()
    other = waymesh.episodes(walled, 3000, seed=4, min_distance=2.0, max_distance=12.0)
    assert not (tasks.starts == other.starts).all()


def test_ends_lie_on_one_floor_of_an_island_that_is_large_enough() -> None:
    # A ramp from one floor to a higher one, and a small square apart.
    ramp = (np.array([[10, 0, 0], [16, 3, 0], [16, 3, 6], [10, 0, 6]], np.float32), np.array([[0, 2, 1], [0, 3, 2]], np.uint32))
    scene = join(floor(10, 6), ramp, floor(10, 6, y=3.0, x=16.0), floor(3, 3, x=30.0))
    mesh = waymesh.bake(*scene, THIN)
    tasks = waymesh.episodes(mesh, 2000, seed=1, min_ratio=1.0, min_island_radius=3.0)
    assert (np.abs(tasks.starts[:, 1] - tasks.goals[:, 1]) <= 0.5).all()
    assert (tasks.starts[:, 0] < 29).all() and (tasks.starts[:, 0] > 16).any() and (tasks.starts[:, 0] < 10).any()
    small = waymesh.episodes(mesh, 2000, seed=1, min_ratio=1.0, min_distance=0.1, min_island_radius=0.0)
    assert (small.starts[:, 0] > 29).any()


def test_rules_that_nothing_keeps_are_an_error(square: waymesh.NavMesh) -> None:
    with pytest.raises(waymesh.QueryError, match="0 of .* pairs"):
        waymesh.episodes(square, 10, min_distance=20.0)
    with pytest.raises(waymesh.ConfigError, match="count is -1"):
        waymesh.episodes(square, -1)
    with pytest.raises(waymesh.ConfigError, match="max_distance is 2.0, but must be a number from 5 m"):
        waymesh.episodes(square, 10, min_distance=5.0, max_distance=2.0)
    assert len(waymesh.episodes(square, 0)) == 0


@pytest.mark.parametrize("name", ["tasks.json", "tasks.json.gz"])
def test_a_data_set_is_written_as_habitat_reads_it(square: waymesh.NavMesh, tmp_path: Path, name: str) -> None:
    tasks = waymesh.episodes(square, 50)
    tasks.save(tmp_path / name, "square.glb", goal_radius=0.3)
    opened = gzip.open if name.endswith("gz") else open
    with opened(tmp_path / name, "rt", encoding="utf-8") as file:
        data = json.load(file)["episodes"]
    assert [episode["episode_id"] for episode in data] == [str(number) for number in range(50)]
    first = data[0]
    assert first["scene_id"] == "square.glb" and first["goals"][0]["radius"] == 0.3
    np.testing.assert_allclose(first["goals"][0]["position"], tasks.goals[0])
    x, y, z, w = first["start_rotation"]
    # The agent looks along -z where it is not turned: a quaternion turns (0, 0, -1) by the heading.
    assert x == z == 0 and math.isclose(y * y + w * w, 1) and math.isclose(2 * math.atan2(y, w), tasks.headings[0], abs_tol=1e-6)
    assert math.isclose(first["info"]["geodesic_distance"], tasks.distances[0])
