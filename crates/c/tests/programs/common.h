/* What the test programs share. */
#ifndef COMMON_H
#define COMMON_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "waymesh.h"

/* A square floor from 0 to side, at height 0. */
static inline void floor_of(float side, wm_vec3 vertices[4], uint32_t triangles[6]) {
    const float x[4] = {0, side, side, 0}, z[4] = {0, 0, side, side};
    for (int i = 0; i < 4; i++) vertices[i] = (wm_vec3){x[i], 0, z[i]};
    const uint32_t corners[6] = {0, 2, 1, 0, 3, 2};
    memcpy(triangles, corners, sizeof corners);
}

/* Triangles of plain ground in arrays of the caller's. */
static inline wm_triangles triangles_of(const wm_vec3 *vertices, size_t vertex_count, const uint32_t *indices, size_t count) {
    return (wm_triangles){.vertices = vertices, .vertex_count = vertex_count, .indices = indices, .count = count};
}

static inline float distance(wm_vec3 a, wm_vec3 b) {
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

#endif
