/* The C++ layer: handles, copies, exceptions. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "check.h"
#include "waymesh.hpp"

template <typename Call>
wm_status status_of(Call call) {
    try {
        call();
    } catch (const waymesh::Error &error) {
        CHECK(std::strlen(error.what()) > 5);
        return error.status();
    }
    return WM_STATUS_OK;
}

int main() {
    const std::vector<wm_vec3> vertices{{0, 0, 0}, {20, 0, 0}, {20, 0, 20}, {0, 0, 20}};
    const std::vector<uint32_t> indices{0, 2, 1, 0, 3, 2};
    const wm_triangles triangles = waymesh::triangles(vertices, indices);
    waymesh::Settings settings{{"agent_radius", 0.5F}, {"max_edge_length", 0}, {"height_detail", true}, {"partition", "surfaces"}};
    int stages = 0;
    const waymesh::Mesh baked = waymesh::Mesh::bake(triangles, settings, [&](const char *, float) {
        stages++;
        return true;
    });
    CHECK(stages > 3);
    waymesh::Mesh mesh = baked;
    CHECK(mesh.info().polygons == 1 && mesh.vertices().size() == 4 && mesh.corners().size() == 4);
    CHECK(mesh.polygon_starts().back() == 4 && mesh.areas().at(0) == 1);

    waymesh::Query query;
    const wm_vec3 from{2, 0, 2}, to{5, 0, 6};
    const waymesh::Path path = query.find_path(mesh, from, to);
    CHECK(path.points.size() == 2 && std::fabs(path.info.length - 5) < 1e-5F && query.polygons().size() == 1);
    CHECK(waymesh::Discs(mesh).find_path(query, from, to, 0.7F).info.outcome == WM_OUTCOME_COMPLETE);
    const wm_place place = mesh.nearest({10, 0, 10}, wm_reach{1, 1, 1});
    CHECK(query.raycast(mesh, place, {30, 0, 10}).hit && query.move_along(mesh, place, {12, 0, 10}).position.x > 11.9F);
    CHECK(query.nearest_wall(mesh, place, 100).found && mesh.random_places(1, 3).size() == 3);

    const uint64_t link = mesh.add_link(waymesh::link_between(place, mesh.nearest({3, 0, 3})));
    CHECK(mesh.links().size() == 1 && mesh.links()[0].id == link && baked.links().empty());
    mesh.set_link_open(link, false);
    CHECK(!mesh.links()[0].is_open);
    mesh.remove_link(link);
    CHECK(status_of([&] { mesh.remove_link(link); }) == WM_STATUS_BAD_ARGUMENT);
    mesh.build_hierarchy(0);
    CHECK(mesh.build_oracle() == 1.0 && mesh.build_oracle(0) == 0.0);
    CHECK(std::fabs(query.find_path(mesh, from, to).info.length - 5) < 1e-5F);

    CHECK(status_of([&] { (void)mesh.nearest({1000, 0, 0}); }) == WM_STATUS_NO_MESH_NEAR);
    CHECK(status_of([&] { (void)waymesh::Mesh::open("nothing.wmesh"); }) == WM_STATUS_BAD_FILE);
    CHECK(status_of([&] { (void)waymesh::Mesh::bake({}, settings); }) == WM_STATUS_NOTHING_WALKABLE);
    CHECK(status_of([&] { (void)waymesh::Mesh::bake(triangles, settings, [](const char *, float) { return false; }); }) ==
          WM_STATUS_CANCELLED);
    mesh.save("wrapper.wmrun");
    mesh = waymesh::Mesh::open("wrapper.wmrun");

    /* Ground round a thousand pillars has paths of many points: the buffer grows. */
    const double origin[3] = {4, 0, 0};
    CHECK(waymesh::Mesh::bake(triangles, {{"origin", origin, 3}}).info().min.x < 0);
    CHECK(status_of([&] { (void)waymesh::Mesh::bake(triangles, {{"agent_radios", 1}}); }) == WM_STATUS_BAD_SETTING);
    settings.push_back({"tile_cells", 64});
    waymesh::World world({0, -1, 0}, {20, 5, 20}, settings);
    world.add_triangles(triangles);
    wm_shape wall{};
    wall.kind = WM_SHAPE_KIND_BOX;
    uint64_t last = 0;
    for (int row = 0; row < 6; row++) {
        const float x = 2 + 3 * static_cast<float>(row);
        wall.min = {x, -1, row % 2 ? 3.0F : -1.0F};
        wall.max = {x + 0.5F, 3, row % 2 ? 21.0F : 17.0F};
        last = world.add_obstacle(wall);
    }
    CHECK(world.update().rebuilt > 0);
    const waymesh::Mesh maze = world.mesh();
    const waymesh::Path winding = query.find_path(maze, {1, 0, 1}, {19, 0, 1});
    CHECK(winding.points.size() > 8 && winding.info.length > 80);
    world.remove_obstacle(last);
    CHECK(status_of([&] { world.remove_obstacle(last); }) == WM_STATUS_BAD_ARGUMENT);

    waymesh::Crowd crowd;
    waymesh::Mesh joined = waymesh::Mesh::bake(triangles);
    const uint64_t lift = joined.add_link(waymesh::link_between(joined.nearest(from), joined.nearest(to)));
    crowd.set_link_rule(joined, lift, 8.0F, 1);
    crowd.set_link_rule(joined, lift, -1.0F, 0);
    for (float seconds : {INFINITY, NAN, -NAN}) CHECK(status_of([&] { crowd.set_link_rule(joined, lift, seconds, 1); }) == WM_STATUS_BAD_SETTING);
    CHECK(status_of([&] { crowd.set_link_rule(mesh, lift + 9, 8.0F, 1); }) == WM_STATUS_BAD_ARGUMENT);
    const uint64_t agent = crowd.add(mesh, from);
    crowd.set_target(mesh, agent, to);
    for (int step = 0; step < 100; step++) crowd.step(mesh, 0.1F);
    CHECK(crowd.agent(agent).status == WM_AGENT_STATUS_ARRIVED);

    const waymesh::Discs discs(mesh);
    crowd.set_position(discs, agent, from);
    crowd.set_target(discs, agent, to);
    const uint64_t other = crowd.add(discs, {10, 0, 10});
    for (int step = 0; step < 100; step++) crowd.step(discs, 0.1F);
    CHECK(crowd.agent(agent).status == WM_AGENT_STATUS_ARRIVED && crowd.agent(other).status != WM_AGENT_STATUS_ARRIVED);
    return 0;
}
