"""Scenes of the tests."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import waymesh
from numpy.typing import NDArray

Scene = tuple[NDArray[np.float32], NDArray[np.uint32]]


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Scene:
    """A closed box whose faces look outward."""
    x, y, z = zip(low, high)
    corners = np.array([[x[i & 1], y[i >> 1 & 1], z[i >> 2 & 1]] for i in range(8)], dtype=np.float32)
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    triangles = [[q[0], q[1], q[2]] for q in quads] + [[q[0], q[2], q[3]] for q in quads]
    return corners, np.array(triangles, dtype=np.uint32)


def join(*parts: Scene) -> Scene:
    vertices, triangles, count = [], [], 0
    for corners, faces in parts:
        vertices.append(corners)
        triangles.append(faces + np.uint32(count))
        count += len(corners)
    return np.concatenate(vertices), np.concatenate(triangles)


def floor(width: float, depth: float, y: float = 0.0, x: float = 0.0) -> Scene:
    corners = [[x, y, 0], [x + width, y, 0], [x + width, y, depth], [x, y, depth]]
    return np.array(corners, dtype=np.float32), np.array([[0, 2, 1], [0, 3, 2]], dtype=np.uint32)


def volume(vertices: NDArray[np.float64], triangles: NDArray[np.uint32]) -> float:
    """Returns the volume of a closed mesh, above 0 if its faces look outward."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij", a, np.cross(b, c)) / 6)


def picture(name: str, mesh: waymesh.NavMesh, path: waymesh.Path | None = None) -> None:
    """Draws a picture of the guide anew, if `WAYMESH_GUIDE_PICTURES` names the folder of its pictures."""
    drawn = mesh.to_svg(path)
    assert drawn.startswith("<svg")
    if folder := os.environ.get("WAYMESH_GUIDE_PICTURES"):
        Path(folder, name).write_text(drawn)


THIN = waymesh.Settings(cell_size=0.1, level_height=0.1, agent_radius=0.0, max_step=0.3, max_edge_error=0.05)
"""An agent without radius: the mesh is the floor itself."""


DETOUR = math.hypot(2.5, 4) * 2 + 1
"""From (2, 4) round the wall, which ends at z = 8 between x = 4.5 and 5.5, to (8, 4)."""


@pytest.fixture(scope="session")
def square() -> waymesh.NavMesh:
    """A floor of 10 by 10 metres."""
    return waymesh.bake(*floor(10, 10), THIN)


@pytest.fixture(scope="session")
def walled() -> waymesh.NavMesh:
    """A floor of 10 by 10 metres with a wall from x = 4.5 to 5.5, which leaves the part above z = 8 free."""
    # The top of the wall is left out.
    return waymesh.bake(*join(floor(10, 10), box((4.5, -1, -1), (5.5, 3, 8))), replace(THIN, keep="largest"))


@pytest.fixture(scope="session")
def two_islands() -> waymesh.NavMesh:
    """Floors of 4 by 4 and of 6 by 4 metres, 2 metres apart."""
    return waymesh.bake(*join(floor(4, 4), floor(6, 4, x=6.0)), THIN)


def level(name: str) -> Path:
    """A real level, or a skip that is seen."""
    for folder in Path(__file__).resolve().parents:
        for found in sorted((folder / "shared" / "scenes").rglob(name)) if (folder / "shared").is_dir() else []:
            return found
    pytest.skip(f"the level {name} is not there")


@pytest.fixture(scope="session")
def nav_test() -> waymesh.NavMesh:
    return waymesh.from_file(level("nav_test.obj"))
