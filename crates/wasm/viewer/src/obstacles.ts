// Obstacles: boxes that are put down by a click and dragged over the ground.
import { bake, follow } from "./bakes";
import type { Point } from "./link";
import { complain } from "./page";
import { drawObstacles } from "./placed";
import { isPlan, knobs, remember, state, view } from "./state";
import type { Hit } from "./view";

/** Puts an obstacle down. */
export function putObstacle(at: Point): void {
  if (isPlan() || !state.source) {
    complain("obstacles need a scene of triangles");
    return;
  }
  const side = Math.max(2 * Number(knobs.settings.agent_radius ?? 0.6), 1);
  state.obstacles.push({ at, size: [side, 2, side] });
  drawObstacles(view, state.obstacles);
  void follow();
}

/** Takes hold of an obstacle, if one was hit. */
export function gripObstacle(hit: Hit): { move: (at: Point) => void; end: () => void } | null {
  const index: unknown = hit.object.userData["obstacle"];
  if (typeof index !== "number") return null;
  const move = (at: Point) => {
    const obstacle = state.obstacles[index];
    if (!obstacle) return;
    obstacle.at = at;
    drawObstacles(view, state.obstacles);
    void follow();
  };
  return { move, end: remember };
}

export function removeObstacles(): void {
  state.obstacles = [];
  drawObstacles(view, state.obstacles);
  void bake();
  remember();
}
