"""Scenes of USD files: meshes, instances, solids, with areas by material. Needs usd-core: ``pip install waymesh[usd]``.

>>> scene = waymesh.usd.load("warehouse.usd", exclude=["/World/Robot*"])  # doctest: +SKIP
>>> mesh = scene.bake(waymesh.Settings(agent="robot:0.3"))  # doctest: +SKIP

Positions are those of the mesh: metres, y up, less :attr:`Scene.origin`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import from_z_up
from ._checks import listed, number, path_of, rules
from ._errors import FileError
from ._scene import Parts, Scene, matching, origin_of
from ._shapes import Body, Floats, box, capsule, cylinder, plane, transformed, triangulate

try:
    from pxr import Tf, Usd, UsdGeom, UsdShade
except ImportError:
    Usd = None

AreaOf = Callable[[Any], str | None] | Mapping[str, str]
"""The areas of prims: a function of a prim, or names by patterns of materials. None is plain ground, ``"blocked"`` is not walkable."""

_Part = tuple[str, Body, NDArray[np.int64]]
"""A path, the body of a prim, and the areas of its triangles."""
_PURPOSES = ("default", "render")
_SKINNED = "SkelBindingAPI"
_SOLIDS: dict[str, Callable[[Any], Body]] = {
    "Cube": lambda value: box([value("size")] * 3),
    "Sphere": lambda value: capsule(value("radius"), 0.0),
    "Cylinder": lambda value: cylinder(value("radius"), value("height")),
    "Cylinder_1": lambda value: cylinder(value("radiusBottom"), value("height"), value("radiusTop")),
    "Cone": lambda value: cylinder(value("radius"), value("height"), 0.0),
    "Capsule": lambda value: capsule(value("radius"), value("height")),
    "Capsule_1": lambda value: capsule(value("radiusBottom"), value("height"), value("radiusTop")),
    "Plane": lambda value: plane(*[value("width"), value("length")][:: 1 if value("axis") == "Z" else -1]),
}

__all__ = ["AreaOf", "Scene", "load"]


def load(
    file: str | PathLike[str],
    *,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    area_of: AreaOf | None = None,
    time: float | None = None,
    origin: ArrayLike | None = None,
) -> Scene:
    """Reads the scene of a USD file (.usd, .usda, .usdc, .usdz): meshes, solids and their instances, as they are composed.

    - ``include`` and ``exclude`` are patterns of prim paths (``*`` also matches ``/``), which hold for all below a prim. ``exclude``
      precedes.
    - Invisible prims and the purposes ``guide`` and ``proxy`` are left out.
    - ``area_of`` chooses areas: ``{"Grass*": "grass", "Water": "blocked"}`` by the names of bound materials, also those of
      subsets of faces, or a function of a prim (a mesh, a solid or a subset), which returns a name or None.
    - ``time`` is a time code. By default it is the first of every attribute.
    - ``origin``, in metres and the axes of the file, becomes 0, 0, 0. Without it, a scene more than 10 km from the origin of its file
      gets the corner of its bounds in whole metres.

    Subdivision surfaces are read as their cages, meshes bound to skeletons as they were bound; :attr:`Scene.notes` names these, curves,
    points and files that are absent. Elements are prim paths. Raises :class:`waymesh.FileError`, which names the file and the prim.
    """
    if Usd is None:
        raise FileError("USD files are read by usd-core: pip install waymesh[usd]")
    path, area_of = path_of(file), rules("area_of", area_of)
    at = Usd.TimeCode.EarliestTime() if time is None else Usd.TimeCode(number("time", time))
    included, excluded = listed("include", ["*"] if include is None else include), listed("exclude", exclude or [])
    try:
        stage = Usd.Stage.Open(path)
    except Tf.ErrorException as error:
        raise FileError(f"{path}: {'; '.join(part.commentary for part in error.args)}") from error
    return _Reader(path, stage, included, excluded, area_of, at).read(origin)


@dataclass
class _Reader:
    file: str
    stage: Any
    include: Sequence[str]
    exclude: Sequence[str]
    area_of: AreaOf | None
    time: Any

    def read(self, origin: ArrayLike | None) -> Scene:
        self.parts, self.remarks = Parts(self.file), Counter[str]()
        unit = UsdGeom.GetStageMetersPerUnit(self.stage)
        to_metres = np.diag([unit, unit, unit, 1.0])
        children = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
        try:
            for path, body, areas in self.bodies(self.stage.GetPseudoRoot(), to_metres, False, children):
                self.parts.add(path, body, areas)
        except RecursionError:
            raise FileError(f"{self.file}: prims are nested too deeply, or a point instancer contains itself") from None
        notes = [f"{remark} ({count})" for remark, count in self.remarks.items()]
        notes += dict.fromkeys(" ".join(str(error).split()) for error in self.stage.GetCompositionErrors())
        if not UsdGeom.StageHasAuthoredMetersPerUnit(self.stage):
            notes.append("metersPerUnit is absent: lengths are read as centimetres")
        self.parts.require("no prim has faces that are visible and included", notes)
        place = origin_of(self.parts.vertices, origin)
        has_z_up = UsdGeom.GetStageUpAxis(self.stage) == UsdGeom.Tokens.z
        fields = self.parts.joined(lambda vertices: from_z_up(vertices - place) if has_z_up else vertices - place)
        return Scene(**fields, origin=place, notes=notes)

    def bodies(self, prim: Any, above: Floats, is_included: bool, children: Any) -> Iterator[_Part]:
        """Yields the bodies of a prim and of all below it, placed by a matrix for columns."""
        path = str(prim.GetPath())
        if any(fnmatchcase(path, pattern) for pattern in self.exclude):
            return
        is_included = is_included or any(fnmatchcase(path, pattern) for pattern in self.include)
        imageable, matrix = UsdGeom.Imageable(prim), above
        if imageable and imageable.GetVisibilityAttr().Get(self.time) == UsdGeom.Tokens.invisible:
            return
        if prim.IsA(UsdGeom.Xformable):
            xform = UsdGeom.Xformable(prim)
            local = np.array(xform.GetLocalTransformation(self.time)).T
            matrix = local if xform.GetResetXformStack() else above @ local
        is_drawn = prim.IsA(UsdGeom.Boundable) and imageable.ComputePurpose() in _PURPOSES
        if prim.IsA(UsdGeom.PointInstancer):
            if is_drawn:
                yield from self.instances(UsdGeom.PointInstancer(prim), matrix, is_included)
            return
        if is_included and is_drawn:
            body = self.mesh(prim, path) if prim.IsA(UsdGeom.Mesh) else self.solid(prim)
            if body is not None:
                self.parts.check(len(body[1]), path)
                yield path, transformed(body[0], matrix), body[1]
        for child in prim.GetFilteredChildren(children):
            yield from self.bodies(child, matrix, is_included, children)

    def instances(self, instancer: Any, matrix: Floats, is_included: bool) -> Iterator[_Part]:
        # Prototypes may be of the specifier `over`, so that they are not drawn where they stand.
        children = Usd.TraverseInstanceProxies(Usd.PrimIsActive & Usd.PrimIsLoaded)
        roots = [self.stage.GetPrimAtPath(path) for path in instancer.GetPrototypesRel().GetForwardedTargets()]
        prototypes = [list(self.bodies(root, np.eye(4), is_included, children)) if root else [] for root in roots]
        indices, mask = self.array(instancer.GetProtoIndicesAttr(), np.int64), instancer.ComputeMaskAtTime(self.time)
        places = instancer.ComputeInstanceTransformsAtTime(
            self.time, self.time, UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
        )
        for number, (index, place) in enumerate(zip(indices, places)):
            if not 0 <= index < len(prototypes):
                raise FileError(f"{self.file}: {instancer.GetPath()}: instance {number} has prototype {index} of {len(prototypes)}")
            if not mask or mask[number]:
                for path, body, areas in prototypes[index]:
                    self.parts.check(len(areas), path)
                    yield path, transformed(body, matrix @ np.array(place).T), areas

    def mesh(self, prim: Any, path: str) -> tuple[Body, NDArray[np.int64]] | None:
        mesh = UsdGeom.Mesh(prim)
        points = self.array(mesh.GetPointsAttr(), np.float64).reshape(-1, 3)
        counts, corners = (self.array(of, np.int64) for of in (mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr()))
        if counts.sum() != len(corners) or counts.min(initial=0) < 0:
            raise FileError(f"{self.file}: {path}: faceVertexCounts need {counts.sum()} corners of {len(corners)}")
        if len(corners) == 0:
            return None
        if corners.min() < 0 or corners.max() >= len(points):
            raise FileError(f"{self.file}: {path}: faces name points {corners.min()} to {corners.max()} of {len(points)}")
        try:
            faces, of = triangulate(points, counts, corners)
        except ValueError as error:
            raise FileError(f"{self.file}: {path}: {error}") from error
        if mesh.GetSubdivisionSchemeAttr().Get() != UsdGeom.Tokens.none:
            self.remarks["subdivision surfaces were read as their cages"] += 1
        if _SKINNED in prim.GetAppliedSchemas():
            self.remarks["meshes that skeletons move were read as they were bound"] += 1
        areas = np.full(len(counts), self.area(prim, None))
        for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets() if self.area_of else ():
            chosen = self.array(subset.GetIndicesAttr(), np.int64)
            areas[chosen[(chosen >= 0) & (chosen < len(areas))]] = self.area(subset.GetPrim(), prim)
        is_left_handed = mesh.GetOrientationAttr().Get(self.time) == UsdGeom.Tokens.leftHanded
        is_kept = ~np.isin(of, self.array(mesh.GetHoleIndicesAttr(), np.int64))
        return (points, faces[is_kept, ::-1] if is_left_handed else faces[is_kept]), areas[of[is_kept]]

    def solid(self, prim: Any) -> tuple[Body, NDArray[np.int64]] | None:
        kind = str(prim.GetTypeName())
        if kind not in _SOLIDS:
            if prim.IsA(UsdGeom.Gprim):
                self.remarks[f"prims of the type {kind} were not read"] += 1
            return None
        def value(name: str) -> Any:
            found = prim.GetAttribute(name).Get(self.time)
            if isinstance(found, float) and not 0.0 <= found < np.inf:
                raise FileError(f"{self.file}: {prim.GetPath()}: {name} is {found:g}, but must be finite and 0 or more")
            return found

        vertices, faces = _SOLIDS[kind](value)
        turns = max("ZXY".find(str(prim.GetAttribute("axis").Get())), 0) if prim.HasAttribute("axis") else 0
        return (np.roll(vertices, turns, axis=1), faces), np.full(len(faces), self.area(prim, None))

    def area(self, prim: Any, mesh: Any) -> int:
        """Returns the area of a prim. That of the mesh holds for a subset without its own."""
        if callable(self.area_of):
            name = self.area_of(prim)
        elif self.area_of:
            material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
            name = matching(self.area_of, material.GetPrim().GetName()) if material else None
        else:
            name = None
        return self.area(mesh, None) if name is None and mesh is not None else self.parts.area(name)

    def array(self, attribute: Any, kind: Any) -> NDArray[Any]:
        value = attribute.Get(self.time)
        return np.asarray([] if value is None else value, dtype=kind)
