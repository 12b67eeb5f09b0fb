"""Objects that several threads share, and signals that end their work."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, box, floor, join


def together(*works: Callable[[], None]) -> None:
    """Runs works in threads. One that never ends is an error, as is one that raises."""
    errors: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive(), "threads wait for each other"
    if errors:
        raise errors[0]


def test_threads_change_and_update_a_world() -> None:
    world = waymesh.World([0, -1, 0], [40, 3, 40], waymesh.Settings(cell_size=0.2), tile_cells=32)
    world.add_triangles(*floor(40, 40))
    world.update()
    empty = world.mesh

    def change(x: float) -> Callable[[], None]:
        def run() -> None:
            for z in range(2, 38, 3):
                crate = world.add_obstacle(waymesh.Box(min=[x, -1, z], max=[x + 1, 2, z + 1]))
                world.update()
                assert world.remove_obstacle(crate)
                world.update(progress=lambda stage, done: world.mesh)

        return run

    def look() -> None:
        for _ in range(200):
            assert world.is_dirty in (True, False)
            assert world.mesh.distance([1, 0, 1], [1, 0, 39]) == pytest.approx(38, abs=1)

    def build() -> None:
        for _ in range(3):
            world.add_triangles(*floor(40, 40))
            mark = world.add_mark(waymesh.Mark(waymesh.Cylinder(base=[20, -1, 20], radius=2, height=3), 5))
            world.update()
            assert world.remove_mark(mark)

    together(*(change(x) for x in (4.0, 14.0, 24.0, 34.0)), look, build)
    world.update()
    assert world.mesh == empty


def test_threads_share_a_mesh_that_makes_caches() -> None:
    mesh = waymesh.bake(*join(floor(20, 20), box((9, -1, -1), (11, 3, 15))), THIN)
    starts, ends = mesh.random_points(300, seed=1), mesh.random_points(300, seed=2)
    expected = mesh.distance(starts, ends)
    wide = waymesh.NavMesh.from_bytes(mesh.to_bytes()).find_path([2, 0, 4], [18, 0, 4], radius=0.5).length
    field = mesh.distance_field(ends[:20])
    near, view = field.distance(starts), mesh.plan_view(0.5, 0.0)

    def ask() -> None:
        for _ in range(5):
            assert mesh.find_path([2, 0, 4], [18, 0, 4], radius=0.5).length == wide
            assert (mesh.distance(starts, ends) == expected).all()
            assert (mesh.find_paths(starts, ends, shortest=True).lengths == expected).all()
            assert (field.distance(starts) == near).all()
            assert (mesh.plan_view(0.5, 0.0) == view).all()
            assert waymesh.NavMesh.from_bytes(mesh.to_bytes()) == mesh

    together(*[ask] * 4)


def test_threads_share_a_sampler(two_islands: waymesh.NavMesh) -> None:
    sampler = two_islands.sampler(7)

    def draw() -> None:
        for _ in range(50):
            assert two_islands.is_navigable(sampler.point())
            assert sampler.points(3000).shape == (3000, 3)
            assert (sampler.near([2, 0, 2], 1.0, 300)[:, 0] < 5).all()

    def seed() -> None:
        for number in range(500):
            sampler.seed(number)

    together(*[draw] * 3, seed)


def test_threads_share_a_tile_job(tmp_path: Path) -> None:
    vertices, triangles = join(floor(24, 24), box((9, -1, -1), (11, 3, 15)))
    file = tmp_path / "yard.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    file.write_text("\n".join(lines))
    job = waymesh.TileJob([str(file)], {"tile_cells": 32, "folder": str(tmp_path / "tiles")})
    columns, rows = job.layout()

    def build(column: int) -> Callable[[], None]:
        def run() -> None:
            for row in range(rows):
                job.build(column, row)

        return run

    together(*(build(column) for column in range(columns)))
    assert job.merge(tmp_path / "tiles") == waymesh.from_file(file)


def test_bakes_of_tiles_that_wait_for_memory() -> None:
    scene = join(floor(30, 30), *(box((x, -1, x), (x + 1, 3, x + 1)) for x in range(4, 26, 4)))
    settings = waymesh.Settings(tile_cells=32, cell_size=0.15, max_memory_bytes=16 << 20)
    expected = waymesh.bake(*scene, settings)

    def bake() -> None:
        for _ in range(3):
            assert waymesh.bake(*scene, settings) == expected

    together(*[bake] * 4)


HEAVY = """
import signal, sys, threading
import numpy as np
import waymesh
sys.path.insert(0, {folder!r})
from conftest import THIN, box, floor, join

signal.signal(signal.SIGINT, signal.default_int_handler)
pillars = [box((x, -1, z), (x + 1, 3, z + 1)) for x in range(2, 60, 4) for z in range(2, 60, 4)]
mesh = waymesh.bake(*join(floor(60, 60), *pillars), THIN)
points = mesh.random_points(2_000, seed=1)
many = np.tile(points, (500, 1))
field = mesh.distance_field(points[:50])
sampler = mesh.sampler(1)
work = lambda: {work}
print("begun", flush=True)
try:
    while True:
        work()
        print("finished", flush=True)
except KeyboardInterrupt:
    # Everything still works.
    assert mesh.distance([1, 0, 1], [1, 0, 59]) > 57 and (mesh.plan_view(1.0, 0.0) >= 0).any()
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "mesh.distance(many, many[::-1])",
        "mesh.find_paths(many, many[::-1], shortest=True)",
        "mesh.find_nearest_goal([1, 0, 1], many)",
        "mesh.distance_field(many)",
        "field.distance(many)",
        "field.headings(many)",
        "mesh.plan_view(0.004, 0.0)",
        "mesh.random_points(2_000_000_000 // 12)",
        "sampler.near([5, 0, 1], 30.0, 50_000_000)",
        "mesh.snap(np.tile(many, (50, 1)))",
        "mesh.with_hierarchy(min_polygons=0, cluster_polygons=4) and mesh.distance(many, many[::-1])",
    ],
)
def test_ctrl_c_ends_batches(work: str) -> None:
    program = HEAVY.format(folder=str(Path(__file__).parent), work=work)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun"
    # The work has begun and takes much longer than this.
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    # Fast machines may finish some batches before.
    assert said.split()[-1] == "stopped" and process.wait() == 0


@pytest.mark.parametrize("query", ["find_path", "distance", "radius"])
def test_a_signal_ends_a_single_query(query: str) -> None:
    # Posts between which every search sees everything, and a goal behind ground that is closed.
    places = np.random.default_rng(1).random((1600, 2))
    posts = [(2 * (index // 40) + 0.8 + x, 2 * (index % 40) + 0.8 + z) for index, (x, z) in enumerate(places)]
    scene = join(floor(80, 80), floor(2, 80, x=80.0), floor(3, 80, x=82.0), *(box((x, -1, z), (x + 0.3, 3, z + 0.3)) for x, z in posts))
    areas = np.ones(len(scene[1]), dtype=np.uint8)
    areas[2:4] = 5
    mesh = waymesh.bake(*scene, THIN, triangle_areas=areas)
    ends = [0.5, 0, 0.5], [84.0, 0, 40.0]
    closed: dict[int | str, float] = {5: math.inf}
    run: Callable[[], object] = {
        "find_path": lambda: mesh.find_path(*ends, shortest=True, rises=True, area_costs=closed),
        "distance": lambda: mesh.distance(*ends, area_costs=closed),
        "radius": lambda: mesh.find_path(*ends, radius=0.34),
    }[query]
    run()
    start = time.perf_counter()
    run()
    whole = time.perf_counter() - start
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(whole / 8, signal.raise_signal, [signal.SIGINT])
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            run()
            # A search that is over before the signal.
            timer.join()
        assert time.perf_counter() - start < whole * 0.7 + 0.05, f"{whole} s without a signal"
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    # The memory of the query that ended is not used again.
    assert mesh.distance([0.5, 0, 0.5], [0.5, 0, 2.5]) == pytest.approx(2, abs=0.3)


def test_a_signal_handler_may_use_the_mesh() -> None:
    mesh = waymesh.bake(*join(floor(30, 30), box((9, -1, -1), (11, 3, 25))), replace(THIN, keep="largest"))
    points = mesh.random_points(200_000, seed=1)
    seen: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(mesh.distance(points[:500], points[500:1000])))
    try:
        timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
        timer.start()
        lengths = mesh.distance(points[:100_000], points[100_000:])
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(seen) == 1 and np.isfinite(seen[0]).all()
    assert np.isfinite(lengths).all()


def test_the_number_of_threads_is_a_setting(square: waymesh.NavMesh) -> None:
    starts, ends = square.random_points(500, seed=1), square.random_points(500, seed=2)
    expected = square.distance(starts, ends)
    try:
        for count in (1, 3, 3, 0):
            waymesh.set_threads(count)
            assert waymesh.threads() == (count or os.cpu_count())
            assert np.array_equal(square.distance(starts, ends), expected)
        waymesh.set_threads(2)

        def change() -> None:
            for count in range(6):
                waymesh.set_threads(count % 3 + 1)
                assert np.array_equal(square.distance(starts, ends), expected)

        together(*[change] * 4)
        with pytest.raises(waymesh.ConfigError, match="the limit is 4096"):
            waymesh.set_threads(5000)
        with pytest.raises(waymesh.InputError, match="count is -1"):
            waymesh.set_threads(-1)
    finally:
        waymesh.set_threads(0)


def test_a_token_ends_long_calls(walled: waymesh.NavMesh) -> None:
    token = waymesh.CancelToken()
    points = walled.random_points(1000, seed=1)
    world = waymesh.World([0, -1, 0], [20, 3, 20])
    square = ([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], [[0, 2, 1], [0, 3, 2]])
    calls: list[Callable[[], Any]] = [
        lambda: world.add_triangles(*square, cancel=token),
        lambda: walled.find_paths(points, points[::-1], cancel=token),
        lambda: walled.distance_field(points, cancel=token),
        lambda: walled.with_oracle(cancel=token),
        lambda: walled.with_hierarchy(min_polygons=0, cancel=token),
    ]
    for call in calls:
        call()
    token.cancel()
    for call in calls:
        with pytest.raises(waymesh.Cancelled):
            call()


def test_a_token_ends_the_calls_of_its_block(walled: waymesh.NavMesh, tmp_path: Path) -> None:
    points = np.tile(walled.random_points(1000, seed=1), (20, 1))
    walled.save(tmp_path / "a.wmesh")
    field, sampler = walled.distance_field(points[:3]), walled.sampler(1)
    calls: list[Callable[[], Any]] = [
        lambda: walled.distance(points, points[::-1]),
        lambda: walled.find_paths(points, points[::-1]),
        lambda: walled.find_paths(points, points[::-1], radius=0.3),
        lambda: walled.find_nearest_goal(points[0], points),
        lambda: walled.snap(points),
        lambda: walled.is_navigable(points),
        lambda: walled.island_at(points),
        lambda: walled.raycast(points, points[::-1]),
        lambda: walled.step(points, points[::-1]),
        lambda: walled.nearest_wall(points),
        lambda: walled.distance_field(points[:3]),
        lambda: field.distance(points),
        lambda: field.headings(points),
        lambda: walled.plan_view(0.1, 0.0),
        lambda: walled.with_oracle(),
        lambda: walled.triangles(),
        lambda: walled.to_svg(),
        lambda: walled.to_glb(),
        lambda: walled.to_bytes(),
        lambda: walled.save(tmp_path / "b.wmesh"),
        lambda: waymesh.load(tmp_path / "a.wmesh"),
        lambda: waymesh.bake(*floor(5, 5), THIN),
    ]
    token, other = waymesh.CancelToken(), waymesh.CancelToken()
    with token:
        for call in calls:
            call()
    token.cancel()
    for call in calls:
        call()
        with pytest.raises(waymesh.Cancelled), token:
            call()
        # Blocks within blocks, of which any ends the call.
        with pytest.raises(waymesh.Cancelled), token, other:
            call()
    with other, pytest.raises(waymesh.Cancelled):
        walled.distance(points, points[::-1], cancel=token)
    # A call of a block that another thread ends meanwhile; other threads are in no block.
    late = waymesh.CancelToken()
    threading.Timer(0.05, late.cancel).start()
    with pytest.raises(waymesh.Cancelled), late:
        while True:
            sampler.points(100_000)
            walled.distance(points, points[::-1])
    with token:
        together(lambda: walled.distance(points, points[::-1]))


def test_a_block_belongs_to_its_task(walled: waymesh.NavMesh) -> None:
    points = np.tile(walled.random_points(1000, seed=1), (5, 1))
    token = waymesh.CancelToken()
    token.cancel()

    async def ends() -> str:
        with token:
            await asyncio.sleep(0.02)
            try:
                await asyncio.to_thread(walled.distance, points, points[::-1])
            except waymesh.Cancelled:
                return "ended"
        return "went on"

    async def goes_on() -> str:
        await asyncio.sleep(0.01)
        walled.distance(points, points[::-1])
        return "went on"

    async def both() -> list[str]:
        return list(await asyncio.gather(ends(), goes_on()))

    assert asyncio.run(both()) == ["ended", "went on"]


def test_long_queries_report_their_progress(walled: waymesh.NavMesh) -> None:
    points = np.tile(walled.random_points(1000, seed=1), (1000, 1))
    calls: list[tuple[str, Callable[..., Any]]] = [
        ("paths", lambda **told: walled.find_paths(points[:300_000], points[-300_000:], shortest=True, **told)),
        ("paths", lambda **told: walled.find_paths(points[:300_000], points[-300_000:], radius=0.3, **told)),
        ("distances", lambda **told: walled.distance(points, points[::-1], **told)),
        ("goals", lambda **told: walled.distance_field(points[:100_000], **told)),
    ]
    for stage, call in calls:
        seen: list[tuple[str, float]] = []
        call(progress=lambda *it: seen.append(it))
        assert {name for name, _ in seen} == {stage} and seen[0][1] == 0.0 and seen[-1][1] == 1.0
        assert [done for _, done in seen] == sorted(done for _, done in seen) and len(seen) > 2, stage

        def fail(_: str, done: float) -> None:
            if done > 0:
                raise RuntimeError(f"stopped at {done}")

        with pytest.raises(RuntimeError, match=r"stopped at (0\.|1\.0|.*e-)"):
            call(progress=fail)
    with pytest.raises(TypeError):
        walled.distance(points, points, progress=3)  # type: ignore[call-overload]
