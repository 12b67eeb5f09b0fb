/* waymesh: navigation meshes from triangles, and path queries on them.

Lengths are in metres, angles in degrees, y points up, the system is right-handed.

Handles. `wm_..._new`, `_bake`, `_open` and the like write a handle; `wm_..._free` ends it and takes NULL. A handle that was freed must not
be used any more.

Status. Every function that can fail returns a wm_status, and writes a text to its `error` where that is not NULL. What it was to write
otherwise stays as it was. Pointers that must not be NULL are checked; that they point to as much as was said cannot be.

Buffers belong to the caller. A function that fills one takes its capacity and writes how much there is; if that is more than the
capacity, it returns WM_STATUS_BUFFER_TOO_SMALL and has filled as much as fits.

Threads. There is no global state. Any number of threads may use one wm_mesh or one wm_discs at the same time; every other handle serves one
thread at a time. A panic inside never leaves the library: it becomes WM_STATUS_PANIC. */

#ifndef WAYMESH_H
#define WAYMESH_H

/* Made from the sources by a test; see README.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 Bytes of the text of an error, with the zero at its end.
 */
#define WM_ERROR_TEXT 512

/*
 The result of a call.
 */
typedef enum wm_status {
    /*
     The call succeeded.
     */
    WM_STATUS_OK = 0,
    /*
     A pointer is NULL, a count is too large, a position is not finite, or a number names no
     polygon, link, agent, obstacle or mark.
     */
    WM_STATUS_BAD_ARGUMENT = 1,
    /*
     A setting, a kind, a radius, a cost or a time is out of its range, or the pipeline has no such
     setting.
     */
    WM_STATUS_BAD_SETTING = 2,
    /*
     A file cannot be read or written, or is broken.
     */
    WM_STATUS_BAD_FILE = 3,
    /*
     There is no ground to walk on.
     */
    WM_STATUS_NOTHING_WALKABLE = 4,
    /*
     A bake failed for another reason.
     */
    WM_STATUS_BAKE_FAILED = 5,
    /*
     No ground is near a position, or no room for a disc.
     */
    WM_STATUS_NO_MESH_NEAR = 6,
    /*
     A query cannot be answered.
     */
    WM_STATUS_QUERY_FAILED = 7,
    /*
     A buffer is too small; it holds what fits.
     */
    WM_STATUS_BUFFER_TOO_SMALL = 8,
    /*
     The progress function ended the bake.
     */
    WM_STATUS_CANCELLED = 9,
    /*
     A defect of the library. Handles that the call was to change must be freed; others are fine.
     */
    WM_STATUS_PANIC = 10,
} wm_status;

/*
 The end of a path.
 */
typedef enum wm_outcome {
    /*
     At the goal.
     */
    WM_OUTCOME_COMPLETE = 0,
    /*
     At the reachable point nearest to the goal.
     */
    WM_OUTCOME_PARTIAL = 1,
    /*
     No path was found.
     */
    WM_OUTCOME_UNREACHABLE = 2,
    /*
     No path was found before the search ended at its limit.
     */
    WM_OUTCOME_UNDECIDED = 3,
} wm_outcome;

/*
 The state of an agent on its path.
 */
typedef enum wm_agent_status {
    /*
     It has no target.
     */
    WM_AGENT_STATUS_IDLE = 0,
    /*
     Its path is not planned yet.
     */
    WM_AGENT_STATUS_WAITING = 1,
    /*
     It walks.
     */
    WM_AGENT_STATUS_WALKING = 2,
    /*
     It waits until a link is free.
     */
    WM_AGENT_STATUS_QUEUEING = 3,
    /*
     It is on a link.
     */
    WM_AGENT_STATUS_ON_LINK = 4,
    /*
     It is at its target.
     */
    WM_AGENT_STATUS_ARRIVED = 5,
    /*
     It stands at the reachable place nearest to its target.
     */
    WM_AGENT_STATUS_BLOCKED = 6,
    /*
     No ground is near it.
     */
    WM_AGENT_STATUS_LOST = 7,
} wm_agent_status;

/*
 A file format of meshes.
 */
typedef enum wm_format {
    /*
     .wmesh: small, to keep and to exchange.
     */
    WM_FORMAT_EXCHANGE = 0,
    /*
     .wmrun: opens fast, of one version of the library.
     */
    WM_FORMAT_PACKED = 1,
} wm_format;

/*
 The purpose of a link.
 */
typedef enum wm_link_kind {
    /*
     Made by the user.
     */
    WM_LINK_KIND_USER = 0,
    /*
     Between two edges whose heights differ by the rounding of the grid.
     */
    WM_LINK_KIND_LEVEL = 1,
    /*
     Up or down a stair or a step higher than the agent's.
     */
    WM_LINK_KIND_STEP = 2,
    /*
     Over a gap, through the air.
     */
    WM_LINK_KIND_JUMP = 3,
    /*
     From a ledge, through the air.
     */
    WM_LINK_KIND_DROP = 4,
    /*
     Through a door of a floor plan.
     */
    WM_LINK_KIND_DOOR = 16,
    /*
     A ride on a lift.
     */
    WM_LINK_KIND_LIFT = 17,
} wm_link_kind;

/*
 Searches for paths.
 */
typedef enum wm_search {
    /*
     The shortest path through the middles of borders, pulled taut. The fastest search.
     */
    WM_SEARCH_FAST = 0,
    /*
     The shortest path.
     */
    WM_SEARCH_SHORTEST = 1,
} wm_search;

/*
 Kinds of shapes.
 */
typedef enum wm_shape_kind {
    /*
     A box from min to max.
     */
    WM_SHAPE_KIND_BOX = 0,
    /*
     An upright cylinder around the middle of its base, which is min.
     */
    WM_SHAPE_KIND_CYLINDER = 1,
    /*
     An upright prism over a simple polygon, from min.y to max.y.
     */
    WM_SHAPE_KIND_PRISM = 2,
} wm_shape_kind;

/*
 A crowd of agents on a mesh.
 */
typedef struct wm_crowd wm_crowd;

/*
 A mesh for discs of any radius.
 */
typedef struct wm_discs wm_discs;

/*
 A navigation mesh. Only its links change (wm_mesh_add_link).
 */
typedef struct wm_mesh wm_mesh;

/*
 The memory of queries, one per thread. After some queries nothing is allocated any more.
 */
typedef struct wm_query wm_query;

/*
 A world of tiles, with obstacles and marks that come and go.
 */
typedef struct wm_world wm_world;

/*
 A position or a direction, in metres.
 */
typedef struct wm_vec3 {
    /*
     To the right.
     */
    float x;
    /*
     Up.
     */
    float y;
    /*
     Towards the viewer.
     */
    float z;
} wm_vec3;

/*
 Triangles of a scene. Start from zeros: vertices are in `vertices` or in `doubles`.
 */
typedef struct wm_triangles {
    /*
     Positions in single precision; NULL if they are in `doubles`.
     */
    const struct wm_vec3 *vertices;
    /*
     Positions in double precision, three numbers each; NULL if they are in `vertices`. For scenes
     far from their origin, which the setting `origin` brings near before they are rounded.
     */
    const double *doubles;
    /*
     Number of vertices.
     */
    size_t vertex_count;
    /*
     Three indices of vertices for each triangle.
     */
    const uint32_t *indices;
    /*
     Number of triangles.
     */
    size_t count;
    /*
     Area of each triangle: 1 is plain ground, 0 is not walkable. NULL if all are plain ground.
     */
    const uint8_t *areas;
} wm_triangles;

/*
 A setting of a bake, by its name. Start from zeros.

 Names, units, ranges and defaults are those of Python and JavaScript; the guide has a table of
 all. `pipeline` is one of voxels (the default), storeys and slices. Where a name is given
 twice, the last one counts.
 */
typedef struct wm_setting {
    /*
     Its name, such as agent_radius.
     */
    const char *name;
    /*
     Its value, if that is a number.
     */
    double number;
    /*
     Its value, if that is a word, true or false, or a list or an object as JSON; else NULL.
     */
    const char *text;
    /*
     Its value, if that is a list of numbers, such as that of origin; else NULL.
     */
    const double *numbers;
    /*
     Length of that list.
     */
    size_t count;
} wm_setting;

/*
 Called while a bake runs, on a thread of the bake: the name of the stage, and the part of it
 that is done, from 0 to 1. Returns 0 to end the bake. It must not unwind or longjmp.
 */
typedef int32_t (*wm_progress)(void *user, const char *stage, float done);

/*
 An error.
 */
typedef struct wm_error {
    /*
     The status that the function returned.
     */
    enum wm_status status;
    /*
     The error as a sentence in UTF-8, cut at the end if it is too long. Ends in a zero byte.
     */
    char text[WM_ERROR_TEXT];
} wm_error;

/*
 Figures of a mesh.
 */
typedef struct wm_mesh_info {
    /*
     Convex polygons.
     */
    size_t polygons;
    /*
     Corners of all polygons.
     */
    size_t corners;
    /*
     Vertices.
     */
    size_t vertices;
    /*
     Connected pieces.
     */
    size_t islands;
    /*
     Links: steps, jumps, doors and so on.
     */
    size_t links;
    /*
     Area in plan in square metres.
     */
    double area;
    /*
     Least corner of the box round its vertices; 0 for an empty mesh.
     */
    struct wm_vec3 min;
    /*
     Greatest corner.
     */
    struct wm_vec3 max;
    /*
     Radius of the agent for which it was baked.
     */
    float agent_radius;
    /*
     Height of that agent.
     */
    float agent_height;
} wm_mesh_info;

/*
 Largest distance of a position from the mesh.
 */
typedef struct wm_reach {
    /*
     Sideways, in plan.
     */
    float side;
    /*
     Upwards: the mesh may be this much above the position.
     */
    float up;
    /*
     Downwards: the mesh may be this much below the position.
     */
    float down;
} wm_reach;

/*
 Filter of polygons. It is called with the number and the area of each polygon that a search
 reaches, in the thread of the query, and returns 0 where the path may not lead. It must answer
 the same for a polygon as long as the query runs, and must not unwind or longjmp.
 */
typedef uint32_t (*wm_allows)(void *user, uint32_t polygon, uint8_t area);

/*
 Cost of a metre in a polygon, called like a wm_allows: finite, 0 or more.
 */
typedef float (*wm_metre_cost)(void *user, uint32_t polygon, uint8_t area);

/*
 Cost of a link for this agent in metres. It is called like a wm_allows, with the number and the
 kind (a wm_link_kind) of each link that a search reaches, and returns 0 or more; infinity if the
 agent cannot take the link.
 */
typedef float (*wm_link_cost)(void *user, uint64_t link, uint32_t kind);

/*
 Settings of queries. Ground that the filter or the costs close is closed for each of them. Start
 from wm_query_settings_default.
 */
typedef struct wm_query_settings {
    /*
     Bytes of this structure.
     */
    size_t size;
    /*
     The search of paths: a wm_search.
     */
    uint32_t search;
    /*
     0 to refuse a path that ends before the goal: the call then writes WM_OUTCOME_UNREACHABLE
     and no points.
     */
    uint32_t allow_partial;
    /*
     Not 0 for a point at every border that the path crosses.
     */
    uint32_t cross_points;
    /*
     Largest distance of positions from the mesh; NULL for the mesh's own.
     */
    const struct wm_reach *reach;
    /*
     Cost of a metre in each area, from area 0 on: 0 or more, infinity to close it; NULL for the
     costs that are in the mesh. Areas beyond the array cost what they cost in the mesh.
     */
    const float *area_costs;
    /*
     Number of these costs, at most 256.
     */
    size_t area_cost_count;
    /*
     Filter of polygons; NULL for all of them.
     */
    wm_allows allows;
    /*
     Cost of a metre, which replaces the costs of areas; NULL for these.
     */
    wm_metre_cost metre_cost;
    /*
     Lower bound of metre_cost; 0 if there is none. A higher bound makes searches faster; with
     one that is too high, the path is not the cheapest. Read only where metre_cost is not NULL.
     */
    float least_cost;
    /*
     Cost of taking a link, in addition to its length and its extra cost; NULL for none.
     */
    wm_link_cost link_cost;
    /*
     Argument of the functions.
     */
    void *user;
} wm_query_settings;

/*
 A place on a mesh. For another mesh, or a changed one, its position is located again.
 */
typedef struct wm_place {
    /*
     Number of its polygon.
     */
    uint32_t polygon;
    /*
     Position on the ground of that polygon.
     */
    struct wm_vec3 position;
    /*
     Generation of the mesh that it is on.
     */
    uint64_t generation;
} wm_place;

/*
 Figures of a path.
 */
typedef struct wm_path_info {
    /*
     Its end.
     */
    enum wm_outcome outcome;
    /*
     Number of points, also of those for which the buffer was too small.
     */
    size_t points;
    /*
     Number of polygons that it passes.
     */
    size_t polygons;
    /*
     Length in metres.
     */
    float length;
    /*
     Cost.
     */
    float cost;
} wm_path_info;

/*
 The end of a ray.
 */
typedef struct wm_ray {
    /*
     The place where it hit a wall, or its target.
     */
    struct wm_place end;
    /*
     Share of its length in plan before the wall: from 0 to 1.
     */
    float fraction;
    /*
     1 if it hit a wall, else 0.
     */
    uint32_t hit;
    /*
     The wall's normal in plan, towards the start; 0 without a hit.
     */
    struct wm_vec3 normal;
} wm_ray;

/*
 The wall nearest to a place.
 */
typedef struct wm_wall {
    /*
     1 if a wall is within the radius, else 0.
     */
    uint32_t found;
    /*
     Distance in plan; without a wall, the radius.
     */
    float distance;
    /*
     Its closest point.
     */
    struct wm_vec3 point;
    /*
     Its normal in plan, towards the place.
     */
    struct wm_vec3 normal;
} wm_wall;

/*
 An end of a link: a segment on a polygon, or a point.
 */
typedef struct wm_link_end {
    /*
     Number of its polygon.
     */
    uint32_t polygon;
    /*
     One end of the segment, on the polygon.
     */
    struct wm_vec3 first;
    /*
     The other end of the segment; for a point, the same position.
     */
    struct wm_vec3 second;
} wm_link_end;

/*
 A connection of two places other than over ground: a jump, a ladder, a lift, a door. An agent
 that leaves at a third of the first segment arrives at a third of the second.
 */
typedef struct wm_link {
    /*
     Its number, which no other link of the mesh ever gets. Not read where a link is added.
     */
    uint64_t id;
    /*
     Start.
     */
    struct wm_link_end from;
    /*
     End.
     */
    struct wm_link_end to;
    /*
     0 if it is taken from start to end only.
     */
    uint32_t both_ways;
    /*
     0 if it is closed: no query takes it.
     */
    uint32_t is_open;
    /*
     Cost in metres in addition to the distance between its ends: finite, 0 or more.
     */
    float extra_cost;
    /*
     A wm_link_kind.
     */
    uint32_t kind;
    /*
     A number of the caller's, which the library does not use.
     */
    uint32_t data;
} wm_link;

/*
 A shape, of an obstacle or of ground with another area.
 */
typedef struct wm_shape {
    /*
     A wm_shape_kind.
     */
    uint32_t kind;
    /*
     Least corner of a box, middle of the base of a cylinder; of a prism only y counts.
     */
    struct wm_vec3 min;
    /*
     Greatest corner of a box; of a prism only y counts.
     */
    struct wm_vec3 max;
    /*
     Radius of a cylinder.
     */
    float radius;
    /*
     Height of a cylinder.
     */
    float height;
    /*
     x and z of each corner of a prism.
     */
    const float *corners;
    /*
     Corners of a prism.
     */
    size_t corner_count;
} wm_shape;

/*
 Figures of an update.
 */
typedef struct wm_update {
    /*
     Tiles that were built.
     */
    size_t rebuilt;
    /*
     Neighbouring tiles that were fitted to the new borders.
     */
    size_t adjusted;
    /*
     Polygons of the new mesh.
     */
    size_t polygons;
    /*
     Links of the new mesh.
     */
    size_t links;
} wm_update;

/*
 Settings of an agent. Start from wm_agent_settings_default.
 */
typedef struct wm_agent_settings {
    /*
     Bytes of this structure.
     */
    size_t size;
    /*
     Radius in metres.
     */
    float radius;
    /*
     Height in metres.
     */
    float height;
    /*
     Highest speed in metres a second.
     */
    float max_speed;
    /*
     Highest change of its desired velocity, in metres a second squared.
     */
    float acceleration;
    /*
     Distance from its target in metres within which it has arrived.
     */
    float arrival_distance;
    /*
     Priority, at most 255: of two agents, the one with the lower number gives way.
     */
    uint32_t priority;
} wm_agent_settings;

/*
 The state of an agent.
 */
typedef struct wm_agent_state {
    /*
     Position, on the ground or in the air on a link.
     */
    struct wm_vec3 position;
    /*
     Velocity in metres a second.
     */
    struct wm_vec3 velocity;
    /*
     Metres along its path to the end of the path.
     */
    float remaining;
    /*
     Status.
     */
    enum wm_agent_status status;
} wm_agent_state;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Bakes triangles, with settings over the defaults of their pipeline. `settings` and `progress`
 may be NULL.

 # Safety
 The arrays are as long as the counts say.
 */
enum wm_status wm_mesh_bake(const struct wm_triangles *triangles,
                            const struct wm_setting *settings,
                            size_t setting_count,
                            wm_progress progress,
                            void *user,
                            struct wm_mesh **mesh,
                            struct wm_error *error);

/*
 Reads a scene (OBJ, glTF, GLB, STL, PLY, height map) and bakes it, as wm_mesh_bake does.

 # Safety
 `file` is a string that ends in a zero byte, and there are as many settings as is said.
 */
enum wm_status wm_mesh_bake_file(const char *file,
                                 const struct wm_setting *settings,
                                 size_t setting_count,
                                 wm_progress progress,
                                 void *user,
                                 struct wm_mesh **mesh,
                                 struct wm_error *error);

/*
 Opens a mesh file: .wmesh, .wmrun, or one of Detour's.

 # Safety
 `file` is a string that ends in a zero byte.
 */
enum wm_status wm_mesh_open(const char *file, struct wm_mesh **mesh, struct wm_error *error);

/*
 Saves a mesh in the format of the name's ending: .wmesh, .wmrun, or .navmesh for Detour. The
 file appears when it is whole.

 # Safety
 `file` is a string that ends in a zero byte.
 */
enum wm_status wm_mesh_save(const struct wm_mesh *mesh, const char *file, struct wm_error *error);

/*
 Reads a mesh from the bytes of a file: .wmesh, .wmrun, or one of Detour's. The bytes are copied.

 # Safety
 There are `count` bytes.
 */
enum wm_status wm_mesh_read(const uint8_t *bytes, size_t count, struct wm_mesh **mesh, struct wm_error *error);

/*
 Writes the bytes of a mesh's file, of a wm_format.

 # Safety
 There is room for `capacity` bytes.
 */
enum wm_status wm_mesh_write(const struct wm_mesh *mesh,
                             uint32_t format,
                             uint8_t *bytes,
                             size_t capacity,
                             size_t *count,
                             struct wm_error *error);

/*
 Writes another handle of the same mesh, in constant time.
 */
enum wm_status wm_mesh_share(const struct wm_mesh *mesh, struct wm_mesh **shared, struct wm_error *error);

/*
 Ends a handle.
 */
void wm_mesh_free(struct wm_mesh *mesh);

/*
 Makes a hierarchy for large meshes. From then on wm_find_path uses it for fast paths without
 filter and costs: such paths are some per cent longer on average and found several times faster.
 A mesh of fewer than min_polygons gets none; it pays from about 20,000 polygons. Takes some 100
 bytes a polygon, and seconds for 30,000 polygons.

 Other handles of the mesh do not get it. No thread may use this handle meanwhile. After a change
 of links it is out of use until it is made again.
 */
enum wm_status wm_mesh_build_hierarchy(struct wm_mesh *mesh, uint32_t min_polygons, struct wm_error *error);

/*
 Makes an oracle, by which wm_find_path looks shortest paths without filter and costs up instead
 of searching for them: many times faster on large meshes, with the same lengths. Takes at most
 max_bytes of memory, and seconds for 10,000 polygons. Writes, unless covered is NULL, the share
 of the area from which paths are looked up: 0 if memory does not even suffice for its labels,
 and for a mesh with links that are crossed like an edge, but one way only or at a cost.

 Other handles of the mesh do not get it. No thread may use this handle meanwhile. It is out of
 use while links are others than when it was made.
 */
enum wm_status wm_mesh_build_oracle(struct wm_mesh *mesh, size_t max_bytes, double *covered, struct wm_error *error);

/*
 Writes the figures of a mesh.
 */
enum wm_status wm_mesh_info_of(const struct wm_mesh *mesh, struct wm_mesh_info *info, struct wm_error *error);

/*
 Writes the positions of the vertices.

 # Safety
 There is room for `capacity` positions.
 */
enum wm_status wm_mesh_vertices(const struct wm_mesh *mesh,
                                struct wm_vec3 *vertices,
                                size_t capacity,
                                size_t *count,
                                struct wm_error *error);

/*
 Writes the vertices of all polygons, one polygon after another, clockwise as seen from above.
 wm_mesh_polygon_starts writes the first corner of each polygon.

 # Safety
 There is room for `capacity` numbers.
 */
enum wm_status wm_mesh_corners(const struct wm_mesh *mesh, uint32_t *corners, size_t capacity, size_t *count, struct wm_error *error);

/*
 Writes the first corner of each polygon, then the number of corners: one number more than there
 are polygons. The order is that of the ids of polygons; in the mesh of a world an id may have no
 polygon, which shows as no corners and area 0.

 # Safety
 There is room for `capacity` numbers.
 */
enum wm_status wm_mesh_polygon_starts(const struct wm_mesh *mesh, uint32_t *starts, size_t capacity, size_t *count, struct wm_error *error);

/*
 Writes the area of each polygon, in the order of wm_mesh_polygon_starts.

 # Safety
 There is room for `capacity` bytes.
 */
enum wm_status wm_mesh_areas(const struct wm_mesh *mesh, uint8_t *areas, size_t capacity, size_t *count, struct wm_error *error);

/*
 Makes the memory of queries.
 */
enum wm_status wm_query_new(struct wm_query **query, struct wm_error *error);

/*
 Ends a handle.
 */
void wm_query_free(struct wm_query *query);

/*
 Writes the default settings of queries: the fastest search, partial paths, and the costs of
 areas that are in the mesh.
 */
enum wm_status wm_query_settings_default(struct wm_query_settings *settings, struct wm_error *error);

/*
 Writes the place on the mesh that is nearest to a position. `settings` may be NULL for the
 default.

 # Safety
 The arrays in `settings` are as long as they say.
 */
enum wm_status wm_nearest(const struct wm_mesh *mesh,
                          struct wm_vec3 position,
                          const struct wm_query_settings *settings,
                          struct wm_place *place,
                          struct wm_error *error);

/*
 Finds a path and writes its points. `settings` may be NULL for the default, and so may `points`
 if `capacity` is 0; `info` is written also if the buffer is too small.

 # Safety
 There is room for `capacity` points, and the arrays in `settings` are as long as they say.
 */
enum wm_status wm_find_path(const struct wm_mesh *mesh,
                            struct wm_query *query,
                            struct wm_vec3 from,
                            struct wm_vec3 to,
                            const struct wm_query_settings *settings,
                            struct wm_vec3 *points,
                            size_t capacity,
                            struct wm_path_info *info,
                            struct wm_error *error);

/*
 Writes the polygons that the last path or ray of this query passes, in order: none after one
 that failed.

 # Safety
 There is room for `capacity` numbers.
 */
enum wm_status wm_query_polygons(const struct wm_query *query, uint32_t *polygons, size_t capacity, size_t *count, struct wm_error *error);

/*
 Writes the place of a polygon that is closest in plan to a position, on the ground of the
 polygon.
 */
enum wm_status wm_closest(const struct wm_mesh *mesh,
                          uint32_t polygon,
                          struct wm_vec3 position,
                          struct wm_place *place,
                          struct wm_error *error);

/*
 Casts a ray along the ground from a place to a position and writes its end. `settings` may be
 NULL for the default.

 # Safety
 The arrays in `settings` are as long as they say.
 */
enum wm_status wm_raycast(const struct wm_mesh *mesh,
                          struct wm_query *query,
                          const struct wm_place *from,
                          struct wm_vec3 to,
                          const struct wm_query_settings *settings,
                          struct wm_ray *ray,
                          struct wm_error *error);

/*
 Writes the place that an agent reaches who walks from a place towards a position and slides
 along walls. `settings` may be NULL for the default.

 # Safety
 The arrays in `settings` are as long as they say.
 */
enum wm_status wm_move_along(const struct wm_mesh *mesh,
                             struct wm_query *query,
                             const struct wm_place *from,
                             struct wm_vec3 to,
                             const struct wm_query_settings *settings,
                             struct wm_place *end,
                             struct wm_error *error);

/*
 Writes the wall nearest to a place, at most `radius` metres away in plan: a border of the mesh,
 or of ground that is closed. `settings` may be NULL for the default.

 # Safety
 The arrays in `settings` are as long as they say.
 */
enum wm_status wm_nearest_wall(const struct wm_mesh *mesh,
                               struct wm_query *query,
                               const struct wm_place *from,
                               float radius,
                               const struct wm_query_settings *settings,
                               struct wm_wall *wall,
                               struct wm_error *error);

/*
 Writes random places, uniform over the area in plan. The same seed gives the same places.
 `settings` may be NULL for the default. Takes time linear in the polygons, once for a call.

 # Safety
 There is room for `count` places, and the arrays in `settings` are as long as they say.
 */
enum wm_status wm_random_places(const struct wm_mesh *mesh,
                                uint64_t seed,
                                const struct wm_query_settings *settings,
                                struct wm_place *places,
                                size_t count,
                                struct wm_error *error);

/*
 Prepares a mesh for discs of any radius. Takes about as long as a bake's triangulation.
 */
enum wm_status wm_discs_new(const struct wm_mesh *mesh, struct wm_discs **discs, struct wm_error *error);

/*
 Ends a handle.
 */
void wm_discs_free(struct wm_discs *discs);

/*
 Finds the path of a disc, whose centre keeps `radius` metres from all walls of the mesh, and
 writes its points. `search` is a wm_search. Where the fast search finds no path, the shortest is
 searched for.

 # Safety
 There is room for `capacity` points.
 */
enum wm_status wm_discs_find_path(const struct wm_discs *discs,
                                  struct wm_query *query,
                                  struct wm_vec3 from,
                                  struct wm_vec3 to,
                                  float radius,
                                  uint32_t search,
                                  struct wm_vec3 *points,
                                  size_t capacity,
                                  struct wm_path_info *info,
                                  struct wm_error *error);

/*
 Writes a link from point to point: open, both ways, at no extra cost, of the user's kind.
 */
enum wm_status wm_link_between(const struct wm_place *from, const struct wm_place *to, struct wm_link *link, struct wm_error *error);

/*
 Writes the links of a mesh.

 # Safety
 There is room for `capacity` links.
 */
enum wm_status wm_mesh_links(const struct wm_mesh *mesh, struct wm_link *links, size_t capacity, size_t *count, struct wm_error *error);

/*
 Adds a link to a mesh and writes its number. Ends are moved to the grid of the mesh: by two of
 its cells at most, or to the nearest corner of their polygon. An end more than two cells from
 its polygon in plan is a bad argument: polygons of a place of another mesh must be found again.

 Other handles of the mesh (wm_mesh_share, a world) do not get the link. Places and numbers of
 polygons stay valid. No thread may use this handle meanwhile. Takes linear time.
 */
enum wm_status wm_mesh_add_link(struct wm_mesh *mesh, const struct wm_link *link, uint64_t *id, struct wm_error *error);

/*
 Removes a link of a mesh. A number that no link has is a bad argument. As with wm_mesh_add_link,
 only this handle changes.
 */
enum wm_status wm_mesh_remove_link(struct wm_mesh *mesh, uint64_t link, struct wm_error *error);

/*
 Opens or, with 0, closes a link of a mesh. A number that no link has is a bad argument. As with
 wm_mesh_add_link, only this handle changes. Agents of a crowd plan again at their next step.
 */
enum wm_status wm_mesh_set_link_open(struct wm_mesh *mesh, uint64_t link, uint32_t is_open, struct wm_error *error);

/*
 Adds a link to the newest mesh of a world, whose polygons it names, and writes its number. Every
 update finds the ground at its ends again. Existing handles of wm_world_mesh do not get the
 link.
 */
enum wm_status wm_world_add_link(struct wm_world *world, const struct wm_link *link, uint64_t *id, struct wm_error *error);

/*
 Removes a link of a world. A number that no link has, or that of a link which an update found,
 is a bad argument.
 */
enum wm_status wm_world_remove_link(struct wm_world *world, uint64_t link, struct wm_error *error);

/*
 Opens or, with 0, closes a link of a world, until it is changed again. A number that no link has
 is a bad argument.
 */
enum wm_status wm_world_set_link_open(struct wm_world *world, uint64_t link, uint32_t is_open, struct wm_error *error);

/*
 Gives a world the oracle of a mesh of it (wm_world_mesh, then wm_mesh_build_oracle on another
 thread, if you like), or with NULL none. It stays in use over updates: a path that is too short
 to meet ground that changed since is looked up, any other is searched for, until this is called
 again. Existing handles of wm_world_mesh do not get it.
 */
enum wm_status wm_world_set_oracle(struct wm_world *world, const struct wm_mesh *mesh, struct wm_error *error);

/*
 Makes an empty world of voxels within bounds, which fix its grid. The bounds are in metres with
 y up, as the mesh is: after the settings `scale`, `up` and `origin`, which hold for triangles.
 The setting `tile_cells` is the side of a tile, 64 by default.

 # Safety
 There are as many settings as is said.
 */
enum wm_status wm_world_new(struct wm_vec3 min,
                            struct wm_vec3 max,
                            const struct wm_setting *settings,
                            size_t setting_count,
                            struct wm_world **world,
                            struct wm_error *error);

/*
 Ends a handle. Meshes of the world stay.
 */
void wm_world_free(struct wm_world *world);

/*
 Adds triangles to all tiles that they reach. The next update builds these tiles.

 # Safety
 The arrays are as long as the counts say.
 */
enum wm_status wm_world_add_triangles(struct wm_world *world, const struct wm_triangles *triangles, struct wm_error *error);

/*
 Adds an obstacle; the mesh shows it after the next update. Not 0 for `walkable` if agents may
 walk on its top.

 # Safety
 The shape has as many corners as it says.
 */
enum wm_status wm_world_add_obstacle(struct wm_world *world,
                                     const struct wm_shape *shape,
                                     uint32_t walkable,
                                     uint64_t *obstacle,
                                     struct wm_error *error);

/*
 Removes an obstacle. A number that no obstacle has is a bad argument.
 */
enum wm_status wm_world_remove_obstacle(struct wm_world *world, uint64_t obstacle, struct wm_error *error);

/*
 Gives the ground in a shape an area, from the next update on; area 0 makes it not walkable.

 # Safety
 The shape has as many corners as it says.
 */
enum wm_status wm_world_add_mark(struct wm_world *world,
                                 const struct wm_shape *shape,
                                 uint8_t area,
                                 uint64_t *mark,
                                 struct wm_error *error);

/*
 Removes a mark. A number that no mark has is a bad argument.
 */
enum wm_status wm_world_remove_mark(struct wm_world *world, uint64_t mark, struct wm_error *error);

/*
 Builds the changed tiles. If it fails, the mesh stays as it was. `update` may be NULL.
 */
enum wm_status wm_world_update(struct wm_world *world, struct wm_update *update, struct wm_error *error);

/*
 Writes a handle of the newest mesh, which stays as it is when the world changes.
 */
enum wm_status wm_world_mesh(const struct wm_world *world, struct wm_mesh **mesh, struct wm_error *error);

/*
 Makes a crowd without agents.
 */
enum wm_status wm_crowd_new(struct wm_crowd **crowd, struct wm_error *error);

/*
 Ends a handle.
 */
void wm_crowd_free(struct wm_crowd *crowd);

/*
 Writes the settings of a walking adult.
 */
enum wm_status wm_agent_settings_default(struct wm_agent_settings *settings, struct wm_error *error);

/*
 Adds an agent at the place of the mesh that is nearest to a position. `settings` may be NULL for
 the default.
 */
enum wm_status wm_crowd_add(struct wm_crowd *crowd,
                            const struct wm_mesh *mesh,
                            struct wm_vec3 position,
                            const struct wm_agent_settings *settings,
                            uint64_t *agent,
                            struct wm_error *error);

/*
 Removes an agent.
 */
enum wm_status wm_crowd_remove(struct wm_crowd *crowd, uint64_t agent, struct wm_error *error);

/*
 Sends an agent to the place of the mesh that is nearest to a position.
 */
enum wm_status wm_crowd_set_target(struct wm_crowd *crowd,
                                   const struct wm_mesh *mesh,
                                   uint64_t agent,
                                   struct wm_vec3 target,
                                   struct wm_error *error);

/*
 Moves an agent at once, to the place of the mesh that is nearest to a position.
 */
enum wm_status wm_crowd_set_position(struct wm_crowd *crowd,
                                     const struct wm_mesh *mesh,
                                     uint64_t agent,
                                     struct wm_vec3 position,
                                     struct wm_error *error);

/*
 Sets how long a link of a mesh takes, in seconds, or with a negative number its length at the
 agent's speed; and how many agents it takes at once, or with 0 any number. The others queue.
 */
enum wm_status wm_crowd_set_link_rule(struct wm_crowd *crowd,
                                      const struct wm_mesh *mesh,
                                      uint64_t link,
                                      float seconds,
                                      uint32_t capacity,
                                      struct wm_error *error);

/*
 Moves all agents by `seconds`: they choose velocities that avoid each other and walls, and walk.
 Steps of 0.1 s and less avoid collisions well.
 */
enum wm_status wm_crowd_step(struct wm_crowd *crowd, const struct wm_mesh *mesh, float seconds, struct wm_error *error);

/*
 Like wm_crowd_add, at the nearest place where the agent's own radius fits.
 */
enum wm_status wm_crowd_add_discs(struct wm_crowd *crowd,
                                  const struct wm_discs *discs,
                                  struct wm_vec3 position,
                                  const struct wm_agent_settings *settings,
                                  uint64_t *agent,
                                  struct wm_error *error);

/*
 Like wm_crowd_set_target, at the nearest place where the agent's own radius fits.
 */
enum wm_status wm_crowd_set_target_discs(struct wm_crowd *crowd,
                                         const struct wm_discs *discs,
                                         uint64_t agent,
                                         struct wm_vec3 target,
                                         struct wm_error *error);

/*
 Like wm_crowd_set_position. Where the agent's own radius does not fit, it walks away from walls.
 */
enum wm_status wm_crowd_set_position_discs(struct wm_crowd *crowd,
                                           const struct wm_discs *discs,
                                           uint64_t agent,
                                           struct wm_vec3 position,
                                           struct wm_error *error);

/*
 Like wm_crowd_step, where each agent plans by its own radius and avoids passages that are too
 narrow for it. `discs` must be of the mesh that the agents were added to.
 */
enum wm_status wm_crowd_step_discs(struct wm_crowd *crowd, const struct wm_discs *discs, float seconds, struct wm_error *error);

/*
 Writes the state of an agent.
 */
enum wm_status wm_crowd_agent(const struct wm_crowd *crowd, uint64_t agent, struct wm_agent_state *state, struct wm_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAYMESH_H */
