"""waymesh turns any triangle soup, or any floor plan, into a navigation mesh and answers path queries on it.

>>> import numpy as np
>>> import waymesh
>>> vertices = np.array([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], dtype=np.float32)
>>> triangles = np.array([[0, 2, 1], [0, 3, 2]], dtype=np.uint32)
>>> mesh = waymesh.bake(vertices, triangles, waymesh.Settings(agent_radius=0.5))
>>> mesh.distance([2, 0, 2], [5, 0, 6])
5.0
>>> starts, ends = mesh.random_points(1000, seed=1), mesh.random_points(1000, seed=2)
>>> mesh.distance(starts, ends).shape
(1000,)

Lengths are in metres, y points up, and the system is right-handed. The same input and settings give the same bytes.
"""

from __future__ import annotations

from importlib.metadata import version as _version

from ._axes import ZUp, from_z_up, to_z_up, y_up
from ._bake import (
    bake,
    from_file,
    from_plan,
    from_trimesh,
    tqdm_progress,
    why,
    why_file,
)
from ._episodes import Episodes, episodes
from ._errors import (
    BakeError,
    Cancelled,
    ConfigError,
    FileError,
    InputError,
    MeshError,
    NoMeshNearError,
    NothingWalkableError,
    QueryError,
    TileError,
    WaymeshError,
)
from ._pictures import install as _install
from ._waymesh import (
    CancelToken,
    Corridor,
    Crowd,
    DistanceField,
    NavMesh,
    Path,
    Paths,
    PolygonFilter,
    Sampler,
    TileJob,
    set_threads,
    threads,
)
from ._world import World
from .settings import Area, Box, ClosedMesh, Cylinder, Jumps, Mark, Prism, Settings, Shape

_install()
__version__ = _version("waymesh")
load = NavMesh.load
from_detour = NavMesh.from_detour

__all__ = [
    "Area",
    "BakeError",
    "Box",
    "CancelToken",
    "Cancelled",
    "ClosedMesh",
    "ConfigError",
    "Corridor",
    "Crowd",
    "Cylinder",
    "DistanceField",
    "Episodes",
    "FileError",
    "InputError",
    "Jumps",
    "Mark",
    "MeshError",
    "NavMesh",
    "NoMeshNearError",
    "NothingWalkableError",
    "Path",
    "Paths",
    "PolygonFilter",
    "Prism",
    "QueryError",
    "Sampler",
    "Settings",
    "Shape",
    "TileError",
    "TileJob",
    "WaymeshError",
    "World",
    "ZUp",
    "bake",
    "episodes",
    "from_detour",
    "from_file",
    "from_plan",
    "from_trimesh",
    "from_z_up",
    "load",
    "set_threads",
    "threads",
    "to_z_up",
    "tqdm_progress",
    "why",
    "why_file",
    "y_up",
]
