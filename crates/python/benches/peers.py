"""Queries beside packages from PyPI on the same mesh: python benches/peers.py LEVEL.obj. Needs pynavmesh, pygeodesic and potpourri3d.

- pynavmesh 1.2 searches paths on given polygons, in Python. It gets the polygons of our mesh. It knows no links.
- pygeodesic 0.1 finds exact geodesic distances on triangles (Mitchell, Mount, Papadimitriou), from one vertex to all, in C++.
- potpourri3d 1.4 finds approximate ones by the heat method (Crane, Weischedel, Wardetzky), in C++, after a factorisation that is not timed here.

The two get the triangles of the largest island. Ours answers for the same points on the same mesh, on one thread.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import potpourri3d
import pygeodesic.geodesic
import waymesh
from pathfinder import PathFinder

PAIRS = 300
SOURCES = 20


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def length_of(points: Any) -> float:
    """The length of a polyline."""
    return float(np.linalg.norm(np.diff(np.asarray(points, dtype=float), axis=0), axis=1).sum())


def row(name: str, seconds: float, count: int, ours: float, lengths: list[float]) -> None:
    """Prints a line of the table. ``lengths`` are theirs over ours."""
    ratios = np.array(lengths)
    spread = f"{np.median(ratios):.4f}, {np.quantile(ratios, 0.95):.4f}" if len(ratios) else "-"
    print(f"| {name} | {seconds / count * 1e6:.1f} | {ours / count * 1e6:.1f} | {len(ratios)} | {spread} |")


def paths(mesh: waymesh.NavMesh, island: int) -> None:
    """Single paths, one after another."""
    starts = mesh.random_points(PAIRS, seed=1, island=island)
    ends = mesh.random_points(PAIRS, seed=2, island=island)
    peer = PathFinder([tuple(map(float, at)) for at in mesh.vertices], [list(map(int, poly)) for poly in mesh.polygons])
    pairs = [(tuple(map(float, a)), tuple(map(float, b))) for a, b in zip(starts, ends, strict=True)]
    theirs, seconds = timed(lambda: [peer.search_path(a, b) for a, b in pairs])
    for name, shortest in (("find_path", False), ("shortest", True)):

        def find(shortest: bool = shortest) -> list[waymesh.Path]:
            return [mesh.find_path(a, b, shortest=shortest) for a, b in pairs]

        ours, own = timed(find)
        both = [length_of(t) / o.length for t, o in zip(theirs, ours, strict=True) if t and o.is_complete and o.length > 1]
        row(f"pynavmesh search_path / {name}", seconds, PAIRS, own, both)


def fields(mesh: waymesh.NavMesh, island: int) -> None:
    """Distances from one place to all vertices of the island."""
    vertices, triangles = mesh.triangles(detail=False, island=island)
    used, numbers = np.unique(triangles, return_inverse=True)
    vertices = np.ascontiguousarray(vertices[used], dtype=np.float64)
    triangles = np.ascontiguousarray(numbers.reshape(-1, 3), dtype=np.int32)
    sources = np.random.default_rng(3).integers(0, len(vertices), SOURCES)

    def field(source: int) -> Any:
        return mesh.distance_field(vertices[source : source + 1]).distance(vertices)

    ours, own = timed(lambda: [field(int(source)) for source in sources])
    exact = pygeodesic.geodesic.PyGeodesicAlgorithmExact(vertices, triangles)
    heat = potpourri3d.MeshHeatMethodDistanceSolver(vertices, triangles)
    peers: dict[str, Callable[[int], Any]] = {
        "pygeodesic geodesicDistances": lambda source: exact.geodesicDistances(np.array([source]), None)[0],
        "potpourri3d heat method": lambda source: heat.compute_distance(source),
    }
    for name, peer in peers.items():

        def ask(peer: Callable[[int], Any] = peer) -> list[Any]:
            return [peer(int(source)) for source in sources]

        theirs, seconds = timed(ask)
        ratios: list[float] = []
        for one, other in zip(theirs, ours, strict=True):
            known = np.isfinite(other) & np.isfinite(one) & (other > 1)
            ratios += list(np.asarray(one)[known] / other[known])
        row(f"{name} / distance_field", seconds, SOURCES, own, ratios)


def main() -> None:
    mesh = waymesh.from_file(sys.argv[1], waymesh.Settings(threads=1))
    island = mesh.largest_island
    print(f"{mesh.polygon_count} polygons, {mesh.area:.0f} m2\n")
    print("| theirs / ours | theirs, us | ours, us | compared | theirs over ours: median, 95 % |\n|---|---|---|---|---|")
    paths(mesh, island)
    fields(mesh, island)


if __name__ == "__main__":
    main()
