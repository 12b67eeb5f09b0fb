"""Areas of a scene of trimesh by the names of its nodes, and what they cost."""

import trimesh
import waymesh

scene = trimesh.Scene()
for name, (x, z), (width, depth) in [
    ("Meadow", (6, 6), (12, 12)),
    ("Mud", (6, 6), (4, 12)),
    ("Water pond", (10, 3), (2, 2)),
]:
    plate = trimesh.creation.box((width, 0.1, depth))
    # Mud and water lie on the meadow.
    plate.apply_translation((x, 0.0 if name == "Meadow" else 0.02, z))
    scene.add_geometry(plate, node_name=name)

settings = waymesh.Settings(cell_size=0.1, level_height=0.02, agent_radius=0.2, keep="largest")
mesh = waymesh.from_trimesh(scene, settings, area_of={"Mud": "mud", "Water*": "blocked"})
names = {area["name"] for area in mesh.areas.values()}
assert "mud" in names, names
assert not mesh.is_navigable([10.0, 0.07, 3.0])

cheap = mesh.find_path([2, 0, 6], [9.5, 0, 8], shortest=True)
dear = mesh.find_path([2, 0, 6], [9.5, 0, 8], shortest=True, area_costs={"mud": 5.0})
print(f"{cheap.length:.2f} m, cost {cheap.cost:.2f}; with mud at 5: cost {dear.cost:.2f}")
assert dear.cost > cheap.cost + 15
