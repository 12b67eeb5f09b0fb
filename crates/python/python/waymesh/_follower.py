"""The greedy follower of habitat-sim: actions of an agent that lead it along the shortest path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import number, numbers, position
from ._errors import WaymeshError

if TYPE_CHECKING:
    from .habitat import PathFinder

_MAX_ACTIONS = 5000
"""Longest plan of :meth:`GreedyGeodesicFollower.find_path`."""
_GOOD = 0.99
"""Reward of a plan that is taken without a look at others; the largest is 1: a step that shortens the path by its length."""
_COLLISION = 0.25
"""Cost of a step that ends at a wall. Plans that do not gain more are not taken."""
_NEAR_WALL = 0.2
"""Steps that end nearer to a wall than this, in metres, cost ``_NEAR_WALL_COST``."""
_NEAR_WALL_COST = 0.05
_TURN_COST = 0.0125
_MIN_AMOUNT, _MAX_AMOUNT = 1e-3, 1e3
"""Metres or degrees of an action. Smaller ones need more steps than a plan has."""


class GreedyFollowerError(WaymeshError):
    """No path leads to the goal, or no action brings the agent nearer to it."""


class GreedyFollowerCodes(IntEnum):
    """What a follower decides."""

    ERROR = -2
    STOP = -1
    FORWARD = 0
    LEFT = 1
    RIGHT = 2


@dataclass
class ActuationSpec:
    """How far an action moves, in metres, or turns, in degrees."""

    amount: float


@dataclass
class ActionSpec:
    """What an action does: ``move_forward``, ``turn_left`` or ``turn_right``."""

    name: str
    actuation: ActuationSpec


@dataclass
class AgentConfiguration:
    """The actions of an agent by their keys, and its size in metres, which no query here uses: a mesh is built for one."""

    action_space: Mapping[Any, ActionSpec] = field(
        default_factory=lambda: {
            "move_forward": ActionSpec("move_forward", ActuationSpec(0.25)),
            "turn_left": ActionSpec("turn_left", ActuationSpec(10.0)),
            "turn_right": ActionSpec("turn_right", ActuationSpec(10.0)),
        }
    )
    height: float = 1.5
    radius: float = 0.1


@dataclass
class AgentState:
    """Where an agent is. The rotation is a quaternion (w, x, y, z); without one the agent looks along -z."""

    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: Any = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Agent:
    """What a follower needs of an agent. habitat-sim's agents have it."""

    agent_config: AgentConfiguration = field(default_factory=AgentConfiguration)
    state: AgentState = field(default_factory=AgentState)
    controls: Any = None
    """Its ``move_filter_fn(start, end)`` returns where a step ends."""


class GreedyGeodesicFollower:
    """Finds actions that follow the shortest path: of all plans that turn, at most by half a turn, and step once, the one whose step
    shortens the path to the goal most, for few turns and clear of walls.

    The constructor and the methods are those of habitat-sim. Steps are taken with ``agent.controls.move_filter_fn``, as the agent's own are, or
    with :meth:`PathFinder.try_step` if the agent has none.

    >>> from waymesh.habitat import Agent, GreedyGeodesicFollower, PathFinder
    >>> pathfinder, agent = PathFinder(), Agent()
    >>> pathfinder.build([[0, 0, 0], [8, 0, 0], [8, 0, 8], [0, 0, 8]], [[0, 2, 1], [0, 3, 2]])
    True
    >>> agent.state.position = [4.0, 0.0, 5.0]
    >>> GreedyGeodesicFollower(pathfinder, agent).find_path([4.0, 0.0, 4.4])
    ['move_forward', 'move_forward', None]
    """

    def __init__(
        self,
        pathfinder: PathFinder,
        agent: Any,
        goal_radius: float | None = None,
        *,
        stop_key: Any = None,
        forward_key: Any = None,
        left_key: Any = None,
        right_key: Any = None,
        fix_thrashing: bool = True,
        thrashing_threshold: int = 16,
    ) -> None:
        self.pathfinder, self.agent = pathfinder, agent
        forward, self.forward_spec = self._action("move_forward")
        left, self.left_spec = self._action("turn_left")
        right, self.right_spec = self._action("turn_right")
        self.action_mapping: dict[GreedyFollowerCodes, Any] = {
            GreedyFollowerCodes.STOP: stop_key,
            GreedyFollowerCodes.FORWARD: forward if forward_key is None else forward_key,
            GreedyFollowerCodes.LEFT: left if left_key is None else left_key,
            GreedyFollowerCodes.RIGHT: right if right_key is None else right_key,
        }
        self.goal_radius = 0.75 * self.forward_spec.amount if goal_radius is None else number("goal_radius", goal_radius, 0.0)
        self.fix_thrashing, self.thrashing_threshold = fix_thrashing, thrashing_threshold
        self.last_goal: Any = None
        self._taken: list[GreedyFollowerCodes] = []
        self._planned: list[GreedyFollowerCodes] = []

    def _action(self, name: str) -> tuple[Any, Any]:
        found = [(key, spec) for key, spec in self.agent.agent_config.action_space.items() if spec.name == name]
        if len(found) != 1:
            raise GreedyFollowerError(f"the agent has {len(found)} actions {name}, but must have one")
        key, actuation = found[0][0], found[0][1].actuation
        number(f"amount of {name}", actuation.amount, _MIN_AMOUNT, _MAX_AMOUNT)
        return key, actuation

    def reset(self) -> None:
        """Forgets the goal and the actions before."""
        self.last_goal, self._taken, self._planned = None, [], []

    def next_action_along(self, goal_pos: ArrayLike) -> Any:
        """Returns the key of the next action of the agent towards the goal, and that of stopping where the goal is reached."""
        if self.last_goal is None or not np.allclose(goal_pos, self.last_goal):
            self.reset()
            self.last_goal = goal_pos
        if not self._planned:
            plan = self._plan(*self._pose(), goal_pos)
            # A plan is followed to its end where turns to and fro alternate.
            self._planned = plan if self.fix_thrashing and self._is_thrashing() else plan[:1]
        action = self._planned.pop(0)
        self._taken.append(action)
        return self.action_mapping[action]

    def find_path(self, goal_pos: ArrayLike) -> list[Any]:
        """Returns the keys of all actions to the goal and of stopping there, if each does exactly what it should."""
        self.reset()
        position, heading = self._pose()
        actions: list[GreedyFollowerCodes] = []
        while len(actions) < _MAX_ACTIONS:
            plan = self._plan(position, heading, goal_pos)
            actions += plan
            if plan[-1] == GreedyFollowerCodes.STOP:
                return [self.action_mapping[action] for action in actions]
            heading += self._turn(plan[0]) * (len(plan) - 1)
            position = self._step(position, heading)[0]
        raise GreedyFollowerError(f"the goal {np.asarray(goal_pos)} is not reached in {_MAX_ACTIONS} actions")

    def _pose(self) -> tuple[NDArray[np.float32], float]:
        """The position of the agent, and its turn to the left from -z, in radians."""
        state = self.agent.state
        turn = state.rotation
        w, x, y, z = numbers("rotation", (turn.w, turn.x, turn.y, turn.z) if hasattr(turn, "w") else turn, 4)
        return position("position", state.position), math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))

    def _turn(self, action: GreedyFollowerCodes) -> float:
        degrees = self.left_spec.amount if action == GreedyFollowerCodes.LEFT else -self.right_spec.amount
        return math.radians(degrees)

    def _step(self, position: NDArray[np.float32], heading: float) -> tuple[NDArray[np.float32], bool]:
        """Where a step forward ends, and whether a wall shortens it."""
        amount = self.forward_spec.amount
        wanted = position + np.array([-math.sin(heading), 0.0, -math.cos(heading)], dtype=np.float32) * np.float32(amount)
        step = getattr(self.agent.controls, "move_filter_fn", None) if hasattr(self.agent, "controls") else None
        end = np.asarray((step or self.pathfinder.try_step)(position, wanted), dtype=np.float32)
        return end, bool(np.linalg.norm(end - position) + 1e-5 < amount)

    def _distance(self, start: ArrayLike, end: ArrayLike) -> float:
        from .habitat import ShortestPath

        path = ShortestPath(requested_start=start, requested_end=end)
        self.pathfinder.find_path(path)
        return path.geodesic_distance

    def _plan(self, position: NDArray[np.float32], heading: float, goal: ArrayLike) -> list[GreedyFollowerCodes]:
        """The best turns and the step after them, or the stop."""
        distance = self._distance(position, goal)
        if math.isinf(distance):
            raise GreedyFollowerError(f"no path leads from {position} to the goal {np.asarray(goal)}")
        if distance < self.goal_radius:
            return [GreedyFollowerCodes.STOP]
        best, plan = -_COLLISION, None
        for turns in range(math.ceil(math.pi / math.radians(self.left_spec.amount))):
            for side in (GreedyFollowerCodes.LEFT, GreedyFollowerCodes.RIGHT)[: 2 if turns else 1]:
                end, is_short = self._step(position, heading + turns * self._turn(side))
                reward = (distance - self._distance(end, goal)) / self.forward_spec.amount - _TURN_COST * turns
                reward -= _COLLISION if is_short else 0.0
                is_near = self.pathfinder.distance_to_closest_obstacle(end, 1.1 * _NEAR_WALL) < _NEAR_WALL
                reward -= _NEAR_WALL_COST if is_near else 0.0
                if reward > best:
                    best, plan = reward, [side] * turns + [GreedyFollowerCodes.FORWARD]
            if best > _GOOD:
                break
        if plan is None:
            raise GreedyFollowerError(f"no step from {position} leads nearer to the goal {np.asarray(goal)}")
        return plan

    def _is_thrashing(self) -> bool:
        """Whether the last actions were turns to the left and right in turn."""
        last = self._taken[-self.thrashing_threshold :]
        turns = {GreedyFollowerCodes.LEFT, GreedyFollowerCodes.RIGHT}
        return len(last) == self.thrashing_threshold and all({a, b} == turns for a, b in zip(last, last[1:]))
