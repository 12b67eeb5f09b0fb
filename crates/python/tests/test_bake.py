"""Bakes: inputs, pipelines, progress, cancelling, errors."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, box, floor, join, level, picture


def test_closed_form_of_a_floor(square: waymesh.NavMesh) -> None:
    # Cells at a drop are no ground.
    assert square.area == pytest.approx(100, rel=0.05)
    assert square.bounds == pytest.approx(np.array([[0, 0, 0], [10, 0, 10]]), abs=0.11)
    report = square.report
    assert report is not None and report["triangles"] == 2 and report["polygons"] == square.polygon_count
    assert square.agent == pytest.approx({"height": 2.0, "radius": 0.0, "max_step": 0.3, "max_slope": 45.0})


def test_a_place_is_explained(tmp_path: Path) -> None:
    vertices, triangles = join(floor(10, 10), box((4, 0, 4), (6, 3, 6)))
    settings = waymesh.Settings(agent_radius=0.4, cell_size=0.1)
    assert waymesh.why(vertices, triangles, [2, 0, 2], settings=settings)["is_walkable"]
    answer = waymesh.why(vertices, triangles, [3.8, 0, 5], settings=settings)
    assert not answer["is_walkable"] and answer["is_checked"]
    reason = answer["reasons"][0]
    assert reason["cause"]["cause"] == "near_wall" and reason["cause"]["distance"] == pytest.approx(0.2, abs=0.01)
    assert reason["remedy"]["setting"] == "agent_radius" and reason["remedy"]["from"] == pytest.approx(0.4)
    # The remedy holds.
    mended = waymesh.Settings(agent_radius=reason["remedy"]["to"], cell_size=0.1)
    assert waymesh.why(vertices, triangles, [3.8, 0, 5], settings=mended)["is_walkable"]
    pair = waymesh.why(vertices, triangles, [2, 0, 2], [8, 0, 8], settings)
    assert pair["length"] == pytest.approx(waymesh.bake(vertices, triangles, settings).distance([2, 0, 2], [8, 0, 8]), rel=1e-5)
    file = tmp_path / "level.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + ["o pillar"] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    file.write_text("\n".join(lines))
    named = waymesh.why_file(file, [3.8, 0, 5], settings={"agent_radius": 0.4, "cell_size": 0.1})
    assert "pillar" in named["surfaces"].values()
    with pytest.raises(waymesh.ConfigError):
        waymesh.why(vertices, triangles, [2, 0, 2], settings={"pipeline": "slices"})
    with pytest.raises(waymesh.WaymeshError):
        waymesh.why(vertices, triangles, [float("nan"), 0, 2])


def test_usual_agents_have_names() -> None:
    mesh = waymesh.bake(*floor(10, 10), waymesh.Settings(agent="person"))
    assert mesh.agent == pytest.approx({"height": 1.9, "radius": 0.3, "max_step": 0.25, "max_slope": 45.0})
    with pytest.raises(waymesh.ConfigError, match="there is no agent 'giant'|there is no agent \"giant\""):
        waymesh.bake(*floor(10, 10), waymesh.Settings(agent="giant"))


def test_the_same_bytes_from_arrays_files_and_trimesh(tmp_path: Path) -> None:
    import trimesh

    vertices, triangles = join(floor(10, 10), box((4, 0, 4), (6, 3, 6)))
    baked = waymesh.bake(vertices, triangles).to_bytes()
    file = tmp_path / "level.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    file.write_text("\n".join(lines))
    assert waymesh.from_file(file).to_bytes() == baked
    solid = trimesh.Trimesh(vertices, triangles.astype(int), process=False)
    assert waymesh.from_trimesh(solid).to_bytes() == baked
    picture("trimesh.svg", waymesh.from_trimesh(solid))
    scene = trimesh.Scene(trimesh.Trimesh(*floor(10, 10), process=False))
    assert waymesh.from_trimesh(scene).area == pytest.approx(waymesh.bake(*floor(10, 10)).area)
    turned = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    assert waymesh.from_trimesh(trimesh.Trimesh(turned, triangles, process=False), up="z").to_bytes() == baked


def test_nodes_of_trimesh_have_areas() -> None:
    import trimesh

    scene = trimesh.Scene()
    scene.add_geometry(trimesh.Trimesh(*floor(10, 10), process=False), node_name="meadow")
    pond = trimesh.Trimesh(*floor(2, 10, y=0.05), process=False)
    moved = np.eye(4)
    moved[0, 3] = 6
    scene.add_geometry(pond, node_name="pond 1", geom_name="plate", transform=moved)
    # Mirrored: its faces are turned so that they look up.
    mirrored = np.diag([-1.0, 1, 1, 1])
    mirrored[0, 3] = 4
    scene.add_geometry(pond, node_name="bog", geom_name="plate 2", transform=mirrored)
    mesh = waymesh.from_trimesh(scene, THIN, area_of={"pond*": "blocked", "plate*": "mud"})
    assert {area["name"] for area in mesh.areas.values()} >= {"mud"}
    mud = next(number for number, area in mesh.areas.items() if area["name"] == "mud")
    at = mesh.polygon_at([[3, 0, 5], [1, 0, 5], [9, 0, 5]])
    assert [int(mesh.polygon_areas[polygon]) for polygon in at] == [mud, 1, 1]
    assert not mesh.is_navigable([7, 0.05, 5], 0.2)
    plain = trimesh.Trimesh(*floor(10, 10), process=False)
    assert set(waymesh.from_trimesh(plain, THIN, triangle_areas=[1, 9]).polygon_areas.tolist()) == {1, 9}
    with pytest.raises(waymesh.InputError, match="area_of needs a trimesh.Scene"):
        waymesh.from_trimesh(plain, area_of={})
    with pytest.raises(waymesh.InputError, match="has no faces"):
        waymesh.from_trimesh(trimesh.Scene(), area_of={})


def test_scenes_may_lie_far_away_and_face_either_way(tmp_path: Path) -> None:
    vertices, triangles = join(floor(10, 10), box((4, 0, 4), (6, 3, 6)))
    baked = waymesh.bake(vertices, triangles).to_bytes()
    origin = (500_000.25, 30.5, 5_400_000.75)
    far = vertices.astype(np.float64) + origin
    assert waymesh.bake(far, triangles, waymesh.Settings(origin=origin)).to_bytes() == baked
    turned = triangles[:, ::-1]
    ground, faces = floor(10, 10)
    with pytest.raises(waymesh.NothingWalkableError):
        waymesh.bake(ground, faces[:, ::-1])
    assert waymesh.bake(vertices, turned, {"winding": "flipped"}).area == pytest.approx(waymesh.bake(vertices, triangles).area)
    some = np.concatenate([triangles[:1], turned[1:]])
    both = waymesh.bake(*floor(10, 10), {"winding": "two_sided"}).area
    assert waymesh.bake(floor(10, 10)[0], floor(10, 10)[1][::-1, ::-1], {"winding": "two_sided"}).area == pytest.approx(both)
    # Half of the floor faces up.
    assert waymesh.bake(vertices, some, {"winding": "two_sided"}).area > 1.5 * waymesh.bake(vertices, some).area
    file = tmp_path / "far.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in far] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in turned]
    file.write_text("\n".join(lines))
    settings = waymesh.Settings(origin=origin, winding="flipped")
    assert waymesh.from_file(file, settings).to_bytes() == waymesh.bake(vertices, turned, {"winding": "flipped"}).to_bytes()
    # Worlds take the same settings.
    near, moved = (waymesh.World([0, -1, 0], [10, 3, 10], chosen) for chosen in (None, settings))
    near.add_triangles(vertices, triangles)
    moved.add_triangles(far, turned)
    for world, corners, sides in ((near, vertices, triangles), (moved, far, turned)):
        world.add_mesh_obstacle(corners[4:] + [2.0, 0.0, 2.0], sides[2:] - 4)
        world.update()
    assert moved.mesh == near.mesh and 0 < moved.mesh.area < 95
    for wrong in ((1, 2), (float("nan"), 0, 0), "far"):
        with pytest.raises((waymesh.ConfigError, waymesh.InputError), match="origin"):
            waymesh.bake(vertices, triangles, {"origin": wrong})
        with pytest.raises((waymesh.ConfigError, waymesh.InputError), match="origin"):
            waymesh.World([0, -1, 0], [10, 3, 10], {"origin": wrong})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.uint32, np.int32, np.int64, np.uint8])
def test_any_layout_gives_the_same(dtype: Any, index: Any) -> None:
    vertices, triangles = floor(10, 10)
    expected = waymesh.bake(vertices, triangles).to_bytes()
    for points in (vertices.astype(dtype), np.asfortranarray(vertices.astype(dtype)), vertices.astype(dtype).tolist()):
        assert waymesh.bake(points, triangles.astype(index)).to_bytes() == expected
    wide = np.zeros((4, 6), dtype=dtype)
    wide[:, ::2] = vertices
    assert waymesh.bake(wide[:, ::2], triangles.astype(index)[::-1][::-1]).to_bytes() == expected


def test_the_version_is_that_of_the_package() -> None:
    manifest = (Path(__file__).parents[3] / "Cargo.toml").read_text()
    assert f'\nversion = "{waymesh.__version__}"\n' in manifest


def test_pipelines() -> None:
    scene = join(floor(12, 12), box((4, 0, 4), (6, 3, 6)))
    voxels = waymesh.bake(*scene, {"pipeline": "voxels"})
    assert waymesh.bake(*scene, {"tile_cells": 16}).to_bytes() == voxels.to_bytes()
    for pipeline in ("storeys", "slices"):
        mesh = waymesh.bake(*scene, {"pipeline": pipeline})
        assert mesh.distance([2, 0, 5], [9, 0, 5]) == pytest.approx(voxels.distance([2, 0, 5], [9, 0, 5]), rel=0.1), pipeline
        assert mesh.distance([2, 0, 5], [9, 0, 5]) > 7.1, pipeline


def test_floor_plans(tmp_path: Path) -> None:
    plan = tmp_path / "plan.wkt"
    plan.write_text("POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0))")
    mesh = waymesh.from_plan(plan, waymesh.Settings(agent_radius=0.5, join="square"))
    assert mesh.area == pytest.approx(9 * 7, rel=0.01)
    with pytest.raises(waymesh.FileError, match="none.wkt"):
        waymesh.from_plan(tmp_path / "none.wkt")


def test_maps_of_robots(tmp_path: Path) -> None:
    grey = [0] * 6 + [0, 254, 254, 254, 205, 0] * 2 + [0] * 6
    (tmp_path / "map.pgm").write_bytes(b"P5 6 4 255\n" + bytes(grey))
    file = tmp_path / "map.yaml"
    file.write_text("image: map.pgm\nresolution: 0.5\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n")
    mesh = waymesh.from_plan(file, waymesh.Settings(agent_radius=0))
    assert mesh.area == pytest.approx(6 * 0.25, rel=1e-3)
    # y of the map is -z.
    assert mesh.find_path([-0.4, 0, -3.4], [0.9, 0, -2.6]).is_complete
    unknown = waymesh.from_plan(file, waymesh.Settings(agent_radius=0, map_unknown=True))
    assert unknown.area == pytest.approx(8 * 0.25, rel=1e-3)
    file.write_text("image: ../map.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n")
    with pytest.raises(waymesh.FileError, match="one folder"):
        waymesh.from_plan(file)


def test_areas_of_floor_plans(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        """
[[storey]]
name = "0"
[[storey.walkable]]
outline = [[0, 0], [10, 0], [10, 8], [0, 8]]
[[storey.walkable]]
outline = [[2, 2], [4, 2], [4, 4], [2, 4]]
area = "grass:3"
"""
    )
    mesh = waymesh.from_plan(plan, waymesh.Settings(agent_radius=0.3))
    (grass,) = mesh.areas
    assert (mesh.areas[grass]["name"], mesh.areas[grass]["cost"]) == ("grass", 3.0)
    assert grass in set(mesh.polygon_areas)


def test_areas_and_marks() -> None:
    vertices, triangles = join(floor(5, 10), floor(5, 10, x=5.0))
    settings = waymesh.Settings(areas={2: waymesh.Area("water", cost=4.0, colour=(0, 0, 255))})
    mesh = waymesh.bake(vertices, triangles, settings, triangle_areas=[1, 1, 2, 2])
    assert sorted(set(mesh.polygon_areas)) == [1, 2]
    assert mesh.areas == {2: {"name": "water", "cost": 4.0, "colour": (0, 0, 255)}}
    direct = mesh.find_path([1, 0, 5], [9, 0, 5])
    assert mesh.find_path([1, 0, 5], [9, 0, 5], area_costs={}).cost > direct.length * 1.5
    closed = mesh.find_path([1, 0, 5], [4, 0, 5], area_costs={"water": float("inf")})
    assert closed.is_complete and set(mesh.polygon_areas[closed.polygons]) == {1}
    with pytest.raises(waymesh.NoMeshNearError):
        mesh.find_path([1, 0, 5], [9, 0, 5], area_costs={"water": float("inf")})
    cut = waymesh.Mark(waymesh.Box(min=[0, -1, 0], max=[5, 1, 10]), "blocked")
    half = waymesh.bake(*floor(10, 10), waymesh.Settings(agent_radius=0.0, marks=[cut]))
    assert half.area == pytest.approx(50, rel=0.1)
    pillar = waymesh.Mark(waymesh.Cylinder(base=[5, -1, 5], radius=2, height=2), 3)
    prism = waymesh.Mark(waymesh.Prism(corners=[[0, 0], [2, 0], [2, 2]], heights=(-1, 1)), 4)
    marked = waymesh.bake(*floor(10, 10), waymesh.Settings(agent_radius=0.0, marks=[pillar, prism]))
    assert set(marked.polygon_areas) == {1, 3, 4}


def test_marks_are_closed_meshes(tmp_path: Path) -> None:
    settings = waymesh.Settings(agent_radius=0.0, cell_size=0.1)
    # A pyramid upside down: on the ground, a square of 4 m.
    corners = np.array([[1, 1, 1], [9, 1, 1], [9, 1, 9], [1, 1, 9], [5, -1, 5]], dtype=np.float32)
    faces = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]

    def bake(mesh: Any) -> waymesh.NavMesh:
        return waymesh.bake(*floor(10, 10), {**settings.entries(), "marks": [waymesh.Mark(mesh, 3)]})

    mesh = bake(waymesh.ClosedMesh(corners, faces))
    assert set(mesh.polygon_areas) == {1, 3}
    cut = waymesh.bake(*floor(10, 10), {**settings.entries(), "marks": [waymesh.Mark(waymesh.ClosedMesh(corners, faces), "blocked")]})
    assert mesh.area - cut.area == pytest.approx(16, rel=0.06)
    file = tmp_path / "pool.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    file.write_text("\n".join(lines))
    assert bake(waymesh.ClosedMesh.from_file(file)) == mesh
    with pytest.raises(waymesh.ConfigError, match="edge"):
        bake(waymesh.ClosedMesh(corners, faces[1:]))
    with pytest.raises(waymesh.FileError, match="none.obj"):
        bake(waymesh.ClosedMesh.from_file(tmp_path / "none.obj"))
    with pytest.raises(waymesh.ConfigError, match="malformed"):
        waymesh.bake(*floor(10, 10), {"marks": [{"mesh": 7, "area": 3}]})

    world = waymesh.World([0, 0, 0], [10, 0, 10], settings)
    world.add_triangles(*floor(10, 10))
    world.add_mark(waymesh.Mark(waymesh.ClosedMesh(corners, faces), 3))
    world.update()
    # Ids without a polygon have area 0.
    assert set(world.mesh.polygon_areas) - {0} == {1, 3}


def test_progress_is_told_and_may_stop() -> None:
    events: list[tuple[str, float]] = []
    waymesh.bake(*floor(20, 20), progress=lambda stage, done: events.append((stage, done)))
    stages = [stage for stage, done in events if done == 0.0]
    assert {"voxelize", "field", "partition", "mesh"} <= set(stages)
    assert all(0.0 <= done <= 1.0 for _, done in events) and events[-1][1] == 1.0

    class Stop(Exception):
        pass

    def stop(stage: str, done: float) -> None:
        if stage == "partition":
            raise Stop(stage)

    with pytest.raises(Stop, match="partition"):
        waymesh.bake(*floor(20, 20), progress=stop)
    assert waymesh.bake(*floor(20, 20)).area > 0
    with waymesh.tqdm_progress(disable=True) as progress:
        waymesh.bake(*floor(5, 5), progress=progress)


def test_the_lock_is_released() -> None:
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    waymesh.bake(*floor(60, 60), waymesh.Settings(cell_size=0.05, threads=1))
    stop.set()
    thread.join()
    assert counted > 10


def test_a_token_ends_bakes() -> None:
    token = waymesh.CancelToken()
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    start = time.monotonic()
    with pytest.raises(waymesh.Cancelled, match="cancelled") as caught:
        # One stage of it takes longer than the test may.
        waymesh.bake(*floor(150, 150), waymesh.Settings(cell_size=0.03, max_memory_bytes=8 << 30), cancel=token)
    assert time.monotonic() - start < 10
    assert isinstance(caught.value, waymesh.BakeError) and token.is_cancelled
    timer.join()
    with pytest.raises(waymesh.Cancelled):
        waymesh.bake(*floor(5, 5), cancel=token)
    world = waymesh.World([0, 0, 0], [10, 0, 10])
    world.add_triangles(*floor(10, 10))
    with pytest.raises(waymesh.Cancelled):
        world.update(cancel=token)
    assert world.is_dirty and world.update()["polygons"] > 0
    assert waymesh.bake(*floor(5, 5), cancel=waymesh.CancelToken()).area > 0


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises, also where the tests were started in the background and inherit that it does nothing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_stage() -> None:
    # A signal of a timer, while one stage runs: the callback sees no later one.
    stages: list[str] = []
    timer: list[threading.Timer] = []

    def told(stage: str, done: float) -> None:
        stages.append(stage)
        if stage == "field" and not timer:
            timer.append(threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]))
            timer[0].start()

    with pytest.raises(KeyboardInterrupt):
        waymesh.bake(
            *floor(150, 150), waymesh.Settings(cell_size=0.03, max_memory_bytes=8 << 30, threads=1), progress=told
        )
    assert stages[-1] == "field"
    timer[0].join()


def test_ctrl_c_ends_a_bake() -> None:
    program = """
import signal, waymesh, sys, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {folder!r})
from conftest import floor
def told(stage, done):
    print(stage, flush=True)
try:
    waymesh.bake(*floor(400, 400), waymesh.Settings(cell_size=0.03, agent_radius=0.6, tile_cells=256, threads=1,
                 max_memory_bytes=8 << 30), progress=told)
    print("finished", flush=True)
except KeyboardInterrupt:
    assert waymesh.bake(*floor(5, 5)).area > 0
    print("stopped", flush=True)
"""
    folder = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", program.format(folder=folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while process.stdout.readline().strip() != "tiles":
        assert process.poll() is None
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read().split()
    assert rest[-1] == "stopped" and process.wait() == 0
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"cell_size": -1}, "cell_size"),
        ({"cell_size": "wide"}, "cell_size"),
        ({"agent_radius": float("nan")}, "radius"),
        ({"max_slope": 95}, "max_slope is 95 degrees, but must be at least 0 and below 90"),
        ({"colour": 1}, "colour"),
        ({"pipeline": "magic"}, "pipeline"),
        ({"partition": "best"}, "partition"),
        ({"pipeline": "slices", "rough_cells": 3}, "rough_cells"),
        ({"up": "x"}, "up"),
        ({"winding": "inside"}, "winding is .*as_read, flipped, two_sided"),
        ({"scale": 0}, "scale"),
        ({"area_rules": "grass"}, "area_rules"),
        ({"threads": 10**6}, "threads"),
        ({"tile_cells": 64, "partition": "watershed"}, "partition cannot be used with tiles"),
        ({"keep": [[100, 0, 100]]}, "seed 0"),
        ({"keep": "some"}, "keep"),
        ({"marks": [{"area": 1}]}, "box, cylinder, prism and mesh"),
        ({"marks": [{"box": [[0, 0, 0], [1, 1, 1]], "area": "lava"}]}, "lava"),
        ({"areas": {1: {"name": ""}}}, "1 to 255 bytes"),
        ({"jumps": {"height": 3}}, "height"),
    ],
)
def test_bad_settings_are_named(settings: Mapping[str, Any], text: str) -> None:
    with pytest.raises(waymesh.ConfigError, match=text) as caught:
        waymesh.bake(*floor(10, 10), settings)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, waymesh.WaymeshError)


@pytest.mark.parametrize(
    ("vertices", "triangles"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]]),
        (np.zeros(9), [[0, 1, 2]]),
        (np.zeros((3, 3), dtype=complex), [[0, 1, 2]]),
        (np.zeros((3, 3), dtype=bool), [[0, 1, 2]]),
        ([["a", "b", "c"]] * 3, [[0, 1, 2]]),
        ([[object()] * 3] * 3, [[0, 1, 2]]),
        ([[0, 0, 0], [1, 1]], [[0, 1, 2]]),
        (None, [[0, 1, 2]]),
        (np.zeros((3, 3)), [[0, 1]]),
        (np.zeros((3, 3)), [0, 1, 2]),
        (np.zeros((3, 3)), [[0.0, 1.0, 2.0]]),
        (np.zeros((3, 3)), [[0, 1, 3]]),
        (np.zeros((3, 3)), [[0, 1, -1]]),
        (np.zeros((3, 3)), [[0, 1, 2**40]]),
        (np.zeros((3, 3)), "abc"),
    ],
)
def test_bad_arrays_are_refused(vertices: Any, triangles: Any) -> None:
    with pytest.raises(waymesh.InputError):
        waymesh.bake(vertices, triangles)


def test_odd_scenes() -> None:
    with pytest.raises(waymesh.NothingWalkableError, match="no usable triangle"):
        waymesh.bake(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    with pytest.raises(waymesh.NothingWalkableError, match="no usable triangle"):
        waymesh.bake(np.zeros((3, 3)), [[0, 1, 2]])
    with pytest.raises(waymesh.NothingWalkableError):
        vertices, triangles = floor(10, 10)
        waymesh.bake(vertices, triangles[:, ::-1])
    vertices, triangles = join(floor(10, 10), floor(1, 1))
    vertices[-1] = np.nan
    report = waymesh.bake(vertices, triangles).report
    assert report is not None and report["triangles_skipped"]["not_finite"] == 1 and report["warnings"]
    with pytest.raises((waymesh.BakeError, waymesh.ConfigError)):
        waymesh.bake(floor(1, 1)[0] * np.float32(1e30), triangles[:2])
    with pytest.raises(waymesh.InputError, match="2 areas for 4|areas"):
        waymesh.bake(*join(floor(1, 1), floor(1, 1)), triangle_areas=[1, 1])
    with pytest.raises(waymesh.InputError, match="0 to 255"):
        waymesh.bake(*floor(1, 1), triangle_areas=[1, 300])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(waymesh.FileError, match="no.obj"):
        waymesh.from_file(tmp_path / "no.obj")
    with pytest.raises(OSError, match="no.obj") as raised:
        waymesh.from_file(tmp_path / "no.obj")
    again = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(again, waymesh.FileError) and str(again) == str(raised.value)
    (tmp_path / "bad.obj").write_text("v 1 2\nf 1 2 3\n")
    with pytest.raises(waymesh.FileError, match="bad.obj"):
        waymesh.from_file(tmp_path / "bad.obj")
    (tmp_path / "bad.wmesh").write_bytes(b"WAYMESH nonsense")
    with pytest.raises(waymesh.MeshError, match="bad.wmesh"):
        waymesh.load(tmp_path / "bad.wmesh")
    with pytest.raises(waymesh.MeshError):
        waymesh.NavMesh.from_bytes(b"")


def test_equal_meshes_have_equal_hashes(square: waymesh.NavMesh) -> None:
    world = waymesh.World([0, -1, 0], [20, 3, 20])
    world.add_triangles(*floor(20, 20))
    world.update()
    first, changed = world.mesh, []
    for low in (3, 9, 15):
        crate = world.add_obstacle(waymesh.Box(min=[low, 0, low], max=[low + 2, 2, low + 2]))
        world.update()
        changed.append(world.mesh)
        world.remove_obstacle(crate)
        world.update()
        changed.append(world.mesh)
    linked = square.with_link([2, 0, 2], [8, 0, 8])
    meshes = [square, square.with_oracle(), linked, linked.without_link(linked.links[0]["id"]), first, *changed]
    meshes += [pickle.loads(pickle.dumps(mesh)) for mesh in meshes] + [copy.deepcopy(mesh) for mesh in meshes]
    for one in meshes:
        assert hash(one) == hash(one)
        for other in meshes:
            assert one != other or hash(one) == hash(other)
    # The square with and without link, the world as it was, and with each crate.
    assert len(set(meshes)) == 6


def test_meshes_are_kept_and_sent(square: waymesh.NavMesh, tmp_path: Path) -> None:
    for name in ("mesh.wmesh", "mesh.wmrun"):
        square.save(tmp_path / name)
        assert waymesh.load(tmp_path / name) == square
    with pytest.raises(waymesh.FileError, match="mesh.txt"):
        square.save(tmp_path / "mesh.txt")
    sent = pickle.loads(pickle.dumps(square))
    assert sent == square and sent.report == square.report and hash(sent) == hash(square)
    assert square != waymesh.bake(*floor(9, 9)) and square != 3
    path = square.find_path([1, 0, 1], [9, 0, 9])
    again = pickle.loads(pickle.dumps(path))
    assert again.length == path.length and (again.points == path.points).all() and again.outcome == path.outcome
    with pytest.raises(waymesh.InputError, match="wmesh or wmrun"):
        square.to_bytes("zip")  # type: ignore[arg-type]


def test_a_fork_has_threads_of_its_own(square: waymesh.NavMesh) -> None:
    points = square.random_points(2000, seed=1)
    expected = square.distance(points[:1000], points[1000:])
    child = os.fork()
    if child == 0:
        same = (square.distance(points[:1000], points[1000:]) == expected).all()
        baked = waymesh.bake(*floor(10, 10), THIN) == square
        os._exit(0 if same and baked else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            break
        time.sleep(0.02)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")


def test_threads_share_a_mesh(square: waymesh.NavMesh) -> None:
    points = square.random_points(400, seed=3)
    expected = square.distance(points[:200], points[200:])
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(20):
            if not (square.distance(points[:200], points[200:]) == expected).all():
                wrong.append(number)
            if waymesh.bake(*floor(4, 4)).polygon_count == 0:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_world_with_obstacles() -> None:
    vertices, triangles = floor(20, 20)
    world = waymesh.World([0, -1, 0], [20, 3, 20], waymesh.Settings(decomposition="greedy"))
    assert world.mesh.polygon_count == 0
    world.add_triangles(vertices, triangles)
    assert world.is_dirty
    world.update()
    empty = world.mesh
    straight = empty.distance([2, 0, 10], [18, 0, 10])
    wall = world.add_obstacle(waymesh.Box(min=[9, -1, -1], max=[11, 3, 15]))
    figures = world.update()
    assert figures["rebuilt"] > 0 and not world.is_dirty
    assert world.mesh.distance([2, 0, 10], [18, 0, 10]) > straight + 2
    assert empty.distance([2, 0, 10], [18, 0, 10]) == straight
    crate = world.add_mesh_obstacle(*box((3, 0, 3), (5, 1.5, 5)))
    mark = world.add_mark(waymesh.Mark(waymesh.Cylinder(base=[16, -1, 4], radius=2, height=3), 5))
    world.update()
    assert 5 in world.mesh.polygon_areas and world.mesh.polygon_at([4, 0, 4], reach=0.2) == -1
    assert world.remove_obstacle(wall) and world.remove_obstacle(crate) and world.remove_mark(mark)
    assert not world.remove_obstacle(wall)
    world.update()
    assert world.mesh == empty
    with pytest.raises(waymesh.ConfigError, match="keep"):
        waymesh.World([0, 0, 0], [1, 1, 1], {"keep": "largest"})


SHAPES: list[tuple[Any, type[Exception], str]] = [
    (waymesh.Box(min=[2, 0, 2], max=[1, 1, 1]), waymesh.ConfigError, "swap them"),
    (waymesh.Box(min=[2, 0], max=[1, 1, 1]), waymesh.ConfigError, "min of a Box is"),
    (waymesh.Cylinder(base=[2, 0, 2], radius=-1, height=1), waymesh.ConfigError, "radius is -1"),
    (waymesh.Cylinder(base=[2, 0, 2], radius=1, height=float("nan")), waymesh.ConfigError, "height"),
    (waymesh.Prism(corners=[(0, 0), (1, 1), (1, 0), (0, 1)], heights=(0, 1)), waymesh.ConfigError, "crosses itself"),
    ({"box": [[0, 0, 0], [1, 1, 1]]}, waymesh.InputError, "a Box, Cylinder, Prism or ClosedMesh, not dict"),
    (None, waymesh.InputError, "not NoneType"),
]


@pytest.mark.parametrize("shape, kind, text", SHAPES, ids=map(str, range(len(SHAPES))))
def test_shapes_are_refused_alike(shape: Any, kind: type[Exception], text: str) -> None:
    """Obstacles, marks of worlds and marks of settings raise the same exception."""
    world = waymesh.World([0, -1, 0], [20, 3, 20])
    with pytest.raises(kind, match=text):
        world.add_obstacle(shape)
    with pytest.raises(kind, match=text):
        world.add_mark(waymesh.Mark(shape, 5))
    with pytest.raises(kind, match=text):
        waymesh.bake(*floor(5, 5), waymesh.Settings(marks=[waymesh.Mark(shape, 5)]))
    with pytest.raises(waymesh.InputError, match="add_mark needs a Mark"):
        world.add_mark(shape)


def test_a_scene_that_faces_down_has_two_remedies() -> None:
    vertices, triangles = floor(5, 5)
    with pytest.raises(waymesh.NothingWalkableError, match="`up` the axis .* or should `winding` be flipped"):
        waymesh.bake(vertices, triangles[:, ::-1])
    assert waymesh.bake(vertices, triangles[:, ::-1], {"winding": "flipped"}).area > 5


def test_settings_of_another_kind_are_refused() -> None:
    others: list[Any] = [[1], "cell_size", 3, {1}]
    for other in others:
        with pytest.raises(waymesh.InputError, match="settings must be Settings or a dictionary"):
            waymesh.bake(*floor(5, 5), other)
        with pytest.raises(waymesh.InputError, match="settings must be"):
            waymesh.World([0, 0, 0], [1, 1, 1], other)


def test_places_of_why_are_any_point() -> None:
    scene = floor(10, 10)
    expected = waymesh.why(*scene, [20, 0, 5], [5, 0, 5])
    for at, to in (((20, 0, 5), np.array([5, 0, 5])), (np.array([20, 0, 5], dtype=np.float32), np.array([5.0, 0, 5]))):
        assert waymesh.why(*scene, at, to) == expected
    wrongs: list[Any] = [[1, 2], [[1, 2, 3]], "abc", None]
    for wrong in wrongs:
        with pytest.raises(waymesh.InputError, match="at must"):
            waymesh.why(*scene, wrong)
    with pytest.raises(waymesh.QueryError, match="to: row 0"):
        waymesh.why(*scene, [1, 0, 1], [np.nan, 0, 1])


def test_pictures(two_islands: waymesh.NavMesh, tmp_path: Path) -> None:
    import matplotlib
    import trimesh

    matplotlib.use("Agg")
    path = two_islands.find_path([1, 0, 1], [3, 0, 3])
    axes = two_islands.plot(path, points=[[1, 0, 1]], color_by="area")
    axes.figure.savefig(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 5000
    assert len(axes.collections[0].get_paths()) == two_islands.polygon_count
    storeys = waymesh.bake(*join(floor(6, 6), floor(6, 6, y=4.0)), THIN)
    assert len(storeys.plot()) == 2 and set(storeys.polygon_storeys) == {0, 1}
    with pytest.raises(ValueError, match="color_by"):
        storeys.plot(color_by="taste")
    with pytest.raises(ValueError, match=r"storey is 2, but must be one of \[0, 1\]"):
        storeys.plot(storey=2)
    picture = two_islands.show(path)
    assert picture._repr_svg_().startswith("<svg") and two_islands._repr_html_().startswith("<svg")
    two_islands.save_glb(tmp_path / "mesh.glb")
    assert trimesh.load(tmp_path / "mesh.glb", force="mesh").area == pytest.approx(two_islands.area, rel=1e-4)
    solid = two_islands.to_trimesh()
    assert solid.area == pytest.approx(two_islands.area, rel=1e-4) and (solid.face_normals[:, 1] > 0.99).all()
    assert two_islands.to_trimesh(island=0).area == pytest.approx(two_islands.island_area(0), rel=1e-4)


def test_a_real_level(nav_test: waymesh.NavMesh) -> None:
    tiles = waymesh.from_file(level("nav_test.obj"), waymesh.Settings(tile_cells=64))
    assert tiles.to_bytes() == nav_test.to_bytes()


def test_meshes_of_detour_go_out_and_come_back(tmp_path: Path, square: waymesh.NavMesh) -> None:
    from waymesh.habitat import PathFinder

    file = tmp_path / "square.navmesh"
    flags = np.arange(1, square.polygon_count + 1, dtype=np.uint16)
    square.to_detour(file, flags)
    assert file.read_bytes().startswith(b"TESM")
    mesh, found, report = waymesh.from_detour(file)
    assert mesh.area == pytest.approx(square.area, rel=1e-5)
    assert found.dtype == np.uint16 and found.tolist() == flags.tolist()
    assert (report["tiles"], report["polygons"], report["flattened"]) == (1, square.polygon_count, 0)
    assert mesh.agent == pytest.approx(square.agent)
    assert mesh.distance([2, 0, 2], [5, 0, 6]) == pytest.approx(5.0)
    # The content tells the format, and the ending what is saved.
    assert waymesh.load(file) == mesh
    square.save(tmp_path / "saved.navmesh")
    assert waymesh.load(tmp_path / "saved.navmesh") == mesh
    pathfinder = PathFinder()
    assert pathfinder.load_nav_mesh(str(file)) and pathfinder.navigable_area == pytest.approx(square.area, rel=1e-5)
    with pytest.raises(waymesh.InputError, match="flags has"):
        square.to_detour(file, np.ones(square.polygon_count + 1, dtype=np.uint16))
    square.to_detour(file, tile_side=3.0)
    tiled, _, report = waymesh.from_detour(file)
    assert report["tiles"] == 16 and report["joined"] > 12 and len(tiled.islands) == 1
    assert tiled.area == pytest.approx(square.area, rel=1e-4)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(waymesh.FileError, match="square.navmesh: tile 0: needs"):
        waymesh.from_detour(file)


def test_a_value_that_a_setting_does_not_take_is_told_what_it_is() -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"keep": [1, 0, 1]}, r"keep cannot be \[1, 0, 1\]: Which ground is kept: .* or those connected to places"),
        ({"cell_size": "fine"}, 'cell_size cannot be "fine": Side of a cell of the grid'),
        ({"areas": {"mud": {"name": "mud"}}}, "areas cannot be .*: Names, costs per metre and colours of areas, by number"),
        ({"origin": [1, 2]}, "origin"),
        ({"threads": -1}, "threads cannot be -1: Threads, 0 for one per core"),
    ]
    for settings, text in wrongs:
        with pytest.raises(waymesh.ConfigError, match=text):
            waymesh.bake(*floor(5, 5), settings)
