"""A plan for a wheelchair through a building of an IFC file: python wheelchair.py school.ifc"""

import sys

import waymesh
import waymesh.ifc

building = waymesh.ifc.load(sys.argv[1])
for note in building.notes:
    print("not read:", note)
mesh = building.bake(waymesh.Settings(agent="wheelchair"), door_links=True)
first, last = building.spaces[0], building.spaces[-1]
start, goal = (room.floor.mean(axis=(0, 1)) for room in (first, last))
path = mesh.find_path(start, goal, shortest=True)
assert path.is_complete, path.outcome

of_link = {link["id"]: link for link in mesh.links}
for number, _, row in path.links:
    link = of_link[number]
    if link["kind"] == "door":
        door = building.doors[link["data"]]
        print(f"door {door.name}: {door.width:.2f} m wide, at {path.points[row].round(2).tolist()}")
    else:
        print(link["kind"])
print(f"{path.length:.1f} m from {first.name} to {last.name}")
mesh.show(path).save("wheelchair.svg")
