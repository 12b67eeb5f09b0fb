"""Two hundred agents walk across a square while obstacles move through it."""

import numpy as np
import waymesh

floor = np.array([[0, 0, 0], [30, 0, 0], [30, 0, 30], [0, 0, 30]], dtype=np.float32)
world = waymesh.World([0, -1, 0], [30, 3, 30], waymesh.Settings(agent_radius=0.3))
world.add_triangles(floor, [[0, 2, 1], [0, 3, 2]])
world.update()

crowd = waymesh.Crowd(world)
agents = crowd.add(world.mesh.random_points(200, seed=3), radius=0.2)
crowd.set_target(agents, world.mesh.random_points(200, seed=4))
arrived = crowd.STATUSES.index("arrived")
carts: list[int] = []
for tick in range(900):
    if tick % 20 == 0:
        for cart in carts:
            world.remove_obstacle(cart)
        # Two carts, which leave after a minute.
        places = [(2 + tick * 0.04, 10), (27 - tick * 0.04, 20)] if tick < 600 else []
        boxes = [waymesh.Box(min=[x, 0, z], max=[x + 1, 1, z + 1]) for x, z in places]
        carts = [world.add_obstacle(box) for box in boxes]
        world.update()
    crowd.step(0.1)
    if (crowd.statuses == arrived).all():
        break
print(f"{(crowd.statuses == arrived).sum()} of 200 arrived after {tick / 10:.0f} s")
assert (crowd.statuses == arrived).all()
