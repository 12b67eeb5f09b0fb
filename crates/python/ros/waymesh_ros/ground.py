"""Meshes of files, and plans on them, in coordinates of ROS: z up, y of the map. The mesh has y up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import waymesh
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MESH_ENDINGS = {".wmesh", ".wmrun", ".bin", ".navmesh"}
PLAN_ENDINGS = {".yaml", ".yml", ".pgm", ".png", ".map", ".toml", ".geojson", ".json", ".wkt", ".svg", ".dxf", ".osm"}

ON_MESH = 1e-3
"""Metres by which a place that a query returned may be off the mesh by rounding."""


class NoPlanError(Exception):
    """The reason why there is no plan, with positions in coordinates of ROS."""


def to_ros(points: ArrayLike) -> Floats:
    """Returns positions of the mesh, of shape (.., 3), in coordinates of ROS."""
    return waymesh.to_z_up(np.asarray(points, dtype=np.float64))


def to_mesh(points: ArrayLike) -> Floats:
    """Returns positions of ROS, of shape (.., 3), in coordinates of the mesh."""
    return waymesh.from_z_up(np.asarray(points, dtype=np.float64))


def load(file: str, settings: Mapping[str, Any]) -> waymesh.NavMesh:
    """Reads a mesh, or bakes a map, floor plan or scene, for radius 0 if the settings have none."""
    ending = Path(file).suffix.lower()
    if ending in MESH_ENDINGS:
        return waymesh.load(file)
    bake = waymesh.from_plan if ending in PLAN_ENDINGS else waymesh.from_file
    return bake(file, {"agent_radius": 0.0, **settings})


def clearance(mesh: waymesh.NavMesh, radius: float) -> float:
    """Returns an agent's radius less that of the bake: its distance from the walls of the mesh."""
    return max(radius - mesh.agent["radius"], 0.0)


def find_plan(
    mesh: waymesh.NavMesh, start: ArrayLike, goal: ArrayLike, *, radius: float, tolerance: float, spacing: float
) -> Floats:
    """Returns the shortest path in plan for a disc, of shape (n, 3).

    Its points are on the ground, at most ``spacing`` apart in plan. The start may be moved by the
    radius and a cell to a place where the disc fits. The last point is at most ``tolerance`` from
    the goal in plan. Raises :class:`NoPlanError`.
    """
    disc, height = clearance(mesh, radius), mesh.agent["height"]

    def fit(name: str, position: ArrayLike, side: float) -> Floats:
        at = to_mesh(position)
        try:
            return np.asarray(mesh.find_path(at, at, radius=disc, reach=(side, height, height)).points[0], dtype=np.float64)
        except waymesh.NoMeshNearError:
            place = f"of the {name} {text(position)} and {height:g} m above or below it"
            raise NoPlanError(f"no room for an agent of radius {radius:g} m within {side:g} m {place}") from None
        except waymesh.WaymeshError as error:
            raise NoPlanError(f"the {name} {text(position)}: {error}") from None

    if not tolerance >= 0.0:
        raise NoPlanError(f"the tolerance is {tolerance:g} m, but must be 0 or more")
    # A goal on the mesh by rounding is one for a tolerance of 0.
    begin = fit("start", start, max(radius, mesh.agent["radius"]) + max(mesh.cell_size, ON_MESH))
    end = fit("goal", goal, max(tolerance, ON_MESH))
    path = mesh.find_path(begin, end, radius=disc, reach=(ON_MESH, ON_MESH, ON_MESH))
    points = np.asarray(path.points, dtype=np.float64)
    ends = f"from {text(start)} to {text(goal)}"
    if len(points) == 0:
        raise NoPlanError(f"no path {ends} for an agent of radius {radius:g} m: {path.outcome}")
    gap = float(np.linalg.norm((to_ros(points[-1]) - np.asarray(goal, dtype=np.float64))[:2]))
    if not path.is_complete and gap > tolerance:
        nearest = f"the nearest place that it reaches is {gap:.3f} m away, and the tolerance is {tolerance:g} m"
        raise NoPlanError(f"no path {ends} for an agent of radius {radius:g} m: {nearest}")
    return to_ros(densify(mesh, points, spacing))


def densify(mesh: waymesh.NavMesh, points: Floats, spacing: float) -> Floats:
    """Adds points on the ground, so that neighbours are within ``spacing`` in plan; 0 adds none.

    Where a link bridges a gap in the ground, the points between are on a straight line.
    A lift gets none.
    """
    height = mesh.agent["height"]
    dense = [points[0]]
    for begin, end in zip(points, points[1:]):
        length = math.hypot(end[0] - begin[0], end[2] - begin[2])
        count = max(math.ceil(length / spacing), 1) if spacing > 0 else 1
        for step in range(1, count):
            at = begin + (end - begin) * step / count
            # Ground is near the height of the point before, also where it rises and falls between corners.
            found = mesh.snap([at[0], dense[-1][1], at[2]], reach=(ON_MESH, height, height))
            dense.append(at if np.isnan(found).any() else found.astype(np.float64))
        dense.append(end)
    return np.stack(dense)


def text(position: ArrayLike) -> str:
    """Returns a position as text."""
    x, y, z = np.asarray(position, dtype=np.float64)
    return f"({x:.3f}, {y:.3f}, {z:.3f})"
