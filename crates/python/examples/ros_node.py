"""A node of ROS 2 that answers with plans on a map: python ros_node.py --ros-args -p file:=map.yaml"""

from typing import Any

import rclpy
import waymesh
from geometry_msgs.msg import Point, Pose, PoseStamped
from nav_msgs.msg import Path
from nav_msgs.srv import GetPlan
from rclpy.node import Node
from std_msgs.msg import Header


class Planner(Node):
    def __init__(self) -> None:
        super().__init__("planner", automatically_declare_parameters_from_overrides=True)
        mesh = waymesh.from_plan(self.get_parameter("file").value, {"agent_radius": 0.3})
        self.mesh = waymesh.ZUp(mesh)
        self.create_service(GetPlan, "~/make_plan", self.make_plan)

    def make_plan(self, request: Any, response: Any) -> Any:
        header = Header(stamp=self.get_clock().now().to_msg(), frame_id="map")
        ends = (request.start.pose.position, request.goal.pose.position)
        start, goal = ([end.x, end.y, end.z] for end in ends)
        try:
            points = self.mesh.find_path(start, goal, shortest=True).points.tolist()
        except waymesh.QueryError as error:
            self.get_logger().warning(f"no plan: {error}")
            points = []
        poses = [Pose(position=Point(x=x, y=y, z=z)) for x, y, z in points]
        response.plan = Path(header=header, poses=[PoseStamped(header=header, pose=pose) for pose in poses])
        return response


if __name__ == "__main__":
    rclpy.init()
    rclpy.spin(Planner())
