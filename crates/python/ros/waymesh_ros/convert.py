"""Messages of meshes, distances to walls, and plans.

``types`` has the classes of the messages by their names, such as ``types.Path``.
"""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
import waymesh

from .ground import Floats, clearance, to_mesh, to_ros

NO_GROUND = 100
"""Cost of a cell whose middle is not on the mesh."""

TOO_NEAR = 99
"""Cost of a cell whose middle is nearer to a wall than the agent's radius."""

MAX_CELLS = 1 << 26
"""Cells of a costmap, as readers of maps of waymesh take them."""

POLYGON_COLOUR = (0.2, 0.6, 1.0, 0.35)
EDGE_COLOUR = (0.1, 0.3, 0.6, 1.0)
EDGE_WIDTH = 0.01
"""Metres."""


def path_message(types: Any, header: Any, points: Floats, last: Any) -> Any:
    """Returns the path through points of shape (n, 3). Poses face the next one in plan.

    The last pose has the orientation ``last``.
    """
    message = types.Path(header=header)
    yaw = 0.0
    for index, point in enumerate(points):
        pose = types.Pose(position=point_message(types, point), orientation=last)
        if index + 1 < len(points):
            dx, dy = points[index + 1][:2] - point[:2]
            # In a lift the agent keeps its direction.
            yaw = math.atan2(dy, dx) if math.hypot(dx, dy) > 1e-6 else yaw
            pose.orientation = types.Quaternion(x=0.0, y=0.0, z=math.sin(yaw / 2), w=math.cos(yaw / 2))
        message.poses.append(types.PoseStamped(header=header, pose=pose))
    return message


def costmap_message(
    types: Any,
    header: Any,
    mesh: waymesh.NavMesh,
    *,
    resolution: float,
    radius: float,
    inflation: float,
    height: float | None = None,
) -> Any:
    """Returns the costs of the ground by its distance to the nearest wall.

    They are 98 at the agent's radius and fall to 0 at ``inflation`` metres beyond it.
    Cells are aligned with the lower left corner of the mesh, which is a corner of cells in a mesh
    of a map. A border of one cell is around the mesh.
    Of several storeys the message has the ground that is nearest to ``height``, at most the
    agent's height away; by default the uppermost ground.
    """
    if not resolution > 0.0:
        raise ValueError(f"the resolution is {resolution:g} m, but must be above 0")
    if mesh.polygon_count == 0:
        raise ValueError("the mesh has no polygons")
    low, high = np.asarray(mesh.bounds, dtype=np.float64)
    left, bottom = np.array([low[0], -high[2]]) - resolution
    # A rounding error adds no cells.
    sides = np.ceil((high - low)[[0, 2]] / resolution - 1e-3) + 2
    if sides.prod() > MAX_CELLS:
        raise ValueError(f"a costmap of {sides[0]:.0f} x {sides[1]:.0f} cells; the limit is {MAX_CELLS}: raise the resolution")
    width, rows = (int(side) for side in sides)
    x, y = np.meshgrid(left + (np.arange(width) + 0.5) * resolution, bottom + (np.arange(rows) + 0.5) * resolution)
    level, vertical = (high[1], math.inf) if height is None else (height, mesh.agent["height"])
    middles = to_mesh(np.stack([x.ravel(), y.ravel(), np.full(x.size, level)], axis=1))
    free = clearance(mesh, radius)
    reach = (resolution * 1e-3, vertical, vertical)
    distance = np.asarray(mesh.nearest_wall(middles, free + inflation, reach=reach)[0], dtype=np.float64)
    cost = np.round(98.0 * (1.0 - (distance - free) / max(inflation, 1e-9))).clip(0.0, 98.0)
    cost[distance < free] = TOO_NEAR
    cost[np.isnan(distance)] = NO_GROUND

    message = types.OccupancyGrid(header=header)
    message.info.map_load_time = header.stamp
    message.info.resolution, message.info.width, message.info.height = float(resolution), width, rows
    message.info.origin.position = point_message(types, (left, bottom, 0.0 if height is None else height))
    message.info.origin.orientation.w = 1.0
    message.data = array("b", cost.astype(np.int8).tobytes())
    return message


def markers_message(types: Any, header: Any, mesh: waymesh.NavMesh) -> Any:
    """Returns the polygons as two markers: triangles, and edges."""
    vertices, triangles = mesh.triangles(detail=False)
    corners = [polygon for polygon in mesh.polygons if len(polygon)]
    edges = np.concatenate([np.stack([it, np.roll(it, -1)], axis=1) for it in corners]) if corners else np.zeros((0, 2), int)
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    message = types.MarkerArray()
    for number, (name, kind, points, colour) in enumerate([
        ("polygons", types.Marker.TRIANGLE_LIST, vertices[triangles.ravel()], POLYGON_COLOUR),
        ("edges", types.Marker.LINE_LIST, mesh.vertices[edges.ravel()], EDGE_COLOUR),
    ]):
        marker = types.Marker(header=header, ns=name, id=number, type=kind, action=types.Marker.ADD)
        marker.pose.orientation.w = 1.0
        marker.scale.x = EDGE_WIDTH if name == "edges" else 1.0
        marker.scale.y = marker.scale.z = 1.0
        marker.color.r, marker.color.g, marker.color.b, marker.color.a = colour
        marker.points = [point_message(types, point) for point in to_ros(points)]
        message.markers.append(marker)
    return message


def point_message(types: Any, point: Any) -> Any:
    """Returns a position of ROS as a message."""
    x, y, z = map(float, point)
    return types.Point(x=x, y=y, z=z)
