"""Buildings of IFC files, made here."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waymesh
import waymesh.ifc
from conftest import picture

ifcopenshell = pytest.importorskip("ifcopenshell")

PERSON = waymesh.Settings(cell_size=0.1, level_height=0.05, agent_radius=0.25, agent_height=1.8, max_step=0.3)
Vector = tuple[float, float, float]


class Model:
    """A file of boxes, in metres or with another unit."""

    def __init__(self, schema: str = "IFC4", unit: str | None = None) -> None:
        self.file: Any = ifcopenshell.file(schema=schema)
        self.schema, self.per_metre = schema, 1000.0 if unit == "MILLI" else 1.0
        length = self.file.create_entity("IfcSIUnit", UnitType="LENGTHUNIT", Prefix=unit, Name="METRE")
        units = self.file.create_entity("IfcUnitAssignment", Units=[length])
        self.context = self.file.create_entity(
            "IfcGeometricRepresentationContext",
            ContextType="Model",
            CoordinateSpaceDimension=3,
            Precision=1e-5,
            WorldCoordinateSystem=self.axes((0, 0, 0)),
        )
        self.make("IfcProject", RepresentationContexts=[self.context], UnitsInContext=units)

    def make(self, kind: str, name: str = "", **given: Any) -> Any:
        owner = {}
        if self.schema == "IFC2X3":
            owner["OwnerHistory"] = self.history()
        guid = ifcopenshell.guid.new()
        return self.file.create_entity(kind, GlobalId=guid, Name=name or kind, **owner, **given)

    def history(self) -> Any:
        found = self.file.by_type("IfcOwnerHistory")
        if found:
            return found[0]
        make = self.file.create_entity
        person, group = make("IfcPerson", FamilyName="x"), make("IfcOrganization", Name="x")
        both = make("IfcPersonAndOrganization", ThePerson=person, TheOrganization=group)
        program = make("IfcApplication", group, "1", "x", "x")
        return make("IfcOwnerHistory", OwningUser=both, OwningApplication=program, ChangeAction="ADDED", CreationDate=0)

    def point(self, at: tuple[float, ...]) -> Any:
        return self.file.create_entity("IfcCartesianPoint", Coordinates=[float(c) * self.per_metre for c in at])

    def axes(self, at: Vector, along: Vector = (1, 0, 0)) -> Any:
        make = self.file.create_entity
        up, x = (make("IfcDirection", DirectionRatios=[float(c) for c in axis]) for axis in ((0, 0, 1), along))
        return make("IfcAxis2Placement3D", Location=self.point(at), Axis=up, RefDirection=x)

    def box(self, kind: str, low: Vector, size: Vector, name: str = "", along: Vector = (1, 0, 0), **given: Any) -> Any:
        """An element that is a box; `along` is the direction of its first side."""
        make, (x, y, z) = self.file.create_entity, (side * self.per_metre for side in size)
        middle = make("IfcAxis2Placement2D", Location=self.point((size[0] / 2, size[1] / 2)))
        profile = make("IfcRectangleProfileDef", ProfileType="AREA", Position=middle, XDim=x, YDim=y)
        up = make("IfcDirection", DirectionRatios=[0.0, 0.0, 1.0])
        solid = make("IfcExtrudedAreaSolid", SweptArea=profile, Position=self.axes((0, 0, 0)), ExtrudedDirection=up, Depth=z)
        shape = make(
            "IfcShapeRepresentation",
            ContextOfItems=self.context,
            RepresentationIdentifier="Body",
            RepresentationType="SweptSolid",
            Items=[solid],
        )
        body = make("IfcProductDefinitionShape", Representations=[shape])
        place = make("IfcLocalPlacement", RelativePlacement=self.axes(low, along))
        return self.make(kind, name, ObjectPlacement=place, Representation=body, **given)

    def opening(self, wall: Any, low: Vector, size: Vector, along: Vector = (1, 0, 0)) -> None:
        hole = self.box("IfcOpeningElement", low, size, along=along)
        self.make("IfcRelVoidsElement", RelatingBuildingElement=wall, RelatedOpeningElement=hole)

    def storey(self, name: str, height: float, elements: list[Any], spaces: list[Any]) -> None:
        place = self.file.create_entity("IfcLocalPlacement", RelativePlacement=self.axes((0, 0, height)))
        storey = self.make("IfcBuildingStorey", name, ObjectPlacement=place, Elevation=height * self.per_metre)
        self.make("IfcRelContainedInSpatialStructure", RelatedElements=elements, RelatingStructure=storey)
        if spaces:
            self.make("IfcRelAggregates", RelatingObject=storey, RelatedObjects=spaces)

    def properties(self, element: Any, name: str, **values: Any) -> None:
        kinds = {str: "IfcLabel", bool: "IfcBoolean"}
        make = self.file.create_entity
        single = [
            make("IfcPropertySingleValue", Name=key, NominalValue=make(kinds[type(value)], value))
            for key, value in values.items()
        ]
        found = self.make("IfcPropertySet", name, HasProperties=single)
        self.make("IfcRelDefinesByProperties", RelatedObjects=[element], RelatingPropertyDefinition=found)

    def write(self, folder: Path) -> Path:
        path = folder / "building.ifc"
        self.file.write(str(path))
        return path


def two_rooms(model: Model, at: Vector = (0, 0, 0), width: float = 0.9, turned: bool = False) -> Model:
    """Two storeys of 8 by 4 m with a wall at x = 4 and a door in it; a lift at the end of the second room.

    Turned, all of it is turned left by a quarter round the corner at `at`.
    """
    along: Vector = (0, 1, 0) if turned else (1, 0, 0)

    def place(x: float, y: float, z: float) -> Vector:
        x, y = (-y, x) if turned else (x, y)
        return (at[0] + x, at[1] + y, at[2] + z)

    def box(kind: str, low: Vector, size: Vector, name: str = "", **given: Any) -> Any:
        return model.box(kind, place(*low), size, name, along, **given)

    for level, height in enumerate((0.0, 3.0)):
        slab = box("IfcSlab", (0, 0, height - 0.2), (8, 4, 0.2), f"slab {level}")
        wall = box("IfcWall", (3.9, 0, height), (0.2, 4, 2.5), "wall")
        model.opening(wall, place(3.8, 1.5, height), (0.4, width, 2.1), along)
        unit = model.per_metre
        # The door's own first axis runs along the wall.
        across: Vector = (-along[1], along[0], 0)
        door = model.box(
            "IfcDoor",
            place(4.05, 1.5, height),
            (width, 0.1, 2.1),
            f"door {level}",
            across,
            OverallWidth=width * unit,
            OverallHeight=2.1 * unit,
        )
        model.properties(door, "Pset_DoorCommon", FireRating="EI 30", IsExternal=False)
        rooms = [
            box("IfcSpace", (x, 0, height), (3.9, 4, 2.5), name, LongName=f"{name} of storey {level}")
            for x, name in ((0.0, "west"), (4.1, "east"))
        ]
        table = box("IfcFurnishingElement", (1, 2.6, height), (1, 1, 0.7), "table")
        model.storey(f"storey {level}", at[2] + height, [slab, wall, door, table], rooms)
    kind = {"OperationType": "ELEVATOR"} if model.schema == "IFC2X3" else {"PredefinedType": "ELEVATOR"}
    box("IfcTransportElement", (7, 1.5, 0), (1, 1, 5.5), "lift", **kind)
    return model


@pytest.mark.parametrize("schema", ["IFC2X3", "IFC4", "IFC4X3"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("unit", [None, "MILLI"])
def test_a_building_has_its_storeys_spaces_doors_and_lifts(tmp_path: Path, schema: str, turned: bool, unit: str | None) -> None:
    building = waymesh.ifc.load(two_rooms(Model(schema, unit), turned=turned).write(tmp_path))
    assert building.notes == []
    assert [(storey.name, storey.elevation) for storey in building.storeys] == [("storey 0", 0.0), ("storey 1", 3.0)]
    assert [space.name for space in building.spaces] == ["west", "east"] * 2

    def at(*place: float) -> Any:
        x, y, z = place
        return [-z, y, -x] if turned else [x, y, -z]

    found = building.space_at(at(6, 4, 2))
    assert found is not None and found.long_name == "east of storey 1" and found.storey == "storey 1"
    assert building.space_at(at(9, 1, 2)) is None
    for level, door in enumerate(building.doors):
        assert (door.name, door.storey, door.fire_rating, door.is_external) == (f"door {level}", f"storey {level}", "EI 30", False)
        assert door.width == pytest.approx(0.9) and door.height == pytest.approx(2.1) and door.thickness == pytest.approx(0.1)
        np.testing.assert_allclose(door.centre, at(4.0, 3.0 * level, 1.5 + 0.45), atol=1e-6)
        np.testing.assert_allclose(np.abs(door.through), np.abs(at(1, 0, 0)), atol=1e-6)
    np.testing.assert_allclose(building.lifts[0].stops, [at(7.5, 0, 2), at(7.5, 3, 2)], atol=1e-6)
    mesh = building.bake(PERSON)
    # Nobody walks on tables, walls or the lift: both storeys, less the table, are all the ground.
    assert mesh.island_at(at(1.5, 0.7, 3.1), reach=(0.1, 0.2, 0.1)) == -1
    assert mesh.polygon_storeys.max() == 1
    length = mesh.distance(at(1, 0, 2), at(6, 0, 2))
    assert 5.0 <= length < 5.2


def test_doors_are_links_that_open_and_close(tmp_path: Path) -> None:
    building = waymesh.ifc.load(two_rooms(Model()).write(tmp_path))
    mesh = building.bake(PERSON, door_links=True)
    assert building.notes == building.unlinked == []
    doors = [link for link in mesh.links if link["kind"] == "door"]
    lifts = [link for link in mesh.links if link["kind"] == "lift"]
    assert [link["data"] for link in doors] == [0, 1] and [link["data"] for link in lifts] == [0]
    west, east, above = [1, 0, -2], [6, 0, -2], [1, 3, -2]
    path = mesh.find_path(west, east, shortest=True)
    assert path.is_complete and [link for link, *_ in path.links] == [doors[0]["id"]]
    path = mesh.find_path(west, above)
    assert path.is_complete and len(path.links) == 3
    picture("ifc.svg", mesh, path)
    shut = mesh.with_link_open(doors[0]["id"], False)
    assert not shut.find_path(west, east).is_complete
    # An agent that is wider than the door has no link through it.
    wide = building.bake(waymesh.Settings(cell_size=0.1, level_height=0.05, agent_radius=0.5, agent_height=1.8), door_links=True)
    assert [link["kind"] for link in wide.links] == ["lift"]
    narrow = "is 0.9 m wide and 2.1 m high: the agent needs 1 m and 1.8 m"
    assert building.unlinked == [f"door 'door 0' {narrow}", f"door 'door 1' {narrow}"]


@pytest.mark.parametrize("width", [0.7, 0.9, 1.6])
@pytest.mark.parametrize("degrees", [0.0, 90.0, 31.0])
@pytest.mark.parametrize("fast", [False, True])
def test_discs_pass_doors_that_are_wide_enough(tmp_path: Path, width: float, degrees: float, fast: bool) -> None:
    building = waymesh.ifc.load(two_rooms(Model(), width=width).write(tmp_path))
    # The building turned round its axis: doors lie across the cells.
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    building.vertices = building.vertices @ turn.T
    building.doors = [replace(door, centre=turn @ door.centre, through=turn @ door.through) for door in building.doors]
    building.lifts = []
    cell = 0.05
    thin = waymesh.Settings(cell_size=cell, level_height=0.05, agent_radius=0.0, agent_height=1.8, max_step=0.3)
    mesh = building.bake(thin, door_links=True)
    assert building.unlinked == [] and [link["data"] for link in mesh.links] == [0, 1]
    west, east = turn @ [1, 0, -2], turn @ [6, 0, -2]
    for radius in (0.0, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9):
        path = mesh.find_path(west, east, radius=radius, fast=fast, allow_partial=False)
        if 2 * radius > width:
            assert not path.is_complete, radius
        elif 2 * radius < width - 3 * cell:
            assert path.is_complete and [link for link, *_ in path.links] == [mesh.links[0]["id"]], radius
    shut = mesh.with_link_open(mesh.links[0]["id"], False)
    assert not shut.find_path(west, east).is_complete
    # A crowd of wide agents waits in front of it.
    crowd = waymesh.Crowd(mesh, clearance=True)
    agent = crowd.add(turn @ [1.8, 0, -1.8], radius=0.9)
    crowd.set_target(agent, east)
    for _ in range(100):
        crowd.step(0.1)
    assert (turn.T @ crowd.positions[0])[0] < 4


def test_areas_are_chosen_by_class_and_properties(tmp_path: Path) -> None:
    model = two_rooms(Model())
    model.box("IfcStairFlight", (0, -2, -0.2), (2, 2, 0.2), "flight")
    slab = model.file.by_type("IfcSlab")[1]
    model.properties(slab, "Pset_SlabCommon", Reference="wet room")
    table = model.file.by_type("IfcFurnishingElement")[0]
    model.properties(table, "Mine", Kind="stage")

    def area_of(element: Any, properties: Any) -> str | None:
        if properties.get("Pset_SlabCommon", {}).get("Reference") == "wet room":
            return "wet"
        return "stage" if properties.get("Mine", {}).get("Kind") == "stage" else None

    building = waymesh.ifc.load(model.write(tmp_path), area_of=area_of)
    numbers = {area.name: number for number, area in building.areas.items()}
    assert set(numbers) == {"stairs", "wet", "stage"}
    building.areas[numbers["wet"]] = waymesh.Area("wet", cost=3.0)
    mesh = building.bake(PERSON)

    def area(place: list[float]) -> int:
        return int(mesh.polygon_areas[mesh.polygon_at(place, reach=(0.1, 0.3, 0.1))])

    assert area([6, 3, -2]) == numbers["wet"] and area([6, 0, -2]) == 1
    assert area([1, 0, 1]) == numbers["stairs"] and area([1.5, 0.7, -3.1]) == numbers["stage"]
    assert mesh.areas[numbers["wet"]]["cost"] == 3.0


def test_a_building_far_from_the_origin_keeps_its_place(tmp_path: Path) -> None:
    near = waymesh.ifc.load(two_rooms(Model()).write(tmp_path))
    far = waymesh.ifc.load(two_rooms(Model(), at=(673_412.25, 6_580_123.5, 12.0)).write(tmp_path))
    np.testing.assert_allclose(far.origin, [673_412, 6_580_123, 11])
    np.testing.assert_allclose(far.vertices - near.vertices, np.broadcast_to([0.25, 1.0, -0.5], near.vertices.shape), atol=1e-6)
    assert [storey.elevation for storey in far.storeys] == [1.0, 4.0]
    given = waymesh.ifc.load(two_rooms(Model(), at=(673_412.25, 6_580_123.5, 12.0)).write(tmp_path), origin=(673_412.25, 6_580_123.5, 12))
    np.testing.assert_allclose(given.vertices, near.vertices, atol=1e-6)


def test_what_cannot_be_read_or_linked_is_said(tmp_path: Path) -> None:
    with pytest.raises(waymesh.FileError, match="absent.ifc"):
        waymesh.ifc.load(tmp_path / "absent.ifc")
    (tmp_path / "text.ifc").write_text("not a building")
    with pytest.raises(waymesh.FileError, match="text.ifc"):
        waymesh.ifc.load(tmp_path / "text.ifc")
    with pytest.raises(waymesh.FileError, match=r"\.ifc: no element has a shape"):
        waymesh.ifc.load(Model().write(tmp_path))
    model = two_rooms(Model())
    # A door to the outside, where nothing is, and a lift of one storey.
    model.box("IfcDoor", (0.05, 1, 0), (0.9, 0.1, 2.1), "out", (0, 1, 0), OverallWidth=0.9, OverallHeight=2.1)
    model.box("IfcTransportElement", (2, 0.2, 0), (1, 1, 2.5), "hoist", PredefinedType="ELEVATOR")
    building = waymesh.ifc.load(model.write(tmp_path))
    for _ in range(2):
        building.bake(PERSON, door_links=True)
        assert building.notes == ["lift 'hoist' reaches 1 storeys: its body has to reach those where it stops"]
        assert building.unlinked == ["door 'out' has no ground on both sides"]


def test_progress_ends_a_read(tmp_path: Path) -> None:
    path = two_rooms(Model()).write(tmp_path)

    def stop(stage: str, done: float) -> None:
        raise KeyboardInterrupt(stage)

    with pytest.raises(KeyboardInterrupt, match="shapes"):
        waymesh.ifc.load(path, progress=stop)


def test_a_hatch_is_no_door_and_parts_of_rooms_are_on_its_storey(tmp_path: Path) -> None:
    model = two_rooms(Model())
    hatch = model.box("IfcDoor", (1, 1, 3), (0.8, 0.1, 0.8), "Luke ü")
    hatch.ObjectPlacement.RelativePlacement.Axis.DirectionRatios = [0.0, 1.0, 0.0]
    model.box("IfcTransportElement", (2, 0.2, 0), (1, 1, 5.5), "hoist for goods", PredefinedType="LIFTINGGEAR")
    room = model.file.by_type("IfcSpace")[0]
    part = model.box("IfcSpace", (0.5, 0.5, 0), (1, 1, 2.5), "part")
    model.make("IfcRelAggregates", RelatingObject=room, RelatedObjects=[part])
    building = waymesh.ifc.load(model.write(tmp_path))
    assert [door.name for door in building.doors] == ["door 0", "door 1"]
    assert [lift.name for lift in building.lifts] == ["lift"]
    assert any("IfcDoor 'Luke ü'" in note and "lies flat" in note for note in building.notes), building.notes
    assert [space.storey for space in building.spaces if space.name == "part"] == ["storey 0"]
    assert building.bake(PERSON, door_links=True).area > 0
    for points in ([1.0, 2.0], "x", []):
        with pytest.raises(waymesh.InputError, match=r"points are .*shape \(3,\)"):
            building.space_at(points)
    with pytest.raises(waymesh.InputError, match="area_of must be a function"):
        waymesh.ifc.load(tmp_path / "building.ifc", area_of={})  # type: ignore[arg-type]
