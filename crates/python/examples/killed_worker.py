"""The tiles of a world on two workers of Ray, of which one is killed: the bytes are those of one process."""

import os
import signal
from pathlib import Path

import ray
import waymesh
import waymesh.ray

lines = [f"v {x} 0 {z}" for x, z in ((0, 0), (24, 0), (24, 24), (0, 24))] + ["f 1 3 2", "f 1 4 3"]
Path("yard.obj").write_text("\n".join(lines))
settings = waymesh.Settings(cell_size=0.1, tile_cells=64)
killed: list[int] = []


def kill_the_first(tile: waymesh.ray.TileDone) -> None:
    if not killed:
        killed.append(tile.worker)
        os.kill(tile.worker, signal.SIGKILL)


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
mesh = waymesh.ray.bake("yard.obj", settings, folder="tiles", on_tile=kill_the_first)
ray.shutdown()
alone = waymesh.from_file("yard.obj", waymesh.Settings(cell_size=0.1))
assert killed and mesh.to_bytes() == alone.to_bytes()
print(f"worker {killed[0]} was killed; {len(list(Path('tiles').glob('*.bin')))} tiles, the same bytes")
