"""Whole numbers out of range, in every argument that takes one: the error names the argument and the number."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, floor
from waymesh.habitat import PathFinder

AT, BEYOND = [1.0, 0.0, 1.0], [5.0, 0.0, 1.0]
SOURCES = ["_waymesh.pyi", "_world.py", "_episodes.py", "_exports.py", "_pictures.py", "_scene.py", "habitat.py"]
Call = Callable[[Any], Any]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    """A call for each argument, by its place: class, method and name."""
    mesh = waymesh.bake(*floor(10, 10), THIN).with_link(AT, BEYOND)
    sampler, corridor = mesh.sampler(), waymesh.Corridor(mesh, AT, BEYOND)
    crowd = waymesh.Crowd(mesh)
    crowd.add(AT)
    world = waymesh.World([0, -1, 0], [20, 3, 20])
    scene = tmp_path_factory.mktemp("job") / "floor.obj"
    scene.write_text("v 0 0 0\nv 9 0 0\nv 9 0 9\nv 0 0 9\nf 1 4 3 2\n")
    job = waymesh.TileJob([str(scene)], {"tile_cells": 32, "folder": str(scene.parent / "tiles")})
    finder = PathFinder()
    finder.build(*floor(8, 8), waymesh.habitat.NavMeshSettings())
    return {
        "NavMesh.with_hierarchy.min_polygons": lambda n: mesh.with_hierarchy(min_polygons=n),
        "NavMesh.with_hierarchy.cluster_polygons": lambda n: mesh.with_hierarchy(cluster_polygons=n),
        "NavMesh.with_oracle.max_bytes": mesh.with_oracle,
        "NavMesh.triangles.island": lambda n: mesh.triangles(island=n),
        "NavMesh.to_trimesh.island": lambda n: mesh.to_trimesh(island=n),
        "NavMesh.plot.storey": lambda n: mesh.plot(storey=n),
        "NavMesh.island_area.island": mesh.island_area,
        "NavMesh.island_radius.island": mesh.island_radius,
        "NavMesh.with_link.data": lambda n: mesh.with_link(AT, BEYOND, data=n),
        "NavMesh.without_link.link": mesh.without_link,
        "NavMesh.with_link_open.link": lambda n: mesh.with_link_open(n, True),
        "NavMesh.snap.island": lambda n: mesh.snap(AT, island=n),
        "NavMesh.sampler.seed": mesh.sampler,
        "NavMesh.sampler.island": lambda n: mesh.sampler(0, n),
        "NavMesh.random_points.count": mesh.random_points,
        "NavMesh.random_points.seed": lambda n: mesh.random_points(1, seed=n),
        "NavMesh.random_points.island": lambda n: mesh.random_points(1, island=n),
        "Sampler.seed.seed": sampler.seed,
        "Sampler.points.count": sampler.points,
        "Sampler.near.count": lambda n: sampler.near(AT, 2.0, n),
        "TileJob.build_share.index": lambda n: job.build_share(n, 4),
        "TileJob.build_share.of": lambda n: job.build_share(0, n),
        "TileJob.build.column": lambda n: job.build(n, 0),
        "TileJob.build.row": lambda n: job.build(0, n),
        "Crowd.__new__.max_neighbours": lambda n: waymesh.Crowd(mesh, max_neighbours=n),
        "Crowd.__new__.plans_per_step": lambda n: waymesh.Crowd(mesh, plans_per_step=n),
        "Crowd.add.priority": lambda n: crowd.add(AT, priority=n),
        "Crowd.remove.agent": crowd.remove,
        "Crowd.set_target.agents": lambda n: crowd.set_target(n, AT),
        "Crowd.set_position.agents": lambda n: crowd.set_position(n, AT),
        "Crowd.stop.agents": crowd.stop,
        "Crowd.set_link_rule.link": crowd.set_link_rule,
        "Crowd.set_link_rule.capacity": lambda n: crowd.set_link_rule(mesh.links[0]["id"], capacity=n),
        "Crowd.path.agent": crowd.path,
        "Corridor.corners.count": corridor.corners,
        "World.__init__.tile_cells": lambda n: waymesh.World([0, -1, 0], [9, 3, 9], tile_cells=n),
        "World.load_tile.tile": lambda n: world.load_tile((n, 0)),
        "World.remove_tile.tile": lambda n: world.remove_tile((0, n)),
        "World.remove_obstacle.obstacle": world.remove_obstacle,
        "World.remove_mark.mark": world.remove_mark,
        "World.add_link.data": lambda n: world.add_link(AT, BEYOND, data=n),
        "World.remove_link.link": world.remove_link,
        "World.set_link_open.link": lambda n: world.set_link_open(n, True),
        "set_threads.count": waymesh.set_threads,
        "episodes.count": lambda n: waymesh.episodes(mesh, n),
        "episodes.seed": lambda n: waymesh.episodes(mesh, 1, seed=n),
        "PathFinder.seed.new_seed": finder.seed,
        "PathFinder.build_navmesh_vertices.island_index": finder.build_navmesh_vertices,
        "PathFinder.build_navmesh_vertex_indices.island_index": finder.build_navmesh_vertex_indices,
        "PathFinder.island_area.island_index": finder.island_area,
        "PathFinder.get_random_navigable_point.max_tries": finder.get_random_navigable_point,
        "PathFinder.get_random_navigable_point.island_index": lambda n: finder.get_random_navigable_point(1, n),
        "PathFinder.get_random_navigable_point_near.max_tries": lambda n: finder.get_random_navigable_point_near(AT, 1.0, n),
        "PathFinder.get_random_navigable_point_near.island_index": lambda n: finder.get_random_navigable_point_near(AT, 1.0, 1, n),
        "PathFinder.snap_point.island_index": lambda n: finder.snap_point(AT, n),
    }


def documented() -> set[str]:
    """The arguments of public functions and methods that take a whole number."""
    found = set()

    def visit(body: list[ast.stmt], place: str, source: str) -> None:
        for node in body:
            name = getattr(node, "name", "_")
            if isinstance(node, ast.ClassDef) and not name.startswith("_"):
                visit(node.body, name + ".", source)
            elif isinstance(node, ast.FunctionDef) and (not name.startswith("_") or name in ("__init__", "__new__")):
                for given in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                    names = {getattr(part, "id", "") for part in ast.walk(given.annotation)} if given.annotation else set()
                    if "int" in names:
                        found.add(f"{place}{name}.{given.arg}")

    for source in SOURCES:
        visit(ast.parse((Path(waymesh.__file__).parent / source).read_text()).body, "", source)
    # The functions behind methods, and the half of a world in Rust.
    hidden = {"to_trimesh.island", "plot.storey", "random_points.count", "random_points.seed", "random_points.island"}
    return {place for place in found - hidden if not place.startswith(("World.__new__", "Scene.", "Parts."))}


def test_every_argument_has_a_call(calls: dict[str, Call]) -> None:
    assert documented() == set(calls)


@pytest.mark.parametrize("number", [-1, -(2**40), np.int64(-7), 2**64, 10**30])
def test_numbers_out_of_range_are_named(calls: dict[str, Call], number: Any) -> None:
    for place, call in calls.items():
        name = place.rsplit(".", 1)[1]
        if number > 0 and place == "PathFinder.get_random_navigable_point_near.max_tries":
            continue  # As many draws as that.
        try:
            call(number)
        except (waymesh.WaymeshError, ValueError) as error:
            text = str(error)
            # Settings are numbers in double precision.
            assert str(number)[:6] in text, (place, text)
            assert any(word in text for word in (name, name.rstrip("s"), "column", "row", "island", "points")), (place, text)


def test_a_negative_number_is_never_a_count(calls: dict[str, Call]) -> None:
    # -1 is any island in habitat-sim.
    for place, call in calls.items():
        if not place.startswith("PathFinder"):
            with pytest.raises((waymesh.WaymeshError, ValueError)):
                call(-1)


@pytest.mark.parametrize("number", [10**400, -(10**400)], ids=["huge", "negative"])
def test_numbers_beyond_floats_are_infinite_and_named(number: int) -> None:
    mesh = waymesh.bake(*floor(10, 10), THIN)
    crowd, sampler = waymesh.Crowd(mesh), mesh.sampler()
    crowd.add(AT)
    calls: dict[str, Call] = {
        "radius": lambda n: mesh.find_path(AT, BEYOND, radius=n),
        "ground_error": lambda n: mesh.find_path(AT, BEYOND, ground_error=n),
        "height": lambda n: mesh.find_path(AT, BEYOND, agent_height=n),
        "drift": lambda n: waymesh.Corridor(mesh, AT, BEYOND, max_drift=n),
        "range": lambda n: waymesh.Corridor(mesh, AT, BEYOND, range=n),
        "step": lambda n: mesh.plan_view(n, 0.0),
        "seconds": crowd.step,
        "cell_size": lambda n: waymesh.bake(*floor(10, 10), {"cell_size": n}),
        "cost": lambda n: mesh.find_path(AT, BEYOND, area_costs={9: n}),
        "radius of a sample": lambda n: sampler.near(AT, n, 1),
    }
    for name, call in calls.items():
        try:
            call(number)
        except (waymesh.WaymeshError, ValueError) as error:
            assert name.split()[0] in str(error), (name, error)
            assert "inf" in str(error) or "0 or more" in str(error), (name, error)
        else:
            # Infinite ones are legal: a straight path, a closed area, no limit of a distance.
            assert number > 0 and name in ("ground_error", "cost", "drift", "range", "radius of a sample"), name
