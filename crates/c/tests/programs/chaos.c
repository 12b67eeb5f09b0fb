/* Calls everything in random order, with NULL, NaN, huge and small numbers: no call may crash, hang or write where it said it would not. */
#include "common.h"

enum { SLOTS = 4 };

static uint64_t state = 0x9e3779b97f4a7c15;
static uint32_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}
static uint32_t below(uint32_t count) { return next() % count; }
static float number(void) {
    switch (below(12)) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -1e30f;
    case 3: return 1e-30f;
    case 4: return -1;
    case 5: return 0;
    default: return (float)below(2400) / 100 - 2;
    }
}
static float small(void) { return below(8) ? (float)below(200) / 100 : number(); }
static wm_vec3 point(void) {
    const wm_vec3 at = {(float)below(2000) / 100, (float)below(100) / 100, (float)below(2000) / 100};
    return below(8) ? at : (wm_vec3){number(), number(), number()};
}

static wm_mesh *meshes[SLOTS];
static wm_query *queries[2];
static wm_discs *discs;
static wm_world *world;
static wm_crowd *crowd;

static wm_mesh *mesh(void) { return below(20) ? meshes[below(SLOTS)] : NULL; }
static wm_query *query(void) { return below(20) ? queries[below(2)] : NULL; }
/* Puts a new handle into a slot. */
static void keep(wm_mesh *made) {
    wm_mesh **slot = &meshes[below(SLOTS)];
    wm_mesh_free(*slot);
    *slot = made;
}

enum { SETTINGS = 16 };
/* Some settings, each of which may be wrong; returns how many. */
static size_t settings(wm_setting wish[SETTINGS]) {
    static const char *const numbers[] = {"agent_radius", "cell_size", "level_height", "max_slope", "max_step", "max_edge_error",
                                          "max_edge_length", "min_region", "max_vertices", "threads", "tile_cells", "link_reach"};
    static const char *const texts[][2] = {{"pipeline", "voxels"}, {"pipeline", "storeys"}, {"pipeline", "slices"}, {"partition", "watershed"},
                                           {"partition", "monotone"}, {"height_detail", "false"}, {"keep", "largest"}, {"keep", "[[1, 0, 1]]"},
                                           {"jumps", "{\"max_length\": 2}"}, {"jumps", "[[["}, {"winding", "two_sided"}, {"up", "z"},
                                           {"marks", "[{\"area\": 3, \"box\": [[1, -1, 1], [3, 1, 3]]}]"}, {"", ""}, {NULL, NULL}};
    static double origin[3];
    size_t count = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (below(12)) continue;
        const double value = i == 1 ? 0.2f + small() : i < 8 ? number() : below(100);
        wish[count++] = (wm_setting){.name = numbers[i], .number = value};
    }
    if (below(4) == 0) {
        const size_t text = below(sizeof texts / sizeof *texts);
        wish[count++] = (wm_setting){.name = texts[text][0], .text = texts[text][1]};
    }
    origin[1] = number();
    if (below(20) == 0) wish[count++] = (wm_setting){.name = "origin", .numbers = origin, .count = below(4)};
    return count;
}

static void bake(void) {
    wm_vec3 vertices[12];
    uint32_t triangles[24];
    uint8_t areas[8];
    floor_of((float)below(20) + 1, vertices, triangles);
    for (int i = 4; i < 12; i++) vertices[i] = point();
    for (int i = 6; i < 24; i++) triangles[i] = below(60) ? below(12) : next();
    for (int i = 0; i < 8; i++) areas[i] = (uint8_t)below(4);
    wm_setting wish[SETTINGS];
    const size_t settings_given = settings(wish);
    wm_mesh *made = NULL;
    wm_error error;
    double doubles[36];
    for (int i = 0; i < 12; i++) doubles[3 * i] = vertices[i].x, doubles[3 * i + 1] = vertices[i].y, doubles[3 * i + 2] = vertices[i].z;
    wm_triangles scene = triangles_of(below(40) ? vertices : NULL, 12, triangles, below(9));
    if (below(3) == 0) scene.areas = areas;
    if (below(6) == 0) scene.doubles = doubles;
    if (scene.doubles != NULL && below(6)) scene.vertices = NULL;
    const wm_status status = wm_mesh_bake(&scene, below(40) ? wish : NULL, settings_given, NULL, NULL, &made, &error);
    CHECK((status == WM_STATUS_OK) == (made != NULL) && status != WM_STATUS_PANIC);
    if (status != WM_STATUS_OK) CHECK(error.status == status && strlen(error.text) > 4 && strlen(error.text) < WM_ERROR_TEXT);
    if (made != NULL) keep(made);
}

static wm_shape shape(const float corners[8]) {
    wm_shape made = {.kind = below(4), .min = point(), .max = point(), .radius = small(), .height = small()};
    made.corners = corners;
    made.corner_count = below(5);
    return made;
}

static float link_cost(void *user, uint64_t link, uint32_t kind) {
    (void)user, (void)link, (void)kind;
    return small();
}

static wm_status call(void) {
    wm_vec3 points[6];
    uint32_t numbers[6];
    uint8_t bytes[64];
    size_t count;
    wm_place place = {below(20), point(), next()};
    const wm_place *at = below(20) ? &place : NULL;
    wm_query_settings wishes;
    CHECK(wm_query_settings_default(&wishes, NULL) == WM_STATUS_OK);
    const float costs[3] = {number(), small(), small()};
    const wm_reach reach = {small(), small(), small()};
    wishes.search = below(3);
    wishes.allow_partial = below(2);
    wishes.cross_points = below(2);
    if (below(3) == 0) wishes.area_costs = costs, wishes.area_cost_count = below(4);
    if (below(3) == 0) wishes.reach = &reach;
    if (below(3) == 0) wishes.link_cost = link_cost;
    const wm_query_settings *wish = below(3) ? &wishes : NULL;
    if (below(3)) wm_nearest(mesh(), point(), wish, &place, NULL);
    switch (below(34)) {
    case 0: bake(); return WM_STATUS_OK;
    case 1: { wm_mesh_info info; return wm_mesh_info_of(mesh(), &info, NULL); }
    case 2: return wm_mesh_vertices(mesh(), points, below(7), &count, NULL);
    case 3: return wm_mesh_corners(mesh(), numbers, below(7), &count, NULL);
    case 4: return wm_mesh_polygon_starts(mesh(), numbers, below(7), &count, NULL);
    case 5: return wm_mesh_areas(mesh(), bytes, below(65), &count, NULL);
    case 6: return wm_mesh_write(mesh(), below(3), bytes, below(65), &count, NULL);
    case 7: {
        for (int i = 0; i < 64; i++) bytes[i] = (uint8_t)next();
        wm_mesh *made = NULL;
        const wm_status status = wm_mesh_read(bytes, below(65), &made, NULL);
        CHECK((status == WM_STATUS_OK) == (made != NULL));
        return status;
    }
    case 8: {
        wm_mesh *made = NULL;
        if (wm_mesh_share(mesh(), &made, NULL) != WM_STATUS_OK) return WM_STATUS_OK;
        if (below(4) == 0) CHECK(wm_mesh_build_hierarchy(made, below(2) * 1000, NULL) == WM_STATUS_OK);
        if (below(4) == 0) CHECK(wm_mesh_build_oracle(made, below(2) << 20, NULL, NULL) == WM_STATUS_OK);
        keep(made);
        return WM_STATUS_OK;
    }
    case 9: case 10: case 11: {
        wm_path_info info;
        return wm_find_path(mesh(), query(), point(), point(), wish, points, below(7), &info, NULL);
    }
    case 12: return wm_query_polygons(query(), numbers, below(7), &count, NULL);
    case 13: { wm_ray ray; return wm_raycast(mesh(), query(), at, point(), wish, &ray, NULL); }
    case 14: { wm_place end; return wm_move_along(mesh(), query(), at, point(), wish, &end, NULL); }
    case 15: { wm_wall wall; return wm_nearest_wall(mesh(), query(), at, small(), wish, &wall, NULL); }
    case 16: { wm_place places[4]; return wm_random_places(mesh(), next(), wish, places, below(5), NULL); }
    case 17: {
        wm_discs_free(discs);
        discs = NULL;
        return wm_discs_new(mesh(), &discs, NULL);
    }
    case 18: { wm_path_info info; return wm_discs_find_path(discs, query(), point(), point(), small(), below(3), points, below(7), &info, NULL); }
    case 19: {
        if (below(8)) return WM_STATUS_OK;
        wm_setting wish[SETTINGS] = {{.name = "tile_cells", .number = 32}};
        const size_t given = below(4) ? 1 : settings(wish);
        wm_world_free(world);
        world = NULL;
        return wm_world_new((wm_vec3){0, -2, 0}, below(8) ? (wm_vec3){20, 4, 20} : point(), wish, given, &world, NULL);
    }
    case 20: {
        wm_vec3 vertices[4];
        uint32_t triangles[6];
        floor_of((float)below(20) + 1, vertices, triangles);
        const wm_triangles floor = triangles_of(vertices, 4, triangles, below(3));
        return wm_world_add_triangles(world, below(20) ? &floor : NULL, NULL);
    }
    case 21: { const float corners[8] = {1, 1, 4, 1, number(), 4, 1, 4}; const wm_shape made = shape(corners); uint64_t id; return wm_world_add_obstacle(world, &made, below(2), &id, NULL); }
    case 22: { const float corners[8] = {5, 5, 9, 5, 9, small(), 5, 9}; const wm_shape made = shape(corners); uint64_t id; return wm_world_add_mark(world, &made, (uint8_t)below(5), &id, NULL); }
    case 23: return wm_world_remove_obstacle(world, below(6), NULL);
    case 24: return wm_world_remove_mark(world, below(6), NULL);
    case 25: {
        const wm_status status = wm_world_update(world, NULL, NULL);
        wm_mesh *made = NULL;
        if (wm_world_mesh(world, &made, NULL) == WM_STATUS_OK) keep(made);
        return status;
    }
    case 26: {
        wm_agent_settings wish;
        CHECK(wm_agent_settings_default(&wish, NULL) == WM_STATUS_OK);
        if (below(3) == 0) wish.radius = small();
        if (below(3) == 0) wish.max_speed = small();
        uint64_t agent;
        if (below(3) == 0) return wm_crowd_add_discs(crowd, discs, point(), below(2) ? &wish : NULL, &agent, NULL);
        return wm_crowd_add(crowd, mesh(), point(), below(2) ? &wish : NULL, &agent, NULL);
    }
    case 27:
        if (below(4) == 0) return wm_crowd_set_target_discs(crowd, discs, below(20), point(), NULL);
        if (below(6) == 0) return wm_crowd_set_position_discs(crowd, discs, below(20), point(), NULL);
        return below(2) ? wm_crowd_set_target(crowd, mesh(), below(20), point(), NULL) : wm_crowd_set_position(crowd, mesh(), below(20), point(), NULL);
    case 28:
        if (below(3) == 0) return wm_crowd_step_discs(crowd, discs, small(), NULL);
        if (below(9) == 0) return wm_crowd_set_link_rule(crowd, mesh(), below(20), small(), below(3), NULL);
        return below(9) ? wm_crowd_step(crowd, mesh(), small(), NULL) : wm_crowd_remove(crowd, below(20), NULL);
    case 29: case 30: {
        wm_link link, some[3];
        wm_place other = {below(20), point(), next()};
        wm_nearest(mesh(), point(), NULL, &other, NULL);
        CHECK(wm_link_between(&place, &other, &link, NULL) == WM_STATUS_OK);
        if (below(4) == 0) link.kind = below(20);
        if (below(4) == 0) link.extra_cost = number();
        if (below(4) == 0) link.to.second = point();
        uint64_t id;
        wm_mesh_links(mesh(), some, below(4), &count, NULL);
        return below(3) ? wm_mesh_add_link(mesh(), &link, &id, NULL) : wm_world_add_link(world, &link, &id, NULL);
    }
    case 31: return below(2) ? wm_mesh_set_link_open(mesh(), below(6), below(2), NULL) : wm_world_set_link_open(world, below(6), below(2), NULL);
    case 32: return below(2) ? wm_mesh_remove_link(mesh(), below(6), NULL) : wm_world_remove_link(world, below(6), NULL);
    default: { wm_agent_state agent; return wm_crowd_agent(crowd, below(20), &agent, NULL); }
    }
}

/* Takes a seed and a number of calls. */
int main(int argc, char **argv) {
    if (argc > 1) state ^= strtoull(argv[1], NULL, 10) * 0x2545f4914f6cdd1d;
    const size_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000;
    for (int i = 0; i < 2; i++) CHECK(wm_query_new(&queries[i], NULL) == WM_STATUS_OK);
    CHECK(wm_crowd_new(&crowd, NULL) == WM_STATUS_OK);
    size_t seen[11] = {0};
    for (size_t i = 0; i < calls; i++) {
        const wm_status status = call();
        CHECK(status <= WM_STATUS_CANCELLED);
        seen[status]++;
    }
    /* A test that only met errors would be none. */
    CHECK(seen[WM_STATUS_OK] > calls / 8 && seen[WM_STATUS_BAD_ARGUMENT] > calls / 100 && seen[WM_STATUS_BUFFER_TOO_SMALL] > calls / 100);
    for (int i = 0; i < SLOTS; i++) wm_mesh_free(meshes[i]);
    for (int i = 0; i < 2; i++) wm_query_free(queries[i]);
    wm_discs_free(discs);
    wm_world_free(world);
    wm_crowd_free(crowd);
    return 0;
}
