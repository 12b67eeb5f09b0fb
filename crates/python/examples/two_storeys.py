"""Two occupancy grids of ROS as storeys of one mesh, with a lift between them."""

from pathlib import Path

import numpy as np
import waymesh

HEIGHT = 3.0
vertices, triangles, count = [], [], 0
for storey, wall in enumerate((slice(0, 60), slice(20, 80))):
    cells = np.full((80, 100), 254, dtype=np.uint8)
    cells[wall, 50] = 0
    Path(f"floor{storey}.pgm").write_bytes(b"P5 100 80 255\n" + cells.tobytes())
    text = f"image: floor{storey}.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\n"
    Path(f"floor{storey}.yaml").write_text(text + "occupied_thresh: 0.65\nfree_thresh: 0.196\n")
    plan = waymesh.from_plan(f"floor{storey}.yaml", {"agent_radius": 0.0})
    corners, faces = plan.triangles(detail=False)
    vertices.append(corners + np.array([0, storey * HEIGHT, 0], dtype=np.float32))
    triangles.append(faces + np.uint32(count))
    count += len(corners)

settings = waymesh.Settings(cell_size=0.1, agent_radius=0.2, agent_height=1.5)
mesh = waymesh.bake(np.concatenate(vertices), np.concatenate(triangles), settings)
assert mesh.island_count == 2
mesh = mesh.with_link([9, 0, -4], [9, HEIGHT, -4], kind="lift", extra_cost=5.0)
# Positions of ROS (x, y, z) are (x, z, -y) here.
path = mesh.find_path([1, 0, -4], [1, HEIGHT, -4], shortest=True)
assert path.is_complete and len(path.links) == 1
print(f"{path.length:.1f} m over {len(path)} points and {len(path.links)} lift")
