/* A program as it is written for Detour: it reads a set of tiles, and asks. The answers are those of waymesh itself. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "DetourCommon.h"
#include "DetourNavMesh.h"
#include "DetourNavMeshQuery.h"
#include "check.h"
#include "waymesh.hpp"

struct SetHeader {
    int magic, version, tiles;
    dtNavMeshParams params;
};
struct TileHeader {
    dtTileRef ref;
    int size;
};

/* A floor with a wall, open at both ends, of which one is of area 5 (Detour's 4), as a file of Detour's. */
static void bake(const char *file) {
    waymesh::World world({0, -1, 0}, {20, 5, 20}, {{"agent_radius", 0.3}});
    const std::vector<double> vertices{0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0, 20};
    const std::vector<uint32_t> indices{0, 2, 1, 0, 3, 2};
    world.add_triangles(waymesh::triangles(vertices, indices));
    wm_shape wall{};
    wall.kind = WM_SHAPE_KIND_BOX;
    wall.min = {9, -1, 2};
    wall.max = {11, 3, 15};
    world.add_obstacle(wall);
    wm_shape mud = wall;
    mud.min.z = -1;
    mud.max.z = 2;
    world.add_mark(mud, 5);
    world.update();
    world.mesh().save(file);
}

static dtNavMesh *load(const char *file) {
    FILE *input = std::fopen(file, "rb");
    CHECK(input != nullptr);
    SetHeader set;
    CHECK(std::fread(&set, sizeof set, 1, input) == 1 && set.version == 1);
    dtNavMesh *mesh = dtAllocNavMesh();
    CHECK(dtStatusSucceed(mesh->init(&set.params)));
    for (int i = 0; i < set.tiles; i++) {
        TileHeader tile;
        CHECK(std::fread(&tile, sizeof tile, 1, input) == 1 && tile.ref != 0 && tile.size > 0);
        unsigned char *data = static_cast<unsigned char *>(dtAlloc(static_cast<size_t>(tile.size), DT_ALLOC_PERM));
        CHECK(std::fread(data, static_cast<size_t>(tile.size), 1, input) == 1);
        CHECK(dtStatusSucceed(mesh->addTile(data, tile.size, DT_TILE_FREE_DATA, tile.ref, nullptr)));
    }
    std::fclose(input);
    return mesh;
}

static float frand() { return static_cast<float>(std::rand()) / (static_cast<float>(RAND_MAX) + 1); }

int main() {
    bake("floor.navmesh");
    dtNavMesh *mesh = load("floor.navmesh");
    dtNavMeshQuery *query = dtAllocNavMeshQuery();
    if (dtStatusFailed(query->init(mesh, 2048))) std::fprintf(stderr, "%s\n", mesh->error().c_str());
    CHECK(dtStatusSucceed(query->init(mesh, 2048)) && query->getAttachedNavMesh() == mesh);
    const waymesh::Mesh own = waymesh::Mesh::open("floor.navmesh");
    waymesh::Query own_query;

    dtQueryFilter filter;
    filter.setIncludeFlags(0xffff);
    const float extents[3] = {2, 4, 2};
    for (int round = 0; round < 200; round++) {
        dtPolyRef refs[2] = {0, 0};
        float ends[2][3];
        for (int i = 0; i < 2; i++) {
            CHECK(dtStatusSucceed(query->findRandomPoint(&filter, frand, &refs[i], ends[i])));
            float near[3], height = -100;
            dtPolyRef ref = 0;
            CHECK(dtStatusSucceed(query->findNearestPoly(ends[i], extents, &filter, &ref, near)) && ref != 0);
            CHECK(dtVdist(near, ends[i]) < 1e-3F && mesh->isValidPolyRef(ref));
            CHECK(dtStatusSucceed(query->getPolyHeight(refs[i], ends[i], &height)) && dtAbs(height - ends[i][1]) < 1e-3F);
        }
        dtPolyRef path[64];
        int count = 0;
        CHECK(dtStatusSucceed(query->findPath(refs[0], refs[1], ends[0], ends[1], &filter, path, &count, 64)));
        CHECK(count > 0 && path[0] == refs[0] && path[count - 1] == refs[1]);
        float corners[64 * 3];
        unsigned char flags[64];
        dtPolyRef polygons[64];
        int corner_count = 0;
        CHECK(dtStatusSucceed(query->findStraightPath(ends[0], ends[1], path, count, corners, flags, polygons, &corner_count, 64)));
        CHECK(corner_count >= 2 && flags[0] == DT_STRAIGHTPATH_START && flags[corner_count - 1] == DT_STRAIGHTPATH_END);
        float length = 0;
        for (int i = 1; i < corner_count; i++) length += dtVdist(&corners[3 * (i - 1)], &corners[3 * i]);
        const waymesh::Path expected =
            own_query.find_path(own, {ends[0][0], ends[0][1], ends[0][2]}, {ends[1][0], ends[1][1], ends[1][2]});
        CHECK(dtAbs(length - expected.info.length) < 1e-2F);

        float t = 0, normal[3], moved[3], distance = 0, wall[3];
        dtPolyRef visited[16];
        int visited_count = 0;
        CHECK(dtStatusSucceed(query->raycast(refs[0], ends[0], ends[1], &filter, &t, normal, visited, &visited_count, 16)));
        /* What is in sight is reached straight. */
        CHECK((t > 1) == (corner_count == 2) && visited_count > 0 && visited[0] == refs[0]);
        CHECK(dtStatusSucceed(query->moveAlongSurface(refs[0], ends[0], ends[1], &filter, moved, visited, &visited_count, 16)));
        if (t > 1) CHECK(dtVdist2D(moved, ends[1]) < 1e-3F);
        CHECK(visited_count > 0 && visited[0] == refs[0]);
        CHECK(dtStatusSucceed(query->findDistanceToWall(refs[0], ends[0], 100, &filter, &distance, wall, normal)));
        CHECK(dtAbs(distance - dtVdist2D(wall, ends[0])) < 1e-3F);
    }
    /* An area that is closed is closed for every call: the way is the longer one. */
    dtQueryFilter closed;
    closed.setAreaCost(4, INFINITY);
    const float left[3] = {5, 0, 1}, right[3] = {15, 0, 1};
    for (const dtQueryFilter *by : {&filter, &closed}) {
        const bool is_open = by == &filter;
        dtPolyRef start = 0, goal = 0, refs[64], visited[8];
        float from[3], to[3], corners[64 * 3], t = 0, normal[3], moved[3], distance = 0, wall[3];
        CHECK(dtStatusSucceed(query->findNearestPoly(left, extents, by, &start, from)) && start != 0);
        CHECK(dtStatusSucceed(query->findNearestPoly(right, extents, by, &goal, to)) && goal != 0);
        int found = 0, corner_count = 0, visited_count = 0;
        CHECK(dtStatusSucceed(query->findPath(start, goal, from, to, by, refs, &found, 64)) && refs[found - 1] == goal);
        CHECK(dtStatusSucceed(query->findStraightPath(from, to, refs, found, corners, nullptr, nullptr, &corner_count, 64)));
        CHECK((corner_count == 2) == is_open);
        float highest = 0;
        for (int i = 0; i < corner_count; i++) highest = corners[3 * i + 2] > highest ? corners[3 * i + 2] : highest;
        CHECK((highest > 15) == !is_open);
        CHECK(dtStatusSucceed(query->raycast(start, from, to, by, &t, normal, visited, &visited_count, 8)) && (t > 1) == is_open);
        CHECK(dtStatusSucceed(query->moveAlongSurface(start, from, to, by, moved, visited, &visited_count, 8)));
        CHECK(dtAbs(moved[0] - (is_open ? 15.0F : 9.0F)) < 0.4F);
        CHECK(dtStatusSucceed(query->findDistanceToWall(start, from, 30, by, &distance, wall, normal)));
        for (int i = 0; i < 200; i++) {
            dtPolyRef ref = 0;
            float place[3];
            CHECK(dtStatusSucceed(query->findRandomPoint(by, frand, &ref, place)));
            CHECK(is_open || !(place[2] < 1.7F && dtAbs(place[0] - 10) < 0.7F));
        }
    }
    /* Far away nothing is near, which is no failure in Detour. */
    const float far[3] = {1000, 0, 0};
    dtPolyRef ref = 7;
    float at[3];
    CHECK(dtStatusSucceed(query->findNearestPoly(far, extents, &filter, &ref, at)) && ref == 0);
    int count = 7;
    dtPolyRef path[4];
    CHECK(dtStatusFailed(query->findPath(0, 1, far, far, &filter, path, &count, 4)) && count == 0);
    dtFreeNavMeshQuery(query);
    dtFreeNavMesh(mesh);
    return 0;
}
