"""Worlds and models of Gazebo and robots of ROS, made here."""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
import waymesh.sdf
from conftest import DETOUR, THIN, picture, volume
from numpy.typing import NDArray

LARGEST = waymesh.Settings(**{**THIN.entries(), "keep": "largest"})
PLANE = "<plane><normal>0 0 1</normal><size>10 10</size></plane>"


def box(x: float, y: float, z: float) -> str:
    return f"<box><size>{x} {y} {z}</size></box>"


def shape(geometry: str, more: str = "", kind: str = "collision", name: str = "shape") -> str:
    return f"<{kind} name='{name}'>{more}<geometry>{geometry}</geometry></{kind}>"


def model(name: str, body: str, pose: str = "", static: bool = True) -> str:
    pose = pose and f"<pose>{pose}</pose>"
    link = body if body.startswith("<link") else f"<link name='link'>{body}</link>"
    return f"<model name='{name}'><static>{str(static).lower()}</static>{pose}{link}</model>"


FLOOR = model("floor", shape(PLANE), "5 -5 0 0 0 0")
"""From 0, 0 to 10, 10 of the mesh."""


def write(folder: Path, body: str, name: str = "site.world", tag: str = "world") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<?xml version='1.0'?><sdf version='1.9'>" + (f"<{tag} name='w'>{body}</{tag}>" if tag else body) + "</sdf>")
    return path


def bounds(site: waymesh.sdf.Site, element: str) -> list[list[float]]:
    """Lower and upper corner of an element, in the axes of the file."""
    triangles = site.triangles[site.triangle_elements == site.elements.index(element)]
    corners = site.vertices[triangles.reshape(-1)]
    x, y, z = corners[:, 0], -corners[:, 2], corners[:, 1]
    return [[round(float(f(axis)), 6) + 0.0 for axis in (x, y, z)] for f in (np.min, np.max)]


def is_ground(mesh: waymesh.NavMesh, *places: tuple[float, float, float]) -> list[bool]:
    found = mesh.island_at(np.array(places, dtype=float), reach=(0.06, 0.2, 0.06))
    return [bool(island >= 0) for island in found]


def test_a_path_leads_around_a_wall(tmp_path: Path) -> None:
    wall = model("wall", shape(box(1, 9, 4)), "5 -3.5 1 0 0 0")
    site = waymesh.sdf.load(write(tmp_path, FLOOR + wall))
    assert site.notes == [] and site.obstacles == [] and site.elements == ["floor", "wall"] and not site.origin.any()
    mesh = site.bake(LARGEST)
    assert mesh.distance([2, 0, 4], [8, 0, 4]) == pytest.approx(DETOUR, abs=0.01)
    # All but the wall, less a cell at drops: the floor is 10 by 10 m, and the wall covers 8 m of its one metre.
    assert mesh.area == pytest.approx(9.8**2 - 7.9, abs=0.1)


def test_obstacles_move_in_a_world(tmp_path: Path) -> None:
    wall = model("wall", "<link name='body'><pose>0 0 1 0 0 0</pose>" + shape(box(1, 9, 4)) + "</link>", "5 -3.5 0 0 0 0", False)
    path = write(tmp_path, FLOOR + wall)
    site = waymesh.sdf.load(path)
    assert site.elements == ["floor"] and [obstacle.name for obstacle in site.obstacles] == ["wall::body"]
    assert site.bake(THIN).distance([2, 0, 4], [8, 0, 4]) == pytest.approx(6, abs=0.01)
    np.testing.assert_allclose(site.obstacles[0].pose[:3, 3], [5, -3.5, 1])
    world = site.world(THIN)
    number = world.add_mesh_obstacle(*site.obstacles[0].at())
    world.update()
    assert world.mesh.distance([2, 0, 4], [8, 0, 4]) == pytest.approx(DETOUR, abs=0.02)
    # The obstacle of a mesh is that of a box with its measures.
    other = site.world(THIN)
    other.add_obstacle(waymesh.Box(min=[4.5, -1, -1], max=[5.5, 3, 8]))
    other.update()
    assert world.mesh.area == pytest.approx(other.mesh.area, abs=1e-3)
    # Turned by a quarter around z, it lies along x from 0.5 to 9.5 m and from 4.5 to 5.5 m of z.
    pose = np.array([[0, -1, 0, 5], [1, 0, 0, -5], [0, 0, 1, 1], [0, 0, 0, 1]])
    world.remove_obstacle(number)
    world.add_mesh_obstacle(*site.obstacles[0].at(pose))
    world.update()
    assert is_ground(world.mesh, (5, 0, 2), (5, 0, 8), (1, 0, 5), (9, 0, 5), (0.3, 0, 5)) == [True, True, False, False, True]
    assert world.mesh.distance([2, 0, 4], [8, 0, 4]) == pytest.approx(6, abs=0.01)
    wide = site.world(waymesh.Settings(cell_size=0.1, level_height=0.1, agent_radius=0.4))
    wide.add_mesh_obstacle(*site.obstacles[0].at(pose))
    wide.update()
    picture("sdf.svg", world.mesh, world.mesh.find_path([0.5, 0, 2], [9.5, 0, 8], shortest=True))
    # The gaps of half a metre at its ends are closed for a radius of 0.4 m.
    assert math.isinf(wide.mesh.distance([5, 0, 2], [5, 0, 8])) and not math.isinf(world.mesh.distance([5, 0, 2], [5, 0, 8]))
    ground = waymesh.sdf.load(path, moving="ground")
    assert ground.obstacles == [] and ground.elements == ["floor", "wall"]
    assert ground.bake(LARGEST).distance([2, 0, 4], [8, 0, 4]) == pytest.approx(DETOUR, abs=0.01)


def test_fixed_joints_hold_links_to_the_world(tmp_path: Path) -> None:
    def joint(kind: str, parent: str, child: str) -> str:
        return f"<joint name='{parent}_{child}' type='{kind}'><parent>{parent}</parent><child>{child}</child></joint>"

    links = "".join(f"<link name='{name}'>{shape(box(1, 1, 1))}</link>" for name in "abcde")
    joints = joint("fixed", "world", "b") + joint("fixed", "a", "b") + joint("revolute", "b", "c") + joint("fixed", "c", "d")
    inner = "<model name='inner'>" + model("x", shape(box(1, 1, 1)), static=False)[len("<model name='x'>") :]
    joints += joint("fixed", "a", "inner::link")
    nested = model("nested", shape(box(1, 1, 1)), static=False)
    held = f"<model name='held'><static>true</static>{nested}</model>"
    site = waymesh.sdf.load(write(tmp_path, FLOOR + f"<model name='m'>{links}{inner}{joints}</model>" + held))
    assert [obstacle.name for obstacle in site.obstacles] == ["m::c", "m::d", "m::e"]
    assert site.elements == ["floor", "m", "m::inner", "held::nested"]


@pytest.mark.parametrize(
    "pose, low, high",
    [
        ("<pose>1 2 3 0 0 0</pose>", (0.5, 1, 1.5), (1.5, 3, 4.5)),
        ("<pose degrees='true'>1 2 3 0 0 90</pose>", (0, 1.5, 1.5), (2, 2.5, 4.5)),
        ("<pose>1 2 3 1.5707963267948966 0 0</pose>", (0.5, 0.5, 2), (1.5, 3.5, 4)),
        ("<pose degrees='1'>0 0 0 90 0 90</pose>", (-1.5, -0.5, -1), (1.5, 0.5, 1)),
        ("<pose rotation_format='quat_xyzw'>1 2 3 0 0 0.70710678 0.70710678</pose>", (0, 1.5, 1.5), (2, 2.5, 4.5)),
        # Relative to a frame at 0, 0, 10, turned by a quarter around z, attached to one at 5, 0, 0.
        ("<pose relative_to='top'>1 2 3 0 0 0</pose>", (5 - 2 - 1, 1 - 0.5, 11.5), (5 - 2 + 1, 1 + 0.5, 14.5)),
    ],
)
def test_poses_are_relative_to_frames(tmp_path: Path, pose: str, low: tuple[float, ...], high: tuple[float, ...]) -> None:
    frames = "<frame name='east'><pose>5 0 0 0 0 0</pose></frame>"
    frames += "<frame name='top' attached_to='east'><pose degrees='true'>0 0 10 0 0 90</pose></frame>"
    body = shape(box(1, 2, 3))
    site = waymesh.sdf.load(write(tmp_path, f"{frames}<model name='m'><static>1</static>{pose}<link name='l'>{body}</link></model>"))
    np.testing.assert_allclose(bounds(site, "m"), [low, high], atol=1e-6)
    # The same in a model, of its link.
    site = waymesh.sdf.load(write(tmp_path, f"<static>1</static>{frames}<link name='l'>{pose}{body}</link>", "m.sdf", "model"))
    np.testing.assert_allclose(bounds(site, "w"), [low, high], atol=1e-6)


def test_links_shapes_and_placements_add_up(tmp_path: Path) -> None:
    # The model turns by a quarter around z, then the link is 1 m along its x, then the shape 2 m along the y of the link.
    link = "<link name='l'><pose>1 0 0 0 0 0</pose>" + shape(box(1, 1, 1), "<pose>0 2 0 0 0 0</pose>") + "</link>"
    site = waymesh.sdf.load(write(tmp_path, model("m", link, "10 20 0.5 0 0 1.5707963267948966")))
    np.testing.assert_allclose(bounds(site, "m"), [[7.5, 20.5, 0], [8.5, 21.5, 1]], atol=1e-6)
    # The link is placed, not the model.
    placed = model("m", link, "10 20 0.5 0 0 0").replace("<model", "<model placement_frame='l'")
    np.testing.assert_allclose(bounds(waymesh.sdf.load(write(tmp_path, placed)), "m"), [[9.5, 21.5, 0], [10.5, 22.5, 1]])
    write(tmp_path, model("m", link), "models/m/model.sdf", "")
    include = "<include><uri>model://m</uri><name>n</name><pose>10 20 0.5 0 0 0</pose><placement_frame>l</placement_frame></include>"
    np.testing.assert_allclose(bounds(waymesh.sdf.load(write(tmp_path, include)), "n"), [[9.5, 21.5, 0], [10.5, 22.5, 1]])
    # A saved state precedes the poses.
    state = "<state world_name='w'><model name='m'><pose>0 0 7 0 0 0</pose></model></state>"
    np.testing.assert_allclose(bounds(waymesh.sdf.load(write(tmp_path, model("m", link) + state)), "m"), [[0.5, 1.5, 6.5], [1.5, 2.5, 7.5]])


SOLIDS = {
    box(1, 2, 3): (6.0, (0.5, 1, 1.5)),
    "<sphere><radius>2</radius></sphere>": (4 / 3 * math.pi * 8, (2, 2, 2)),
    "<cylinder><radius>1</radius><length>6</length></cylinder>": (math.pi * 6, (1, 1, 3)),
    "<capsule><radius>1</radius><length>6</length></capsule>": (math.pi * (6 + 4 / 3), (1, 1, 4)),
    "<cone><radius>1</radius><length>6</length></cone>": (math.pi * 2, (1, 1, 3)),
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": (4 / 3 * math.pi * 6, (1, 2, 3)),
}


@pytest.mark.parametrize("geometry", SOLIDS)
def test_solids_have_their_volumes_and_face_outward(tmp_path: Path, geometry: str) -> None:
    expected, half = SOLIDS[geometry]
    site = waymesh.sdf.load(write(tmp_path, model("m", shape(geometry))))
    assert volume(site.vertices, site.triangles) == pytest.approx(expected, rel=0.007)
    np.testing.assert_allclose(bounds(site, "m"), np.outer([-1, 1], half), rtol=0.007)


def test_outlines_and_planes(tmp_path: Path) -> None:
    # An L of 12 square metres, clockwise, 2 m high.
    corners = [(0, 0), (0, 4), (4, 4), (4, 2), (2, 2), (2, 0)]
    outline = "".join(f"<point>{x} {y}</point>" for x, y in corners)
    site = waymesh.sdf.load(write(tmp_path, model("m", shape(f"<polyline>{outline}<height>2</height></polyline>"))))
    assert volume(site.vertices, site.triangles) == pytest.approx(24) and bounds(site, "m") == [[0, 0, 0], [4, 4, 2]]
    # A ramp of 4 by 2 m, which rises by 30 degrees along x.
    normal = f"<normal>{-math.sin(math.pi / 6)} 0 {math.cos(math.pi / 6)}</normal>"
    site = waymesh.sdf.load(write(tmp_path, model("m", shape(f"<plane>{normal}<size>4 2</size></plane>"))))
    assert site.bake(THIN).area == pytest.approx((4 * math.cos(math.pi / 6) - 0.2) * 1.8, abs=0.4)
    np.testing.assert_allclose(bounds(site, "m")[1], [2 * math.cos(math.pi / 6), 1, 1], atol=1e-6)
    down = model("m", shape("<plane><normal>0 0 -1</normal><size>4 2</size></plane>"))
    with pytest.raises(waymesh.NothingWalkableError):
        waymesh.sdf.load(write(tmp_path, down)).bake(THIN)
    ends = waymesh.sdf.load(write(tmp_path, model("m", shape("<plane/>"))), plane_size=6)
    assert ends.notes == ["plane of 'm::link::shape' has no end: 6 m by 6 m were read"]
    assert ends.bake(THIN).area == pytest.approx(5.8**2, abs=0.01)


def test_collisions_are_preferred_where_a_model_has_some(tmp_path: Path) -> None:
    both = model("both", shape(box(1, 1, 1)) + shape(box(3, 3, 3), kind="visual"))
    seen = model("seen", shape(box(2, 2, 2), kind="visual"))
    path = write(tmp_path, both + seen)
    site = waymesh.sdf.load(path)
    assert bounds(site, "both")[1] == [0.5] * 3 and bounds(site, "seen")[1] == [1.0] * 3
    site = waymesh.sdf.load(path, geometry="visual")
    assert bounds(site, "both")[1] == [1.5] * 3 and bounds(site, "seen")[1] == [1.0] * 3


def test_areas_are_chosen_by_name(tmp_path: Path) -> None:
    lawn = model("lawn", shape("<plane><size>10 10</size></plane>"), "15 -5 0 0 0 0")
    path = write(tmp_path, FLOOR + lawn + model("table", shape(box(2, 2, 1)), "5 -5 0.5 0 0 0"))
    site = waymesh.sdf.load(path, area_of={"lawn::*": "grass", "table::*": "blocked"})
    assert [(number, area.name) for number, area in site.areas.items()] == [(2, "grass")]
    mesh = site.bake(THIN)
    assert mesh.polygon_areas[mesh.polygon_at([15, 0, 5])] == 2 and mesh.polygon_areas[mesh.polygon_at([2, 0, 2])] == 1
    assert is_ground(mesh, (5, 1, 5)) == [False]
    names: list[str] = []
    waymesh.sdf.load(path, area_of=names.append)
    assert names == ["floor::link::shape", "lawn::link::shape", "table::link::shape"]


ROBOT = """<robot name="arm">
  <link name="base"><collision><geometry><box size="2 2 1"/></geometry></collision></link>
  <link name="post">
    <collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
  </link>
  <link name="hand"><collision><origin xyz="1 0 0" rpy="0 0 0"/><geometry><box size="2 0.2 0.2"/></geometry></collision></link>
  <link name="tool"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <joint name="a" type="fixed"><parent link="base"/><child link="post"/><origin xyz="0 0 0.5"/></joint>
  <joint name="b" type="revolute">
    <parent link="post"/><child link="hand"/><origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="c" type="fixed"><parent link="hand"/><child link="tool"/><origin xyz="3 0 0"/></joint>
</robot>"""


def test_a_robot_stands_with_its_joints_at_zero(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ROBOT)
    site = waymesh.sdf.load(tmp_path / "arm.urdf")
    assert site.elements == ["arm"] and [obstacle.name for obstacle in site.obstacles] == ["arm::hand", "arm::tool"]
    np.testing.assert_allclose(bounds(site, "arm"), [[-1, -1, -0.5], [1, 1, 2.5]], atol=1e-9)
    hand, tool = (obstacle.at()[0] for obstacle in site.obstacles)
    # Turned by a quarter, the hand reaches along y, which is -z of the mesh.
    np.testing.assert_allclose([hand.min(axis=0), hand.max(axis=0)], [[-0.1, 2.4, -2], [0.1, 2.6, 0]], atol=1e-6)
    np.testing.assert_allclose((tool.min(axis=0) + tool.max(axis=0)) / 2, [0, 2.5, -3], atol=1e-6)
    np.testing.assert_allclose(site.obstacles[1].pose[:3, 3], [0, 3, 2.5], atol=1e-9)
    # A world that includes it.
    world = write(tmp_path, FLOOR + "<include><uri>arm.urdf</uri><name>left</name><pose>5 -5 0.5 0 0 0</pose></include>")
    site = waymesh.sdf.load(world)
    assert site.elements == ["floor", "left"] and bounds(site, "left")[0] == [4, -6, 0]


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.mark.parametrize("variable", ["GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH", None])
def test_files_are_found_along_paths(tmp_path: Path, variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh")
    kept = tmp_path / "kept"
    for uri in ("model://crate/meshes/a.obj", "meshes/a.obj", "file://meshes/a.obj", "package://crate/meshes/a.obj"):
        mesh = f"<mesh><uri>{uri}</uri><scale>2 3 -1</scale></mesh>"
        write(kept, model("crate", shape(mesh)), "crate/new.sdf", "")
        write(kept, model("crate", shape(box(9, 9, 9))), "crate/old.sdf", "")
        versions = "<sdf version='1.10'>new.sdf</sdf><sdf version='1.9'>old.sdf</sdf>"
        (kept / "crate/model.config").write_text(f"<model><name>crate</name>{versions}</model>")
        (kept / "crate/meshes").mkdir(exist_ok=True)
        (kept / "crate/meshes/a.obj").write_text(TRIANGLE)
        includes = [f"<include><uri>{uri}</uri></include>" for uri in ("model://crate", "https://example.org/1.0/owner/models/crate/2")]
        world = write(tmp_path, FLOOR + "".join(includes), "worlds/deep/er/than/all/site.world")
        if variable:
            monkeypatch.setenv(variable, f"{tmp_path / 'nothing'}:{kept}")
        site = waymesh.sdf.load(world, model_paths=() if variable else [kept])
        assert site.elements == ["floor", "crate", "crate_2"]
        assert bounds(site, "crate") == [[0, 0, 0], [2, 3, 0]]
        # The mirror image of a triangle that faces up faces down.
        a, b, c = site.vertices[site.triangles[2]]
        assert np.cross(b - a, c - a)[1] == pytest.approx(-6.0)


def test_models_that_gazebo_brings_along_are_known(tmp_path: Path) -> None:
    uris = ["model://sun", "model://ground_plane", "https://example.org/1.0/owner/models/Ground%20Plane"]
    for uri in uris[1:]:
        site = waymesh.sdf.load(write(tmp_path, f"<include><uri>{uris[0]}</uri></include><include><uri>{uri}</uri></include>"))
        assert site.bake(THIN).area == pytest.approx(99.8**2, rel=1e-3) and len(site.notes) == 1


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries>{}</library_geometries>
<library_visual_scenes><visual_scene id="scene">{}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"""


def collada(names: list[str]) -> str:
    geometries = nodes = ""
    for number, name in enumerate(names):
        geometries += f"""<geometry id="{name}" name="{name}"><mesh>
            <source id="{name}-p"><float_array id="{name}-a" count="9">0 0 0 100 0 0 0 100 0</float_array>
            <technique_common><accessor source="#{name}-a" count="3" stride="3">
            <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
            </accessor></technique_common></source>
            <vertices id="{name}-v"><input semantic="POSITION" source="#{name}-p"/></vertices>
            <triangles count="1"><input semantic="VERTEX" source="#{name}-v" offset="0"/><p>0 1 2</p></triangles>
            </mesh></geometry>"""
        nodes += f'<node id="n{name}"><translate>{500 * number} 0 0</translate><instance_geometry url="#{name}"/></node>'
    return COLLADA.format(geometries, nodes)


def test_textures_that_are_absent_are_no_news(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((4, 4, 1)).export(tmp_path / "crate.stl")
    load = trimesh.load_scene
    log = logging.getLogger("trimesh")

    def noisy(*given: Any, **named: Any) -> Any:
        log.error("unable to load bumpmap")
        return load(*given, **named)

    monkeypatch.setattr(trimesh, "load_scene", noisy)
    waymesh.sdf.load(write(tmp_path, model("m", shape("<mesh><uri>crate.stl</uri></mesh>"))))
    assert not caplog.records
    log.error("others are heard")
    assert len(caplog.records) == 1


def test_collada_has_units_and_submeshes(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    (tmp_path / "two.dae").write_text(collada(["near", "far"]))

    def found(more: str) -> list[list[float]]:
        return bounds(waymesh.sdf.load(write(tmp_path, model("m", shape(f"<mesh><uri>two.dae</uri>{more}</mesh>")))), "m")

    # Centimetres become metres, z stays up.
    assert found("") == [[0, 0, 0], [6, 1, 0]]
    assert found("<submesh><name>far</name></submesh>") == [[5, 0, 0], [6, 1, 0]]
    assert found("<submesh><name>far</name><center>true</center></submesh>") == [[-0.5, -0.5, 0], [0.5, 0.5, 0]]


def test_a_site_far_from_the_origin_keeps_its_place(tmp_path: Path) -> None:
    crate = model("crate", shape(box(1, 1, 1)), "2 -3 0.5 0 0 0", False)
    body = FLOOR + crate
    near = waymesh.sdf.load(write(tmp_path, body))
    at = np.array([673_412.25, 6_580_123.5, 12.0])
    far = body.replace("5 -5 0 ", "673417.25 6580118.5 12 ").replace("2 -3 0.5 ", "673414.25 6580120.5 12.5 ")
    site = waymesh.sdf.load(write(tmp_path, far))
    np.testing.assert_allclose(site.origin, np.floor(at + [0, -10, 0]))
    moved = (at - site.origin)[[0, 2, 1]] * [1, 1, -1]
    np.testing.assert_allclose(site.vertices - near.vertices, np.broadcast_to(moved, near.vertices.shape), atol=1e-6)
    np.testing.assert_allclose(site.obstacles[0].at()[0], near.obstacles[0].at()[0] + moved, atol=1e-6)
    assert site.bake(THIN).area == pytest.approx(9.8**2, abs=0.01)
    given = waymesh.sdf.load(tmp_path / "site.world", origin=at)
    np.testing.assert_allclose(given.vertices, near.vertices, atol=1e-6)


LINKED = "<model name='m'><link name='l'>{}</link></model>"


@pytest.mark.parametrize(
    "body, says",
    [
        (model("m", shape("<box><size>1 2</size></box>")), "box of 'm::link::shape': size is '1 2', but must be 3 numbers"),
        (model("m", shape("<sphere><radius>inf</radius></sphere>")), "radius is 'inf'"),
        (model("m", shape("<sphere/>")), "radius is None"),
        (model("m", shape(PLANE), "1 2 3 x 0 0"), "pose of 'm' is '1 2 3 x 0 0'"),
        (LINKED.format("<pose relative_to='gone'/>" + shape(PLANE)), "model 'm': frame 'gone' is absent"),
        (
            "<frame name='a' attached_to='b'/><frame name='b' attached_to='a'/><model name='m'><pose relative_to='a'/><link name='l'>"
            + shape(PLANE)
            + "</link></model>",
            "world 'w': frame 'a' is relative to itself",
        ),
        ("<include><uri>model://gone</uri></include>", "include: 'model://gone' is absent; tried .*first/gone, .*models/gone"),
        (model("m", shape("<mesh><uri>gone.stl</uri></mesh>")), "mesh of 'm::link::shape': 'gone.stl' is absent; tried .*gone.stl"),
        (model("m", shape("<polyline><point>0 0</point><height>1</height></polyline>")), "polyline of 'm::link::shape': 1 points"),
        (model("m", shape("<sphere><radius>0</radius></sphere>")), "no model has a shape"),
        ("", "no model has a shape"),
        (model("m", shape(PLANE), static=False), "no model has a shape that is ground: 1 shapes move, see moving='ground'"),
        ("<model name='m'><link></model>", "mismatched tag"),
        ("<model name='m'>" * 20 + "</model>" * 20, "at most 16 models within one another"),
    ],
)
def test_errors_name_the_file_and_the_element(tmp_path: Path, body: str, says: str) -> None:
    path = write(tmp_path, body)
    with pytest.raises(waymesh.FileError, match=f"site.world.*{says}"):
        waymesh.sdf.load(path, model_paths=[tmp_path / "first"])
    with pytest.raises(waymesh.FileError, match="absent.world"):
        waymesh.sdf.load(tmp_path / "absent.world")


def test_files_of_strangers_end(tmp_path: Path) -> None:
    entities = "<!DOCTYPE sdf [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
    path = tmp_path / "laughs.sdf"
    for encoding in ("utf-8", "utf-16"):
        path.write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>{entities}<sdf>&b;</sdf>".encode(encoding))
        with pytest.raises(waymesh.FileError, match="laughs.sdf: line 1: declarations of entities"):
            waymesh.sdf.load(path)
    # A model that includes itself, and one that includes ten, which include ten.
    write(tmp_path, "<model name='m'><include><uri>model://self</uri></include></model>", "self/model.sdf", "")
    with pytest.raises(waymesh.FileError, match="16 models"):
        waymesh.sdf.load(tmp_path / "self/model.sdf")
    for level in range(6):
        more = "".join(f"<include><name>m{n}</name><uri>model://l{level + 1}</uri></include>" for n in range(10))
        write(tmp_path, f"<model name='m'>{more}</model>", f"l{level}/model.sdf", "")
    write(tmp_path, model("m", shape(PLANE)), "l6/model.sdf", "")
    with pytest.raises(waymesh.FileError, match="20,000"):
        waymesh.sdf.load(tmp_path / "l0/model.sdf")
    (tmp_path / "t.urdf").write_text("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:include filename='x'/></robot>")
    with pytest.raises(waymesh.FileError, match="t.urdf: .*xacro"):
        waymesh.sdf.load(tmp_path / "t.urdf")


def test_notes_name_what_was_not_read(tmp_path: Path) -> None:
    hills = model("hills", shape("<heightmap><uri>a.png</uri></heightmap>"))
    # Gazebo reads prefixes without a name space, and hyphens in comments.
    odd = "<!-- a -- b --><gz:thing/><actor name='walker'/><include><uri>model://gone</uri></include>"
    write(tmp_path, "<actor name='lone'/>", "lone.sdf", "")
    path = write(tmp_path, FLOOR + hills + odd + "<include><uri>lone.sdf</uri></include>")
    path.write_text(path.read_text().replace("</sdf>", "<world name='second'/></sdf>"))
    site = waymesh.sdf.load(path, missing="note")
    texts = ["second", "actor 'walker'", "gone", "lone.sdf has no model", "heightmap of 'hills::link::shape' was not read"]
    assert len(site.notes) == len(texts) and all(text in note for text, note in zip(texts, site.notes))
