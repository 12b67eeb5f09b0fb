"""The wiring of the node, with a stand-in for rclpy: names, qualities of service, parameters and answers."""

from __future__ import annotations

import importlib
import runpy
import sys
from array import array
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from conftest import Map
from ros_types import NAMES, Messages


class FakeNode:
    """A node of rclpy as far as :mod:`waymesh_ros.node` uses it."""

    overrides: dict[str, Any] = {}
    types: Any = None

    def __init__(self, name: str, *, automatically_declare_parameters_from_overrides: bool) -> None:
        assert automatically_declare_parameters_from_overrides
        self.name, self.values = name, dict(self.overrides)
        self.published: dict[str, list[Any]] = {}
        self.services: dict[str, Any] = {}
        self.qualities: list[Any] = []
        self.log: list[tuple[str, str]] = []

    def has_parameter(self, name: str) -> bool:
        return name in self.values

    def declare_parameter(self, name: str, value: Any) -> None:
        assert name not in self.values
        self.values[name] = value

    def get_parameter(self, name: str) -> Any:
        return SimpleNamespace(value=self.values[name])

    def get_parameters_by_prefix(self, prefix: str) -> dict[str, Any]:
        start = f"{prefix}."
        return {name[len(start) :]: self.get_parameter(name) for name in self.values if name.startswith(start)}

    def create_publisher(self, kind: Any, topic: str, quality: Any) -> Any:
        sent = self.published.setdefault(topic, [])
        self.qualities.append(quality)

        def publish(message: Any) -> None:
            assert isinstance(message, kind)
            sent.append(message)

        return SimpleNamespace(publish=publish)

    def create_service(self, kind: Any, name: str, callback: Any) -> None:
        self.services[name] = (kind, callback)

    def get_logger(self) -> Any:
        def info(text: str) -> None:
            self.log.append(("info", text))

        def warning(text: str) -> None:
            self.log.append(("warning", text))

        return SimpleNamespace(info=info, warning=warning)

    def get_clock(self) -> Any:
        return SimpleNamespace(now=lambda: SimpleNamespace(to_msg=lambda: self.types.Time(sec=5, nanosec=6)))


@pytest.fixture
def rclpy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the node, with stand-ins for the packages that it imports."""
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    messages = Messages("ROS2_JAZZY")
    FakeNode.types = messages.types
    contents: dict[str, dict[str, Any]] = {
        "rclpy": {"init": lambda: None, "spin": lambda node: None, "try_shutdown": lambda: None},
        "rclpy.executors": {"ExternalShutdownException": type("ExternalShutdownException", (Exception,), {})},
        "rclpy.node": {"Node": FakeNode},
        "rclpy.qos": {"DurabilityPolicy": SimpleNamespace(TRANSIENT_LOCAL="latched"), "QoSProfile": lambda **given: given},
        "nav_msgs.srv": {"GetPlan": type("GetPlan", (), {})},
    }
    for folder, names in NAMES.items():
        contents[folder.replace("/", ".")] = {name: getattr(messages.types, name) for name in names}
    for name, members in contents.items():
        for part in (name.split(".")[0], name):
            if part not in sys.modules or part == name:
                monkeypatch.setitem(sys.modules, part, ModuleType(part))
        vars(sys.modules[name]).update(members)
    monkeypatch.delitem(sys.modules, "waymesh_ros.node", raising=False)
    yield SimpleNamespace(node=importlib.import_module("waymesh_ros.node"), **vars(messages))
    sys.modules.pop("waymesh_ros.node")


def request(types: Any, start: Any, goal: Any, frame: str = "", tolerance: float = 0.0) -> Any:
    ends = []
    for (x, y), turn in ((start, 0.8), (goal, 0.6)):
        turned = types.Quaternion(x=0.0, y=0.0, z=turn, w=1.4 - turn)
        pose = types.Pose(position=types.Point(x=x, y=y, z=0.0), orientation=turned)
        ends.append(types.PoseStamped(header=types.Header(frame_id=frame), pose=pose))
    return SimpleNamespace(start=ends[0], goal=ends[1], tolerance=tolerance)


def test_the_node_publishes_and_answers(rclpy: Any, rooms: Map) -> None:
    FakeNode.overrides = {"file": str(rooms.file), "radius": 0.2, "frame_id": "site", "settings.map_unknown": True}
    # Maps ignore this one, which shows that arrays of rclpy are taken.
    FakeNode.overrides["settings.geo_origin"] = array("d", [8.5, 47.4])
    node = rclpy.node.NavMeshNode()
    assert node.name == "waymesh"
    # The map has 24 cells that are unknown, which the setting makes ground.
    assert node.mesh.area == pytest.approx((rooms.free.sum() + 24) * 0.01, rel=1e-3)
    assert node.qualities == [{"depth": 1, "durability": "latched"}] * 3
    assert {topic: len(sent) for topic, sent in node.published.items()} == {"~/costmap": 1, "~/polygons": 1, "~/plan": 0}
    assert node.published["~/costmap"][0].header.frame_id == "site"
    assert [level for level, _ in node.log] == ["info"]

    (kind, make_plan), = node.services.values()
    assert (list(node.services), kind) == (["~/make_plan"], rclpy.node.GetPlan)
    answer = make_plan(request(rclpy.types, (-2.8, 3.1), (5.2, 7.1)), SimpleNamespace(plan=None))
    assert len(answer.plan.poses) > 50
    assert (answer.plan.header.frame_id, answer.plan.header.stamp.sec) == ("site", 5)
    assert answer.plan.poses[-1].pose.orientation.z == 0.6
    assert node.published["~/plan"] == [answer.plan]
    for wrong, reason in [
        (request(rclpy.types, (-2.8, 3.1), (5.2, 7.1), frame="odom"), "a position in 'odom'; the mesh is in 'site'"),
        (request(rclpy.types, (-2.8, 3.1), (4.0, 3.5)), "the nearest place that it reaches is"),
    ]:
        answer = make_plan(wrong, SimpleNamespace(plan=None))
        assert (answer.plan.poses, answer.plan.header.frame_id) == ([], "site")
        level, text = node.log[-1]
        assert level == "warning" and reason in text
    assert len(node.published["~/plan"]) == 3


def test_bad_files_and_settings_end_the_node(rclpy: Any, rooms: Map, capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"file": ""}, "waymesh: "),
        ({"file": str(rooms.file), "settings.cell_width": 1.0}, "cell_width"),
        ({"file": str(rooms.file), "resolution": 0.0}, "above 0"),
    ]
    for overrides, reason in cases:
        FakeNode.overrides = overrides
        assert rclpy.node.main() == 1
        assert reason in capsys.readouterr().err


def test_a_mesh_for_a_wider_agent_is_reported(rclpy: Any, rooms: Map) -> None:
    FakeNode.overrides = {"file": str(rooms.file), "settings.agent_radius": 0.4}
    node = rclpy.node.NavMeshNode()
    assert node.log[-1] == ("warning", "the mesh is for a radius of 0.4 m, which plans keep to")


def test_the_short_node_of_the_examples(rclpy: Any, rooms: Map) -> None:
    FakeNode.overrides = {"file": str(rooms.file)}
    folder = Path(__file__).parents[2] / "examples"
    node = runpy.run_path(str(folder / "ros_node.py"))["Planner"]()
    (kind, make_plan), = node.services.values()
    places = node.mesh.random_points(50, seed=1)
    lengths = node.mesh.distance(places[0], places)
    start, goal = ((float(x), float(y)) for x, y, _ in (places[0], places[lengths.argsort()[20]]))
    answer = make_plan(request(rclpy.types, start, goal), SimpleNamespace(plan=None))
    for pose, end in zip((answer.plan.poses[0], answer.plan.poses[-1]), (start, goal)):
        assert (pose.pose.position.x, pose.pose.position.y) == pytest.approx(end, abs=1e-3)
    answer = make_plan(request(rclpy.types, start, (500.0, 0.0)), SimpleNamespace(plan=None))
    assert answer.plan.poses == [] and node.log[-1][0] == "warning" and "no mesh near" in node.log[-1][1]
