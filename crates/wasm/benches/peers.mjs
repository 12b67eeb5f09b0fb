// Bakes and paths beside the packages recast-navigation and navcat, in turns in one process:
// npm ci && node peers.mjs LEVEL.obj ...
// Times are the processor's, of all threads of the process: other work of the machine counts little.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const ROUNDS = 21;
const PAIRS = 1000;
/** RecastDemo's settings, in metres. */
const CELL = 0.3;
const LEVEL = 0.2;
const AGENT = { height: 2, radius: 0.6, climb: 0.9, slope: 45 };

/** Milliseconds of the processor since the beginning. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const begin = now();
const { Scene } = await import("../pkg/node.js");
const started = now() - begin;
const beginTheirs = now();
const recast = await import("recast-navigation");
const generators = await import("recast-navigation/generators");
await recast.init();
const startedTheirs = now() - beginTheirs;
const beginNavcat = now();
const navcat = await import("navcat");
const blocks = await import("navcat/blocks");
const startedNavcat = now() - beginNavcat;

const cells = (metres) => Math.ceil(metres / CELL);
const levels = (metres, round) => round(metres / LEVEL + (round === Math.floor ? 1e-6 : -1e-6));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const timed = (run) => {
  const start = now();
  const result = run();
  return [now() - start, result];
};

/** Packages: a bake of arrays, and the length of a path on its mesh, NaN where there is none. */
function packages(scene) {
  const [positions, indices] = [scene.vertices, scene.triangles];
  const length = (points) => {
    let sum = 0;
    for (let index = 1; index < points.length; index += 1) {
      sum += Math.hypot(...[0, 1, 2].map((axis) => points[index][axis] - points[index - 1][axis]));
    }
    return sum;
  };
  return {
    waymesh: {
      bake: () => Scene.fromTriangles(positions, indices).bake({ cell_size: CELL, level_height: LEVEL }),
      polygons: (mesh) => mesh.polygonCount,
      path: (mesh) => (from, to) => {
        const path = mesh.findPath(from, to);
        return path.outcome === "complete" ? path.length : NaN;
      },
      free: (mesh) => mesh.free(),
    },
    "recast-navigation": {
      bake: () =>
        generators.generateSoloNavMesh(positions, indices, {
          cs: CELL, ch: LEVEL, walkableRadius: cells(AGENT.radius), walkableHeight: levels(AGENT.height, Math.ceil),
          walkableClimb: levels(AGENT.climb, Math.floor), walkableSlopeAngle: AGENT.slope, maxEdgeLen: 12 / CELL,
          maxSimplificationError: 1.3, minRegionArea: 8, mergeRegionArea: 20, maxVertsPerPoly: 6,
          detailSampleDist: 6, detailSampleMaxError: 1,
        }).navMesh,
      polygons: (mesh) => {
        let count = 0;
        for (let index = 0; index < mesh.getMaxTiles(); index += 1) count += mesh.getTile(index).header()?.polyCount() ?? 0;
        return count;
      },
      path: (mesh) => {
        const query = new recast.NavMeshQuery(mesh);
        const vector = ([x, y, z]) => ({ x, y, z });
        return (from, to) => {
          const { success, path } = query.computePath(vector(from), vector(to));
          const last = path.at(-1);
          const reached = success && last && Math.hypot(last.x - to[0], last.z - to[2]) < 0.1;
          return reached ? length(path.map(({ x, y, z }) => [x, y, z])) : NaN;
        };
      },
      free: (mesh) => mesh.destroy(),
    },
    navcat: {
      bake: () =>
        blocks.generateSoloNavMesh({ positions, indices }, {
          cellSize: CELL, cellHeight: LEVEL, walkableRadiusVoxels: cells(AGENT.radius), walkableRadiusWorld: AGENT.radius,
          walkableClimbVoxels: levels(AGENT.climb, Math.floor), walkableClimbWorld: AGENT.climb,
          walkableHeightVoxels: levels(AGENT.height, Math.ceil), walkableHeightWorld: AGENT.height,
          walkableSlopeAngleDegrees: AGENT.slope, borderSize: 0, minRegionArea: 8, mergeRegionArea: 20,
          maxSimplificationError: 1.3, maxEdgeLength: 12, maxVerticesPerPoly: 6,
          detailSampleDistance: 6 * CELL, detailSampleMaxError: LEVEL,
        }).navMesh,
      polygons: (mesh) => Object.values(mesh.tiles).reduce((sum, tile) => sum + tile.polys.length, 0),
      path: (mesh) => (from, to) => {
        const found = navcat.findPath(mesh, [...from], [...to], [2, 4, 2], navcat.DEFAULT_QUERY_FILTER);
        const last = found.path.at(-1)?.position;
        const reached = found.success && last && Math.hypot(last[0] - to[0], last[2] - to[2]) < 0.1;
        return reached ? length(found.path.map(({ position }) => position)) : NaN;
      },
      free: () => {},
    },
  };
}

console.log(`Start-up: waymesh ${started.toFixed(0)} ms, recast-navigation ${startedTheirs.toFixed(0)} ms, navcat ${startedNavcat.toFixed(0)} ms.\n`);
console.log("| level | package | bake, ms | polygons | a path, us: mean | whole paths | length over ours, median |");
console.log("|---|---|---|---|---|---|---|");
for (const file of process.argv.slice(2)) {
  const scene = Scene.read(basename(file), readFileSync(file));
  const all = Object.entries(packages(scene)).map(([name, tool]) => ({ name, tool, bakes: [], paths: [], lengths: [] }));
  const own = all[0].tool.bake();
  const places = own.sample(2 * PAIRS, 7);
  const pair = (index) => [places.subarray(6 * index, 6 * index + 3), places.subarray(6 * index + 3, 6 * index + 6)];
  // In turns, so that other work of the machine strikes all alike. The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const entry of all) {
      const [baked, mesh] = timed(entry.tool.bake);
      const path = entry.tool.path(mesh);
      const lengths = [];
      const [queried] = timed(() => {
        for (let index = 0; index < PAIRS; index += 1) lengths.push(path(...pair(index)));
      });
      if (round > 0) {
        entry.bakes.push(baked);
        entry.paths.push((1000 * queried) / PAIRS);
      }
      entry.polygons = entry.tool.polygons(mesh);
      entry.lengths = lengths;
      entry.tool.free(mesh);
    }
  }
  for (const { name, bakes, paths, lengths, polygons } of all) {
    const ratios = lengths.map((length, index) => length / all[0].lengths[index]).filter(Number.isFinite);
    const whole = lengths.filter(Number.isFinite).length;
    console.log(
      `| ${basename(file)} | ${name} | ${median(bakes).toFixed(0)} | ${polygons} | ${median(paths).toFixed(1)} | ${whole} of ${PAIRS} | ${median(ratios).toFixed(4)} |`,
    );
  }
}
