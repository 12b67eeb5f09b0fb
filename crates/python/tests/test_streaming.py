"""Worlds whose tiles are read around a place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import waymesh

SETTINGS = waymesh.Settings(cell_size=0.2, level_height=0.1, agent_radius=0.4)
VERTICES = np.array([[0, 0, 0], [40, 0, 0], [40, 0, 20], [0, 0, 20]], dtype=np.float32)
TRIANGLES = [[0, 2, 1], [0, 3, 2]]


def whole(settings: waymesh.Settings = SETTINGS) -> waymesh.World:
    world = waymesh.World([0, 0, 0], [40, 2, 20], settings)
    world.add_triangles(VERTICES, TRIANGLES)
    world.update()
    return world


def test_tiles_come_and_go(tmp_path: Path) -> None:
    world = whole()
    assert len(world.tiles) == 15
    world.write_tiles(tmp_path)
    streamed = waymesh.World.open(tmp_path, SETTINGS)
    assert streamed.tiles == [] and streamed.mesh.polygon_count == 0
    areas = []
    for x in (2.0, 20.0, 38.0):
        wanted = streamed.tiles_near([x, 0, 10], 6.0)
        assert wanted and set(wanted) < set(world.tiles)
        for tile in set(streamed.tiles) - set(wanted):
            assert streamed.remove_tile(tile)
        for tile in set(wanted) - set(streamed.tiles):
            assert streamed.load_tile(tile)
        done = streamed.update()
        assert done["prebaked"] > 0
        assert set(streamed.tiles) == set(wanted)
        assert bool(streamed.mesh.is_navigable([x, 0.0, 10.0]))
        areas.append(streamed.mesh.area)
        far = 38.0 if x < 20 else 2.0
        assert not bool(streamed.mesh.is_navigable([far, 0.0, 10.0])) or x == 20.0
    assert max(areas) < world.mesh.area
    # All tiles give the bytes of the whole, obstacles come and go on them.
    for tile in world.tiles:
        streamed.load_tile(tile)
    streamed.update()
    assert streamed.mesh == world.mesh
    for each in (streamed, world):
        each.add_obstacle(waymesh.Box(min=[9, 0, 4], max=[11, 2, 16]))
        each.update()
    assert streamed.mesh == world.mesh
    assert streamed.mesh.find_path([2, 0, 10], [38, 0, 10]).length > 36.5


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    world = whole()
    world.write_tiles(tmp_path)
    with pytest.raises(waymesh.WaymeshError):
        waymesh.World.open(tmp_path / "nothing", SETTINGS)
    with pytest.raises(waymesh.WaymeshError, match="settings"):
        waymesh.World.open(tmp_path, waymesh.Settings(cell_size=0.25))
    streamed = waymesh.World.open(tmp_path, SETTINGS)
    with pytest.raises(waymesh.WaymeshError):
        streamed.load_tile((99, 0))
    assert not streamed.remove_tile((0, 0))
    with pytest.raises(waymesh.WaymeshError, match="distance"):
        streamed.tiles_near([0, 0, 0], -1.0)
    assert not whole().load_tile((0, 0))
    world.add_obstacle(waymesh.Box(min=[9, 0, 4], max=[11, 2, 16]))
    with pytest.raises(waymesh.WaymeshError):
        world.write_tiles(tmp_path)
