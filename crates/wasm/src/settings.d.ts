/** How a mesh is made of triangles. */
export type Pipeline = "voxels" | "storeys" | "slices";

/** A shape: one of them. */
export interface Shape {
  /** Least and greatest corner. */
  box?: readonly [Point, Point];
  /** Centre of the base, radius, height. */
  cylinder?: readonly [Point, number, number];
  /** Corners in plan (x, z) of a polygon that does not cross itself; lower and upper height. */
  prism?: readonly [readonly (readonly [number, number])[], readonly [number, number]];
  /** Vertices and triangles of a closed mesh. */
  mesh?: readonly [readonly Point[], readonly (readonly [number, number, number])[]];
}

/** A shape that gives the ground in it another area, by number or name; "blocked" cuts it out. */
export interface Mark extends Shape { area: number | string }

/** Jumps and drops to look for. `describeSettings` tells what each is for. */
export interface Jumps {
  // <jumps>
  /** Longest jump from border to border of the mesh. 0 for none. Default 4 m. */
  max_length?: number;
  /** How much higher or lower a jump may land. Default 0.6 m. */
  max_rise?: number;
  /** Height of the feet at the top of a jump, above its higher end. Default 0.4 m. */
  arc_height?: number;
  /** Deepest drop. 0 for none. Default 4 m. */
  max_drop?: number;
  /** How far out a drop may land, from border to border of the mesh. Default 2 m. */
  max_drop_length?: number;
  /** Distance below which the shorter of two links stands for both. Default 2 m. */
  spacing?: number;
  /** Least detour on foot that a link must save. Default 4 m. */
  min_detour?: number;
  // </jumps>
}

/** Settings that every bake has. `describeSettings` tells what each is for. Lengths in metres. */
export interface BakeSettings {
  // <bake>
  /** Usual agent: recast, person, crouched, wheelchair, robot:RADIUS or vehicle:WIDTH. Sets its
  height, radius, step and slope, and on a grid of the default size cells and levels that resolve
  it. Other settings override it. Default "recast". */
  agent?: string;
  /** Side of a cell of the grid. Smaller cells follow walls and narrow doors more closely; half
  the side takes four times the work. Default 0.3 m, storeys 0.1 m, slices 0.05 m. */
  cell_size?: number;
  /** Height of a level of the grid. Steps and head room are judged to this. Default 0.2 m,
  storeys 0.1 m, slices 0.02 m. */
  level_height?: number;
  /** Heights of agents that share the mesh, ascending: ground is divided by the head room it has.
  Default none, not for slices. */
  height_classes?: readonly number[];
  /** Height of the agent. Ground with less head room is left out. Default 2 m. */
  agent_height?: number;
  /** Radius of the agent. The mesh keeps this far from walls and drops, since it is where the
  agent's centre may be. Default 0.6 m, not for slices. */
  agent_radius?: number;
  /** Highest step that the agent walks over: stairs, kerbs, sills. Default 0.9 m, slices 0.5 m.
  */
  max_step?: number;
  /** Steepest slope that the agent walks on. Default 45 degrees. */
  max_slope?: number;
  /** Highest ledge that becomes a link for an agent that can climb. 0 for none. Default 0 m, not
  for storeys, not for slices. */
  max_ledge?: number;
  /** Farthest that a simplified wall may lie from the traced one; automatic is 1.3 cells. More
  gives fewer polygons. Default automatic, slices 0 m. */
  max_edge_error?: number;
  /** Longest edge along a wall; longer ones are split. 0 for no limit. Default 12 m, slices 0 m.
  */
  max_edge_length?: number;
  /** Farthest that a border between two regions may be moved to run straight. Default 5 m. */
  max_seam_error?: number;
  /** Which points of a border become its corners: those farthest from the simplified border,
  those that give the fewest polygons, or these around narrow ground only. Default "by_width",
  storeys "fewest_notches". */
  corners?: "farthest" | "fewest_notches" | "by_width";
  /** Pieces of ground smaller than this are left out. Default 0.05 m2, slices 0 m2. */
  min_region?: number;
  /** Watershed and monotone regions smaller than this are merged into a neighbour. Default 36 m2,
  not for slices. */
  merge_region?: number;
  /** How the ground is cut into regions: whole storeys, compact regions like Recast's, or strips.
  Default "surfaces", not for slices. */
  partition?: "surfaces" | "watershed" | "monotone";
  /** How the ground is cut into convex polygons: the fewest, fast, or with the least work.
  Default "notch_portals". */
  decomposition?: "notch_portals" | "greedy" | "hertel_mehlhorn";
  /** Most corners of a polygon. 0 for no limit; 6 is usual for Detour. Default 0. */
  max_vertices?: number;
  /** Largest difference between the ground of the mesh and that of the grid. Default 1 levels. */
  max_height_error_levels?: number;
  /** Keep the height of the ground inside of polygons. Without it the mesh is smaller and flat
  between its vertices. Default true. */
  height_detail?: boolean;
  /** What becomes of ground inside of walls, rocks and other closed bodies; ground that is
  connected to ground outside of them, or to a seed, can be kept. Default "keep". */
  enclosed?: "keep" | "remove" | "remove_unreachable";
  /** Which ground is kept: all, the largest piece, pieces of at least so many square metres, or
  those connected to places. Default "all". */
  keep?: "all" | "largest" | number | readonly Point[];
  /** Names, costs per metre and colours of areas, by number. */
  areas?: Record<number, { name: string; cost?: number; colour?: readonly [number, number, number] }>;
  /** Volumes that give the ground in them another area, or cut it out. */
  marks?: readonly Mark[];
  /** Jumps and drops to look for along all borders, which become links. */
  jumps?: Jumps;
  /** Threads, 0 for one per core. The result does not depend on it. Default 0. */
  threads?: 0 | 1;
  /** Memory to work in. Default 2147483648 bytes. */
  max_memory_bytes?: number;
  /** Check the result of every stage against its invariants. It takes about as long as the bake.
  Default false. */
  validate_stages?: boolean;
  // </bake>
}

/** Settings of a bake of triangles. */
export interface Settings extends BakeSettings {
  pipeline?: Pipeline;
  // <pipelines>
  /** Side of a tile in cells, 0 for none. The mesh does not depend on it. Default 0. For voxels.
  Side of a tile in cells, 0 for none. The mesh does not depend on it. Default 256. For storeys,
  slices. */
  tile_cells?: number;
  /** Cells along a side of a rough voxel, 0 to choose. It changes the cost only. Default 0. For
  storeys. */
  rough_cells?: number;
  /** Widest gap in plan that a link of a stair bridges. Default 0.25 m. For slices. */
  link_reach?: number;
  /** What is too steep to walk on stands in the way. Default true. For slices. */
  steep_blocks?: boolean;
  // </pipelines>
}

/** Settings of a bake of floor plans. */
export interface PlanSettings extends BakeSettings {
  // <plans>
  /** How the border goes round corners: cut across, as an arc, or on to a point. Default
  "square". For plans. */
  join?: "square" | "round" | "miter";
  /** Farthest that a mitred corner may stick out, in radii. Default automatic. For plans. */
  miter_limit?: number;
  /** How far an arc may be cut short. Default 0.005 m. For plans. */
  arc_error?: number;
  /** Keep the agent's distance from the borders of walkable ground too, where nothing is blocked
  beyond. Default true. For plans. */
  shrink_walkable?: boolean;
  /** Vertices nearer than this to the one before are left out. Default 0.01 m. For plans. */
  near_distance?: number;
  /** How far from the ground the ends of stairs and lifts may lie, beyond the agent's radius.
  Default 0.5 m. For plans. */
  link_reach?: number;
  /** Gaps between walkable shapes narrower than this are closed. 0 for none. Default 0 m. For
  plans. */
  close_distance?: number;
  /** Vertices closer than this become one. 0 for none. Default 0 m. For plans. */
  merge_distance?: number;
  /** Spacing of a grid of additional vertices. 0 for none. Default 0 m. For plans. */
  steiner_grid?: number;
  // </plans>
}

/** What a setting takes; ranges are those of use, not all that is allowed. */
export type SettingType =
  | { kind: "flag" }
  | { kind: "number"; unit: string; low: number; high: number; step: number }
  | { kind: "count"; low: number; high: number }
  | { kind: "choice"; choices: string[] }
  | { kind: "text" }
  | { kind: "structure"; form: string };

/** A setting. */
export interface SettingInfo {
  name: string;
  /** "bake" for all, "jumps" for those of `jumps`, or the name of the pipeline. */
  group: string;
  about: string;
  type: SettingType;
  /** `null` where it depends on others. */
  default: unknown;
  /** Why the pipeline does not have it; `null` if it has. */
  refused: string | null;
}

/** How triangles are read. */
export interface LoadOptions {
  // <scenes>
  /** Which axis of the scene points up. Default "y". */
  up?: "y" | "z";
  /** Metres per unit of the scene. Default 1 m. */
  scale?: number;
  /** Position of the scene that becomes 0, 0, 0, in its units and axes. It is subtracted in
  double precision; the mesh and all queries are relative to it. Default [0, 0, 0]. */
  origin?: readonly number[];
  /** Upper side of triangles: as the file has it, turned over, or both. Default "as_read". */
  winding?: "as_read" | "flipped" | "two_sided";
  /** Metres of one step of the heights in a grey picture or a raw file. Default 1 m. */
  height_step?: number;
  // </scenes>
}

/** How the file of a floor plan is read. */
export interface PlanOptions {
  // <read>
  /** Metres per unit of the file; automatic is the unit that a DXF drawing gives, else 1. Plans
  in TOML are in metres. Default automatic. */
  scale?: number;
  /** Degrees that become 0, 0: coordinates are degrees. Automatic for GeoJSON and WKT less than
  half a degree wide, and for buildings of Open-RMF in degrees; a scale of 1 makes them metres. */
  geo_origin?: readonly number[];
  /** Thickness of walls that have none of their own. Default 0.1 m. */
  wall_width?: number;
  /** Storey of shapes that name none. Default "0". */
  storey?: string;
  /** Height of that storey. Default 0 m. */
  elevation?: number;
  /** Height from one level to the next, where a file numbers levels and gives no heights:
  OpenStreetMap, IMDF. Default 3 m. */
  storey_height?: number;
  // </read>
}
