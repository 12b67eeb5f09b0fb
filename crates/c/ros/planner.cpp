// A planner of Nav2 that finds the shortest paths of a disc on a mesh of waymesh. The mesh has y up: (x, z, -y) of ROS.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nav2_core/global_planner.hpp"
#if __has_include("nav2_core/planner_exceptions.hpp")
#include "nav2_core/planner_exceptions.hpp"
#else  // Humble
#include "nav2_core/exceptions.hpp"
#endif
#include "nav2_costmap_2d/costmap_2d_ros.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "tf2_ros/buffer.h"
#include "waymesh.hpp"

namespace waymesh_nav2 {

#if __has_include("nav2_core/planner_exceptions.hpp")
using NoPath = nav2_core::NoValidPathCouldBeFound;
using Cancelled = nav2_core::PlannerCancelled;
#else
using NoPath = nav2_core::PlannerException;
using Cancelled = nav2_core::PlannerException;
#endif
#if __has_include("nav2_ros_common/lifecycle_node.hpp")
using Node = nav2::LifecycleNode;
#else
using Node = rclcpp_lifecycle::LifecycleNode;
#endif
using Pose = geometry_msgs::msg::PoseStamped;
using Path = nav_msgs::msg::Path;

// Metres by which a place on the mesh may be off it by rounding.
constexpr float ON_MESH = 1e-3F;
// Lengths in plan below which a direction is not known, in metres.
constexpr double NO_DIRECTION = 1e-6;

// Every function of the base is pure there: one that missed its signature would not compile.
class Planner : public nav2_core::GlobalPlanner {
public:
    void configure(const Node::WeakPtr &parent, std::string name, std::shared_ptr<tf2_ros::Buffer>,
                   std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap) {
        const auto node = parent.lock();
        if (!node) throw nav2_core::PlannerException(name + ": the node is gone");
        const auto parameter = [&](const char *key, auto otherwise) {
            const std::string full = name + "." + key;
            if (!node->has_parameter(full)) node->declare_parameter(full, otherwise);
            return node->get_parameter(full).template get_value<decltype(otherwise)>();
        };
        const auto length = [&](const char *key, double otherwise) {
            const double given = parameter(key, otherwise);
            if (!(given >= 0.0)) {
                throw nav2_core::PlannerException(name + "." + key + " is " + std::to_string(given) + ", but must be 0 or more");
            }
            return given;
        };
        const std::string file = parameter("file", std::string());
        radius_ = length("radius", 0.3);
        tolerance_ = length("tolerance", 0.25);
        spacing_ = length("spacing", 0.1);
        frame_ = costmap->getGlobalFrameID();
        clock_ = node->get_clock();
        try {
            auto loaded = std::make_unique<Ground>(waymesh::Mesh::open(file));
            // The mesh keeps the radius that it was baked for.
            disc_ = std::max(static_cast<float>(radius_) - loaded->mesh.info().agent_radius, 0.0F);
            ground_ = std::move(loaded);
        } catch (const waymesh::Error &error) {
            throw nav2_core::PlannerException(name + ".file: " + error.what());
        }
    }
    void cleanup() { ground_.reset(); }
    void activate() {}
    void deactivate() {}

    // Of Humble; of Jazzy; of later ones, with places to pass. One is that of the installed Nav2.
    Path createPlan(const Pose &start, const Pose &goal) { return createPlan(start, goal, {}, {}); }
    Path createPlan(const Pose &start, const Pose &goal, std::function<bool()> is_cancelled) {
        return createPlan(start, goal, {}, std::move(is_cancelled));
    }
    Path createPlan(const Pose &start, const Pose &goal, const std::vector<Pose> &between, std::function<bool()> is_cancelled) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!ground_) throw nav2_core::PlannerException("the planner is not configured");
        Path plan;
        plan.header.frame_id = frame_;
        plan.header.stamp = clock_->now();
        std::vector<Pose> ends{start};
        ends.insert(ends.end(), between.begin(), between.end());
        ends.push_back(goal);
        for (size_t leg = 0; leg + 1 < ends.size(); leg++) {
            if (is_cancelled && is_cancelled()) throw Cancelled("the plan was cancelled");
            append(plan, plan.poses.empty() ? start : plan.poses.back(), ends[leg + 1]);
        }
        return plan;
    }

private:
    struct Ground {
        explicit Ground(waymesh::Mesh opened) : mesh(std::move(opened)), discs(mesh) {}
        waymesh::Mesh mesh;
        waymesh::Discs discs;
        waymesh::Query query;
    };

    static std::string text(const Pose &pose) {
        const auto &at = pose.pose.position;
        return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
    }

    wm_vec3 place(const Pose &pose) const {
        if (!pose.header.frame_id.empty() && pose.header.frame_id != frame_) {
            throw nav2_core::PlannerException("a position in " + pose.header.frame_id + "; the mesh is in " + frame_);
        }
        const auto &at = pose.pose.position;
        return {static_cast<float>(at.x), static_cast<float>(at.z), static_cast<float>(-at.y)};
    }

    // Appends the shortest path from one pose to the next, whose orientation its last pose has.
    void append(Path &plan, const Pose &from, const Pose &to) {
        const wm_vec3 begin = place(from), end = place(to);
        const std::string ends = "from " + text(from) + " to " + text(to) + " for an agent of radius " + std::to_string(radius_) + " m";
        waymesh::Path found;
        try {
            found = ground_->discs.find_path(ground_->query, begin, end, disc_);
        } catch (const waymesh::Error &error) {
            throw NoPath("no path " + ends + ": " + error.what());
        }
        if (found.points.empty()) throw NoPath("no path " + ends);
        const double gap = std::hypot(found.points.back().x - end.x, found.points.back().z - end.z);
        if (gap > tolerance_ + ON_MESH) {
            throw NoPath("no path " + ends + ": it ends " + std::to_string(gap) + " m before the goal, and the tolerance is " +
                         std::to_string(tolerance_) + " m");
        }
        const std::vector<wm_vec3> points = densified(found.points);
        double yaw = 0.0;
        for (size_t index = plan.poses.empty() ? 0 : 1; index < points.size(); index++) {
            Pose pose;
            pose.header = plan.header;
            pose.pose.position.x = points[index].x;
            pose.pose.position.y = -points[index].z;
            pose.pose.position.z = points[index].y;
            pose.pose.orientation = to.pose.orientation;
            if (index + 1 < points.size()) {
                const double dx = points[index + 1].x - points[index].x, dy = points[index].z - points[index + 1].z;
                // In a lift the agent keeps its direction.
                if (std::hypot(dx, dy) > NO_DIRECTION) yaw = std::atan2(dy, dx);
                pose.pose.orientation.x = pose.pose.orientation.y = 0.0;
                pose.pose.orientation.z = std::sin(yaw / 2.0);
                pose.pose.orientation.w = std::cos(yaw / 2.0);
            }
            plan.poses.push_back(pose);
        }
    }

    // Adds points on the ground, so that neighbours are within the spacing in plan. Over a gap they are on a straight line.
    std::vector<wm_vec3> densified(const std::vector<wm_vec3> &points) const {
        const float height = ground_->mesh.info().agent_height;
        std::vector<wm_vec3> dense{points.front()};
        for (size_t index = 1; index < points.size(); index++) {
            const wm_vec3 a = points[index - 1], b = points[index];
            const double length = std::hypot(b.x - a.x, b.z - a.z);
            const int count = spacing_ > 0.0 ? std::max(static_cast<int>(std::ceil(length / spacing_)), 1) : 1;
            for (int step = 1; step < count; step++) {
                const float part = static_cast<float>(step) / static_cast<float>(count);
                wm_vec3 at{a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part};
                try {
                    at = ground_->mesh.nearest({at.x, dense.back().y, at.z}, wm_reach{ON_MESH, height, height}).position;
                } catch (const waymesh::Error &) {
                }
                dense.push_back(at);
            }
            dense.push_back(b);
        }
        return dense;
    }

    std::mutex mutex_;
    std::unique_ptr<Ground> ground_;
    double radius_ = 0.0, tolerance_ = 0.0, spacing_ = 0.0;
    float disc_ = 0.0F;
    std::string frame_;
    rclcpp::Clock::SharedPtr clock_;
};

}  // namespace waymesh_nav2

PLUGINLIB_EXPORT_CLASS(waymesh_nav2::Planner, nav2_core::GlobalPlanner)
