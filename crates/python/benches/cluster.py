"""What a bake costs on a local Ray cluster of 1 and 2 workers, and by its parts on 100: python benches/cluster.py LEVEL.obj [CELL] [TILE].

A worker is a task of one core. The serial parts are those of the driver: finding the tiles, and joining them.
"""

from __future__ import annotations

import sys
import tempfile
import time

import ray
import waymesh
import waymesh.ray


def _warm() -> None:
    """The import of a fresh worker is not the bake's."""
    import waymesh.ray  # noqa: F401


def main() -> None:
    level = sys.argv[1]
    cell = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05
    tile = int(sys.argv[3]) if len(sys.argv) > 3 else 128
    settings = waymesh.Settings(cell_size=cell, tile_cells=tile)
    start = time.perf_counter()
    alone = waymesh.from_file(level, settings)
    print(f"one process, its threads: {time.perf_counter() - start:.2f} s, {alone.polygon_count} polygons\n")
    print("| workers | tiles | find, s | tiles, s | tasks together, s | join, s | whole, s | serial share |")
    print("|---|---|---|---|---|---|---|---|")
    figures = waymesh.ray.Figures()
    for workers in (1, 2):
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)

        ray.get([ray.remote(_warm).remote() for _ in range(workers)])
        with tempfile.TemporaryDirectory() as folder:
            figures = waymesh.ray.Figures()
            mesh = waymesh.ray.bake(level, settings, folder=folder, figures=figures)
        ray.shutdown()
        assert mesh.to_bytes() == alone.to_bytes(), "a cluster gives the bytes of one process"
        whole = figures.survey + figures.tiles + figures.merge
        share = (figures.survey + figures.merge) / whole
        print(
            f"| {workers} | {figures.built} | {figures.survey:.2f} | {figures.tiles:.2f} | {figures.work:.2f} "
            f"| {figures.merge:.2f} | {whole:.2f} | {share:.0%} |"
        )
    for workers in (10, 100):
        workers_used = min(workers, figures.built)
        print(f"{workers} workers, by the parts: {waymesh.ray.seconds_with(figures, workers_used):.2f} s")


if __name__ == "__main__":
    main()
