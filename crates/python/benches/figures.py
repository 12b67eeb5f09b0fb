"""Prints the figures of the package in one run: python benches/figures.py LEVEL.obj [WHEEL.whl]. Build it for release first."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import waymesh
from waymesh import _waymesh


def seconds_of(work: Callable[[], object], rounds: int = 5) -> float:
    """The median of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def single(work: Callable[[int], object], count: int) -> float:
    """Microseconds of one call."""
    return seconds_of(lambda: [work(row) for row in range(count)]) / count * 1e6


def main() -> None:
    mesh = waymesh.from_file(sys.argv[1])
    count = 10_000
    island = mesh.largest_island
    starts = mesh.random_points(count, seed=1, island=island)
    ends = mesh.random_points(count, seed=2, island=island)
    pairs = [(starts[row], ends[row]) for row in range(count)]
    print(f"{mesh.polygon_count} polygons, {mesh.area:.0f} m2, island {island}")

    rust = _waymesh.rust_seconds(mesh, starts, ends)
    print("\n| call | Rust, us | Python, us | over it, us |\n|---|---|---|---|")
    calls: dict[str, Callable[[int], object]] = {
        "nearest": lambda row: mesh.snap(pairs[row][0]),
        "find_path": lambda row: mesh.find_path(pairs[row][0], pairs[row][1]),
        "shortest": lambda row: mesh.find_path(pairs[row][0], pairs[row][1], shortest=True),
        "raycast": lambda row: mesh.raycast(pairs[row][0], pairs[row][1]),
        "step": lambda row: mesh.step(pairs[row][0], pairs[row][1]),
    }
    for name, call in calls.items():
        python = single(call, count)
        print(f"| {name} | {rust[name] / count * 1e6:.2f} | {python:.2f} | {python - rust[name] / count * 1e6:.2f} |")

    print("\n| batch of 10,000 | Rust, a second | Python, a second | ratio |\n|---|---|---|---|")
    batch = seconds_of(lambda: mesh.find_paths(starts, ends), 11)
    print(f"| find_paths | {count / rust['find_paths']:.0f} | {count / batch:.0f} | {rust['find_paths'] / batch:.2f} |")

    start = time.perf_counter()
    episodes = 1_000_000
    sampler, total = mesh.sampler(3, island), 0.0
    for _ in range(10):
        distances = mesh.distance(sampler.points(episodes // 10), sampler.points(episodes // 10))
        total += float(distances.sum())
    print(f"\n{episodes} episodes, mean {total / episodes:.2f} m: {time.perf_counter() - start:.1f} s")
    assert np.isfinite(total)

    if len(sys.argv) > 2:
        print(f"wheel: {Path(sys.argv[2]).stat().st_size / 1e6:.2f} MB")
    program = "import numpy, time; start = time.perf_counter(); import waymesh; print(time.perf_counter() - start)"
    times = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    print(f"import, numpy apart: {statistics.median(times) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
