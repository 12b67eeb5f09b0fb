// Bakes and paths of this package beside two others, in turns in one process or page: what
// `peers.mjs` and `chromium.mjs` share.

const ROUNDS = 21;
const PAIRS = 1000;
/** RecastDemo's settings, in metres. */
const CELL = 0.3;
const LEVEL = 0.2;
const AGENT = { height: 2, radius: 0.6, climb: 0.9, slope: 45 };
const EDGE_ERROR = 1.3 * CELL;
const EDGE_LENGTH = 12;
/** Sides of squares of cells. */
const [LEAST_REGION, MERGED_REGION] = [8, 20];

/** What the agent's defaults leave: our own choices, and Recast's. */
const GRID = { cell_size: CELL, level_height: LEVEL };
const AS_RECAST = {
  ...GRID, partition: "watershed", corners: "farthest", max_edge_error: EDGE_ERROR, max_edge_length: EDGE_LENGTH, max_vertices: 6,
  min_region: (LEAST_REGION * CELL) ** 2, merge_region: (MERGED_REGION * CELL) ** 2,
};

const cells = (metres) => Math.ceil(metres / CELL);
const levels = (metres, round) => round(metres / LEVEL + (round === Math.floor ? 1e-6 : -1e-6));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Loads a package and starts it; the milliseconds that it takes. */
async function started(now, load) {
  const begin = now();
  const modules = await load();
  return [now() - begin, modules];
}

/**
 * Loads all packages, each until it can be called.
 * @param {string} own the address of this package
 * @param {() => number} now milliseconds
 */
export async function load(own, now) {
  const [ours, waymesh] = await started(now, async () => {
    const modules = await import(own);
    await modules.default();
    return modules;
  });
  const [theirs, recast] = await started(now, async () => {
    const modules = { ...(await import("recast-navigation")), ...(await import("recast-navigation/generators")) };
    await modules.init();
    return modules;
  });
  const [navcats, navcat] = await started(now, async () => ({ ...(await import("navcat")), ...(await import("navcat/blocks")) }));
  return { waymesh, recast, navcat, startUp: { waymesh: ours, "recast-navigation": theirs, navcat: navcats } };
}

/** Packages: a bake of arrays, and the length of a path on its mesh, NaN where there is none. */
function packages({ waymesh, recast, navcat }, scene) {
  const [positions, indices] = [scene.vertices, scene.triangles];
  const length = (points) => {
    let sum = 0;
    for (let index = 1; index < points.length; index += 1) {
      sum += Math.hypot(...[0, 1, 2].map((axis) => points[index][axis] - points[index - 1][axis]));
    }
    return sum;
  };
  // Some paths end in plan at the goal, storeys below it.
  const isAt = (end, goal) => Math.hypot(end[0] - goal[0], end[2] - goal[2]) < 0.1 && Math.abs(end[1] - goal[1]) < AGENT.climb;
  const own = (settings) => ({
    bake: () => waymesh.Scene.fromTriangles(positions, indices).bake(settings),
    polygons: (mesh) => mesh.polygonCount,
    path: (mesh) => (from, to) => {
      try {
        const path = mesh.findPath(from, to);
        return path.outcome === "complete" ? path.length : NaN;
      } catch {
        // An end is off the mesh.
        return NaN;
      }
    },
    free: (mesh) => mesh.free(),
  });
  return {
    waymesh: own(GRID),
    "waymesh, Recast's settings": own(AS_RECAST),
    "recast-navigation": {
      bake: () =>
        recast.generateSoloNavMesh(positions, indices, {
          cs: CELL, ch: LEVEL, walkableRadius: cells(AGENT.radius), walkableHeight: levels(AGENT.height, Math.ceil),
          walkableClimb: levels(AGENT.climb, Math.floor), walkableSlopeAngle: AGENT.slope, maxEdgeLen: EDGE_LENGTH / CELL,
          maxSimplificationError: EDGE_ERROR / CELL, minRegionArea: LEAST_REGION, mergeRegionArea: MERGED_REGION, maxVertsPerPoly: 6,
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
          return success && last && isAt([last.x, last.y, last.z], to) ? length(path.map(({ x, y, z }) => [x, y, z])) : NaN;
        };
      },
      free: (mesh) => mesh.destroy(),
    },
    navcat: {
      bake: () =>
        navcat.generateSoloNavMesh({ positions, indices }, {
          cellSize: CELL, cellHeight: LEVEL, walkableRadiusVoxels: cells(AGENT.radius), walkableRadiusWorld: AGENT.radius,
          walkableClimbVoxels: levels(AGENT.climb, Math.floor), walkableClimbWorld: AGENT.climb,
          walkableHeightVoxels: levels(AGENT.height, Math.ceil), walkableHeightWorld: AGENT.height,
          walkableSlopeAngleDegrees: AGENT.slope, borderSize: 0, minRegionArea: LEAST_REGION, mergeRegionArea: MERGED_REGION,
          maxSimplificationError: EDGE_ERROR / CELL, maxEdgeLength: EDGE_LENGTH, maxVerticesPerPoly: 6,
          detailSampleDistance: 6 * CELL, detailSampleMaxError: LEVEL,
        }).navMesh,
      polygons: (mesh) => Object.values(mesh.tiles).reduce((sum, tile) => sum + tile.polys.length, 0),
      path: (mesh) => (from, to) => {
        const found = navcat.findPath(mesh, [...from], [...to], [2, 4, 2], navcat.DEFAULT_QUERY_FILTER);
        const last = found.path.at(-1)?.position;
        return found.success && last && isAt(last, to) ? length(found.path.map(({ position }) => position)) : NaN;
      },
      free: () => {},
    },
  };
}

/** The lines of a table: what these levels take. `files` are pairs of names and bytes. */
export function* compare(modules, files, now) {
  const timed = (run) => {
    const start = now();
    const result = run();
    return [now() - start, result];
  };
  const starts = Object.entries(modules.startUp).map(([name, time]) => `${name} ${time.toFixed(0)} ms`);
  yield `Start-up: ${starts.join(", ")}.\n`;
  yield "| level | package | bake, ms | over Recast's | polygons | a path, us | over Recast's | whole paths | length over ours, median |";
  yield "|---|---|---|---|---|---|---|---|---|";
  for (const [file, bytes] of files) {
    const scene = modules.waymesh.Scene.read(file, bytes);
    const all = Object.entries(packages(modules, scene)).map(([name, tool]) => ({ name, tool, bakes: [], paths: [], lengths: [] }));
    // On ground that all of them keep: without the smallest islands.
    const places = all[1].tool.bake().sample(2 * PAIRS, 7);
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
    const theirs = all.find(({ name }) => name === "recast-navigation");
    const columns = (entry, times, digits) => `${median(entry[times]).toFixed(digits)} | ${(median(entry[times]) / median(theirs[times])).toFixed(2)}`;
    for (const entry of all) {
      const ratios = entry.lengths.map((length, index) => length / all[0].lengths[index]).filter(Number.isFinite);
      const whole = entry.lengths.filter(Number.isFinite).length;
      yield `| ${file} | ${entry.name} | ${columns(entry, "bakes", 0)} | ${entry.polygons} | ${columns(entry, "paths", 1)} | ${whole} of ${PAIRS} | ${median(ratios).toFixed(4)} |`;
    }
  }
}
