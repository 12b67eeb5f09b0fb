"""Tasks for agents that learn to navigate."""

from __future__ import annotations

import gzip
import json
import math
import sys
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._checks import number, path_of, whole, write
from ._errors import InputError, QueryError
from ._waymesh import NavMesh

_BATCH = 65_536
_MAX_COUNT = 10_000_000
"""Most episodes of a call, which take 1 GB."""
_LEAST_SHARE = 1e-4
"""Draws of which fewer than this share are episodes are given up."""


@dataclass(frozen=True, eq=False)
class Episodes:
    """Starts, headings and goals of ``n`` tasks.

    ``starts`` and ``goals`` have shape (n, 3); ``headings`` are angles about the upward axis in radians, 0 looks along -z;
    ``distances`` are lengths of shortest paths.
    """

    starts: NDArray[np.float32]
    headings: NDArray[np.float32]
    goals: NDArray[np.float32]
    distances: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.distances)

    def entries(self, scene: str, goal_radius: float = 0.2) -> dict[str, Any]:
        """The data set as habitat-lab's PointNav reads it. Rotations are quaternions (x, y, z, w)."""
        halves = self.headings.astype(np.float64) / 2
        turns = np.stack([np.zeros(len(self)), np.sin(halves), np.zeros(len(self)), np.cos(halves)], axis=1)
        rows = zip(self.starts.tolist(), turns.tolist(), self.goals.tolist(), self.distances.tolist())
        return {
            "episodes": [
                {
                    "episode_id": str(number),
                    "scene_id": scene,
                    "start_position": start,
                    "start_rotation": turn,
                    "goals": [{"position": goal, "radius": goal_radius}],
                    "info": {"geodesic_distance": distance},
                }
                for number, (start, turn, goal, distance) in enumerate(rows)
            ]
        }

    def save(self, file: str | PathLike[str], scene: str, goal_radius: float = 0.2) -> None:
        """Writes the data set as JSON, compressed if the name ends in ``.gz``."""
        entries = self.entries(path_of(scene), number("goal_radius", goal_radius, 0.0, sys.float_info.max, " m"))
        write(file, json.dumps(entries).encode(), gzip.open if path_of(file).endswith(".gz") else open)


def episodes(
    mesh: NavMesh,
    count: int,
    *,
    seed: int = 0,
    min_distance: float = 1.0,
    max_distance: float = 30.0,
    min_ratio: float = 1.1,
    max_rise: float = 0.5,
    min_island_radius: float = 1.5,
) -> Episodes:
    """Draws starts and goals by the rules of habitat-lab's PointNav data sets. The same mesh, seed and rules give the same episodes.

    Both ends are uniform over the ground, differ in height by at most ``max_rise`` and lie on islands of at least
    ``min_island_radius``. The shortest path from start to goal has a length from ``min_distance`` to ``max_distance``. Where it is
    shorter than ``min_ratio`` times the straight line, the episode is kept with the chance ``20 * (ratio - 0.98)**2``, so most have
    something to go round; 1 keeps all. ``count`` is at most 10,000,000.

    >>> import waymesh
    >>> square = waymesh.bake([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], [[0, 2, 1], [0, 3, 2]])
    >>> tasks = waymesh.episodes(square, 1000, min_distance=5.0, seed=7)
    >>> len(tasks), bool(tasks.distances.min() >= 5.0)
    (1000, True)
    """
    if not isinstance(mesh, NavMesh):
        raise InputError(f"episodes need a NavMesh, whose y axis points up, not {mesh!r}")
    count, random = whole("count", count, _MAX_COUNT), np.random.default_rng(whole("seed", seed))
    min_distance = number("min_distance", min_distance, 0.0, sys.float_info.max, " m")
    max_distance = number("max_distance", max_distance, min_distance, unit=" m")
    min_ratio, max_rise = number("min_ratio", min_ratio), number("max_rise", max_rise, 0.0, unit=" m")
    min_island_radius = number("min_island_radius", min_island_radius)
    radii = np.array([mesh.island_radius(island) for island in range(mesh.island_count)])
    is_large = np.append(radii >= min_island_radius, False)
    found: list[tuple[NDArray[Any], ...]] = [(np.empty((0, 3)), np.empty(0), np.empty((0, 3)), np.empty(0))]
    drawn = kept = 0
    while kept < count:
        if kept < _LEAST_SHARE * drawn - 10:
            raise QueryError(f"only {kept} of {drawn} pairs of places make an episode: ease the rules, or keep a larger island")
        # As many as the share of episodes so far asks for.
        pairs = int(min(_BATCH, max(1024, 1.2 * (count - kept) * (1 + drawn) / (1 + kept))))
        points = mesh.random_points(2 * pairs, seed=int(random.integers(2**63)))
        headings, chances = random.uniform(-math.pi, math.pi, pairs), random.random(pairs)
        starts, goals = points[:pairs], points[pairs:]
        straight = np.linalg.norm((goals - starts).astype(np.float64), axis=1)
        near = (np.abs(goals[:, 1] - starts[:, 1]) <= max_rise) & (straight <= max_distance) & (straight > 0)
        rows = np.flatnonzero(near)
        # Goals that a path reaches lie on islands of one size, but for links.
        rows = rows[is_large[mesh.island_at(starts[rows])] & is_large[mesh.island_at(goals[rows])]] if len(rows) else rows
        distances = np.asarray(mesh.distance(starts[rows], goals[rows])) if len(rows) else np.empty(0)
        ratios = distances / straight[rows]
        is_kept = (distances >= min_distance) & (distances <= max_distance)
        is_kept &= (ratios >= min_ratio) | (chances[rows] < 20 * (ratios - 0.98) ** 2) | (min_ratio <= 1)
        rows = rows[is_kept]
        found.append((starts[rows], headings[rows], goals[rows], distances[is_kept]))
        drawn, kept = drawn + pairs, kept + len(rows)
    columns = [np.concatenate(column)[:count].astype(np.float32) for column in zip(*found)]
    return Episodes(*columns)
