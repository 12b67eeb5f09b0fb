"""Workers of a data loader draw tasks from one mesh, forked and spawned: it is pickled, and a fork has its own threads."""

import multiprocessing

import numpy as np
import waymesh

MESH: waymesh.NavMesh


def begin(mesh: waymesh.NavMesh) -> None:
    global MESH
    MESH = mesh


def batch(seed: int) -> np.typing.NDArray[np.float32]:
    starts, goals = MESH.random_points(256, seed=2 * seed), MESH.random_points(256, seed=2 * seed + 1)
    return MESH.find_paths(starts, goals, shortest=True).lengths


if __name__ == "__main__":
    floor = np.array([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], dtype=np.float32)
    begin(waymesh.bake(floor, [[0, 2, 1], [0, 3, 2]]))
    # The parent has threads already when it is forked.
    here = [batch(seed) for seed in range(8)]
    for method in ("fork", "spawn"):
        workers = multiprocessing.get_context(method).Pool(2, begin, (MESH,))
        with workers:
            there = workers.map(batch, range(8))
        assert all((a == b).all() for a, b in zip(here, there)), method
        print(f"{method}: {sum(map(len, there))} paths, {np.concatenate(there).mean():.2f} m on average")
