"""Worlds and models of Gazebo (SDFormat) and robots of ROS (URDF). Files of meshes need trimesh: ``pip install waymesh[sdf]``.

>>> site = waymesh.sdf.load("warehouse.world", model_paths=["models"])  # doctest: +SKIP
>>> world = site.world(waymesh.Settings(agent="robot:0.3"))  # doctest: +SKIP
>>> numbers = [world.add_mesh_obstacle(*obstacle.at()) for obstacle in site.obstacles]  # doctest: +SKIP

Positions are those of the mesh: metres, y up, ``(x, z, -y)`` of the file, less :attr:`Site.origin`.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, cos, radians, sin
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlparse
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import from_z_up
from ._checks import choice, listed, number, path_of, rules, shown
from ._errors import FileError, InputError
from ._scene import Parts, Scene, matching, origin_of
from ._shapes import Body, Floats, box, capsule, cylinder, plane, prism, transformed

AreaOf = Callable[[str], str | None] | Mapping[str, str]
"""The areas of ``model::link::shape``: a function of this name, or names by patterns. None is plain ground, ``"blocked"`` no ground."""

_MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH")
_MAX_DEPTH = 16
"""Most models within one another, with those of included files."""
_MAX_MODELS = 20_000
"""Most models of a file, which take 4 s to read: with includes, a small one can name any number."""
_MAX_SIZE = 1e30
"""Longest side of a shape in metres: products of three are finite."""
_TRUE = ("true", "1")
_BUILT_IN = {
    "sun": "<model name='sun'/>",
    "ground_plane": "<model name='ground_plane'><static>1</static><link name='link'><collision name='collision'>"
    "<geometry><plane/></geometry></collision></link></model>",
}
"""Models that Gazebo brings along or downloads, which most worlds include, for machines without them."""

_SOLIDS: dict[str, Callable[[Any], Body]] = {
    "box": lambda value: box(value("size", 3)),
    "sphere": lambda value: capsule(value("radius")[0], 0.0),
    "ellipsoid": lambda value: transformed(capsule(1.0, 0.0), np.diag([*value("radii", 3), 1.0])),
    "cylinder": lambda value: cylinder(value("radius")[0], value("length")[0]),
    "cone": lambda value: cylinder(value("radius")[0], value("length")[0], 0.0),
    "capsule": lambda value: capsule(value("radius")[0], value("length")[0]),
}

__all__ = ["AreaOf", "Obstacle", "Scene", "Site", "load"]


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A link that moves. ``vertices``, (n, 3), are in its own axes, ``pose``, (4, 4), and ``origin`` in those of the file."""

    name: str
    vertices: Floats
    triangles: NDArray[np.uint32]
    pose: Floats
    origin: Floats

    def at(self, pose: ArrayLike | None = None) -> tuple[Floats, NDArray[np.uint32]]:
        """Returns vertices and triangles for :meth:`waymesh.World.add_mesh_obstacle` at a pose, (4, 4), in the axes of the file."""
        try:
            matrix = self.pose if pose is None else np.asarray(pose, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            matrix = np.empty(0)
        if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
            raise InputError(f"the pose of {self.name!r} is {shown(pose)}, but must be finite numbers of shape (4, 4)")
        return from_z_up(self.vertices @ matrix[:3, :3].T + matrix[:3, 3] - self.origin), self.triangles


@dataclass(eq=False)
class Site(Scene):
    """The result of :func:`load`. Its elements are names of models, with ``::`` between those within one another."""

    obstacles: list[Obstacle]
    """Links that move and are not in the triangles."""


def load(
    file: str | PathLike[str],
    *,
    model_paths: Sequence[str | PathLike[str]] = (),
    area_of: AreaOf | None = None,
    geometry: Literal["collision", "visual"] = "collision",
    moving: Literal["obstacle", "ground"] = "obstacle",
    plane_size: float = 100.0,
    missing: Literal["refuse", "note"] = "refuse",
    origin: ArrayLike | None = None,
) -> Site:
    """Reads the first world of an SDF file, or its models, or a URDF file. Joints stand at 0.

    - ``model_paths`` are folders of models and packages, before those of the variables ``GZ_SIM_RESOURCE_PATH``,
      ``GAZEBO_MODEL_PATH`` and ``ROS_PACKAGE_PATH``, and those around the file. Nothing is downloaded: ``https://`` looks there for
      the name of its model.
    - ``area_of`` chooses areas: ``{"*::lawn::*": "grass"}`` by ``model::link::shape``, or a function of this name.
    - ``geometry`` is preferred; the other kind is read where a model has none of it.
    - Links that move are :attr:`Site.obstacles`, with ``moving="ground"`` triangles: those of models that are not static, unless fixed
      joints hold them to the world, and those of URDF behind a joint that is not fixed.
    - Planes without a size have sides of ``plane_size`` metres.
    - Files that are absent are an error, with ``missing="note"`` a line in :attr:`Scene.notes`.
    - ``origin``, in metres and the axes of the file, becomes 0, 0, 0. Without it, a site more than 10 km from the origin of its file
      gets the corner of its bounds in whole metres.

    Raises :class:`waymesh.FileError`, which names the file and the element.
    """
    path, area_of = Path(path_of(file)), rules("area_of", area_of)
    choice("geometry", geometry, ("collision", "visual"))
    choice("moving", moving, ("obstacle", "ground"))
    choice("missing", missing, ("refuse", "note"))
    plane_size = number("plane_size", plane_size, 0.0, _MAX_SIZE, " m")
    set_ = [name for variable in _MODEL_PATHS for name in os.environ.get(variable, "").split(os.pathsep) if name]
    around = [folder / name for folder in list(path.absolute().parents)[:4] for name in ("", "models")]
    folders = [Path(path_of(folder)) for folder in (*listed("model_paths", model_paths), *set_, *around)]
    return _Reader(path, folders, area_of, geometry, moving, plane_size, missing == "refuse").read(origin)


class _Scope:
    """A world or a model, with the models in it, and the poses of its frames."""

    def __init__(self, where: str, element: Element, folder: Path, children: dict[str, _Scope]) -> None:
        self.where, self.element, self.folder, self.children = where, element, folder, children
        self.frames: dict[str, tuple[str, Floats]] = {}
        self.rigid: list[tuple[str, str]] = []
        is_robot = element.tag == "robot"
        for link in element.findall("link"):
            self.frames[link.get("name", "")] = self.posed(link, "")
        for frame in element.findall("frame"):
            name, holder = frame.get("name", ""), frame.get("attached_to", "")
            self.frames[name] = self.posed(frame, holder)
            self.rigid.append((holder, name))
        for joint in element.findall("joint"):
            parent, child = _end(joint, "parent"), _end(joint, "child")
            # The pose of a joint of URDF is that of its child, which has none.
            self.frames[child if is_robot else joint.get("name", "")] = self.posed(joint, parent if is_robot else child)
            if joint.get("type") == "fixed":
                self.rigid.append((parent, child))
        if is_robot:
            self.rigid += [("world", name) for name, (base, _) in self.frames.items() if not base]
        for name, scope in children.items():
            base, matrix = self.posed(scope.element, "")
            self.frames[name] = base, matrix @ np.linalg.inv(scope.pose(scope.element.get("placement_frame", "")))

    def posed(self, element: Element, base: str) -> tuple[str, Floats]:
        """Returns the frame that the pose of an element is relative to, and the pose."""
        pose, origin, where = element.find("pose"), element.find("origin"), f"{self.where}: pose of {element.get('name')!r}"
        if origin is not None:
            return base, _pose(f"{origin.get('xyz', '0 0 0')} {origin.get('rpy', '0 0 0')}", False, where)
        if pose is None or not (pose.text or "").strip():
            return (base if pose is None else pose.get("relative_to") or base), np.eye(4)
        return pose.get("relative_to") or base, _pose(pose.text, pose.get("degrees") in _TRUE, where)

    def pose(self, name: str) -> Floats:
        """Returns the pose of a frame in the scope."""
        matrix, seen = np.eye(4), set[str]()
        while name not in ("", "world", "__model__"):
            first, _, rest = name.partition("::")
            if rest and first in self.children:
                name, own = first, self.children[first].pose(rest)
            elif name in seen or name not in self.frames:
                raise FileError(f"{self.where}: frame {name!r} is {'relative to itself' if name in seen else 'absent'}")
            else:
                seen.add(name)
                name, own = self.frames[name]
            matrix = own @ matrix
        return matrix

    def held(self, names: set[str]) -> set[str]:
        """Returns names of links and frames, and those that fixed joints hold to them."""
        ends = [*self.rigid, *(pair[::-1] for pair in self.rigid)]
        while more := {b for a, b in ends if a in names} - names - {""}:
            names = names | more
        return names


@dataclass
class _Reader:
    file: Path
    folders: list[Path]
    area_of: AreaOf | None
    geometry: str
    moving: str
    plane_size: float
    refuses: bool
    notes: dict[str, None] = field(default_factory=dict)
    obstacles: list[tuple[str, Body, Floats]] = field(default_factory=list)
    meshes: dict[Path, list[tuple[tuple[str, str], Body]]] = field(default_factory=dict)
    model_count: int = 0

    def read(self, origin: ArrayLike | None) -> Site:
        self.parts = Parts(str(self.file))
        root = _parsed(self.file)
        if root.tag == "robot":
            root, robot = Element("sdf"), root
            root.append(robot)
        top = next(iter(root.findall("world")), root)
        self.notes |= {f"world {other.get('name')!r} is not the first and was not read": None for other in root.findall("world")[1:]}
        kinds = ("actor", "population", "road")
        self.notes |= {f"{child.tag} {child.get('name')!r} was not read": None for child in top if child.tag in kinds}
        scope = self.scope(top, self.file, 0)
        for model in top.findall("state/model"):
            # A state that Gazebo saved precedes the poses of the models.
            if model.get("name") in scope.frames and model.find("pose") is not None:
                scope.frames[model.get("name", "")] = scope.posed(model, "")
        self.add(scope, np.eye(4), "", {"world"}, False)
        bodies = [transformed(body, pose)[0] for _, body, pose in self.obstacles]
        moving = f": {len(bodies)} shapes move, see moving='ground'" if bodies else ""
        self.parts.require(f"no model has a shape that is ground{moving}", self.notes)
        place = origin_of([*self.parts.vertices, *bodies], origin)
        obstacles = [
            Obstacle(name, vertices, faces.astype(np.uint32), pose, place) for name, (vertices, faces), pose in self.obstacles
        ]
        fields = self.parts.joined(lambda vertices: from_z_up(vertices - place))
        return Site(**fields, origin=place, notes=list(self.notes), obstacles=obstacles)

    def scope(self, element: Element, file: Path, depth: int) -> _Scope:
        """Returns a world or model with all models in it, also those of other files."""
        where = f"{file}: {element.tag} {element.get('name', '')!r}"
        self.model_count += 1
        if depth > _MAX_DEPTH or self.model_count > _MAX_MODELS:
            raise FileError(f"{where}: at most {_MAX_DEPTH} models within one another and {_MAX_MODELS:,} in all are read")
        models = [(model, file) for model in [*element.findall("model"), *element.findall("robot")]]
        models += [found for include in element.findall("include") if (found := self.included(include, where, file.parent))]
        children: dict[str, _Scope] = {}
        for model, of in models:
            name = model.get("name", "")
            children[f"{name}_{len(children)}" if name in children else name] = self.scope(model, of, depth + 1)
        return _Scope(where, element, file.parent, children)

    def included(self, include: Element, where: str, folder: Path) -> tuple[Element, Path] | None:
        """Returns the model that an element includes, with the changes of the element, and its file."""
        uri = _text(include, "uri")
        built_in = _BUILT_IN.get(unquote(uri).rpartition("/")[2].lower().replace(" ", "_"))
        path = self.found(uri, folder, f"{where}: include", built_in is None)
        if path is None and built_in is None:
            return None
        if path is not None and path.is_dir():
            versions = _parsed(path / "model.config").findall("sdf") if (path / "model.config").exists() else []
            versions.sort(key=lambda sdf: [int(part) for part in sdf.get("version", "").split(".") if part.isdecimal()])
            path /= (versions[-1].text or "").strip() if versions else "model.sdf"
        root = _parsed(path or Path(uri), None if path else built_in)
        model = root if root.tag in ("robot", "model") else root.find("model")
        if model is None:
            self.notes[f"{where}: include: {path} has no model"] = None
            return None
        changes = {child.tag: child for child in include if child.tag in ("pose", "static")}
        held = _text(include, "placement_frame") or ("" if "pose" in changes else model.get("placement_frame", ""))
        name = _text(include, "name") or model.get("name", "")
        changed = Element(model.tag, {"name": name, "placement_frame": held})
        changed.extend([*changes.values(), *(child for child in model if child.tag not in changes)])
        return changed, path or folder / uri

    def add(self, scope: _Scope, pose: Floats, name: str, held: set[str], is_static: bool) -> None:
        """Adds the bodies of a scope at a pose. Links that are ``held`` do not move."""
        is_static = is_static or _text(scope.element, "static") in _TRUE
        held = scope.held(held)
        kinds = ["collision", "visual"] if self.geometry == "collision" else ["visual", "collision"]
        kind = next((kind for kind in kinds if scope.element.find(f"link/{kind}/geometry") is not None), "")
        for link in scope.element.findall("link") if kind else ():
            link_name = link.get("name", "")
            at, is_fixed = scope.pose(link_name), is_static or link_name in held or self.moving == "ground"
            for shape in link.findall(kind):
                base, own = scope.posed(shape, link_name)
                label, matrix = f"{name}::{link_name}::{shape.get('name', kind)}", np.linalg.inv(at) @ scope.pose(base) @ own
                area = self.area_of(label) if callable(self.area_of) else matching(self.area_of or {}, label)
                for form in shape.iterfind("geometry/*"):
                    for body in self.bodies(form, scope.folder, label, f"{scope.where}: {form.tag} of {label!r}"):
                        self.parts.check(len(body[1]), label)
                        if is_fixed:
                            self.parts.add(name, transformed(body, pose @ at @ matrix), self.parts.area(area))
                        else:
                            self.obstacles.append((f"{name}::{link_name}", transformed(body, matrix), pose @ at))
        for child, inner in scope.children.items():
            below = {rest for first, _, rest in (full.partition("::") for full in held) if first == child and rest}
            self.add(inner, pose @ scope.pose(child), f"{name}::{child}" if name else child, below | {"world"}, is_static)

    def bodies(self, form: Element, folder: Path, label: str, where: str) -> Iterator[Body]:
        """Yields the bodies of an element of a geometry, around its origin."""

        def value(name: str, count: int = 1, default: Sequence[float] = ()) -> Sequence[float]:
            text = form.get(name) or form.findtext(name)
            low = -_MAX_SIZE if name in ("normal", "scale") else 0.0
            return default if text is None and default else _numbers(text, (count,), f"{where}: {name}", low)

        if form.tag in _SOLIDS:
            yield _SOLIDS[form.tag](value)
        elif form.tag == "polyline":
            corners = [_numbers(point.text, (2,), f"{where}: point") for point in form.findall("point")]
            if len(corners) < 3:
                raise FileError(f"{where}: {len(corners)} points are no outline")
            yield prism(corners, 0.0, *value("height"))
        elif form.tag == "plane":
            if form.find("size") is None:
                self.notes[f"plane of {label!r} has no end: {self.plane_size:g} m by {self.plane_size:g} m were read"] = None
            normal = np.array(value("normal", 3, (0.0, 0.0, 1.0)))
            across = np.cross([0.0, 0.0, 1.0], normal)
            turn = _turn(across if across.any() else np.eye(3)[0], atan2(np.linalg.norm(across), normal[2]))
            yield transformed(plane(*value("size", 2, [self.plane_size] * 2)), turn)
        elif form.tag == "mesh":
            path = self.found(form.get("filename") or _text(form, "uri"), folder, where)
            if path is not None and path not in self.meshes:
                self.meshes[path] = _mesh_of_file(path, where)
            chosen = _text(form, "submesh/name")
            found = [body for names, body in self.meshes[path] if chosen in ("", *names)] if path is not None else []
            if path is not None and not found:
                self.notes[f"{where}: {path} has no mesh {chosen!r}"] = None
            for vertices, faces in found:
                is_centred = _text(form, "submesh/center") in _TRUE
                middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2 if is_centred else np.zeros(3)
                yield transformed((vertices - middle, faces), np.diag([*value("scale", 3, [1.0] * 3), 1.0]))
        elif form.tag != "empty":
            self.notes[f"{form.tag} of {label!r} was not read"] = None

    def found(self, uri: str, folder: Path, where: str, is_needed: bool = True) -> Path | None:
        """Returns the file or folder of an address. None if it is absent and that is no error."""
        address = urlparse(uri)
        path = address.netloc + unquote(address.path)
        name = path.lstrip("/")
        if address.scheme in ("http", "https"):
            name = path.partition("/models/")[2].partition("/")[0]
        first, _, inner = name.partition("/")
        tried = [folder / path] if name and address.scheme in ("", "file") else []
        for place in self.folders if name else ():
            tried += [place / name, place / inner] if place.name == first else [place / name]
        for place in tried:
            if place.exists():
                return place
        text = f"{where}: {uri!r} is absent; tried {', '.join(dict.fromkeys(map(str, tried)))}"
        if is_needed and self.refuses:
            raise FileError(text)
        self.notes |= {text: None} if is_needed else {}
        return None


def _parsed(file: Path, text: str | None = None) -> Element:
    """Returns the root of an XML file, or of a text, as leniently as Gazebo: with any prefixes and hyphens in comments."""
    builder, parser = TreeBuilder(), expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise FileError(f"line {parser.CurrentLineNumber}: declarations of entities are not read")

    parser.buffer_text, parser.EntityDeclHandler = True, refuse
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    try:
        data = file.read_bytes() if text is None else text.encode()
        data = re.sub(rb"<!--.*?-->", lambda comment: b"\n" * comment[0].count(b"\n"), data, flags=re.DOTALL)
        parser.Parse(data.lstrip(), True)
    except (OSError, expat.ExpatError, FileError) as error:
        raise FileError(f"{file}: {error}") from error
    root: Element = builder.close()
    if any(child.tag.startswith("xacro:") for child in root.iter()):
        raise FileError(f"{file}: the file is a template: run xacro on it")
    return root


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _end(joint: Element, end: str) -> str:
    """Returns the link at an end of a joint, which is a text in SDF and an attribute in URDF."""
    found = joint.find(end)
    return "" if found is None else found.get("link") or (found.text or "").strip()


def _mesh_of_file(path: Path, where: str) -> list[tuple[tuple[str, str], Body]]:
    """Returns the bodies of a file by the names of geometry and node. As in Gazebo and RViz, files with y up are not turned."""
    try:
        import trimesh
    except ImportError as error:
        raise FileError(f"{where}: {path}: meshes are read by trimesh: pip install waymesh[sdf]") from error
    # It reports textures that are absent with tracebacks, and reads those of Collada in any case.
    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        scene = trimesh.load_scene(path, process=False, skip_materials=True)
    except Exception as error:  # Readers of trimesh raise any kind for a damaged file.
        raise FileError(f"{where}: {path}: {error}") from error
    finally:
        log.setLevel(level)
    bodies = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        part = scene.geometry[name]
        if hasattr(part, "faces"):
            # trimesh keeps the unit of Collada as a text, such as "0.01 * meters".
            unit, is_given, _ = str(part.metadata.get("units", "")).partition(" * meters")
            body = np.asarray(part.vertices, dtype=np.float64), np.asarray(part.faces, dtype=np.int64)
            scale = float(unit) if is_given else 1.0
            bodies.append(((str(name), str(node)), transformed(body, np.diag([scale, scale, scale, 1.0]) @ matrix)))
    return bodies


def _numbers(text: str | None, counts: tuple[int, ...], where: str, low: float = -_MAX_SIZE) -> list[float]:
    """Returns numbers of a text, from ``low`` to 1e30."""
    try:
        numbers = [float(word) for word in (text or "").split()]
    except ValueError:
        numbers = []
    if len(numbers) not in counts or not all(low <= number <= _MAX_SIZE for number in numbers):
        wanted = f"{counts[0]} numbers" if counts[0] > 1 else "a number"
        raise FileError(f"{where} is {text!r}, but must be {wanted} from {low:g} to {_MAX_SIZE:g}")
    return numbers


def _pose(text: str | None, is_in_degrees: bool, where: str) -> Floats:
    """Returns the matrix of a position and angles around x, then y, then z, or of a position and a quaternion."""
    numbers = _numbers(text, (6, 7), where)
    if len(numbers) == 7:
        pose = _turn(np.array(numbers[3:6]), 2 * atan2(np.linalg.norm(numbers[3:6]), numbers[6]))
    else:
        x, y, z = (_turn(axis, radians(angle) if is_in_degrees else angle) for axis, angle in zip(np.eye(3), numbers[3:]))
        pose = z @ y @ x
    pose[:3, 3] = numbers[:3]
    return pose


def _turn(axis: Floats, angle: float) -> Floats:
    """Returns the matrix, (4, 4), of a rotation around an axis."""
    cross, matrix = np.cross(np.eye(3), axis / (np.linalg.norm(axis) or 1.0)), np.eye(4)
    matrix[:3, :3] += sin(angle) * cross + (1 - cos(angle)) * cross @ cross
    return matrix
