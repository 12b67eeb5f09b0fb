"""A program for the PathFinder of habitat-sim that runs on waymesh: only the import is another."""

import numpy as np
from waymesh import habitat as nav  # import habitat_sim.nav as nav

settings = nav.NavMeshSettings()
settings.agent_radius, settings.agent_height = 0.2, 1.5
settings.write_to_json("settings.json")
settings.read_from_json("settings.json")

floor = np.array([[0, 0, 0], [9, 0, 0], [9, 0, 9], [0, 0, 9]], dtype=np.float32)
pathfinder = nav.PathFinder()
assert pathfinder.build(floor, [[0, 2, 1], [0, 3, 2]], settings)
pathfinder.seed(7)

path = nav.ShortestPath()
path.requested_start = pathfinder.get_random_navigable_point()
path.requested_end = pathfinder.get_random_navigable_point()
assert pathfinder.find_path(path) and np.isfinite(path.geodesic_distance)
hit = pathfinder.closest_obstacle_surface_point(path.requested_start, 10.0)
assert np.isclose(hit.hit_dist, pathfinder.distance_to_closest_obstacle(path.requested_start, 10.0))

agent = nav.Agent()
agent.state.position = path.requested_start
actions = nav.GreedyGeodesicFollower(pathfinder, agent, 0.2).find_path(path.requested_end)
assert actions.count("move_forward") >= path.geodesic_distance // 0.25 - 1
print(f"{path.geodesic_distance:.2f} m, {len(actions)} actions, wall at {hit.hit_dist:.2f} m")
