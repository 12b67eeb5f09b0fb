/* Many threads with one mesh, each with a query of its own; bakes at the same time give the same bytes. */
#include <pthread.h>

#include "common.h"

enum { THREADS = 4, PATHS = 2000 };

static const wm_mesh *mesh;
static float lengths[PATHS];

static void *find(void *first) {
    wm_query *query = NULL;
    CHECK(wm_query_new(&query, NULL) == WM_STATUS_OK);
    wm_place places[2 * PATHS];
    CHECK(wm_random_places(mesh, 3, NULL, places, 2 * PATHS, NULL) == WM_STATUS_OK);
    for (int i = 0; i < PATHS; i++) {
        wm_path_info info;
        wm_vec3 points[64];
        CHECK(wm_find_path(mesh, query, places[2 * i].position, places[2 * i + 1].position, NULL, points, 64, &info, NULL) == WM_STATUS_OK);
        if (first != NULL) lengths[i] = info.length;
        else CHECK(info.length == lengths[i]);
    }
    wm_query_free(query);
    return NULL;
}

static void *bake(void *out) {
    wm_vec3 vertices[4];
    uint32_t triangles[6];
    floor_of(20, vertices, triangles);
    const wm_triangles floor = triangles_of(vertices, 4, triangles, 2);
    CHECK(wm_mesh_bake(&floor, NULL, 0, NULL, NULL, out, NULL) == WM_STATUS_OK);
    return NULL;
}

int main(void) {
    wm_mesh *meshes[THREADS] = {NULL};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, bake, &meshes[i]) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    uint8_t bytes[2][100000];
    for (int i = 0; i < THREADS; i++) {
        size_t count = 0;
        CHECK(wm_mesh_write(meshes[i], WM_FORMAT_EXCHANGE, bytes[i > 0], sizeof bytes[0], &count, NULL) == WM_STATUS_OK);
        CHECK(i == 0 || memcmp(bytes[0], bytes[1], count) == 0);
    }
    mesh = meshes[0];
    find(&lengths);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, find, NULL) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++) wm_mesh_free(meshes[i]);
    return 0;
}
