"""A node that loads a mesh, shows it, and serves plans on it."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import rclpy
import waymesh
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import OccupancyGrid, Path
from nav_msgs.srv import GetPlan
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from . import convert, ground

TYPES = SimpleNamespace(
    **{it.__name__: it for it in (Marker, MarkerArray, OccupancyGrid, Path, Point, Pose, PoseStamped, Quaternion)}
)

DEFAULTS = {
    "file": "",
    "frame_id": "map",
    "radius": 0.3,
    "spacing": 0.1,
    "resolution": 0.05,
    "inflation": 0.5,
    "height": math.nan,
}
"""Parameters, which are read once. Those that begin with ``settings.`` are settings of the bake."""


class NavMeshNode(Node):  # type: ignore[misc]
    """Serves ``~/make_plan``; publishes ``~/costmap``, ``~/polygons`` and, after requests, ``~/plan``."""

    def __init__(self) -> None:
        # Settings of bakes are declared by whoever sets them.
        super().__init__("waymesh", automatically_declare_parameters_from_overrides=True)
        for name, default in DEFAULTS.items():
            if not self.has_parameter(name):
                self.declare_parameter(name, default)
        given = {name: self.get_parameter(name).value for name in DEFAULTS}
        self.frame_id = given["frame_id"]
        self.radius, self.spacing = float(given["radius"]), float(given["spacing"])
        settings = {name: it.value for name, it in self.get_parameters_by_prefix("settings").items()}
        self.mesh = ground.load(given["file"], settings)
        size = f"{self.mesh.polygon_count} polygons, {self.mesh.area:.1f} m2"
        self.get_logger().info(f"{given['file']}: {size}, agent of radius {self.radius:g} m")
        if self.radius < self.mesh.agent["radius"]:
            self.get_logger().warning(f"the mesh is for a radius of {self.mesh.agent['radius']:g} m, which plans keep to")

        # Late subscribers get the last message.
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        costs = self.create_publisher(OccupancyGrid, "~/costmap", latched)
        polygons = self.create_publisher(MarkerArray, "~/polygons", latched)
        self.plans = self.create_publisher(Path, "~/plan", latched)
        height = float(given["height"])
        costs.publish(
            convert.costmap_message(
                TYPES,
                self.header(),
                self.mesh,
                resolution=float(given["resolution"]),
                radius=self.radius,
                inflation=float(given["inflation"]),
                height=None if math.isnan(height) else height,
            )
        )
        polygons.publish(convert.markers_message(TYPES, self.header(), self.mesh))
        self.create_service(GetPlan, "~/make_plan", self.make_plan)

    def header(self) -> Any:
        """Returns a header of now, in the frame of the mesh."""
        return Header(stamp=self.get_clock().now().to_msg(), frame_id=self.frame_id)

    def make_plan(self, request: Any, response: Any) -> Any:
        """Answers a request with a plan, or with an empty one after a warning with the reason."""
        header = self.header()
        points = np.zeros((0, 3))
        try:
            for end in (request.start, request.goal):
                if end.header.frame_id not in ("", self.frame_id):
                    raise ground.NoPlanError(f"a position in {end.header.frame_id!r}; the mesh is in {self.frame_id!r}")
            start, goal = ([it.x, it.y, it.z] for it in (request.start.pose.position, request.goal.pose.position))
            points = ground.find_plan(
                self.mesh, start, goal, radius=self.radius, tolerance=request.tolerance, spacing=self.spacing
            )
        except (ground.NoPlanError, waymesh.WaymeshError) as error:
            self.get_logger().warning(f"no plan: {error}")
        response.plan = convert.path_message(TYPES, header, points, request.goal.pose.orientation)
        self.plans.publish(response.plan)
        return response


def main() -> int:
    """Runs the node until it is shut down."""
    rclpy.init()
    try:
        rclpy.spin(NavMeshNode())
    except (waymesh.WaymeshError, ValueError) as error:
        print(f"waymesh: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0
