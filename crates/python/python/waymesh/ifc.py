"""Buildings of IFC files: triangles, storeys, spaces, doors and lifts. Needs ifcopenshell: ``pip install waymesh[ifc]``.

>>> building = waymesh.ifc.load("school.ifc")  # doctest: +SKIP
>>> mesh = building.bake(waymesh.Settings(agent="wheelchair"))  # doctest: +SKIP

Positions are those of the mesh: metres, y up, ``(x, z, -y)`` of the file, less :attr:`Building.origin`.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import from_z_up
from ._checks import path_of, shown
from ._bake import AnySettings
from ._errors import FileError, InputError, QueryError
from ._scene import BLOCKED, Parts, Scene, origin_of
from ._shapes import Body, Floats
from ._types import Progress
from ._waymesh import CancelToken, NavMesh, check_cancelled
from .settings import Box, Mark, Prism, Shape, entries_of

AreaOf = Callable[[Any, Mapping[str, Mapping[str, Any]]], str | None]
"""Is called with an element of ifcopenshell and its property sets; returns the name of an area, ``"blocked"``, or None for the default."""

_LEFT_OUT = ("IfcSpace", "IfcFeatureElement", "IfcVirtualElement", "IfcAnnotation", "IfcGrid", "IfcDoor", "IfcSpatialZone")
_NOT_WALKED_ON = (
    *("IfcWall", "IfcColumn", "IfcBeam", "IfcMember", "IfcPlate", "IfcCurtainWall", "IfcWindow", "IfcRailing"),
    *("IfcFurnishingElement", "IfcDistributionElement", "IfcTransportElement"),
)
_MOVING = ("ESCALATOR", "MOVINGWALKWAY")
_AREAS = {"IfcStair": "stairs", "IfcStairFlight": "stairs", "IfcRamp": "ramp", "IfcRampFlight": "ramp"}
_LARGEST_CELL = 0.3
"""Size of cells for which doorways are cut, if the settings have none."""
_LANDING = 2.0
"""How far from the middle of a lift, in metres, ground in front of it may begin."""


@dataclass(frozen=True)
class Storey:
    """A storey: its name, and the height of its floor."""

    name: str
    elevation: float


@dataclass(frozen=True, eq=False)
class Space:
    """A room. ``floor`` has the triangles of its lower side, (n, 3, 3); ``height`` is that of its body."""

    id: str
    name: str
    long_name: str
    storey: str
    floor: Floats
    height: float

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points lie in the room: over its floor or at most a step below it, and lower than its ceiling."""
        try:
            given, points = points, np.atleast_2d(np.asarray(points, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            given, points = points, np.empty(0)
        if points.shape[1:] != (3,):
            raise InputError(f"points are {shown(given)}, but must be numbers of shape (3,) or (n, 3)")
        a, b, c = (self.floor[None, :, i] - points[:, None] for i in range(3))
        sides = np.stack([u[..., 0] * v[..., 2] - u[..., 2] * v[..., 0] for u, v in ((a, b), (b, c), (c, a))])
        over = np.all(sides >= 0, axis=0) | np.all(sides <= 0, axis=0)
        rise = -a[..., 1]
        inside: NDArray[np.bool_] = np.any(over & (rise > -0.5) & (rise < self.height), axis=1)
        return inside


@dataclass(frozen=True, eq=False)
class Door:
    """A door: the middle of its sill, the direction through it, and its measures in metres. ``thickness`` is that of leaf and frame."""

    id: str
    name: str
    storey: str
    centre: Floats
    through: Floats
    width: float
    height: float
    thickness: float
    fire_rating: str
    is_external: bool


@dataclass(frozen=True, eq=False)
class Lift:
    """A lift: the middle of its body at every storey that it reaches, from below, and the corners of the body's bounds."""

    id: str
    name: str
    stops: Floats
    bounds: Floats


@dataclass(eq=False)
class Building(Scene):
    """The result of :func:`load`. Its elements are GlobalIds."""

    storeys: list[Storey]
    spaces: list[Space]
    doors: list[Door]
    lifts: list[Lift]
    unlinked: list[str] = field(default_factory=list)
    """Doors and lifts of which the last bake made no link, a sentence each."""

    def space_at(self, point: ArrayLike) -> Space | None:
        """The first room in which a point lies."""
        return next((space for space in self.spaces if space.contains(point)[0]), None)

    def bake(
        self,
        settings: AnySettings = None,
        *,
        door_links: bool = False,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> NavMesh:
        """Makes a navigation mesh of the building.

        Doors stand open. With ``door_links`` the ground ends at each, and a link of the kind ``door`` leads through those that are
        wide and high enough for the agent; its ``data`` is the place of the door in :attr:`doors`. So
        :meth:`waymesh.NavMesh.with_link_open` closes a door, and ``link_costs`` of queries avoids some. The link is as wide as the
        door, or as its widest part in front of which the ground is one polygon: a wider disc does not take it. Lifts become links of
        the kind ``lift`` from storey to storey, which serve every disc; their ``data`` is the place in :attr:`lifts`. What is too
        narrow or too low, or has no ground in front of it, is a line in :attr:`unlinked`.
        """
        self.unlinked.clear()
        entries = entries_of(settings)
        depths = [max(1.5 * entries.get("cell_size", _LARGEST_CELL), door.thickness) for door in self.doors]
        # Agents wait in front of a lift, not in it.
        cuts: list[Shape] = [Box(min=lift.bounds[0].tolist(), max=lift.bounds[1].tolist()) for lift in self.lifts]
        if door_links:
            cuts += [_doorway(door, depth) for door, depth in zip(self.doors, depths)]
        entries["marks"] = [*entries.get("marks", []), *(Mark(cut, BLOCKED)._entries() for cut in cuts)]
        mesh = super().bake(entries, progress=progress, cancel=cancel)
        radius, height = mesh.agent["radius"], mesh.agent["height"]
        reach = radius + 2 * mesh.cell_size
        for number, (door, depth) in enumerate(zip(self.doors, depths)):
            if not door_links:
                continue
            if door.width < 2 * radius or door.height < height:
                size = f"{door.width:g} m wide and {door.height:g} m high"
                self.unlinked.append(f"door {door.name!r} is {size}: the agent needs {2 * radius:g} m and {height:g} m")
                continue
            mesh = self._link(mesh, "door", number, door.name, _sills(mesh, door, depth, reach))
        for number, lift in enumerate(self.lifts):
            for stops in zip(lift.stops, lift.stops[1:]):
                ends = mesh.snap(np.array(stops), reach=(_LANDING + reach, 0.5, _LANDING + reach))
                is_linked = not (np.isnan(ends).any() or np.allclose(*ends))
                mesh = self._link(mesh, "lift", number, lift.name, ends if is_linked else None)
        return mesh

    def _link(self, mesh: NavMesh, kind: str, number: int, name: str, ends: NDArray[Any] | None) -> NavMesh:
        """The mesh with a link between two ends, or a line in :attr:`unlinked` without."""
        # A segment of a cell may be rounded to a point, which is no end: one of two cells is not, unless the polygon is as thin.
        tries = [] if ends is None else [ends] if ends.ndim == 2 else [ends, 2 * ends - ends.mean(axis=1, keepdims=True)]
        for start, end in tries:
            with suppress(QueryError):
                return mesh.with_link(start, end, kind=kind, data=number)
        self.unlinked.append(f"{kind} {name!r} has no ground on both sides")
        return mesh


def load(
    file: str | PathLike[str],
    *,
    area_of: AreaOf | None = None,
    origin: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Building:
    """Reads a building of an IFC file (2x3, 4, 4.3; lengths of any unit become metres).

    Slabs, coverings of floors, stairs, ramps, roofs, sites and what has no class of its own are walked on; stairs and ramps have
    areas of these names. Walls, columns, railings, windows, furniture and equipment stand in the way and are never walked on.
    ``area_of`` may choose otherwise by class and property sets:

    >>> def area_of(element, properties):
    ...     wet = properties.get("Pset_SlabCommon", {}).get("Reference") == "wet room"
    ...     return "wet" if wet else None

    ``origin``, in metres and the axes of the file, becomes 0, 0, 0: without it, a building more than 10 km from the origin of its
    file gets the corner of its bounds in whole metres.
    """
    try:
        import ifcopenshell.geom
    except ImportError as error:
        raise FileError("IFC files are read by ifcopenshell: pip install waymesh[ifc]") from error
    if area_of is not None and not callable(area_of):
        raise InputError(f"area_of must be a function of an element and its properties, not {type(area_of).__name__}")
    path = path_of(file)
    try:
        model: Any = ifcopenshell.open(path)
    except (OSError, RuntimeError, ifcopenshell.Error) as error:
        raise FileError(f"{path}: {error}") from error
    return _Reader(path, model, area_of).read(origin, progress)


class _Reader:
    def __init__(self, file: str, model: Any, area_of: AreaOf | None) -> None:
        import ifcopenshell.util.unit

        self.file, self.model, self.area_of = file, model, area_of
        self.unit = float(ifcopenshell.util.unit.calculate_unit_scale(model))
        self.notes: list[str] = []
        self.parts = Parts(file)

    def read(self, origin: ArrayLike | None, progress: Progress | None) -> Building:
        bodies = self.bodies(progress)
        if not bodies:
            self.parts.require("no element has a shape: export the building with its geometry", self.notes)
        self.origin = origin_of((vertices for vertices, _ in bodies.values()), origin)
        self.shapes = {key: (from_z_up(vertices - self.origin), faces) for key, (vertices, faces) in bodies.items()}
        for key, body in self.shapes.items():
            element = self.model.by_id(key)
            area = self.area(element)
            if area is not None:
                self.parts.add(element.GlobalId, body, area)
        self.parts.require("no element is ground or stands on it: choose some with area_of", self.notes)
        storeys = sorted(self.storeys(), key=lambda storey: storey.elevation)
        return Building(
            **self.parts.joined(),
            origin=self.origin,
            notes=self.notes,
            storeys=storeys,
            spaces=[self.space(element) for element in self.with_shape("IfcSpace")],
            doors=[door for element in self.with_shape("IfcDoor") if (door := self.door(element))],
            lifts=self.lifts(storeys),
        )

    def bodies(self, progress: Progress | None) -> dict[int, Body]:
        """Vertices in metres and triangles of all elements that have a shape, by their number in the file."""
        import ifcopenshell.geom

        settings = ifcopenshell.geom.settings()
        settings.set("use-world-coords", True)
        excluded = self.model.by_type("IfcOpeningElement") + self.model.by_type("IfcAnnotation")
        threads = multiprocessing.cpu_count()
        shapes: Any = ifcopenshell.geom.iterator(settings, self.model, threads, exclude=excluded or None)
        found = {}
        is_there = shapes.initialize()
        while is_there:
            check_cancelled()
            shape = shapes.get()
            geometry = shape.geometry
            vertices = np.asarray(geometry.verts, dtype=np.float64).reshape(-1, 3)
            faces = np.asarray(geometry.faces, dtype=np.int64).reshape(-1, 3)
            if len(faces) > 0:
                found[int(shape.id)] = (vertices, faces)
            if progress is not None:
                progress("shapes", shapes.progress() / 100)
            is_there = shapes.next()
        for element in self.model.by_type("IfcProduct"):
            has_shape = getattr(element, "Representation", None)
            if has_shape and element.id() not in found and not _is_any(element, _LEFT_OUT):
                self.notes.append(f"{element.is_a()} {element.Name!r} ({element.GlobalId}) has no shape that can be made")
        return dict(sorted(found.items()))

    def area(self, element: Any) -> int | None:
        """The area of an element: 0 for what is not walked on, None for what does not stand there."""
        chosen = self.area_of(element, _properties(element)) if self.area_of else None
        if chosen is None:
            if _is_any(element, _LEFT_OUT):
                return None
            name = next((name for kind, name in _AREAS.items() if element.is_a(kind)), "")
            is_ceiling = element.is_a("IfcCovering") and getattr(element, "PredefinedType", None) != "FLOORING"
            is_walked_on = not (_is_any(element, _NOT_WALKED_ON) or is_ceiling) or _kind(element) in _MOVING
            chosen = name if is_walked_on else BLOCKED
        return self.parts.area(chosen)

    def with_shape(self, kind: str) -> list[Any]:
        return [element for element in self.model.by_type(kind) if element.id() in self.shapes]

    def storeys(self) -> list[Storey]:
        import ifcopenshell.util.placement

        elevation = ifcopenshell.util.placement.get_storey_elevation
        found = self.model.by_type("IfcBuildingStorey")
        return [Storey(_name(storey), float(elevation(storey) * self.unit - self.origin[2])) for storey in found]

    def space(self, element: Any) -> Space:
        vertices, faces = self.shapes[element.id()]
        corners = vertices[faces]
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        floor = corners[across[:, 1] < -1e-9 * np.abs(across).max()]
        height = float(np.ptp(vertices[:, 1]))
        return Space(element.GlobalId, _name(element), element.LongName or "", _storey(element), floor, height)

    def door(self, element: Any) -> Door | None:
        import ifcopenshell.util.placement

        vertices, _ = self.shapes[element.id()]
        axes = np.asarray(ifcopenshell.util.placement.get_local_placement(element.ObjectPlacement))[:3, :3]
        along, through = from_z_up(axes.T[:2])
        if min(np.linalg.norm(axis[[0, 2]]) for axis in (along, through)) < 0.5:
            self.notes.append(f"IfcDoor {element.Name!r} ({element.GlobalId}) lies flat: it is no door to walk through")
            return None
        along, through = (axis * [1, 0, 1] / np.linalg.norm(axis * [1, 0, 1]) for axis in (along, through))
        spans = [vertices @ axis for axis in (along, through)]
        middle = sum((span.min() + span.max()) / 2 * axis for span, axis in zip(spans, (along, through)))
        common = _properties(element).get("Pset_DoorCommon", {})
        low, high = vertices[:, 1].min(), vertices[:, 1].max()
        return Door(
            element.GlobalId,
            _name(element),
            _storey(element),
            middle + [0.0, low, 0.0],
            through,
            (element.OverallWidth or 0) * self.unit or float(np.ptp(spans[0])),
            (element.OverallHeight or 0) * self.unit or float(high - low),
            float(np.ptp(spans[1])),
            str(common.get("FireRating") or ""),
            bool(common.get("IsExternal")),
        )

    def lifts(self, storeys: list[Storey]) -> list[Lift]:
        lifts = []
        for element in self.with_shape("IfcTransportElement"):
            if _kind(element) != "ELEVATOR":
                continue
            vertices, _ = self.shapes[element.id()]
            low, high = vertices.min(axis=0), vertices.max(axis=0)
            middle = (low + high) / 2
            heights = [storey.elevation for storey in storeys if low[1] - 0.5 < storey.elevation < high[1]]
            stops = np.array([[middle[0], height, middle[2]] for height in heights])
            lift = Lift(element.GlobalId, _name(element), stops, np.array([low - [0, 0.5, 0], high]))
            if len(heights) < 2:
                self.notes.append(f"lift {lift.name!r} reaches {len(heights)} storeys: its body has to reach those where it stops")
            lifts.append(lift)
        return lifts


def _kind(element: Any) -> str:
    """What an element for transport is: the attribute has another name in IFC 2x3."""
    return str(getattr(element, "PredefinedType", None) or getattr(element, "OperationType", None) or "")


def _is_any(element: Any, kinds: tuple[str, ...]) -> bool:
    return any(element.is_a(kind) for kind in kinds)


def _name(element: Any) -> str:
    return str(element.Name or element.GlobalId)


def _storey(element: Any) -> str:
    import ifcopenshell.util.element

    above, holder = ifcopenshell.util.element, element
    # Parts of a room, or of an element, are on the storey of the whole.
    while holder is not None and not holder.is_a("IfcBuildingStorey"):
        holder = above.get_container(holder) or above.get_aggregate(holder)
    return "" if holder is None else _name(holder)


def _properties(element: Any) -> dict[str, dict[str, Any]]:
    import ifcopenshell.util.element

    return dict(ifcopenshell.util.element.get_psets(element))


def _sills(mesh: NavMesh, door: Door, depth: float, reach: float) -> Floats | None:
    """The segments on both sides of a door that its link joins, (2, 2, 3): as wide as the door leaves the agent. None without ground.

    Each lies on one polygon, at most twice ``reach`` away: the link is narrower than the door where polygons part in front of it.
    """
    cell, along = mesh.cell_size, _along(door)
    # Ends are rounded to cells. The link must not be wider than the door.
    half = max((door.width - cell) / 2 - mesh.agent["radius"], cell)
    across = np.linspace(-half, half, 2 * math.ceil(2 * half / cell) + 1)
    away = depth / 2 + np.arange(0, 2 * reach + cell / 2, cell / 2)
    runs = []
    for side in (-1.0, 1.0):
        points = door.centre + side * away[:, None, None] * door.through + across[:, None] * along
        polygons = mesh.polygon_at(points.reshape(-1, 3), reach=(0.0, 0.5, reach)).reshape(len(away), -1)
        runs.append(np.array([(row, *run) for row, ids in enumerate(polygons) for run in _runs(ids)], dtype=np.int64).reshape(-1, 3))
    (near, first, last), (far, begin, end) = runs[0].T[:, :, None], runs[1].T[:, None]
    low, high, rows = np.maximum(first, begin), np.minimum(last, end), near + far
    if not rows.size or (high - low).max() * (across[1] - across[0]) < cell:
        return None
    # The widest part that both sides have, and of equals the nearest to the door.
    best = np.unravel_index(np.lexsort([rows.ravel(), (low - high).ravel()])[0], rows.shape)
    sides = [(side * away[of[at, 0]]) * door.through for side, of, at in zip((-1.0, 1.0), runs, best)]
    ends: Floats = np.array([[door.centre + side + across[at[best]] * along for at in (low, high)] for side in sides])
    return ends


def _runs(polygons: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The first and the last place of each run of one polygon."""
    places = groupby(range(len(polygons)), key=lambda place: int(polygons[place]))
    for polygon, run in places:
        first, *others = run
        if polygon >= 0:
            yield first, others[-1] if others else first


def _along(door: Door) -> Floats:
    return np.array([-door.through[2], 0.0, door.through[0]])


def _doorway(door: Door, depth: float) -> Prism:
    """What is cut out for a door: its width and height, ``depth`` through the wall."""
    along = _along(door) * door.width / 2
    through = door.through * depth / 2
    corners = [door.centre + a * along + b * through for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    heights = (float(door.centre[1]) - 0.5, float(door.centre[1]) + door.height)
    return Prism(corners=[corner[[0, 2]].tolist() for corner in corners], heights=heights)
