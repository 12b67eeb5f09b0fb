"""Odd arguments of readers, shapes, episodes and habitat: the error names the argument, and no option is ignored."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
import waymesh.sdf
from conftest import THIN, floor
from waymesh.habitat import Agent, GreedyGeodesicFollower, NavMeshSettings, PathFinder

HUGE = 10**400
BOX = "<model name='m'><static>1</static><link name='l'><collision name='c'><geometry>{}</geometry></collision></link></model>"
SQUARE = "<box><size>4 4 0.2</size></box>"


def world(folder: Path, shape: str = SQUARE, **given: Any) -> waymesh.sdf.Site:
    file = folder / "welt ü.sdf"
    file.write_text(f"<sdf><world name='w'>{BOX.format(shape)}</world></sdf>", encoding="utf-8")
    return waymesh.sdf.load(file, **given)


@pytest.mark.parametrize("name", ["min_distance", "max_distance", "min_ratio", "max_rise", "min_island_radius"])
@pytest.mark.parametrize("value", ["x", None, math.nan])
def test_rules_of_episodes_are_numbers(name: str, value: Any) -> None:
    mesh = waymesh.bake(*floor(10, 10), THIN)
    with pytest.raises(waymesh.ConfigError, match=f"{name} is {value!r}"):
        waymesh.episodes(mesh, 5, **{name: value})


@pytest.mark.parametrize("count", [10**30, 10_000_001, 2.5, "3", None, -1])
def test_the_number_of_episodes_has_a_limit(count: Any) -> None:
    with pytest.raises(waymesh.ConfigError, match=r"count is .*, but must be a whole number, 0 to 10,000,000"):
        waymesh.episodes(waymesh.bake(*floor(10, 10), THIN), count)


def test_a_number_too_large_for_a_float_is_infinite() -> None:
    mesh = waymesh.bake(*floor(10, 10), THIN)
    assert len(waymesh.episodes(mesh, 5, max_distance=HUGE, max_rise=HUGE)) == 5
    with pytest.raises(waymesh.ConfigError, match=r"min_distance is 1000.*\.\., but must be a number from 0 m"):
        waymesh.episodes(mesh, 5, min_distance=HUGE)
    with pytest.raises(waymesh.ConfigError, match=r"origin is \[1000.*, but must be 3 finite numbers"):
        waymesh.bake(*floor(10, 10), {"origin": [HUGE, 0, 0]})


def test_episodes_are_written_to_any_path(tmp_path: Path) -> None:
    tasks = waymesh.episodes(waymesh.bake(*floor(10, 10), THIN), 2)
    tasks.save(bytes(tmp_path / "a.json.gz"), str(tmp_path))  # type: ignore[arg-type]
    assert (tmp_path / "a.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    with pytest.raises(waymesh.FileError, match="cannot write .*absent"):
        tasks.save(tmp_path / "absent" / "a.json", "scene")
    with pytest.raises(waymesh.ConfigError, match="goal_radius is nan"):
        tasks.save(tmp_path / "b.json", "scene", math.nan)


@pytest.mark.parametrize("file", [3, None])
def test_a_number_names_no_file(file: Any) -> None:
    mesh = waymesh.bake(*floor(10, 10), THIN)
    for call in (mesh.save_glb, mesh.show().save, waymesh.sdf.load, PathFinder().load_nav_mesh, NavMeshSettings().write_to_json):
        with pytest.raises(waymesh.InputError, match="a file is named by a text or a path, not by"):
            call(file)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (waymesh.Box(min=[0, 0], max=[1, 1, 1]), r"min of a Box is \[0, 0\], but must be 3 finite numbers"),
        (waymesh.Box(min=[0, 0, 0], max="abc"), "max of a Box is 'abc'"),  # type: ignore[arg-type]
        (waymesh.Box(min=[HUGE, 0, 0], max=[1, 1, 1]), "min of a Box is"),
        (waymesh.Cylinder(base=None, radius=1.0, height=1.0), "base of a Cylinder is None"),  # type: ignore[arg-type]
        (waymesh.Prism(corners=[[0, 0], [1]], heights=(0, 1)), r"corner 1 of a Prism is \[1\]"),
        (waymesh.Prism(corners=[[0, 0], [1, 0], [1, 1]], heights=3), "heights of a Prism is 3"),  # type: ignore[arg-type]
        (waymesh.ClosedMesh([[0, 0], [0, 1, 2]], [[0, 0, 0]]), "give lists of vertices|points must be numbers of shape"),
    ],
)
def test_malformed_shapes_are_refused_by_name(shape: Any, words: str) -> None:
    place = waymesh.World([0, -1, 0], [9, 3, 9])
    with pytest.raises(ValueError, match=words):
        place.add_obstacle(shape)
    with pytest.raises(ValueError, match=words):
        waymesh.ZUp(place).add_mark(waymesh.Mark(shape, "blocked"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"geometry": "hull"}, "geometry is 'hull', but must be one of 'collision', 'visual'"),
        ({"moving": "none"}, "moving is 'none', but must be one of"),
        ({"missing": "skip"}, "missing is 'skip', but must be one of"),
        ({"plane_size": math.nan}, "plane_size is nan, but must be a number from 0 m"),
        ({"plane_size": -1.0}, "plane_size is -1"),
        ({"origin": [1, 2]}, r"origin is \[1, 2\], but must be 3 finite numbers"),
        ({"origin": 3.0}, "origin is 3"),
        ({"origin": [math.nan, 0, 0]}, "origin is"),
        ({"area_of": 3}, "area_of must be a function or a dictionary"),
        ({"area_of": {"*": 3}}, "area_of names the area 3"),
        ({"model_paths": 3}, "model_paths is 3"),
    ],
)
def test_options_of_worlds_are_checked(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        world(tmp_path, **given)


def test_one_folder_of_models_is_a_folder(tmp_path: Path) -> None:
    model = tmp_path / "elsewhere" / "m"
    model.mkdir(parents=True)
    (model / "model.sdf").write_text(f"<sdf>{BOX.format(SQUARE)}</sdf>")
    file = tmp_path / "w.sdf"
    file.write_text("<sdf><world name='w'><include><uri>model://m</uri></include></world></sdf>")
    for folder in (str(tmp_path / "elsewhere"), bytes(tmp_path / "elsewhere")):
        assert len(waymesh.sdf.load(file, model_paths=folder).triangles) == 12  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("<sphere><radius>-1</radius></sphere>", "radius is '-1', but must be a number from 0"),
        ("<box><size>1 -1 1</size></box>", "size is '1 -1 1', but must be 3 numbers from 0"),
        ("<box><size>1e300 1 1</size></box>", "size is .* to 1e[+]30"),
        ("<heightmap><uri>a.png</uri></heightmap>", "no model has a shape that is ground; heightmap of 'm::l::c' was not read"),
    ],
)
def test_shapes_that_are_not_read_are_named(tmp_path: Path, shape: str, words: str) -> None:
    with pytest.raises(waymesh.FileError, match=words):
        world(tmp_path, shape)


def test_settings_of_a_scene_are_checked(tmp_path: Path) -> None:
    site = world(tmp_path)
    with pytest.raises(waymesh.ConfigError, match="areas must be a dictionary of areas by number, not int"):
        site.bake({"areas": 3})
    file = tmp_path / "m.sdf"
    file.write_text(f"<sdf><world name='w'>{BOX.format(SQUARE)}{BOX.format(SQUARE).replace('<static>1</static>', '')}</world></sdf>")
    (crate,) = waymesh.sdf.load(file).obstacles
    for pose in (np.eye(3), "x", np.full((4, 4), math.nan)):
        with pytest.raises(waymesh.InputError, match="the pose of 'm_1::l' is .*, but must be finite numbers of shape [(]4, 4[)]"):
            crate.at(pose)


def test_a_pattern_of_prims_is_one_pattern(tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    import waymesh.usd

    file = tmp_path / "s.usda"
    file.write_text('#usda 1.0\ndef Cube "a"\n{\n}\ndef Cube "b"\n{\n}\n')
    assert waymesh.usd.load(file, include="/a").elements == ["/a"]
    assert waymesh.usd.load(file, exclude="/a").elements == ["/b"]
    with pytest.raises(waymesh.FileError, match="no prim"):
        waymesh.usd.load(file, include=[])
    for given in ({"include": 3}, {"area_of": 3}, {"time": "x"}, {"origin": [1]}):
        with pytest.raises(ValueError, match=f"{[*given][0]} "):
            waymesh.usd.load(file, **given)
    file.write_text('#usda 1.0\ndef Sphere "ball"\n{\n    double radius = -1\n}\n')
    with pytest.raises(waymesh.FileError, match="/ball: radius is -1"):
        waymesh.usd.load(file)


HABITAT: list[tuple[str, Callable[[PathFinder], Any]]] = [
    ("cell_size is nan", lambda finder: NavMeshSettings(cell_size=math.nan).to_settings()),
    ("verts_per_poly is inf", lambda finder: NavMeshSettings(verts_per_poly=math.inf).to_settings()),
    ("edge_max_error is None", lambda finder: NavMeshSettings(edge_max_error=None).to_settings()),  # type: ignore[arg-type]
    ("a position is 'x'", lambda finder: finder.snap_point("x")),
    ("a position is", lambda finder: finder.get_island([[1.0, 0.0, 1.0]])),
    ("island_index is 1.5", lambda finder: finder.island_area(1.5)),  # type: ignore[arg-type]
    ("island_index is -2", lambda finder: finder.get_random_navigable_point(island_index=-2)),
    ("new_seed is inf", lambda finder: finder.seed(math.inf)),  # type: ignore[arg-type]
    ("max_tries is 1.5", lambda finder: finder.get_random_navigable_point_near([1, 0, 1], 1.0, 1.5)),  # type: ignore[arg-type]
    ("meters_per_pixel is 'x'", lambda finder: finder.get_topdown_view("x", 0.0)),  # type: ignore[arg-type]
    ("goal_radius is nan", lambda finder: GreedyGeodesicFollower(finder, Agent(), math.nan)),
]


@pytest.mark.parametrize(("words", "call"), HABITAT)
def test_habitat_names_what_it_refuses(words: str, call: Callable[[PathFinder], Any]) -> None:
    finder = PathFinder()
    finder.build(*floor(8, 8))
    with pytest.raises(ValueError, match=words):
        call(finder)


@pytest.mark.parametrize("amount", [0.0, -10.0, math.nan, math.inf])
@pytest.mark.parametrize("action", ["move_forward", "turn_left"])
def test_actions_of_a_follower_do_something(action: str, amount: float) -> None:
    finder, agent = PathFinder(), Agent()
    finder.build(*floor(8, 8))
    agent.agent_config.action_space[action].actuation.amount = amount
    with pytest.raises(waymesh.ConfigError, match=f"amount of {action} is {amount}"):
        GreedyGeodesicFollower(finder, agent)


@pytest.mark.parametrize("text", ["", "[]", '{"cell_size": "x"}', '{"filter_ledge_spans": 1.5}', '{"cell_size": 0.3, "other": 1}'])
def test_a_file_of_habitat_settings_is_read_whole_or_not(tmp_path: Path, text: str) -> None:
    settings, file = NavMeshSettings(), tmp_path / "s.json"
    file.write_text(text)
    with pytest.raises(waymesh.FileError, match=r"s\.json"):
        settings.read_from_json(file)
    assert settings == NavMeshSettings()
