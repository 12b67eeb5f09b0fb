"""Bakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _waymesh
from ._checks import listed, numbers, path_of, shown
from ._errors import InputError
from ._types import Progress
from ._waymesh import CancelToken, NavMesh
from .settings import Settings, entries_of

AnySettings = Settings | Mapping[str, Any] | None
"""Settings, a dictionary of some of their fields, or None for the defaults."""

Files = str | PathLike[str] | Sequence[str | PathLike[str]]


def bake(
    vertices: ArrayLike,
    triangles: ArrayLike,
    settings: AnySettings = None,
    *,
    triangle_areas: ArrayLike | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> NavMesh:
    """Makes a navigation mesh of triangles.

    ``vertices`` has shape (n, 3), ``triangles`` shape (m, 3): whole numbers that name vertices. Triangles that face up,
    ``(b - a) x (c - a)``, are floors (``winding`` changes that). ``triangle_areas`` has a number per triangle: 1 is plain ground, 0 is not walkable. Vertices
    that are NaN or infinite are skipped with their triangles and counted in the report.

    The interpreter's lock is released. Ctrl-C, an exception of ``progress`` and :meth:`CancelToken.cancel` of ``cancel`` end the bake
    within some milliseconds. Figures of the bake are in :attr:`NavMesh.report`.
    """
    entries = entries_of(settings)
    vertices = from_origin(vertices, entries.pop("origin", None))
    return _waymesh.bake_arrays(vertices, triangles, triangle_areas, entries, progress, cancel)


def from_file(
    files: Files, settings: AnySettings = None, *, progress: Progress | None = None, cancel: CancelToken | None = None
) -> NavMesh:
    """Makes a navigation mesh of scene files (OBJ, glTF, GLB, STL, PLY, CityJSON, height maps), which make one scene."""
    return _waymesh.bake_files(paths_of(files), entries_of(settings), progress, cancel)


def from_plan(
    files: Files, settings: AnySettings = None, *, progress: Progress | None = None, cancel: CancelToken | None = None
) -> NavMesh:
    """Makes a navigation mesh of floor plans (TOML, GeoJSON, IMDF, WKT, SVG, maps of ROS and MovingAI, buildings of Open-RMF and OpenStreetMap),
    which make one plan together. DXF is read by a package that was built with its feature ``dxf``."""
    return _waymesh.bake_plans(paths_of(files), entries_of(settings), progress, cancel)


def why(
    vertices: ArrayLike,
    triangles: ArrayLike,
    at: ArrayLike,
    to: ArrayLike | None = None,
    settings: AnySettings = None,
    *,
    triangle_areas: ArrayLike | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> dict[str, Any]:
    """Explains why a place of a scene is not walkable, or with ``to`` why no path joins two places.

    The arguments are those of :func:`bake`; ``at`` and ``to`` are positions as on its mesh. Every answer is checked by bakes: that takes
    some times as long as :func:`bake`, and about 30 times with ``to``. ``progress`` is called with "why", and 0 until it is done.

    For one place the answer has ``is_walkable``, ``height`` (of the surface), ``reasons`` and ``nearest`` (the nearest place on the
    mesh). A reason has a ``cause`` (a dictionary with its name at ``cause`` and its measures, in metres and degrees) and a ``remedy``
    (``setting``, ``from`` and ``to``), or None; ``is_checked`` says that a bake with all remedies has ground there. For two places the
    answer has ``length``, ``gap`` and ``ways``: remedies, each of which alone joins the places.
    """
    entries = entries_of(settings)
    vertices = from_origin(vertices, entries.pop("origin", None))
    return _waymesh.explain_arrays(vertices, triangles, triangle_areas, at, to, entries, progress, cancel)


def why_file(
    files: Files,
    at: ArrayLike,
    to: ArrayLike | None = None,
    settings: AnySettings = None,
    *,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> dict[str, Any]:
    """Explains a place of scene files as :func:`why` does. ``surfaces`` has the names of the surfaces of triangles in the answer."""
    return _waymesh.explain_files(paths_of(files), at, to, entries_of(settings), progress, cancel)


def from_trimesh(
    mesh: Any,
    settings: AnySettings = None,
    *,
    up: str = "y",
    area_of: Mapping[str, str] | None = None,
    triangle_areas: ArrayLike | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> NavMesh:
    """Makes a navigation mesh of a ``trimesh.Trimesh`` or ``trimesh.Scene``; ``up`` tells which of its axes points up.

    ``area_of`` names the areas of a scene by patterns of nodes, geometries and materials, such as ``{"Water*": "blocked", "Mud": "mud"}``.
    ``triangle_areas`` are those of :func:`bake`, for the faces of a Trimesh.
    """
    if area_of is not None:
        from ._scene import of_trimesh

        given = {"up": up, **entries_of(settings)}
        return of_trimesh(mesh, area_of).bake(given, progress=progress, cancel=cancel)
    if hasattr(mesh, "to_geometry"):
        mesh = mesh.to_geometry()
    elif hasattr(mesh, "dump"):
        mesh = mesh.dump(concatenate=True)
    if not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
        raise InputError(f"from_trimesh needs a mesh with vertices and faces, not {type(mesh).__name__}")
    entries = {"up": up, **entries_of(settings)}
    faces = np.asarray(mesh.faces)
    return bake(mesh.vertices, faces, entries, triangle_areas=triangle_areas, progress=progress, cancel=cancel)


@contextmanager
def tqdm_progress(**options: Any) -> Iterator[Progress]:
    """A progress bar of tqdm for the ``progress`` of a bake.

    >>> with tqdm_progress(disable=True) as progress:  # doctest: +SKIP
    ...     mesh = waymesh.from_file("level.glb", progress=progress)
    """
    from tqdm.auto import tqdm

    with tqdm(total=1.0, bar_format="{desc:<20}{percentage:3.0f}%|{bar}| {elapsed}", **options) as bar:

        def progress(stage: str, done: float) -> None:
            bar.set_description_str(stage, refresh=False)
            bar.n = done
            bar.refresh()

        yield progress


def paths_of(files: Files) -> list[str]:
    """One or several file names as a list of text."""
    return [path_of(file) for file in listed("files", files)]


def from_origin(vertices: ArrayLike, origin: Any) -> ArrayLike:
    """Vertices relative to an origin, by subtraction in double precision: the library takes arrays in single precision."""
    if origin is None:
        return vertices
    place = numbers("settings: origin", origin, 3)
    try:
        return np.asarray(vertices, dtype=np.float64) - place
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"vertices must be numbers of shape (n, 3), not {shown(vertices)}") from None
