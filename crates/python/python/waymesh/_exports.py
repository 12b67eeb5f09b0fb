"""Meshes as objects of other libraries: methods of NavMesh that need these installed."""

from __future__ import annotations

from collections.abc import Callable
from colorsys import hsv_to_rgb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._waymesh import NavMesh


def to_trimesh(mesh: NavMesh, *, detail: bool = True, island: int | None = None) -> Any:
    """Returns the ground as a ``trimesh.Trimesh`` whose faces look up; of one island, or of all."""
    import trimesh

    vertices, triangles = mesh.triangles(detail, island)
    return trimesh.Trimesh(vertices=vertices, faces=triangles.astype(np.int64), process=False)


def to_shapely(mesh: NavMesh) -> list[Any]:
    """Returns a ``shapely.Polygon`` for each polygon, by its id: x, z, and the height as third coordinate."""
    import shapely

    corners = mesh.vertices[:, [*plan_axes(mesh), up_axis(mesh)]]
    return [shapely.Polygon(corners[polygon]) for polygon in mesh.polygons]


def to_geopandas(mesh: NavMesh) -> Any:
    """Returns a ``geopandas.GeoDataFrame`` of all polygons, with their area's name, island and storey."""
    import geopandas

    table = {
        "area": _areas(mesh),
        "island": mesh.polygon_islands,
        "storey": mesh.polygon_storeys,
    }
    frame = geopandas.GeoDataFrame(table, geometry=to_shapely(mesh))
    frame.index.name = "polygon"
    return frame[~frame.geometry.is_empty]


def to_networkx(mesh: NavMesh) -> Any:
    """Returns a ``networkx.MultiDiGraph``: a node for each polygon, an edge each way between neighbours, and one for each open
    link in its directions."""
    import networkx

    graph = networkx.MultiDiGraph()
    vertices, polygons = mesh.vertices, mesh.polygons
    areas, islands, storeys = _areas(mesh), mesh.polygon_islands.tolist(), mesh.polygon_storeys.tolist()
    for polygon, corners in enumerate(polygons):
        if len(corners):
            position = tuple(vertices[corners].mean(axis=0).tolist())
            about = {"area": areas[polygon], "island": islands[polygon], "storey": storeys[polygon]}
            graph.add_node(polygon, position=position, **about)

    def connect(start: int, end: int, /, **about: Any) -> None:
        ends = (np.array(graph.nodes[polygon]["position"]) for polygon in (start, end))
        graph.add_edge(start, end, length=float(np.linalg.norm(np.subtract(*ends))), **about)

    for polygon, beyond, a, b in mesh.portals.tolist():
        connect(polygon, beyond, kind="edge", width=float(np.linalg.norm(vertices[a] - vertices[b])))
    for link in mesh.links:
        start, end = link["polygons"]
        about = {"kind": link["kind"], "link": link["id"], "extra_cost": link["extra_cost"]}
        for ends in [(start, end)] + [(end, start)] * link["both_ways"]:
            if link["is_open"]:
                connect(*ends, **about)
    return graph


def to_open3d(mesh: NavMesh, *, detail: bool = True) -> Any:
    """Returns the ground as an ``open3d.geometry.TriangleMesh`` whose faces look up, in the colours of its areas."""
    import open3d

    vertices, triangles = mesh.triangles(detail)
    colours = _colours(mesh)
    areas = mesh.polygon_areas[mesh.triangle_polygons(detail)]
    ground = open3d.geometry.TriangleMesh()
    ground.vertices = open3d.utility.Vector3dVector(vertices[triangles.ravel()].astype(np.float64))
    ground.triangles = open3d.utility.Vector3iVector(np.arange(triangles.size, dtype=np.int32).reshape(-1, 3))
    ground.vertex_colors = open3d.utility.Vector3dVector(colours[np.repeat(areas, 3)])
    ground.compute_vertex_normals()
    return ground


def to_xarray(mesh: NavMesh, step: float, height: float, reach: float = 0.5) -> Any:
    """Returns what :meth:`NavMesh.plan_view` does as an ``xarray.DataArray`` with the coordinates of the samples."""
    import xarray

    islands = mesh.plan_view(step, height, reach)
    rows, columns = (step * np.arange(count) for count in islands.shape)
    low, high = mesh.bounds
    axis, first = ("z", low[2]) if up_axis(mesh) == 1 else ("y", high[1] - rows[-1:].sum())
    places = {axis: first + rows, "x": low[0] + columns}
    return xarray.DataArray(islands, dims=(axis, "x"), coords=places, name="island", attrs={"height": height})


def up_axis(mesh: NavMesh) -> int:
    """The axis that points up: 1, or 2 for a mesh in axes with z up."""
    return getattr(mesh, "_up", 1)


def plan_axes(mesh: NavMesh) -> list[int]:
    """The axes of the plan."""
    return [0, 3 - up_axis(mesh)]


def _areas(mesh: NavMesh) -> list[str]:
    """The name of each polygon's area, "ground" for plain ground, or its number."""
    names = {1: "ground"} | {area: str(about["name"]) for area, about in mesh.areas.items()}
    return [names.get(area, str(area)) for area in mesh.polygon_areas.tolist()]


def _colours(mesh: NavMesh) -> NDArray[np.float64]:
    """The colour of each of 256 areas, from 0 to 1: that of the mesh, or a hue of its number; plain ground is grey."""
    hues = np.array([hsv_to_rgb(area * 0.618 % 1.0, 0.0 if area == 1 else 0.6, 0.8) for area in range(256)])
    for area, about in mesh.areas.items():
        if about["colour"] is not None:
            hues[area] = np.array(about["colour"]) / 255
    return hues


METHODS: dict[str, Callable[..., Any]] = {
    "to_trimesh": to_trimesh,
    "to_shapely": to_shapely,
    "to_geopandas": to_geopandas,
    "to_networkx": to_networkx,
    "to_open3d": to_open3d,
    "to_xarray": to_xarray,
}
