/* Bakes a floor, asks everything about it, keeps a world and a crowd, and gives bad input to all. */
#include "common.h"

static wm_error error;

static int stages = 0;
static int on_progress(void *user, const char *stage, float done) {
    CHECK(user == &stages && strlen(stage) > 0 && done >= 0 && done <= 1);
    stages++;
    return 1;
}
static int stop_at_once(void *user, const char *stage, float done) {
    (void)user, (void)stage, (void)done;
    return 0;
}

/* A setting that is a number. */
static wm_setting number(const char *name, double value) { return (wm_setting){.name = name, .number = value}; }

static wm_mesh *bake_floor(const char *pipeline) {
    wm_vec3 vertices[4];
    uint32_t triangles[6];
    floor_of(20, vertices, triangles);
    const wm_setting settings[] = {
        {.name = "pipeline", .text = pipeline}, number("max_edge_length", 0), number("agent_radius", strcmp(pipeline, "slices") ? 0.5 : 0)};
    wm_mesh *mesh = NULL;
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    const wm_status status = wm_mesh_bake(&floor, settings, 3, on_progress, &stages, &mesh, &error);
    if (status != WM_STATUS_OK) fprintf(stderr, "pipeline %s: %s\n", pipeline, error.text);
    CHECK(status == WM_STATUS_OK && mesh != NULL && stages > 3);
    return mesh;
}

static void every_pipeline_bakes(void) {
    const char *pipelines[] = {"voxels", "storeys", "slices"};
    for (int i = 0; i < 3; i++) {
        wm_mesh *mesh = bake_floor(pipelines[i]);
        wm_mesh_info info;
        CHECK(wm_mesh_info_of(mesh, &info, &error) == WM_STATUS_OK);
        CHECK(info.polygons == 1 && info.islands == 1 && info.vertices == 4 && info.corners == 4);
        const double side = i == 2 ? 20 : 19;
        CHECK(fabs(info.area - side * side) < 2 * side);
        wm_mesh_free(mesh);
    }
}

static void queries(const wm_mesh *mesh) {
    wm_query *query = NULL;
    CHECK(wm_query_new(&query, &error) == WM_STATUS_OK);
    wm_vec3 points[8];
    wm_path_info path;
    const wm_vec3 from = {2, 0, 2}, to = {5, 0, 6};
    CHECK(wm_find_path(mesh, query, from, to, NULL, points, 8, &path, &error) == WM_STATUS_OK);
    CHECK(path.outcome == WM_OUTCOME_COMPLETE && path.points == 2 && fabsf(path.length - 5) < 1e-5f);
    CHECK(distance(points[0], from) < 1e-5f && distance(points[1], to) < 1e-5f);

    /* A buffer that is too small holds what fits, and info says how much there is. */
    CHECK(wm_find_path(mesh, query, from, to, NULL, points, 1, &path, &error) == WM_STATUS_BUFFER_TOO_SMALL);
    CHECK(path.points == 2 && distance(points[0], from) < 1e-5f);
    CHECK(wm_find_path(mesh, query, from, to, NULL, NULL, 0, &path, &error) == WM_STATUS_BUFFER_TOO_SMALL);

    wm_query_settings settings;
    CHECK(wm_query_settings_default(&settings, &error) == WM_STATUS_OK);
    settings.search = WM_SEARCH_SHORTEST;
    const float costs[2] = {1, 3};
    settings.area_costs = costs;
    settings.area_cost_count = 2;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_OK);
    CHECK(fabsf(path.cost - 15) < 1e-4f && fabsf(path.length - 5) < 1e-5f);
    uint32_t polygons[4];
    size_t count = 0;
    CHECK(wm_query_polygons(query, polygons, 4, &count, &error) == WM_STATUS_OK && count == 1 && polygons[0] == 0);

    wm_place place, end;
    const wm_reach reach = {0.5f, 3, 3};
    settings.reach = &reach;
    CHECK(wm_nearest(mesh, (wm_vec3){10, 2, 10}, &settings, &place, &error) == WM_STATUS_OK);
    CHECK(place.polygon == 0 && fabsf(place.position.y) < 0.3f);
    CHECK(wm_nearest(mesh, (wm_vec3){10, 20, 10}, NULL, &place, &error) == WM_STATUS_NO_MESH_NEAR);
    CHECK(strstr(error.text, "no mesh near") != NULL);
    CHECK(wm_nearest(mesh, (wm_vec3){10, 0, 10}, NULL, &place, &error) == WM_STATUS_OK);
    CHECK(wm_closest(mesh, 1000, from, &end, &error) == WM_STATUS_BAD_ARGUMENT);

    /* The polygons of a path are not those of a ray that failed. */
    wm_ray lost;
    CHECK(wm_raycast(mesh, query, &place, (wm_vec3){NAN, 0, 0}, NULL, &lost, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_query_polygons(query, polygons, 4, &count, &error) == WM_STATUS_OK && count == 0);

    wm_ray ray;
    CHECK(wm_raycast(mesh, query, &place, (wm_vec3){30, 0, 10}, NULL, &ray, &error) == WM_STATUS_OK);
    CHECK(ray.hit && fabsf(ray.normal.x + 1) < 1e-5f && fabsf(ray.fraction - 9.5f / 20) < 0.02f);
    CHECK(wm_move_along(mesh, query, &place, (wm_vec3){30, 0, 12}, NULL, &end, &error) == WM_STATUS_OK);
    CHECK(fabsf(end.position.x - 19.5f) < 0.35f && end.position.z > 10);
    wm_wall wall;
    CHECK(wm_nearest_wall(mesh, query, &end, 2, NULL, &wall, &error) == WM_STATUS_OK);
    CHECK(wall.found && wall.distance < 0.01f);
    CHECK(wm_nearest_wall(mesh, query, &place, 2, NULL, &wall, &error) == WM_STATUS_OK);
    CHECK(!wall.found && wall.distance == 2);
    wm_place places[100];
    CHECK(wm_random_places(mesh, 7, NULL, places, 100, &error) == WM_STATUS_OK);
    float mean = 0;
    for (int i = 0; i < 100; i++) mean += places[i].position.x / 100;
    CHECK(fabsf(mean - 10) < 3);

    wm_discs *discs = NULL;
    CHECK(wm_discs_new(mesh, &discs, &error) == WM_STATUS_OK);
    for (uint32_t search = WM_SEARCH_FAST; search <= WM_SEARCH_SHORTEST; search++) {
        CHECK(wm_discs_find_path(discs, query, from, to, 1, search, points, 8, &path, &error) == WM_STATUS_OK);
        CHECK(fabsf(path.length - 5) < 1e-4f);
    }
    CHECK(wm_discs_find_path(discs, query, from, to, 1, 9, points, 8, &path, &error) == WM_STATUS_BAD_SETTING);
    CHECK(wm_discs_find_path(discs, query, from, to, 50, WM_SEARCH_SHORTEST, points, 8, &path, &error) == WM_STATUS_NO_MESH_NEAR);
    wm_discs_free(discs);

    /* A place of another mesh is a position again. */
    place.generation++;
    CHECK(wm_raycast(mesh, query, &place, to, NULL, &ray, &error) == WM_STATUS_OK);
    place.position.y = 1000;
    CHECK(wm_raycast(mesh, query, &place, to, NULL, &ray, &error) == WM_STATUS_NO_MESH_NEAR);
    wm_query_free(query);
}

/* Ground that the settings close is closed for every query. */
static void closed_ground(void) {
    wm_world *world = NULL;
    wm_mesh *mesh = NULL;
    wm_query *query = NULL;
    const wm_setting radius = number("agent_radius", 0.5);
    CHECK(wm_world_new((wm_vec3){0, -1, 0}, (wm_vec3){20, 5, 20}, &radius, 1, &world, &error) == WM_STATUS_OK);
    const wm_vec3 vertices[4] = {{0, 0, 0}, {20, 0, 0}, {20, 0, 20}, {0, 0, 20}};
    const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    CHECK(wm_world_add_triangles(world, &floor, &error) == WM_STATUS_OK);
    const wm_shape band = {.kind = WM_SHAPE_KIND_BOX, .min = {9, -1, -1}, .max = {11, 2, 21}};
    uint64_t mark = 0;
    CHECK(wm_world_add_mark(world, &band, 5, &mark, &error) == WM_STATUS_OK && wm_world_update(world, NULL, &error) == WM_STATUS_OK);
    CHECK(wm_world_mesh(world, &mesh, &error) == WM_STATUS_OK && wm_query_new(&query, &error) == WM_STATUS_OK);

    const float costs[6] = {1, 1, 1, 1, 1, INFINITY};
    wm_query_settings closed;
    CHECK(wm_query_settings_default(&closed, &error) == WM_STATUS_OK);
    closed.area_costs = costs;
    closed.area_cost_count = 6;
    const wm_vec3 from = {6, 0, 10}, inside = {9.5f, 0, 10}, to = {15, 0, 10};
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        const wm_query_settings *settings = is_closed ? &closed : NULL;
        const float end = is_closed ? 9 : 15;
        wm_vec3 points[8];
        wm_path_info path;
        CHECK(wm_find_path(mesh, query, from, to, settings, points, 8, &path, &error) == WM_STATUS_OK);
        CHECK(path.outcome == (is_closed ? WM_OUTCOME_PARTIAL : WM_OUTCOME_COMPLETE) && fabsf(points[path.points - 1].x - end) < 0.3f);
        wm_place start, near, moved;
        CHECK(wm_nearest(mesh, from, settings, &start, &error) == WM_STATUS_OK);
        CHECK(wm_nearest(mesh, inside, settings, &near, &error) == WM_STATUS_OK);
        CHECK(fabsf(near.position.x - (is_closed ? 9 : 9.5f)) < 0.3f);
        wm_ray ray;
        CHECK(wm_raycast(mesh, query, &start, to, settings, &ray, &error) == WM_STATUS_OK);
        CHECK(ray.hit == (uint32_t)is_closed && fabsf(ray.end.position.x - end) < 0.3f);
        CHECK(wm_move_along(mesh, query, &start, to, settings, &moved, &error) == WM_STATUS_OK && fabsf(moved.position.x - end) < 0.3f);
        wm_wall wall;
        CHECK(wm_nearest_wall(mesh, query, &start, 4, settings, &wall, &error) == WM_STATUS_OK && wall.found == (uint32_t)is_closed);
        wm_place places[100];
        CHECK(wm_random_places(mesh, 7, settings, places, 100, &error) == WM_STATUS_OK);
        int within = 0;
        for (int i = 0; i < 100; i++) within += fabsf(places[i].position.x - 10) < 0.7f;
        CHECK(is_closed ? within == 0 : within > 0);
    }
    const float none[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    closed.area_costs = none;
    wm_place place;
    CHECK(wm_random_places(mesh, 7, &closed, &place, 1, &error) == WM_STATUS_NO_MESH_NEAR);
    CHECK(wm_nearest(mesh, from, &closed, &place, &error) == WM_STATUS_NO_MESH_NEAR);
    wm_query_free(query);
    wm_mesh_free(mesh);
    wm_world_free(world);
}

/* Two floors with a gap between them. */
static wm_mesh *two_floors(void) {
    const wm_vec3 vertices[8] = {{0, 0, 0}, {8, 0, 0}, {8, 0, 20}, {0, 0, 20}, {12, 0, 0}, {20, 0, 0}, {20, 0, 20}, {12, 0, 20}};
    const uint32_t triangles[12] = {0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6};
    const wm_setting settings[] = {number("agent_radius", 0.5), number("max_edge_length", 0)};
    wm_mesh *mesh = NULL;
    const wm_triangles floors = triangles_of(vertices, 8, triangles, 4);
    CHECK(wm_mesh_bake(&floors, settings, 2, NULL, NULL, &mesh, &error) == WM_STATUS_OK);
    return mesh;
}

static wm_outcome outcome_of(const wm_mesh *mesh, wm_query *query) {
    wm_vec3 points[8];
    wm_path_info path;
    CHECK(wm_find_path(mesh, query, (wm_vec3){4, 0, 10}, (wm_vec3){16, 0, 10}, NULL, points, 8, &path, &error) == WM_STATUS_OK);
    if (path.outcome == WM_OUTCOME_COMPLETE) CHECK(fabsf(path.length - 12) < 0.01f);
    return path.outcome;
}

/* Jumps cost what the user data says. */
static float jump_cost(void *user, uint64_t link, uint32_t kind) {
    CHECK(link < 9);
    return kind == WM_LINK_KIND_JUMP ? *(const float *)user : 0;
}

/* Agents that jump at a cost, that cannot jump, and a cost that is none. */
static void jumpers(const wm_mesh *mesh, wm_query *query) {
    wm_query_settings settings;
    CHECK(wm_query_settings_default(&settings, &error) == WM_STATUS_OK);
    const float costs[] = {2.5f, INFINITY, -1, NAN};
    for (size_t i = 0; i < 4; i++) {
        float cost = costs[i];
        settings.link_cost = jump_cost;
        settings.user = &cost;
        wm_vec3 points[8];
        wm_path_info path;
        const wm_status status = wm_find_path(mesh, query, (wm_vec3){4, 0, 10}, (wm_vec3){16, 0, 10}, &settings, points, 8, &path, &error);
        CHECK(status == (i < 2 ? WM_STATUS_OK : WM_STATUS_BAD_SETTING));
        if (i == 0) CHECK(path.outcome == WM_OUTCOME_COMPLETE && fabsf(path.cost - path.length - cost) < 1e-4f);
        if (i == 1) CHECK(path.outcome == WM_OUTCOME_PARTIAL);
        if (i > 1) CHECK(strstr(error.text, "settings.link_cost says") != NULL);
    }
}

static void links(void) {
    wm_mesh *mesh = two_floors(), *shared = NULL;
    wm_query *query = NULL;
    CHECK(wm_query_new(&query, &error) == WM_STATUS_OK);
    CHECK(outcome_of(mesh, query) == WM_OUTCOME_PARTIAL);
    wm_place from, to;
    CHECK(wm_nearest(mesh, (wm_vec3){7, 0, 10}, NULL, &from, &error) == WM_STATUS_OK);
    CHECK(wm_nearest(mesh, (wm_vec3){13, 0, 10}, NULL, &to, &error) == WM_STATUS_OK);
    wm_link link, found[2];
    CHECK(wm_link_between(&from, &to, &link, &error) == WM_STATUS_OK);
    CHECK(link.is_open && link.both_ways && link.extra_cost == 0 && link.kind == WM_LINK_KIND_USER);
    CHECK(wm_mesh_share(mesh, &shared, &error) == WM_STATUS_OK);
    uint64_t id = 0;
    link.kind = WM_LINK_KIND_JUMP;
    link.data = 77;
    CHECK(wm_mesh_add_link(mesh, &link, &id, &error) == WM_STATUS_OK);
    CHECK(outcome_of(mesh, query) == WM_OUTCOME_COMPLETE);
    jumpers(mesh, query);
    /* Other handles stay as they were. */
    CHECK(outcome_of(shared, query) == WM_OUTCOME_PARTIAL);
    /* Links that were there before a hierarchy are in it. */
    CHECK(wm_mesh_build_hierarchy(mesh, 0, &error) == WM_STATUS_OK);
    CHECK(outcome_of(mesh, query) == WM_OUTCOME_COMPLETE);
    jumpers(mesh, query);
    /* So they are in an oracle, by which shortest paths are as long as searched for. */
    wm_query_settings wish;
    wm_vec3 points[8];
    wm_path_info searched, looked_up;
    double covered = 0;
    CHECK(wm_query_settings_default(&wish, &error) == WM_STATUS_OK);
    wish.search = WM_SEARCH_SHORTEST;
    CHECK(wm_find_path(mesh, query, (wm_vec3){4, 0, 10}, (wm_vec3){16, 0, 10}, &wish, points, 8, &searched, &error) == WM_STATUS_OK);
    CHECK(wm_mesh_build_oracle(mesh, 1 << 20, &covered, &error) == WM_STATUS_OK && covered == 1);
    CHECK(wm_mesh_build_oracle(mesh, 1 << 20, NULL, NULL) == WM_STATUS_OK);
    CHECK(wm_find_path(mesh, query, (wm_vec3){4, 0, 10}, (wm_vec3){16, 0, 10}, &wish, points, 8, &looked_up, &error) == WM_STATUS_OK);
    CHECK(fabsf(looked_up.length - searched.length) < 1e-5f);
    size_t count = 0;
    CHECK(wm_mesh_links(mesh, found, 2, &count, &error) == WM_STATUS_OK && count == 1);
    CHECK(found[0].id == id && found[0].kind == WM_LINK_KIND_JUMP && found[0].data == 77);
    CHECK(distance(found[0].from.first, from.position) < 0.5f && distance(found[0].to.second, to.position) < 0.5f);
    CHECK(wm_mesh_set_link_open(mesh, id, 0, &error) == WM_STATUS_OK && outcome_of(mesh, query) == WM_OUTCOME_PARTIAL);
    CHECK(wm_mesh_set_link_open(mesh, id, 1, &error) == WM_STATUS_OK && outcome_of(mesh, query) == WM_OUTCOME_COMPLETE);
    CHECK(wm_mesh_remove_link(mesh, id, &error) == WM_STATUS_OK && outcome_of(mesh, query) == WM_OUTCOME_PARTIAL);
    CHECK(wm_mesh_remove_link(mesh, id, &error) == WM_STATUS_BAD_ARGUMENT && strstr(error.text, "there is no link") != NULL);
    CHECK(wm_mesh_set_link_open(mesh, id, 1, &error) == WM_STATUS_BAD_ARGUMENT);

    wm_link bad = link;
    bad.from.polygon = 1000;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_ARGUMENT && strstr(error.text, "link.from.polygon") != NULL);
    bad = link;
    bad.to.second.x = NAN;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_ARGUMENT && strstr(error.text, "link.to.second") != NULL);
    /* A polygon of another mesh, on which the position does not lie. */
    bad = link;
    bad.to.first.x += 100;
    bad.to.second.x += 100;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_ARGUMENT && strstr(error.text, "link.to.first") != NULL);
    bad = link;
    bad.from.polygon = link.to.polygon;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_ARGUMENT && strstr(error.text, "wm_nearest") != NULL);
    bad = link;
    bad.kind = 5;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_SETTING && strstr(error.text, "link.kind") != NULL);
    bad = link;
    bad.extra_cost = -1;
    CHECK(wm_mesh_add_link(mesh, &bad, &id, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_mesh_add_link(NULL, &link, &id, &error) == WM_STATUS_BAD_ARGUMENT);
    wm_query_free(query);
    wm_mesh_free(shared);
    wm_mesh_free(mesh);
}

struct rules {
    uint32_t closed;
    float cost;
    int asked;
};

static uint32_t allows(void *user, uint32_t polygon, uint8_t area) {
    struct rules *rules = user;
    rules->asked++;
    return polygon != rules->closed && area == 1;
}

static float metre_cost(void *user, uint32_t polygon, uint8_t area) {
    const struct rules *rules = user;
    return polygon == rules->closed || area != 1 ? 1 : rules->cost;
}

static void rules_of_the_caller(const wm_mesh *mesh) {
    wm_query *query = NULL;
    CHECK(wm_query_new(&query, &error) == WM_STATUS_OK);
    const wm_vec3 from = {2, 0, 2}, to = {5, 0, 6};
    wm_vec3 points[8];
    wm_path_info path;
    wm_query_settings settings;
    CHECK(wm_query_settings_default(&settings, &error) == WM_STATUS_OK);
    struct rules rules = {.closed = 99, .cost = 3, .asked = 0};
    settings.user = &rules;
    settings.allows = allows;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_OK);
    CHECK(rules.asked > 0 && fabsf(path.cost - 5) < 1e-4f);
    settings.metre_cost = metre_cost;
    settings.least_cost = 1;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_OK);
    CHECK(fabsf(path.cost - 15) < 1e-4f && fabsf(path.length - 5) < 1e-5f);
    rules.closed = 0;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_NO_MESH_NEAR);
    rules.closed = 99;
    rules.cost = -2;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_BAD_SETTING);
    CHECK(strstr(error.text, "metre_cost says -2") != NULL);
    settings.least_cost = NAN;
    CHECK(wm_find_path(mesh, query, from, to, &settings, points, 8, &path, &error) == WM_STATUS_BAD_SETTING);
    CHECK(strstr(error.text, "least_cost") != NULL);
    wm_query_free(query);
}

static void files(const wm_mesh *mesh) {
    wm_mesh_info info, again;
    CHECK(wm_mesh_info_of(mesh, &info, &error) == WM_STATUS_OK);
    for (uint32_t format = WM_FORMAT_EXCHANGE; format <= WM_FORMAT_PACKED; format++) {
        size_t count = 0;
        CHECK(wm_mesh_write(mesh, format, NULL, 0, &count, &error) == WM_STATUS_BUFFER_TOO_SMALL && count > 100);
        uint8_t *bytes = malloc(count);
        CHECK(wm_mesh_write(mesh, format, bytes, count, &count, &error) == WM_STATUS_OK);
        wm_mesh *read = NULL;
        CHECK(wm_mesh_read(bytes, count, &read, &error) == WM_STATUS_OK);
        CHECK(wm_mesh_info_of(read, &again, &error) == WM_STATUS_OK && again.area == info.area);
        wm_mesh_free(read);
        /* Every shorter file is an error, never a crash. */
        for (size_t cut = 0; cut < count; cut += 7) {
            read = NULL;
            CHECK(wm_mesh_read(bytes, cut, &read, &error) == WM_STATUS_BAD_FILE && read == NULL);
        }
        free(bytes);
    }
    CHECK(wm_mesh_save(mesh, "floor.wmesh", &error) == WM_STATUS_OK);
    wm_mesh *opened = NULL;
    CHECK(wm_mesh_open("floor.wmesh", &opened, &error) == WM_STATUS_OK);
    wm_mesh_free(opened);
    CHECK(wm_mesh_open("no such file.wmesh", &opened, &error) == WM_STATUS_BAD_FILE);
    CHECK(strstr(error.text, "no such file.wmesh") != NULL);
    CHECK(wm_mesh_save(mesh, "floor.jpg", &error) == WM_STATUS_BAD_FILE);

    wm_vec3 vertices[4];
    uint32_t corners[4], starts[2];
    uint8_t areas[1];
    size_t count = 0;
    CHECK(wm_mesh_vertices(mesh, vertices, 4, &count, &error) == WM_STATUS_OK && count == 4);
    CHECK(wm_mesh_corners(mesh, corners, 4, &count, &error) == WM_STATUS_OK && count == 4);
    CHECK(wm_mesh_polygon_starts(mesh, starts, 2, &count, &error) == WM_STATUS_OK && count == 2);
    CHECK(starts[0] == 0 && starts[1] == 4);
    CHECK(wm_mesh_areas(mesh, areas, 1, &count, &error) == WM_STATUS_OK && areas[0] == 1);
    double doubled = 0;
    for (int i = 0; i < 4; i++) {
        const wm_vec3 a = vertices[corners[i]], b = vertices[corners[(i + 1) % 4]];
        doubled += (double)a.x * b.z - (double)b.x * a.z;
    }
    CHECK(fabs(fabs(doubled) / 2 - info.area) < 1e-3);
    /* As the header says: clockwise as seen from above, with x to the right and z towards the viewer. */
    CHECK(doubled > 0);
}

static void bad_input(const wm_mesh *mesh) {
    wm_vec3 vertices[4];
    uint32_t triangles[6];
    floor_of(20, vertices, triangles);
    wm_mesh *out = NULL;
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    CHECK(wm_mesh_bake(NULL, NULL, 0, NULL, NULL, &out, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(strcmp(error.text, "triangles is NULL") == 0 && error.status == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_mesh_bake(&floor, NULL, 1, NULL, NULL, &out, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_mesh_bake(&floor, NULL, 0, NULL, NULL, NULL, &error) == WM_STATUS_BAD_ARGUMENT);
    const struct {
        wm_setting setting;
        wm_status status;
        const char *text;
    } refused[] = {
        {{0}, WM_STATUS_BAD_ARGUMENT, "settings.name is NULL"},
        {number("agent_radios", 0.5), WM_STATUS_BAD_SETTING, "there is no setting \"agent_radios\""},
        {{.name = "agent_radius", .text = "wide"}, WM_STATUS_BAD_SETTING, "agent_radius cannot be \"wide\""},
        {{.name = "pipeline", .text = "boxes"}, WM_STATUS_BAD_SETTING, "must be one of voxels, storeys, slices"},
        {{.name = "partition", .text = "fair"}, WM_STATUS_BAD_SETTING, "must be one of surfaces, watershed, monotone"},
        {{.name = "jumps", .text = "{\"max_length\": }"}, WM_STATUS_BAD_SETTING, "jumps is not JSON"},
        {{.name = "origin", .numbers = (const double[2]){1, 2}, .count = 2}, WM_STATUS_BAD_SETTING, "origin cannot be [1, 2]"},
        {{.name = "keep", .text = "[[\xff"}, WM_STATUS_BAD_ARGUMENT, "settings.text is not UTF-8"},
        {number("cell_size", NAN), WM_STATUS_BAD_SETTING, "cell_size"},
        {number("max_slope", 95), WM_STATUS_BAD_SETTING, "max_slope is 95 degrees"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK(wm_mesh_bake(&floor, &refused[i].setting, 1, NULL, NULL, &out, &error) == refused[i].status);
        CHECK(strstr(error.text, refused[i].text) != NULL);
    }
    const double doubles[12] = {0};
    wm_triangles twice = floor;
    twice.doubles = doubles;
    const wm_triangles wrong[] = {
        triangles_of(NULL, 4, triangles, 2),
        triangles_of(vertices, 4, NULL, 2),
        triangles_of(vertices, (size_t)-1, triangles, 2),
        triangles_of(vertices, 4, triangles, (size_t)-1),
        triangles_of(vertices, 2, triangles, 2), /* An index beyond the vertices. */
        {.doubles = doubles, .vertex_count = (size_t)-1 / 2, .indices = triangles, .count = 2},
        twice,
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(wm_mesh_bake(&wrong[i], NULL, 0, NULL, NULL, &out, &error) == WM_STATUS_BAD_ARGUMENT);
    }
    const wm_triangles nothing = {0};
    CHECK(wm_mesh_bake(&nothing, NULL, 0, NULL, NULL, &out, &error) == WM_STATUS_NOTHING_WALKABLE);
    CHECK(wm_mesh_bake(&floor, NULL, 0, stop_at_once, NULL, &out, &error) == WM_STATUS_CANCELLED);
    CHECK(out == NULL);
    const uint8_t areas[2] = {0, 0};
    wm_triangles nowhere = floor;
    nowhere.areas = areas;
    CHECK(wm_mesh_bake(&nowhere, NULL, 0, NULL, NULL, &out, &error) == WM_STATUS_NOTHING_WALKABLE);

    wm_query *query = NULL;
    CHECK(wm_query_new(&query, &error) == WM_STATUS_OK);
    wm_vec3 points[2];
    wm_path_info path;
    const wm_vec3 here = {2, 0, 2}, nan = {NAN, 0, 2};
    CHECK(wm_find_path(NULL, query, here, here, NULL, points, 2, &path, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_find_path(mesh, NULL, here, here, NULL, points, 2, &path, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_find_path(mesh, query, nan, here, NULL, points, 2, &path, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_find_path(mesh, query, here, here, NULL, NULL, 2, &path, &error) == WM_STATUS_BAD_ARGUMENT);
    wm_query_settings wish;
    CHECK(wm_query_settings_default(&wish, &error) == WM_STATUS_OK);
    const float cost = -1;
    wish.area_costs = &cost;
    wish.area_cost_count = 1;
    CHECK(wm_find_path(mesh, query, here, here, &wish, points, 2, &path, &error) == WM_STATUS_BAD_SETTING);
    wish.area_cost_count = 1000;
    wish.area_costs = NULL;
    CHECK(wm_find_path(mesh, query, here, here, &wish, points, 2, &path, &error) == WM_STATUS_BAD_ARGUMENT);
    wm_query_free(query);
    wm_query_free(NULL);
    wm_mesh_free(NULL);
    wm_world_free(NULL);
    wm_crowd_free(NULL);
    wm_discs_free(NULL);
}

static void world_and_crowd(void) {
    const wm_setting settings[] = {number("tile_cells", 32), number("agent_radius", 0.3)};
    /* A piece of ground may go on in the next tile, so a world has no smallest one. */
    wm_world *world = NULL;
    const wm_vec3 min = {0, -1, 0}, max = {20, 5, 20};
    CHECK(wm_world_new(min, max, settings, 2, &world, &error) == WM_STATUS_OK);
    wm_vec3 vertices[4];
    uint32_t triangles[6];
    floor_of(20, vertices, triangles);
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    CHECK(wm_world_add_triangles(world, &floor, &error) == WM_STATUS_OK);
    wm_update update;
    CHECK(wm_world_update(world, &update, &error) == WM_STATUS_OK && update.rebuilt > 1);
    wm_mesh *before = NULL, *after = NULL;
    CHECK(wm_world_mesh(world, &before, &error) == WM_STATUS_OK);

    /* A wall through the middle, with a way round its end. */
    uint64_t wall = 0, pool = 0;
    const wm_shape shape = {.kind = WM_SHAPE_KIND_BOX, .min = {9, -1, 0}, .max = {11, 3, 15}};
    CHECK(wm_world_add_obstacle(world, &shape, 0, &wall, &error) == WM_STATUS_OK);
    const float corners[6] = {1, 16, 4, 16, 1, 19};
    const wm_shape prism = {.kind = WM_SHAPE_KIND_PRISM, .min = {0, -1, 0}, .max = {0, 2, 0}, .corners = corners, .corner_count = 3};
    CHECK(wm_world_add_mark(world, &prism, 5, &pool, &error) == WM_STATUS_OK);
    CHECK(wm_world_update(world, NULL, &error) == WM_STATUS_OK);
    CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK);
    wm_query *query = NULL;
    CHECK(wm_query_new(&query, &error) == WM_STATUS_OK);
    wm_path_info straight, round;
    wm_vec3 points[16];
    const wm_vec3 from = {5, 0, 5}, to = {15, 0, 5};
    CHECK(wm_find_path(before, query, from, to, NULL, points, 16, &straight, &error) == WM_STATUS_OK);
    CHECK(wm_find_path(after, query, from, to, NULL, points, 16, &round, &error) == WM_STATUS_OK);
    CHECK(fabsf(straight.length - 10) < 1e-4f && round.length > 20 && round.length < 30);
    uint8_t areas[1000];
    size_t count = 0, marked = 0;
    CHECK(wm_mesh_areas(after, areas, 1000, &count, &error) == WM_STATUS_OK);
    for (size_t i = 0; i < count; i++) marked += areas[i] == 5;
    CHECK(marked > 0);

    /* A tunnel through the wall, which stays over an update. */
    wm_place mouths[2];
    wm_link tunnel;
    uint64_t id = 0;
    CHECK(wm_nearest(after, (wm_vec3){8, 0, 5}, NULL, &mouths[0], &error) == WM_STATUS_OK);
    CHECK(wm_nearest(after, (wm_vec3){12, 0, 5}, NULL, &mouths[1], &error) == WM_STATUS_OK);
    CHECK(wm_link_between(&mouths[0], &mouths[1], &tunnel, &error) == WM_STATUS_OK);
    CHECK(wm_world_add_link(world, &tunnel, &id, &error) == WM_STATUS_OK);
    uint64_t post = 0;
    const wm_shape box = {.kind = WM_SHAPE_KIND_BOX, .min = {17, -1, 17}, .max = {18, 3, 18}};
    CHECK(wm_world_add_obstacle(world, &box, 0, &post, &error) == WM_STATUS_OK);
    CHECK(wm_world_update(world, NULL, &error) == WM_STATUS_OK);
    wm_mesh_free(after);
    CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK);
    CHECK(wm_find_path(after, query, from, to, NULL, points, 16, &round, &error) == WM_STATUS_OK && round.length < 12);
    CHECK(wm_world_set_link_open(world, id, 0, &error) == WM_STATUS_OK);
    wm_mesh_free(after);
    CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK);
    CHECK(wm_find_path(after, query, from, to, NULL, points, 16, &round, &error) == WM_STATUS_OK && round.length > 20);
    CHECK(wm_world_remove_link(world, id, &error) == WM_STATUS_OK);
    CHECK(wm_world_remove_link(world, id, &error) == WM_STATUS_BAD_ARGUMENT);

    /* The world takes the oracle of a mesh; far from the obstacle that comes then it still answers. */
    const wm_vec3 near_post[2] = {{16.2f, 0, 17.5f}, {18.8f, 0, 17.5f}};
    wm_query_settings shortest;
    wm_path_info turned[2];
    CHECK(wm_query_settings_default(&shortest, &error) == WM_STATUS_OK);
    shortest.search = WM_SEARCH_SHORTEST;
    wm_mesh_free(after);
    CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK && wm_mesh_build_oracle(after, 1 << 20, NULL, &error) == WM_STATUS_OK);
    CHECK(wm_world_set_oracle(world, after, &error) == WM_STATUS_OK && wm_world_set_oracle(NULL, after, &error) == WM_STATUS_BAD_ARGUMENT);
    for (int with = 1; with >= 0; --with) {
        if (!with) CHECK(wm_world_set_oracle(world, NULL, &error) == WM_STATUS_OK);
        wm_mesh_free(after);
        CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK);
        CHECK(wm_find_path(after, query, near_post[0], near_post[1], &shortest, points, 16, &turned[with], &error) == WM_STATUS_OK);
    }
    CHECK(fabsf(turned[0].length - turned[1].length) < 1e-3f);

    wm_crowd *crowd = NULL;
    CHECK(wm_crowd_new(&crowd, &error) == WM_STATUS_OK);
    uint64_t agents[2] = {0, 0};
    CHECK(wm_crowd_add(crowd, after, from, NULL, &agents[0], &error) == WM_STATUS_OK);
    CHECK(wm_crowd_add(crowd, after, to, NULL, &agents[1], &error) == WM_STATUS_OK);
    CHECK(wm_crowd_set_target(crowd, after, agents[0], to, &error) == WM_STATUS_OK);
    CHECK(wm_crowd_set_target(crowd, after, agents[1], from, &error) == WM_STATUS_OK);
    wm_agent_state state = {0};
    for (int step = 0; step < 400; step++) {
        CHECK(wm_crowd_step(crowd, after, 0.1f, &error) == WM_STATUS_OK);
        wm_agent_state other;
        CHECK(wm_crowd_agent(crowd, agents[0], &state, &error) == WM_STATUS_OK);
        CHECK(wm_crowd_agent(crowd, agents[1], &other, &error) == WM_STATUS_OK);
        CHECK(distance(state.position, other.position) > 0.5f);
    }
    CHECK(state.status == WM_AGENT_STATUS_ARRIVED && distance(state.position, to) < 0.5f);
    CHECK(wm_crowd_remove(crowd, agents[0], &error) == WM_STATUS_OK);
    CHECK(wm_crowd_agent(crowd, agents[0], &state, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_crowd_step(crowd, after, NAN, &error) == WM_STATUS_BAD_SETTING);
    wm_crowd_free(crowd);

    CHECK(wm_world_remove_obstacle(world, wall, &error) == WM_STATUS_OK);
    CHECK(wm_world_remove_obstacle(world, wall, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_world_remove_mark(world, pool, &error) == WM_STATUS_OK);
    wm_shape bad = shape;
    bad.kind = 12;
    CHECK(wm_world_add_obstacle(world, &bad, 0, &wall, &error) == WM_STATUS_BAD_SETTING);
    bad = prism;
    bad.corner_count = (size_t)-1;
    CHECK(wm_world_add_obstacle(world, &bad, 0, &wall, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_world_update(world, &update, &error) == WM_STATUS_OK);
    wm_mesh_free(after);
    CHECK(wm_world_mesh(world, &after, &error) == WM_STATUS_OK);
    wm_world_free(world);
    /* The mesh outlives its world. */
    CHECK(wm_find_path(after, query, from, to, NULL, points, 16, &round, &error) == WM_STATUS_OK);
    CHECK(fabsf(round.length - 10) < 1e-4f);
    wm_query_free(query);
    wm_mesh_free(before);
    wm_mesh_free(after);
}

/* A wall with a gap of 1.6 m, and a wide way round its end. */
static wm_mesh *wall_with_a_gap(void) {
    const wm_setting settings[] = {number("cell_size", 0.1), number("agent_radius", 0.1)};
    wm_world *world = NULL;
    CHECK(wm_world_new((wm_vec3){0, -1, 0}, (wm_vec3){20, 5, 20}, settings, 2, &world, &error) == WM_STATUS_OK);
    wm_vec3 vertices[4];
    uint32_t triangles[6];
    floor_of(20, vertices, triangles);
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    CHECK(wm_world_add_triangles(world, &floor, &error) == WM_STATUS_OK);
    uint64_t part = 0;
    const wm_shape parts[2] = {{.kind = WM_SHAPE_KIND_BOX, .min = {9.5f, -1, -1}, .max = {10.5f, 3, 5}},
                               {.kind = WM_SHAPE_KIND_BOX, .min = {9.5f, -1, 6.6f}, .max = {10.5f, 3, 14}}};
    for (int i = 0; i < 2; i++) CHECK(wm_world_add_obstacle(world, &parts[i], 0, &part, &error) == WM_STATUS_OK);
    wm_mesh *mesh = NULL;
    CHECK(wm_world_update(world, NULL, &error) == WM_STATUS_OK && wm_world_mesh(world, &mesh, &error) == WM_STATUS_OK);
    wm_world_free(world);
    return mesh;
}

static void crowd_on_discs(void) {
    wm_mesh *mesh = wall_with_a_gap();
    wm_discs *discs = NULL;
    CHECK(wm_discs_new(mesh, &discs, &error) == WM_STATUS_OK);
    wm_crowd *crowd = NULL;
    CHECK(wm_crowd_new(&crowd, &error) == WM_STATUS_OK);
    wm_agent_settings wide;
    CHECK(wm_agent_settings_default(&wide, &error) == WM_STATUS_OK);
    wide.radius = 1.2f;
    /* Far enough apart that they never meet. */
    const wm_vec3 ends[2][2] = {{{5, 0, 3}, {15, 0, 3}}, {{15, 0, 8}, {5, 0, 8}}};
    uint64_t agents[2] = {0, 0};
    CHECK(wm_crowd_add_discs(crowd, discs, ends[0][0], NULL, &agents[0], &error) == WM_STATUS_OK);
    CHECK(wm_crowd_add_discs(crowd, discs, ends[1][0], &wide, &agents[1], &error) == WM_STATUS_OK);
    for (int i = 0; i < 2; i++) CHECK(wm_crowd_set_target_discs(crowd, discs, agents[i], ends[i][1], &error) == WM_STATUS_OK);
    float most[2] = {0, 0};
    wm_agent_state state;
    for (int step = 0; step < 600; step++) {
        CHECK(wm_crowd_step_discs(crowd, discs, 0.05f, &error) == WM_STATUS_OK);
        for (int i = 0; i < 2; i++) {
            CHECK(wm_crowd_agent(crowd, agents[i], &state, &error) == WM_STATUS_OK);
            most[i] = fmaxf(most[i], state.position.z);
        }
    }
    for (int i = 0; i < 2; i++) {
        CHECK(wm_crowd_agent(crowd, agents[i], &state, &error) == WM_STATUS_OK);
        CHECK(state.status == WM_AGENT_STATUS_ARRIVED && distance(state.position, ends[i][1]) < 0.5f);
    }
    /* One went through the gap, the other one round the end, a disc away from it. */
    CHECK(most[0] < 6.6f && most[1] > 14 + 1.1f);
    /* The game moves it. */
    CHECK(wm_crowd_set_position_discs(crowd, discs, agents[1], (wm_vec3){5, 0, 10}, &error) == WM_STATUS_OK);
    CHECK(wm_crowd_step_discs(crowd, discs, 0.05f, &error) == WM_STATUS_OK);
    CHECK(wm_crowd_agent(crowd, agents[1], &state, &error) == WM_STATUS_OK);
    CHECK(distance(state.position, (wm_vec3){5, 0, 10}) < 0.5f);
    wide.radius = 30;
    CHECK(wm_crowd_add_discs(crowd, discs, ends[0][0], &wide, &agents[1], &error) == WM_STATUS_NO_MESH_NEAR);
    CHECK(wm_crowd_step_discs(crowd, discs, NAN, &error) == WM_STATUS_BAD_SETTING);
    CHECK(wm_crowd_step_discs(crowd, NULL, 0.1f, &error) == WM_STATUS_BAD_ARGUMENT);
    CHECK(wm_crowd_set_target_discs(crowd, discs, 99, ends[0][0], &error) == WM_STATUS_BAD_ARGUMENT);
    wm_crowd_free(crowd);
    wm_discs_free(discs);
    wm_mesh_free(mesh);
}

int main(void) {
    every_pipeline_bakes();
    closed_ground();
    wm_mesh *mesh = bake_floor("voxels"), *shared = NULL;
    CHECK(wm_mesh_share(mesh, &shared, &error) == WM_STATUS_OK);
    wm_mesh_free(mesh);
    queries(shared);
    rules_of_the_caller(shared);
    links();
    files(shared);
    bad_input(shared);
    wm_mesh_free(shared);
    world_and_crowd();
    crowd_on_discs();
    return 0;
}
