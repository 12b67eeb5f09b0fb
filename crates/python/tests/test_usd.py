"""Scenes of USD files, made here as text."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
import waymesh.usd
from conftest import DETOUR, THIN, Scene, box, floor, join, picture, volume
from numpy.typing import NDArray
from waymesh._shapes import triangulate

pytest.importorskip("pxr")

METRES = 'upAxis = "Y"\n metersPerUnit = 1'


def stage(folder: Path, body: str, header: str = METRES, name: str = "scene.usda") -> Path:
    path = folder / name
    # Prims begin and end on lines of their own.
    path.write_text(f"#usda 1.0\n(\n {header}\n)\n" + re.sub("(?<!= ){|}", r"\n\g<0>\n", body))
    return path


def mesh(name: str, scene: Scene, more: str = "", api: str = "") -> str:
    """A prim of triangles. `more` are attributes and prims in it."""
    vertices, triangles = scene
    points = ", ".join(f"({x:.9g}, {y:.9g}, {z:.9g})" for x, y, z in vertices.tolist())
    return f"""def Mesh "{name}" {api} {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = {[3] * len(triangles)}
        int[] faceVertexIndices = {triangles.reshape(-1).tolist()}
        uniform token subdivisionScheme = "none"
        {more}
    }}\n"""


def xform(name: str, body: str, at: tuple[float, ...] = (0, 0, 0), more: str = "") -> str:
    return f"""def Xform "{name}" {{
        double3 xformOp:translate = {at}
        uniform token[] xformOpOrder = ["xformOp:translate"]
        {more}
        {body}
    }}\n"""


def z_up(scene: Scene) -> Scene:
    return scene[0][:, [0, 2, 1]] * np.array([1, -1, 1], dtype=np.float32), scene[1]


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("axis", ["Y", "Z"])
@pytest.mark.parametrize("hand", ["rightHanded", "leftHanded"])
def test_a_path_leads_around_a_wall(tmp_path: Path, unit: float, axis: str, hand: str) -> None:
    parts = [floor(10, 10), box((4.5, -1, -1), (5.5, 3, 8))]
    if axis == "Z":
        parts = [z_up(part) for part in parts]
    if hand == "leftHanded":
        parts = [(part[0], part[1][:, ::-1]) for part in parts]
    parts = [(part[0] / np.float32(unit), part[1]) for part in parts]
    orientation = f'uniform token orientation = "{hand}"'
    body = mesh("Floor", parts[0], orientation) + mesh("Wall", parts[1], orientation)
    scene = waymesh.usd.load(stage(tmp_path, body, f'upAxis = "{axis}"\n metersPerUnit = {unit}'))
    assert scene.notes == [] and scene.elements == ["/Floor", "/Wall"] and not scene.origin.any()
    assert np.bincount(scene.triangle_elements).tolist() == [2, 12]
    baked = scene.bake(waymesh.Settings(**{**THIN.entries(), "keep": "largest"}))
    assert baked.distance([2, 0, 4], [8, 0, 4]) == pytest.approx(DETOUR, abs=0.01)
    wide = scene.bake(waymesh.Settings(cell_size=0.1, level_height=0.1, agent_radius=0.5, agent_height=2.0, keep="largest"))
    # A taut line at half a metre from the corners, 4.72 m from both ends; the mesh may keep a cell more from them.
    reach = math.hypot(2.5, 4)
    turn = math.pi / 2 + math.atan2(4, 2.5) - math.acos(0.5 / reach)
    taut = 2 * (math.sqrt(reach**2 - 0.25) + 0.5 * turn) + 1
    assert taut - 0.01 <= wide.distance([2, 0, 4], [8, 0, 4]) <= taut + 0.3


def test_faces_have_any_number_of_corners_and_holes(tmp_path: Path) -> None:
    # An L of 8 by 8 m without its quarter of 4 by 4 m, of which the first corner does not see all; a quad that is a hole; a triangle.
    corners = [(4, 4), (8, 4), (8, 8), (0, 8), (0, 0), (4, 0), (10, 0), (12, 0), (12, 2), (10, 2), (10, 5), (13, 5), (10, 8)]
    points = ", ".join(f"({x}, 0, {z})" for x, z in corners)
    body = f"""def Mesh "Floor" {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = [6, 4, 3]
        int[] faceVertexIndices = [5, 4, 3, 2, 1, 0, 9, 8, 7, 6, 12, 11, 10]
        int[] holeIndices = [1]
    }}"""
    scene = waymesh.usd.load(stage(tmp_path, body))
    assert len(scene.triangles) == 4 + 1
    assert scene.notes == ["subdivision surfaces were read as their cages (1)"]
    baked = scene.bake(THIN)
    # A cell is lost at drops.
    assert baked.area == pytest.approx(48 - 0.1 * 32 + 4.5 - 0.1 * (6 + math.sqrt(18)), abs=0.5) and baked.island_count == 2
    assert baked.distance([2, 0, 1], [7, 0, 6]) == pytest.approx(math.hypot(2, 3) + math.hypot(3, 2), abs=0.05)
    assert baked.island_at([11, 0, 1], reach=(0.1, 0.2, 0.1)) == -1


def comb(teeth: int) -> NDArray[np.float64]:
    upper = [(x, 5.0 if x % 2 else 1.0) for x in range(2 * teeth, -1, -1)]
    return np.array([(0.0, 0.0), (2.0 * teeth, 0.0), *upper])


def star(seed: int) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * math.pi, 40))
    return np.column_stack([np.cos(angles), np.sin(angles)]) * random.uniform(0.2, 3, (40, 1))


# A square of 6 by 6 with a square hole of 2 by 2, which a bridge joins with the outside.
KEYHOLE = np.array([(0, 0), (6, 0), (6, 6), (0, 6), (0, 0), (2, 2), (2, 4), (4, 4), (4, 2), (2, 2)], dtype=np.float64)


@pytest.mark.parametrize("ring", [comb(6), KEYHOLE, *(star(seed) for seed in range(20))])
@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (1, 2, 3), (-3, 0.1, 0.2)])
def test_concave_faces_are_cut_into_triangles_that_face_one_way(ring: NDArray[np.float64], normal: tuple[float, ...]) -> None:
    up = np.array(normal) / np.linalg.norm(normal)
    first = np.cross(up, [0.3, 0.5, -0.7])
    first /= np.linalg.norm(first)
    points = ring[:, :1] * first + ring[:, 1:] * np.cross(up, first)
    faces, of = triangulate(points, np.array([len(ring)]), np.arange(len(ring)))
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    areas = np.cross(b - a, c - a) @ up / 2
    after = np.roll(ring, -1, axis=0)
    assert len(faces) == len(ring) - 2 and not of.any()
    # No triangle is turned over, so none lies outside of the face.
    assert areas.min() > -1e-12
    assert areas.sum() == pytest.approx((ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum() / 2)


SOLIDS = {
    'Cube "S" {double size = 2}': (8.0, (1, 1, 1)),
    'Sphere "S" {double radius = 2}': (4 / 3 * math.pi * 8, (2, 2, 2)),
    'Cylinder "S" {double radius = 1\ndouble height = 6\nuniform token axis = "X"}': (math.pi * 6, (3, 1, 1)),
    'Cylinder "S" {double radius = 1\ndouble height = 6\nuniform token axis = "Y"}': (math.pi * 6, (1, 3, 1)),
    'Cone "S" {double radius = 1\ndouble height = 6}': (math.pi * 2, (1, 1, 3)),
    'Capsule "S" {double radius = 1\ndouble height = 6}': (math.pi * (6 + 4 / 3), (1, 1, 4)),
    'Cylinder_1 "S" {double radiusTop = 1\ndouble radiusBottom = 2\ndouble height = 3}': (math.pi * 7, (2, 2, 1.5)),
    'Capsule_1 "S" {double radiusTop = 1\ndouble radiusBottom = 1\ndouble height = 6}': (math.pi * (6 + 4 / 3), (1, 1, 4)),
}


@pytest.mark.parametrize("prim", SOLIDS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_solids_have_their_volumes_and_face_outward(tmp_path: Path, prim: str, mirrored: bool) -> None:
    expected, half = SOLIDS[prim]
    scale = "double3 xformOp:scale = (-1, 1, 1)\nuniform token[] xformOpOrder = ['xformOp:scale']" if mirrored else ""
    scene = waymesh.usd.load(stage(tmp_path, f'def Xform "X" {{ {scale}\n def {prim} }}'))
    # 32 sides around the circle: 0.33 % more of area in a cut, and less in a sphere along its axis.
    assert volume(scene.vertices, scene.triangles) == pytest.approx(expected, rel=0.007)
    np.testing.assert_allclose(scene.vertices.max(axis=0), half, rtol=0.007)
    np.testing.assert_allclose(scene.vertices.min(axis=0), -np.array(half), rtol=0.007)


@pytest.mark.parametrize("axis, half", [("X", (0, 2, 1)), ("Y", (1, 0, 2)), ("Z", (1, 2, 0))])
def test_planes_face_along_their_axis(tmp_path: Path, axis: str, half: tuple[float, ...]) -> None:
    body = f'def Plane "P" {{double width = 2\ndouble length = 4\nuniform token axis = "{axis}"}}'
    scene = waymesh.usd.load(stage(tmp_path, body))
    np.testing.assert_allclose(scene.vertices.max(axis=0), half)
    a, b, c = (scene.vertices[scene.triangles[:, corner]] for corner in range(3))
    np.testing.assert_allclose(np.cross(b - a, c - a)[0] / 8, ["XYZ".index(axis) == number for number in range(3)])


def test_instances_stand_where_their_transforms_put_them(tmp_path: Path) -> None:
    crate = mesh("Body", box((-0.5, 0, -0.5), (0.5, 2, 0.5)))
    stage(tmp_path, 'def Xform "Crate" {' + crate + "}", METRES + '\n defaultPrim = "Crate"', "crate.usda")
    reference = "instanceable = true\n prepend references = @crate.usda@"
    body = mesh("Floor", floor(12, 12))
    for number, x in enumerate((2, 4)):
        body += f"""def Xform "Crate{number}" ({reference}) {{
            double3 xformOp:translate = ({x}, 0, 2)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}\n"""
    # The second of four is masked, the third is turned by a quarter, the fourth mirrored and 2 m wide.
    body += xform(
        "Moved",
        """def PointInstancer "Many" {
            rel prototypes = [</Moved/Many/Long>, </Prototypes/Crate>]
            int[] protoIndices = [1, 1, 0, 1]
            point3f[] positions = [(0, 0, 0), (2, 0, 0), (4, 0, 0), (0, 0, 4)]
            quath[] orientations = [(1, 0, 0, 0), (1, 0, 0, 0), (0.70710678, 0, 0.70710678, 0), (1, 0, 0, 0)]
            float3[] scales = [(1, 1, 1), (1, 1, 1), (1, 1, 1), (-2, 1, 1)]
            int64[] invisibleIds = [1]
            """
        + mesh("Long", box((-1.5, 0, -0.25), (1.5, 2, 0.25)))
        + "}",
        (2, 0, 6),
    )
    body += 'over "Prototypes" { def Xform "Crate" (prepend references = @crate.usda@) {} }'
    scene = waymesh.usd.load(stage(tmp_path, body))
    names = ["/Floor", "/Crate0/Body", "/Crate1/Body", "/Prototypes/Crate/Body", "/Moved/Many/Long"]
    assert scene.elements == names and scene.notes == []
    solid = volume(scene.vertices, scene.triangles[scene.triangle_elements > 0])
    assert solid == pytest.approx(2 + 2 + 2 + 3 + 4, rel=1e-3)
    baked = scene.bake(THIN)
    blocked = [[2, 0, 2], [4, 0, 2], [2, 0, 6], [6, 0, 6], [6, 0, 4.7], [6, 0, 7.3], [2.9, 0, 10], [1.1, 0, 10]]
    free = [[3, 0, 2], [4, 0, 6], [7.2, 0, 6], [4.8, 0, 6], [3.2, 0, 10], [2, 0, 10.7]]
    on_floor = baked.island_at([1, 0, 1])
    assert not np.any(baked.island_at(np.array(blocked, dtype=float), reach=(0.05, 0.2, 0.05)) == on_floor)
    assert np.all(baked.island_at(np.array(free, dtype=float), reach=(0.05, 0.2, 0.05)) == on_floor)


def test_prims_are_chosen_by_visibility_purpose_and_path(tmp_path: Path) -> None:
    def crate(name: str, x: float, more: str = "") -> str:
        return mesh(name, box((x, 0, 1), (x + 1, 1.5, 2)), more)

    body = mesh("Floor", floor(14, 4))
    body += 'def Xform "Hidden" { token visibility = "invisible"\n' + crate("A", 1) + "}"
    body += crate("Guide", 3, 'uniform token purpose = "guide"') + crate("Proxy", 5, 'uniform token purpose = "proxy"')
    body += 'def Xform "Seen" {' + crate("Render", 7, 'uniform token purpose = "render"') + crate("B", 9) + crate("C", 11) + "}"
    path = stage(tmp_path, body)

    def elements(**chosen: Any) -> list[str]:
        return waymesh.usd.load(path, **chosen).elements

    assert elements() == ["/Floor", "/Seen/Render", "/Seen/B", "/Seen/C"]
    assert elements(exclude=["/Seen/[BC]"]) == ["/Floor", "/Seen/Render"]
    assert elements(exclude=["/Seen"]) == ["/Floor"]
    assert elements(include=["/Floor", "*/B"]) == ["/Floor", "/Seen/B"]
    assert elements(include=["/Seen"], exclude=["*/C"]) == ["/Seen/Render", "/Seen/B"]
    baked = waymesh.usd.load(path).bake(THIN)
    places = np.array([[x + 0.5, 0, 1.5] for x in range(1, 13, 2)])
    assert (baked.island_at(places, reach=(0.1, 0.2, 0.1)) == -1).tolist() == [False] * 3 + [True] * 3
    with pytest.raises(waymesh.FileError, match="scene.usda: no prim has faces"):
        elements(include=["/Nothing"])


def test_areas_have_names_of_materials_or_chosen_ones(tmp_path: Path) -> None:
    def bind(name: str) -> str:
        return f"rel material:binding = </Looks/{name}>"

    api = '(prepend apiSchemas = ["MaterialBindingAPI"])'
    looks = 'def Scope "Looks" { def Material "Grass_01" {} def Material "Water" {} def Material "Stone" {} }'
    subset = f"""def GeomSubset "Wet" {api} {{
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [2, 3]
        {bind("Water")}
    }}"""
    stripes = join(floor(2, 4), floor(2, 4, x=2.0))
    body = looks + mesh("Stripes", stripes, bind("Grass_01") + "\n" + subset, api) + mesh("Path", floor(2, 4, x=4.0), bind("Stone"), api)
    path = stage(tmp_path, body)
    assert waymesh.usd.load(path).triangle_areas.tolist() == [1] * 6
    scene = waymesh.usd.load(path, area_of={"Grass*": "grass", "Water": "blocked"})
    assert scene.triangle_areas.tolist() == [2, 2, 0, 0, 1, 1]
    assert [(number, area.name) for number, area in scene.areas.items()] == [(2, "grass")]
    scene.areas[2] = waymesh.Area("grass", cost=3.0)
    baked = scene.bake(THIN)
    assert baked.area == pytest.approx(16 - 0.1 * 4 * 4, abs=0.3) and baked.areas[2]["cost"] == 3.0
    assert baked.polygon_areas[baked.polygon_at([1, 0, 2])] == 2
    picture("usd.svg", baked)
    assert baked.polygon_at([3, 0, 2], reach=(0.2, 0.2, 0.2)) == -1

    def area_of(prim: Any) -> str | None:
        return {"Wet": "puddle", "Path": "blocked"}.get(prim.GetName())

    assert waymesh.usd.load(path, area_of=area_of).triangle_areas.tolist() == [1, 1, 2, 2, 0, 0]
    with pytest.raises(waymesh.FileError, match="254"):
        many = "".join(mesh(f"Floor{number}", floor(1, 1)) for number in range(255))
        waymesh.usd.load(stage(tmp_path, many), area_of=lambda prim: prim.GetName())


def test_a_small_file_cannot_name_any_number_of_triangles(tmp_path: Path) -> None:
    # Instancers of a thousand within one another: 12 triangles become 12 thousand millions.
    def instancer(name: str, prototype: str) -> str:
        places = ", ".join(["(0, 0, 0)"] * 1000)
        return f"""def PointInstancer "{name}" {{
            rel prototypes = [<{prototype}>]
            int[] protoIndices = {[0] * 1000}
            point3f[] positions = [{places}]
        }}\n"""

    body = 'def Cube "P" {}' + instancer("A", "/P") + instancer("B", "/A") + instancer("C", "/B")
    with pytest.raises(waymesh.FileError, match="scene.usda: /P is past 2,000,000 triangles"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("waymesh._scene._MAX_TRIANGLES", 2_000_000)
        waymesh.usd.load(stage(tmp_path, body))


@pytest.mark.parametrize("axis", ["Y", "Z"])
def test_a_scene_far_from_the_origin_keeps_its_place(tmp_path: Path, axis: str) -> None:
    turned = floor(4, 4) if axis == "Y" else z_up(floor(4, 4))
    header = f'upAxis = "{axis}"\n metersPerUnit = 0.01'
    hundredfold = turned[0] * np.float32(100), turned[1]
    near = waymesh.usd.load(stage(tmp_path, xform("X", mesh("F", hundredfold)), header))
    at = (67_341_225.0, 1_200.0, 658_012_350.0)
    far = waymesh.usd.load(stage(tmp_path, xform("X", mesh("F", hundredfold), at), header))
    low = np.array([673_412.25, 12.0, 6_580_123.5]) + (0 if axis == "Y" else np.array([0, -4, 0]))
    np.testing.assert_allclose(far.origin, np.floor(low))
    moved = np.array([0.25, 0, 0.5] if axis == "Y" else [0.25, 0.5, -4.0])
    np.testing.assert_allclose(far.vertices - near.vertices, np.broadcast_to(moved, near.vertices.shape), atol=1e-6)
    assert far.bake(THIN).area == pytest.approx(3.8**2, abs=0.01)
    given = waymesh.usd.load(tmp_path / "scene.usda", origin=np.array(at) / 100)
    np.testing.assert_allclose(given.vertices, near.vertices, atol=1e-6)


def test_a_time_is_chosen_and_without_one_the_first(tmp_path: Path) -> None:
    moving = """double3 xformOp:translate.timeSamples = { 10: (1, 0, 0), 20: (5, 0, 0) }
        uniform token[] xformOpOrder = ["xformOp:translate"]
        token visibility.timeSamples = { 10: "inherited", 30: "invisible" }"""
    path = stage(tmp_path, mesh("Floor", floor(9, 3)) + mesh("Crate", box((0, 0, 1), (1, 2, 2)), moving))
    for time, x in ((None, 1.0), (15.0, 3.0), (20.0, 5.0)):
        scene = waymesh.usd.load(path, time=time)
        assert scene.vertices[4:, 0].min() == pytest.approx(x)
    assert waymesh.usd.load(path, time=40).elements == ["/Floor"]


def test_a_world_is_made_of_a_scene_and_takes_obstacles(tmp_path: Path) -> None:
    scene = waymesh.usd.load(stage(tmp_path, mesh("Floor", floor(10, 10))), area_of=lambda prim: "lawn")
    world = scene.world(THIN)
    world.update()
    assert world.mesh.area == pytest.approx(9.8**2, abs=0.01)
    assert world.mesh.areas[2]["name"] == "lawn"
    world.add_obstacle(waymesh.Box(min=[4.5, -1, -1], max=[5.5, 3, 8]))
    world.update()
    assert world.mesh.distance([2, 0, 4], [8, 0, 4]) == pytest.approx(DETOUR, abs=0.02)


POINT, POSITION = "point3f[] points = [(0, 0, 0)]\n", "point3f[] positions = [(0, 0, 0)]\n"


@pytest.mark.parametrize(
    "body, says",
    [
        (f'def Mesh "Bad" {{ {POINT}int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2] }}', "/Bad: .*2 of 1"),
        (f'def Mesh "Bad" {{ {POINT}int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 0] }}', "/Bad: .*3 corners of 2"),
        (f'def PointInstancer "Bad" {{ {POSITION}rel prototypes = [</P>]\nint[] protoIndices = [3] }} def Cube "P" {{}}', "/Bad: .*3 of 1"),
        (
            f'def Xform "A" {{ def PointInstancer "B" {{ {POSITION}rel prototypes = [</A>]\nint[] protoIndices = [0] }} }}',
            "contains itself",
        ),
        ('def Xform "Empty" {}', "no prim has faces"),
        ("this is no prim", "scene.usda"),
    ],
)
def test_errors_name_the_file_and_the_prim(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(waymesh.FileError, match=f"(?s)scene.usda.*{says}"):
        waymesh.usd.load(stage(tmp_path, body))
    with pytest.raises(waymesh.FileError, match="absent.usd"):
        waymesh.usd.load(tmp_path / "absent.usd")


def test_notes_name_what_was_not_read(tmp_path: Path) -> None:
    body = mesh("Floor", floor(2, 2)) + 'def BasisCurves "C" {} def BasisCurves "D" {} def Points "P" {}\n'
    body += 'def Xform "Gone" (prepend references = @gone.usda@) {}'
    scene = waymesh.usd.load(stage(tmp_path, body, 'upAxis = "Y"'))
    assert scene.notes[:2] == ["prims of the type BasisCurves were not read (2)", "prims of the type Points were not read (1)"]
    assert "gone.usda" in scene.notes[2] and scene.notes[3] == "metersPerUnit is absent: lengths are read as centimetres"
    assert scene.vertices.max() == pytest.approx(0.02)
