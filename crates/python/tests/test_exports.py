"""Meshes as objects of other libraries."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import box, floor, join


def test_polygons_for_shapely_and_geopandas(two_islands: waymesh.NavMesh) -> None:
    polygons = two_islands.to_shapely()
    assert len(polygons) == two_islands.polygon_count
    assert sum(polygon.area for polygon in polygons) == pytest.approx(two_islands.area, rel=1e-4)
    frame = two_islands.to_geopandas()
    assert frame.groupby("island")["geometry"].count().size == two_islands.island_count
    for island, of_island in frame.groupby("island"):
        assert of_island.area.sum() == pytest.approx(two_islands.island_area(int(island)), rel=1e-4)
    assert set(frame["area"]) == {"ground"} and frame.has_z.all()
    place = two_islands.random_points(1, seed=4)[0]
    import shapely

    there = frame[frame.geometry.intersects(shapely.Point(place[0], place[2]))]
    assert int(two_islands.polygon_at(place)) in there.index


def test_a_graph_for_networkx(walled: waymesh.NavMesh, two_islands: waymesh.NavMesh) -> None:
    import networkx

    graph = walled.to_networkx()
    assert graph.number_of_nodes() == walled.polygon_count
    assert graph.number_of_edges() == 2 * walled.portal_count
    for _, _, about in graph.edges(data=True):
        assert about["kind"] == "edge" and about["width"] > 0 and about["length"] > 0
    # A path of polygons that the mesh finds is one of the graph.
    polygons = walled.find_path([2, 0, 4], [8, 0, 4]).polygons.tolist()
    assert networkx.is_path(graph, polygons)
    assert networkx.number_weakly_connected_components(two_islands.to_networkx()) == two_islands.island_count
    ends = [island["place"] for island in two_islands.islands[:2]]
    linked = two_islands.with_link(*ends, kind="jump", both_ways=False, extra_cost=2.0)
    assert linked.links[0]["polygons"] == tuple(int(linked.polygon_at(end)) for end in ends)
    jumps: list[Any] = [edge for edge in linked.to_networkx().edges(data=True) if edge[2]["kind"] == "jump"]
    assert len(jumps) == 1 and jumps[0][2]["extra_cost"] == 2 and jumps[0][:2] == linked.links[0]["polygons"]
    closed = linked.with_link_open(linked.links[0]["id"], False).to_networkx()
    assert closed.number_of_edges() == two_islands.to_networkx().number_of_edges()


def worlds() -> Iterator[waymesh.NavMesh]:
    """Worlds of tiles whose edges meet within each other, as built and after changes."""
    boxes = [((7, -1, 3), (9, 2, 14)), ((2, -1, 10), (5, 2, 12)), ((12, -1, -1), (12.6, 2, 21))]
    for count, tile_cells in ((1, 16), (2, 24), (3, 32)):
        scene = join(floor(20, 20), *(box(*ends) for ends in boxes[:count]))
        world = waymesh.World([0, -1, 0], [20, 3, 20], waymesh.Settings(cell_size=0.25, agent_radius=0.3), tile_cells=tile_cells)
        world.add_triangles(*scene)
        world.update()
        yield world.mesh
        world.add_obstacle(waymesh.Box(min=[14, -1, 4], max=[17, 2, 9]))
        world.update()
        yield world.mesh


def test_a_graph_has_the_neighbours_of_the_mesh() -> None:
    import networkx

    # Two polygons of different storeys have an edge with the same vertices in the same order.
    shared = [[[6, 0.9, 4], [3, 0.9, 2], [2, 0.9, 4]], [[7, 0.3, -1], [3, 0.3, 6], [0, 0.3, 5]], [[0, 0.7, 3], [-4, 0.7, 1], [5, 0.7, 2]]]
    settings = {"pipeline": "storeys", "cell_size": 0.25, "level_height": 0.1, "winding": "two_sided", "agent_height": 0.5}
    settings |= {"max_step": 0.4, "agent_radius": 0.0}
    storeys = waymesh.bake(np.array(shared, np.float32).reshape(-1, 3), np.arange(9).reshape(3, 3), settings)
    for mesh in (storeys, *worlds()):
        graph = mesh.to_networkx()
        portals = [edge for edge in graph.edges(data=True) if edge[2]["kind"] == "edge"]
        assert len(portals) == 2 * mesh.portal_count == len(mesh.portals)
        alone = networkx.Graph((start, end) for start, end, _ in portals)
        alone.add_nodes_from(graph)
        assert networkx.number_connected_components(alone) == mesh.island_count
        both = {(start, end, round(about["width"], 4)) for start, end, about in portals}
        assert both == {(end, start, width) for start, end, width in both}
        starts, ends = mesh.random_points(100, seed=1), mesh.random_points(100, seed=2)
        for start, end in zip(starts, ends):
            assert networkx.is_path(graph, mesh.find_path(start, end).polygons.tolist())


def test_a_view_for_xarray(walled: waymesh.NavMesh) -> None:
    view = walled.to_xarray(0.25, 0.0)
    assert np.array_equal(view.values, walled.plan_view(0.25, 0.0))
    for x, z in [(2.0, 4.0), (5.0, 2.0), (8.0, 9.0)]:
        island = int(view.sel(x=x, z=z, method="nearest"))
        assert island == int(walled.island_at([x, 0, z], reach=(0.0, 0.5, 0.5)))
    assert math.isclose(float(view.x[1] - view.x[0]), 0.25, rel_tol=1e-5)


class Fields:
    """An object of open3d that stands in for it where it is not installed: it keeps what it is given."""

    def compute_vertex_normals(self) -> None:
        self.has_normals = True


@pytest.mark.parametrize("detail", [True, False])
def test_a_mesh_for_open3d(detail: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("open3d") is None:
        arrays = {"Vector3dVector": np.asarray, "Vector3iVector": np.asarray}
        stand_in = SimpleNamespace(geometry=SimpleNamespace(TriangleMesh=Fields), utility=SimpleNamespace(**arrays))
        monkeypatch.setitem(sys.modules, "open3d", stand_in)
    pond = waymesh.Mark(waymesh.Box(min=[2, -1, 2], max=[5, 2, 5]), 7)
    settings = waymesh.Settings(cell_size=0.1, agent_radius=0.0, marks=[pond], areas={7: waymesh.Area("pond", colour=(0, 51, 255))})
    mesh = waymesh.bake(*floor(10, 8), settings)
    ground = mesh.to_open3d(detail=detail)
    vertices, triangles = np.asarray(ground.vertices), np.asarray(ground.triangles)
    vertex_colours = np.asarray(ground.vertex_colors)
    sides = np.cross(vertices[triangles[:, 1]] - vertices[triangles[:, 0]], vertices[triangles[:, 2]] - vertices[triangles[:, 0]])
    assert (sides[:, 1] > 0).all() and sides[:, 1].sum() / 2 == pytest.approx(mesh.area, rel=1e-4)
    is_pond = (vertex_colours[triangles[:, 0]] == [0, 0.2, 1]).all(axis=1)
    assert sides[is_pond, 1].sum() / 2 == pytest.approx(9, rel=0.02)
    middles = vertices[triangles].mean(axis=1)
    assert (mesh.polygon_at(middles) == mesh.triangle_polygons(detail)).all()
