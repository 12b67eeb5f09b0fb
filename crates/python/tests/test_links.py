"""Links that are added to meshes and worlds: doors, ladders, lifts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import waymesh
from conftest import THIN, floor, join

WEST, EAST = [5.0, 0.0, 5.0], [18.0, 0.0, 5.0]
PIER = ([9.0, 0.0, 5.0], [13.0, 0.0, 5.0])

BANKS = join(floor(10, 10), floor(10, 10, x=12))
"""Two squares of 10 m, 2 m apart."""


@pytest.fixture(scope="module")
def banks() -> waymesh.NavMesh:
    return waymesh.bake(*BANKS, THIN)


@pytest.fixture(scope="module")
def for_crowds() -> waymesh.NavMesh:
    return waymesh.bake(*BANKS, waymesh.Settings(agent_radius=0.3))


def test_a_link_joins_what_was_apart(banks: waymesh.NavMesh) -> None:
    assert not banks.find_path(WEST, EAST).is_complete
    bridge = banks.with_link(*PIER, kind="door", extra_cost=3.0, data=7)
    assert not banks.links and len(bridge.links) == 1, "the mesh itself stays as it was"
    link = bridge.links[-1]
    assert (link["kind"], link["both_ways"], link["is_open"], link["extra_cost"], link["data"]) == ("door", True, True, 3.0, 7)
    for start, end, backwards in ((WEST, EAST, False), (EAST, WEST, True)):
        path = bridge.find_path(start, end)
        assert path.is_complete and path.links[0][:2] == (link["id"], backwards)
        # Ends lie on the grid of the mesh.
        assert path.length == pytest.approx(13, abs=0.2)
    assert bridge.islands[0]["joined"] == bridge.islands[1]["joined"]
    assert waymesh.NavMesh.from_bytes(bridge.to_bytes()) == bridge


def test_links_open_close_and_go(banks: waymesh.NavMesh) -> None:
    one_way = banks.with_link(*PIER, both_ways=False)
    link = one_way.links[0]["id"]
    assert one_way.find_path(WEST, EAST).is_complete and not one_way.find_path(EAST, WEST).is_complete
    assert not one_way.find_path(WEST, EAST, link_costs={link: math.inf}).is_complete
    closed = one_way.with_link_open(link, False)
    assert not closed.find_path(WEST, EAST).is_complete
    assert closed.with_link_open(link, True) == one_way
    assert one_way.without_link(link) == banks
    second = one_way.with_link([9, 0, 1], [13, 0, 1])
    assert [link["id"] for link in second.links] == [link, link + 1]


def test_agents_take_links(for_crowds: waymesh.NavMesh) -> None:
    bridge = for_crowds.with_link(*PIER)
    shut = bridge.with_link_open(bridge.links[0]["id"], False)
    crowd = waymesh.Crowd(shut)
    agent = crowd.add(WEST)
    crowd.set_target(agent, EAST)

    def status(seconds: float) -> set[str]:
        seen = set()
        for _ in range(int(seconds * 10)):
            crowd.step(0.1)
            seen.add(crowd.STATUSES[crowd.statuses[0]])
        return seen

    assert "on-link" not in status(10) and status(1) == {"blocked"}
    crowd.walk_on(bridge)
    assert "on-link" in status(20) and status(1) == {"arrived"}


def test_a_lift_takes_its_time_and_few_at_once(for_crowds: waymesh.NavMesh) -> None:
    mesh = for_crowds.with_link(*PIER, kind="lift")
    most = {}
    for capacity in (None, 1):
        crowd = waymesh.Crowd(mesh)
        agents = crowd.add([[5, 0, 3], [5, 0, 5], [5, 0, 7]])
        crowd.set_link_rule(mesh.links[0]["id"], seconds=8.0, capacity=capacity)
        crowd.set_target(agents, [[18, 0, 3], [18, 0, 5], [18, 0, 7]])
        most[capacity], on_link = 0, 0
        for _ in range(400):
            crowd.step(0.1)
            riding = int((crowd.statuses == crowd.STATUSES.index("on-link")).sum())
            most[capacity], on_link = max(most[capacity], riding), on_link + riding
        assert set(crowd.statuses) == {crowd.STATUSES.index("arrived")}
        # Three rides of eight seconds.
        assert 230 <= on_link <= 250
    assert most == {None: 3, 1: 1}
    with pytest.raises(waymesh.ConfigError, match="capacity"):
        crowd.set_link_rule(0, capacity=0)


def test_links_of_a_world_live_through_updates() -> None:
    vertices, triangles = BANKS
    world = waymesh.World(vertices.min(axis=0), vertices.max(axis=0))
    world.add_triangles(vertices, triangles)
    world.update()

    def joined() -> bool:
        return world.mesh.find_path(WEST, EAST).is_complete

    assert not joined()
    link = world.add_link(*PIER, kind="lift")
    assert joined() and world.mesh.links[0]["id"] == link
    assert world.set_link_open(link, False) and not joined()
    assert world.set_link_open(link, True) and joined()
    # A crate on one end takes the link away, until it is gone.
    crate = world.add_obstacle(waymesh.Box(min=[8, 0, 4], max=[10, 2, 6]))
    world.update()
    assert not joined() and not world.mesh.links
    world.remove_obstacle(crate)
    world.update()
    assert joined() and world.mesh.links[0]["id"] == link
    assert world.remove_link(link) and not joined()
    assert not world.remove_link(link) and not world.set_link_open(link, True)


@pytest.mark.parametrize("width", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("fast", [False, True])
def test_a_disc_that_is_wider_than_a_link_does_not_take_it(banks: waymesh.NavMesh, width: float, fast: bool) -> None:
    def segment(x: float) -> Any:
        return [[x, 0.0, 5.0 - width / 2], [x, 0.0, 5.0 + width / 2]]

    linked = banks.with_link(segment(9.5), segment(12.5), kind="door")
    link = linked.links[0]
    for end, x in ((link["start"], 9.5), (link["end"], 12.5)):
        np.testing.assert_allclose(end, segment(x), atol=0.06)
    clone = waymesh.NavMesh.from_bytes(linked.to_bytes())
    for radius in (0.1, 0.15, 0.25, 0.45, 0.6, 0.9, 1.2):
        for mesh in (linked, clone):
            path = mesh.find_path(WEST, EAST, radius=radius, fast=fast, allow_partial=False)
            assert path.is_complete == (2 * radius <= width + 1e-6)
    assert linked.find_path(WEST, EAST).is_complete
    # A position serves all.
    assert banks.with_link(*PIER).find_path(WEST, EAST, radius=1.2, fast=fast).is_complete
    world = waymesh.World([0, -1, 0], [22, 3, 10], THIN)
    world.add_triangles(*BANKS)
    world.update()
    world.add_link(segment(9.5), segment(12.5))
    # An end lies on one polygon, which may end at the border of a tile.
    assert 0.1 < np.ptp(np.array(world.mesh.links[0]["start"]), axis=0)[2] < width + 0.11


def test_mistakes_are_named(banks: waymesh.NavMesh) -> None:
    cases: list[tuple[type[Exception], str, Any]] = [
        (waymesh.ConfigError, "rope.*user, level", lambda: banks.with_link(*PIER, kind="rope")),
        (waymesh.ConfigError, "name of a kind", lambda: banks.with_link(*PIER, kind="3")),
        (waymesh.ConfigError, "extra_cost cannot be", lambda: banks.with_link(*PIER, extra_cost="much")),  # type: ignore[arg-type]
        (waymesh.ConfigError, "no setting \"cost\"", lambda: banks.with_link(*PIER, cost=1)),  # type: ignore[call-arg]
        (waymesh.MeshError, "cost", lambda: banks.with_link(*PIER, extra_cost=-1)),
        (waymesh.NoMeshNearError, "no mesh", lambda: banks.with_link(WEST, [50, 0, 5])),
        (waymesh.InputError, "end must be a position, or the two ends", lambda: banks.with_link(WEST, [WEST, EAST, WEST])),
        (waymesh.QueryError, "start is less than a cell wide", lambda: banks.with_link([WEST, WEST], EAST)),
        (waymesh.QueryError, "not finite", lambda: banks.with_link(WEST, [math.nan, 0, 5])),
        (waymesh.QueryError, "no link 3", lambda: banks.without_link(3)),
        (waymesh.QueryError, "no link 3", lambda: banks.with_link_open(3, True)),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()


def test_plots_show_links_and_the_unit_of_lengths() -> None:
    pytest.importorskip("matplotlib")
    mesh = waymesh.bake(*floor(10, 10), THIN).with_link([1.0, 0.0, 1.0], [5.0, 0.0, 1.0]).with_link([1.0, 0.0, 8.0], [5.0, 0.0, 8.0])
    closed = mesh.links[1]["id"]
    panel = mesh.with_link_open(closed, False).plot()
    walls, opened, shut = panel.collections[-3:]
    for lines, z in ((opened, 1.0), (shut, 8.0)):
        ends = np.concatenate(lines.get_segments())
        assert ends[:, 0].min() == pytest.approx(1.0, abs=0.3) and ends[:, 0].max() == pytest.approx(5.0, abs=0.3)
        assert ends[:, 1] == pytest.approx(z, abs=0.3)
    assert len(walls.get_segments()) >= 4 and (panel.get_xlabel(), panel.get_ylabel()) == ("x [m]", "z [m]")
    with pytest.raises(waymesh.InputError, match="axes are 0, but must be one"):
        mesh.plot(axes=[])
    with pytest.raises(waymesh.InputError, match="points must be numbers of shape"):
        mesh.plot(points=[1, 2])
