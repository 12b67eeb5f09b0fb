// Runs the planner of Nav2 over what stands for ROS 2 here.
#include <cmath>

#include "../../ros/planner.cpp"
#include "check.h"

using nav2_core::GlobalPlanner;
using waymesh_nav2::Path;
using waymesh_nav2::Pose;

namespace {

// A position of ROS, z up.
Pose at(double x, double y, double yaw = 0, const char *frame = "map") {
    Pose pose;
    pose.header.frame_id = frame;
    pose.pose.position = {x, y, 0};
    pose.pose.orientation = {0, 0, std::sin(yaw / 2), std::cos(yaw / 2)};
    return pose;
}

// Asks as the server of the Nav2 that is stood for.
Path plan(GlobalPlanner &planner, const std::vector<Pose> &through, bool is_cancelled = false) {
#if NAV2 == 1
    CHECK(through.size() == 2 && !is_cancelled);
    return planner.createPlan(through.front(), through.back());
#elif NAV2 == 2
    CHECK(through.size() == 2);
    return planner.createPlan(through.front(), through.back(), [=] { return is_cancelled; });
#else
    const std::vector<Pose> between(through.begin() + 1, through.end() - 1);
    return planner.createPlan(through.front(), through.back(), between, [=] { return is_cancelled; });
#endif
}

// The text of the error that a work ends with.
template <typename Kind = nav2_core::PlannerException, typename Work> std::string refused(Work work) {
    try {
        work();
    } catch (const Kind &error) {
        return error.what();
    }
    return {};
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

double apart(const Pose &a, const Pose &b) {
    const auto &from = a.pose.position, &to = b.pose.position;
    return std::hypot(to.x - from.x, to.y - from.y);
}

}  // namespace

int main() {
    // A floor of 10 m by 10 m in ROS, with a wall from y = 0 to 8 between x = 4.5 and 5.5, and a second floor apart.
    const std::vector<wm_vec3> vertices{{0, 0, 0},    {4.5F, 0, 0},   {4.5F, 0, -8}, {5.5F, 0, -8},  {5.5F, 0, 0}, {10, 0, 0},
                                        {10, 0, -10}, {0, 0, -10},    {0, 0, -8},    {10, 0, -8},    {20, 0, 0},   {30, 0, 0},
                                        {30, 0, -10}, {20, 0, -10}};
    const std::vector<uint32_t> indices{0, 1, 2, 0, 2, 8, 4, 5, 9, 4, 9, 3, 8, 9, 6, 8, 6, 7, 10, 11, 12, 10, 12, 13};
    const waymesh::Mesh mesh =
        waymesh::Mesh::bake(waymesh::triangles(vertices, indices), {{"cell_size", 0.1}, {"agent_radius", 0.0}});
    mesh.save("floor.wmesh");

    const auto node = std::make_shared<LifecycleNode>();
    const auto costmap = std::make_shared<nav2_costmap_2d::Costmap2DROS>();
    const auto planner = created();
    const auto configure = [&](const char *file, double radius) {
        node->parameters["mesh.file"] = {std::string(file)};
        node->parameters["mesh.radius"] = {radius};
        planner->configure(node, "mesh", nullptr, costmap);
    };
    CHECK(has(refused([&] { plan(*planner, {at(1, 1), at(2, 2)}); }), "not configured"));
    CHECK(has(refused([&] { configure("absent.wmesh", 0.3); }), "mesh.file: "));
    CHECK(has(refused([&] { configure("floor.wmesh", -1); }), "mesh.radius is -1"));
    CHECK(has(refused([&] { planner->configure(LifecycleNode::WeakPtr(), "mesh", nullptr, costmap); }), "the node is gone"));
    configure("floor.wmesh", 0.3);
    planner->activate();

    // Around the wall: a disc turns on two arcs around its corners, which lie at y = 8.
    const Path around = plan(*planner, {at(2, 4), at(8, 4, 1.5)});
    CHECK(around.header.frame_id == "map" && around.header.stamp == 7);
    CHECK(apart(around.poses.front(), at(2, 4)) < 1e-3 && apart(around.poses.back(), at(8, 4)) < 1e-3);
    double length = 0, highest = 0;
    for (size_t index = 0; index + 1 < around.poses.size(); index++) {
        const Pose &here = around.poses[index], &next = around.poses[index + 1];
        const double step = apart(here, next), yaw = 2 * std::atan2(here.pose.orientation.z, here.pose.orientation.w);
        CHECK(step <= 0.1 + 1e-4 && here.header.frame_id == "map" && std::abs(here.pose.position.z) < 0.1);
        CHECK(std::abs(here.pose.position.x + step * std::cos(yaw) - next.pose.position.x) < 1e-3);
        CHECK(std::abs(here.pose.position.y + step * std::sin(yaw) - next.pose.position.y) < 1e-3);
        length += step, highest = std::max(highest, here.pose.position.y);
    }
    const double inside = 2 * std::hypot(2.5, 4) + 1;
    CHECK(length > inside && length < inside + 0.9 && highest > 8.29 && highest < 8.5);
    CHECK(std::abs(around.poses.back().pose.orientation.z - std::sin(0.75)) < 1e-9);

    // No room beside the wall, no path to the other floor, another frame, a mesh that is not loaded.
    using waymesh_nav2::NoPath;
    CHECK(has(refused<NoPath>([&] { plan(*planner, {at(2, 4), at(5, 4)}); }), "no path from (2.0"));
    // The disc does not fit this near to the wall.
    CHECK(apart(plan(*planner, {at(2, 4), at(4.3, 4)}).poses.back(), at(4.3, 4)) < 0.25);
    node->parameters["mesh.tolerance"] = {0.05};
    configure("floor.wmesh", 0.3);
    CHECK(has(refused<NoPath>([&] { plan(*planner, {at(2, 4), at(4.3, 4)}); }), "the tolerance is 0.05"));
    CHECK(has(refused<NoPath>([&] { plan(*planner, {at(2, 4), at(25, 4)}); }), "m before the goal"));
    CHECK(has(refused<NoPath>([&] { plan(*planner, {at(2, 4), at(500, 4)}); }), "no path from (2.0"));
    CHECK(has(refused([&] { plan(*planner, {at(2, 4), at(8, 4, 0, "odom")}); }), "a position in odom"));
    configure("floor.wmesh", 1.2);
    CHECK(has(refused<NoPath>([&] { plan(*planner, {at(2, 4), at(8, 4)}); }), "no path"));
    configure("floor.wmesh", 0);
    CHECK(plan(*planner, {at(2, 4), at(2, 4)}).poses.size() >= 1);
#if NAV2 > 1
    CHECK(has(refused<nav2_core::PlannerCancelled>([&] { plan(*planner, {at(2, 4), at(8, 4)}, true); }), "cancelled"));
#endif
#if NAV2 == 3
    const Path through = plan(*planner, {at(1, 1), at(3, 1, 0.5), at(3, 6)});
    size_t met = 0;
    for (const Pose &pose : through.poses) met += apart(pose, at(3, 1)) < 1e-3;
    CHECK(met > 0 && apart(through.poses.back(), at(3, 6)) < 1e-3);
#endif
    planner->deactivate();
    planner->cleanup();
    CHECK(has(refused([&] { plan(*planner, {at(1, 1), at(2, 2)}); }), "not configured"));
}
