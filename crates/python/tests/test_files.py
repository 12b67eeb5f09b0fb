"""The table of files in the guide: a file of each format that it names is baked, or read as a mesh."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
import waymesh.ifc
import waymesh.sdf
import waymesh.usd
from conftest import THIN, floor

GUIDE = Path(__file__).parents[3] / "docs" / "book" / "src"
RADIUS = {"agent_radius": 0.2, "cell_size": 0.1}
Maker = Callable[[Path], waymesh.NavMesh]


def rows() -> dict[str, list[str]]:
    """The formats of each row of the table."""
    if not GUIDE.is_dir():
        pytest.skip("the guide is not there")
    table = re.findall(r"^\| (?!file |---)([^|]+) \|.*\| \[see\]", (GUIDE / "files.md").read_text(), re.MULTILINE)
    return {row: row.replace("`", "").split(", ") for row in table}


def of_guide(page: str, name: str) -> Maker:
    """A file of a block of the guide."""

    def make(folder: Path) -> waymesh.NavMesh:
        text = (GUIDE / page).read_text()
        block = re.search(rf"```\w+\n(?:# |<!-- )file: {re.escape(name)}(?: -->)?\n(.*?)```", text, re.DOTALL)
        assert block is not None, name
        (folder / name).write_text(block[1])
        scenes = {".obj", ".gltf", ".json", ".asc"}
        return (waymesh.from_file if Path(name).suffix in scenes else waymesh.from_plan)(folder / name, RADIUS)

    return make


def of_trimesh(ending: str) -> Maker:
    def make(folder: Path) -> waymesh.NavMesh:
        trimesh = pytest.importorskip("trimesh")
        trimesh.Trimesh(*floor(8, 6)).export(folder / f"plate.{ending}")
        return waymesh.from_file(folder / f"plate.{ending}", THIN)

    return make


def of_heights(ending: str) -> Maker:
    def make(folder: Path) -> waymesh.NavMesh:
        file, heights = folder / f"hill.{ending}", np.full((33, 33), 512, dtype=np.uint16)
        if ending == "raw":
            file.write_bytes(heights.tobytes())
        else:
            image = pytest.importorskip("PIL.Image")
            # A pixel of a GeoTIFF has a size and a place.
            tags = {33550: (1.0, 1.0, 0.0), 33922: (0.0, 0.0, 0.0, 100.0, 200.0, 0.0)} if ending == "tif" else {}
            image.fromarray(heights.astype(np.float32) / 512 if tags else heights).save(file, **({"tiffinfo": tags} if tags else {}))
        return waymesh.from_file(file, {**RADIUS, "cell_size": 0.5, "height_step": 1 / 512 if ending != "tif" else 1})

    return make


def of_text(name: str, text: str, **more: str) -> Maker:
    def make(folder: Path) -> waymesh.NavMesh:
        for file, content in {name: text, **more}.items():
            (folder / file.replace("_", ".")).write_text(content)
        return waymesh.from_plan(folder / name, RADIUS)

    return make


def of_robots(folder: Path) -> waymesh.NavMesh:
    (folder / "map.pgm").write_bytes(b"P5 60 40 255\n" + b"\xfe" * 2400)
    (folder / "map.yaml").write_text("image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n")
    return waymesh.from_plan(folder / "map.yaml", RADIUS)


def of_imdf(folder: Path) -> waymesh.NavMesh:
    """A room of 10 m by 8 m, in degrees."""
    ring = [[x / 111_320, y / 110_574] for x, y in ((0, 0), (10, 0), (10, 8), (0, 8), (0, 0))]
    unit = {"type": "Feature", "id": "u", "feature_type": "unit", "properties": {"category": "room", "level_id": "g"}}
    level = {"type": "Feature", "id": "g", "feature_type": "level", "properties": {"ordinal": 0}}
    shape = {"geometry": {"type": "Polygon", "coordinates": [ring]}}
    files = []
    for name, feature in (("level", level), ("unit", unit)):
        files.append(folder / f"{name}.geojson")
        files[-1].write_text(str({"type": "FeatureCollection", "name": name, "features": [{**feature, **shape}]}).replace("'", '"'))
    return waymesh.from_plan(files, RADIUS)


def of_dxf(folder: Path) -> waymesh.NavMesh:
    corners = "".join(f"10\n{x}\n20\n{y}\n" for x, y in ((0, 0), (10, 0), (10, 8), (0, 8)))
    line = f"0\nLWPOLYLINE\n8\njps-walkablearea\n100\nAcDbEntity\n100\nAcDbPolyline\n90\n4\n70\n1\n{corners}"
    (folder / "hall.dxf").write_text(f"0\nSECTION\n2\nENTITIES\n{line}0\nENDSEC\n0\nEOF\n")
    try:
        return waymesh.from_plan(folder / "hall.dxf", RADIUS)
    except waymesh.FileError as error:
        if "without the feature" in str(error):
            pytest.skip(str(error))
        raise


def of_ifc(folder: Path) -> waymesh.NavMesh:
    pytest.importorskip("ifcopenshell")
    from test_ifc import Model, two_rooms

    return waymesh.ifc.load(two_rooms(Model(), width=1.2).write(folder)).bake(waymesh.Settings(agent="wheelchair"))


def of_usd(folder: Path) -> waymesh.NavMesh:
    pytest.importorskip("pxr")
    from test_usd import mesh, stage

    return waymesh.usd.load(stage(folder, mesh("floor", floor(8, 6)))).bake(THIN)


def of_gazebo(folder: Path) -> waymesh.NavMesh:
    from test_sdf import box, model, shape, write

    return waymesh.sdf.load(write(folder, model("plate", shape(box(8, 6, 0.1))))).bake(THIN)


def of_urdf(folder: Path) -> waymesh.NavMesh:
    body = '<link name="plate"><collision><geometry><box size="8 6 0.1"/></geometry></collision></link>'
    (folder / "plate.urdf").write_text(f'<robot name="r">{body}</robot>')
    return waymesh.sdf.load(folder / "plate.urdf").bake(THIN)


def of_object(folder: Path) -> waymesh.NavMesh:
    trimesh = pytest.importorskip("trimesh")
    return waymesh.from_trimesh(trimesh.Trimesh(*floor(8, 6)), THIN)


def of_detour(name: str) -> Maker:
    def make(folder: Path) -> waymesh.NavMesh:
        waymesh.bake(*floor(8, 6), THIN).to_detour(folder / name)
        assert struct.unpack("<i", (folder / name).read_bytes()[:4])[0] == int.from_bytes(b"MSET", "big")
        return waymesh.load(folder / name)

    return make


FLEET = """name: site
levels:
  L1:
    elevation: 0
    vertices: [[0, 0, 0, ""], [1000, 0, 0, ""], [1000, 800, 0, ""], [0, 800, 0, ""]]
    measurements: [[0, 1, {distance: [3, 10.0]}]]
    floors: [{vertices: [0, 1, 2, 3], parameters: {}}]
"""
GEOJSON = """{"type": "Feature", "properties": {"kind": "room"}, "geometry": {"type": "Polygon",
  "coordinates": [[[100, 200], [110, 200], [110, 208], [100, 208], [100, 200]]]}}"""

MAKERS: dict[str, Maker] = {
    "OBJ": of_guide("areas.md", "pond.obj"),
    "glTF": of_guide("files.md", "yard.gltf"),
    "GLB": of_trimesh("glb"),
    "STL": of_trimesh("stl"),
    "PLY": of_trimesh("ply"),
    "ESRI grid": of_guide("terrain.md", "hill.asc"),
    "GeoTIFF": of_heights("tif"),
    "PNG": of_heights("png"),
    "RAW": of_heights("raw"),
    "CityJSON": of_guide("files.md", "town.city.json"),
    "TOML": of_guide("plans.md", "flat.toml"),
    "GeoJSON": of_text("mall.geojson", GEOJSON),
    "WKT": of_guide("plans.md", "kiosk.wkt"),
    "IMDF": of_imdf,
    "SVG": of_guide("plans.md", "flat.svg"),
    "DXF": of_dxf,
    "OpenStreetMap": of_guide("plans.md", "clinic.osm"),
    "ROS map.yaml": of_robots,
    "MovingAI .map": of_guide("plans.md", "yard.map"),
    "Open-RMF": of_text("site.building.yaml", FLEET),
    "IFC": of_ifc,
    "USD": of_usd,
    "SDFormat": of_gazebo,
    "URDF": of_urdf,
    "trimesh": of_object,
    "arrays": lambda _: waymesh.bake(*floor(8, 6), THIN),
    "Detour's tiles": of_detour("all_tiles_navmesh.bin"),
    "habitat's .navmesh": of_detour("apartment.navmesh"),
}


def test_every_format_of_the_table_has_a_file() -> None:
    named = [name for names in rows().values() for name in names]
    assert len(rows()) == 15 and sorted(named) == sorted(MAKERS)


@pytest.mark.parametrize("name", MAKERS)
def test_a_file_of_the_table(name: str, tmp_path: Path) -> None:
    if not GUIDE.is_dir():
        pytest.skip("the guide is not there")
    mesh: Any = MAKERS[name](tmp_path)
    places = mesh.random_points(2, seed=1, island=mesh.largest_island)
    assert mesh.area > 5 and np.isfinite(mesh.distance(*places))
