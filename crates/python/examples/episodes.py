"""A data set of PointNav: starts, headings and goals, written as habitat-lab reads it."""

import gzip
import json

import numpy as np
import waymesh

# A floor of 20 m by 20 m with pillars.
floor = np.array([[0, 0, 0], [20, 0, 0], [20, 0, 20], [0, 0, 20]], dtype=np.float32)
world = waymesh.World([0, -1, 0], [20, 3, 20], waymesh.Settings(agent_radius=0.2, cell_size=0.1))
world.add_triangles(floor, [[0, 2, 1], [0, 3, 2]])
for x, z in np.random.default_rng(5).uniform(1, 18, (25, 2)):
    world.add_obstacle(waymesh.Box(min=[x, 0, z], max=[x + 1, 2, z + 1]))
world.update()

tasks = waymesh.episodes(world.mesh, 10_000, seed=7, min_distance=2.0, min_ratio=1.1)
assert len(tasks) == 10_000 and tasks.distances.min() >= 2.0
# The same mesh and seed give the same tasks.
again = waymesh.episodes(world.mesh, 10_000, seed=7, min_distance=2.0, min_ratio=1.1)
assert (tasks.starts == again.starts).all()

tasks.save("episodes.json.gz", scene="pillars.glb")
with gzip.open("episodes.json.gz", "rt") as file:
    first = json.load(file)["episodes"][0]
print(first["start_position"], first["goals"], first["info"])
