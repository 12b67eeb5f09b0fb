"""The part that readers of scenes share: triangles with areas by name, an origin, and bakes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._bake import AnySettings, bake, from_origin
from ._checks import numbers, rules
from ._errors import ConfigError, FileError, InputError
from ._shapes import Body, Floats
from ._types import Progress
from ._waymesh import CancelToken, NavMesh, check_cancelled
from ._world import World
from .settings import Area, entries_of

BLOCKED = "blocked"
_FAR = 10_000.0
"""Distance from the origin of a file, in metres, above which a scene gets another origin: single precision keeps 1 mm there."""
_MAX_TRIANGLES = 50_000_000
"""Most triangles of a scene, which take 4 GB here: a small file can name one mesh any number of times."""


@dataclass(eq=False)
class Scene:
    """Triangles of a file. Positions are those of the mesh: metres, y up, less :attr:`origin`."""

    vertices: Floats
    """Shape (n, 3)."""
    triangles: NDArray[np.uint32]
    """Shape (m, 3)."""
    triangle_areas: NDArray[np.uint8]
    """Areas of triangles, (m,): 0 is not walkable, 1 plain ground."""
    triangle_elements: NDArray[np.uint32]
    """Elements of triangles, (m,), as places in :attr:`elements`."""
    elements: list[str]
    """Names of elements in the file."""
    areas: dict[int, Area]
    """Names and costs of the areas of triangles: change the costs before a bake."""
    origin: Floats
    """Position in metres and the axes of the file that is 0, 0, 0 of the mesh."""
    notes: list[str]
    """Parts of the file that were not read, a sentence each."""

    def bake(
        self, settings: AnySettings = None, *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> NavMesh:
        """Makes a navigation mesh. The arguments are those of :func:`waymesh.bake`; areas of the settings precede :attr:`areas`."""
        entries, areas = self._entries(settings), self.triangle_areas
        return bake(self.vertices, self.triangles, entries, triangle_areas=areas, progress=progress, cancel=cancel)

    def world(self, settings: AnySettings = None, *, tile_cells: int = 48) -> World:
        """Returns a world with the triangles in it, for obstacles that come and go. Its first update bakes it."""
        entries = self._entries(settings)
        placed = np.asarray(from_origin(self.vertices[np.isfinite(self.vertices).all(axis=1)], entries.get("origin")))
        world = World(placed.min(axis=0).tolist(), placed.max(axis=0).tolist(), entries, tile_cells=tile_cells)
        world.add_triangles(self.vertices, self.triangles, self.triangle_areas)
        return world

    def _entries(self, settings: AnySettings) -> dict[str, Any]:
        entries = entries_of(settings)
        areas = {number: area._entries() for number, area in self.areas.items()}
        given = entries.get("areas", {})
        if not isinstance(given, Mapping):
            raise ConfigError(f"settings: areas must be a dictionary of areas by number, not {type(given).__name__}")
        return {**entries, "areas": {**areas, **given}}


class Parts:
    """Collector of the bodies of a scene, in metres and the axes of the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.vertices: list[Floats] = []
        self._triangles: list[NDArray[np.int64]] = []
        self._areas: list[NDArray[np.int64]] = []
        self._elements: dict[str, int] = {}
        self._of: list[NDArray[np.int64]] = []
        self._names: list[str] = []
        self._triangle_count = self._vertex_count = 0

    def area(self, name: str | None) -> int:
        """Returns the number of an area by its name, None for plain ground."""
        if name == BLOCKED:
            return 0
        if not name:
            return 1
        if not isinstance(name, str):
            raise InputError(f"{self.file}: area_of names the area {name!r}, but must name it by a text, 'blocked' or None")
        if name not in self._names:
            self._names.append(name)
            if len(self._names) > 254:
                raise FileError(f"{self.file}: area {name!r} is one more than 254, the most of a scene: join some of them")
        return 2 + self._names.index(name)

    def check(self, triangles: int, element: str) -> None:
        """Counts triangles of an element, before they take memory. Raises :class:`FileError` past 50 million of a scene."""
        self._triangle_count += triangles
        if self._triangle_count > _MAX_TRIANGLES:
            raise FileError(f"{self.file}: {element} is past {_MAX_TRIANGLES:,} triangles, the most of a scene: leave some out")

    def add(self, element: str, body: Body, areas: ArrayLike) -> None:
        """Adds a body with the number of its area, or one for each triangle."""
        check_cancelled()
        vertices, faces = body
        if len(faces) == 0:
            return
        self.vertices.append(vertices)
        self._triangles.append(faces + self._vertex_count)
        self._areas.append(np.broadcast_to(np.asarray(areas, dtype=np.int64), len(faces)))
        self._of.append(np.full(len(faces), self._elements.setdefault(element, len(self._elements))))
        self._vertex_count += len(vertices)

    def require(self, text: str, notes: Iterable[str]) -> None:
        """Raises :class:`FileError` if there are no bodies, with the first notes, which may say why."""
        if not self.vertices:
            raise FileError("; ".join([f"{self.file}: {text}", *list(notes)[:3]]))

    def joined(self, place: Callable[[Floats], Floats] = lambda vertices: vertices) -> dict[str, Any]:
        """Returns the fields of a :class:`Scene` up to its areas, with vertices moved by ``place``."""
        return {
            "vertices": place(np.concatenate(self.vertices)),
            "triangles": np.concatenate(self._triangles).astype(np.uint32),
            "triangle_areas": np.concatenate(self._areas).astype(np.uint8),
            "triangle_elements": np.concatenate(self._of).astype(np.uint32),
            "elements": list(self._elements),
            "areas": {2 + number: Area(name) for number, name in enumerate(self._names)},
        }


def of_trimesh(scene: Any, area_of: Mapping[str, str]) -> Scene:
    """Returns a ``trimesh.Scene`` with the areas of its geometries by patterns of their nodes, names and materials."""
    if not hasattr(scene, "graph"):
        raise InputError(f"area_of needs a trimesh.Scene, whose nodes have names, not {type(scene).__name__}")
    parts, area_of = Parts("the scene of trimesh"), rules("area_of", area_of)
    for node in scene.graph.nodes_geometry:
        place, name = scene.graph[node]
        body = scene.geometry[name]
        if not hasattr(body, "faces"):
            continue
        names = [node, name, getattr(getattr(body.visual, "material", None), "name", None)]
        area = next(filter(None, (matching(area_of, it) for it in names if it)), None)
        faces = np.asarray(body.faces, dtype=np.int64)
        if np.linalg.det(place[:3, :3]) < 0:
            faces = faces[:, ::-1]
        parts.check(len(faces), node)
        parts.add(node, (body.vertices @ place[:3, :3].T + place[:3, 3], faces), parts.area(area))
    if not parts.vertices:
        raise InputError("the scene of trimesh has no faces")
    return Scene(**parts.joined(), origin=np.zeros(3), notes=[])


def origin_of(bodies: Iterable[Floats], given: ArrayLike | None) -> Floats:
    """Returns a given origin. Without one: the lowest corner of all bodies in whole metres if they are far from 0, 0, 0, else that."""
    if given is not None:
        return np.array(numbers("origin", given, 3))
    finite = [body[np.isfinite(body).all(axis=1)] for body in bodies]
    lowest = np.min([body.min(axis=0) for body in finite if len(body)] or [[0.0] * 3], axis=0)
    return np.floor(lowest) if np.abs(lowest).max() > _FAR else np.zeros(3)


def matching(rules: Mapping[str, str], name: str) -> str | None:
    """Returns the value of the first pattern (``*``, ``?``, ``[..]``) that a name matches."""
    return next((value for pattern, value in rules.items() if fnmatchcase(name, pattern)), None)
