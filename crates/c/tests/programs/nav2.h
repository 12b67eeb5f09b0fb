// As much of ROS 2 and Nav2 as the planner needs here. NAV2 is 1 for Humble, 2 for Jazzy, 3 for later ones.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace std_msgs::msg {
struct Header {
    std::int64_t stamp = 0;
    std::string frame_id;
};
}  // namespace std_msgs::msg

namespace geometry_msgs::msg {
struct Point {
    double x = 0, y = 0, z = 0;
};
struct Quaternion {
    double x = 0, y = 0, z = 0, w = 1;
};
struct Pose {
    Point position;
    Quaternion orientation;
};
struct PoseStamped {
    std_msgs::msg::Header header;
    Pose pose;
};
}  // namespace geometry_msgs::msg

namespace nav_msgs::msg {
struct Path {
    std_msgs::msg::Header header;
    std::vector<geometry_msgs::msg::PoseStamped> poses;
};
}  // namespace nav_msgs::msg

namespace rclcpp {
struct Clock {
    using SharedPtr = std::shared_ptr<Clock>;
    std::int64_t now() const { return 7; }
};
struct Parameter {
    std::any value;
    template <typename Type> Type get_value() const { return std::any_cast<Type>(value); }
};
}  // namespace rclcpp

#if NAV2 == 3
namespace nav2 {
#else
namespace rclcpp_lifecycle {
#endif
struct LifecycleNode {
    using WeakPtr = std::weak_ptr<LifecycleNode>;
    std::map<std::string, rclcpp::Parameter> parameters;
    bool has_parameter(const std::string &name) const { return parameters.count(name) == 1; }
    template <typename Type> Type declare_parameter(const std::string &name, const Type &otherwise) {
        parameters[name] = {otherwise};
        return otherwise;
    }
    rclcpp::Parameter get_parameter(const std::string &name) const { return parameters.at(name); }
    rclcpp::Clock::SharedPtr get_clock() const { return std::make_shared<rclcpp::Clock>(); }
};
}
#if NAV2 == 3
using nav2::LifecycleNode;
#else
using rclcpp_lifecycle::LifecycleNode;
#endif

namespace tf2_ros {
struct Buffer {};
}  // namespace tf2_ros

namespace nav2_costmap_2d {
struct Costmap2DROS {
    std::string getGlobalFrameID() const { return "map"; }
};
}  // namespace nav2_costmap_2d

namespace nav2_core {
struct PlannerException : std::runtime_error {
    explicit PlannerException(const std::string &text) : std::runtime_error(text) {}
};
#if NAV2 > 1
struct NoValidPathCouldBeFound : PlannerException {
    using PlannerException::PlannerException;
};
struct PlannerCancelled : PlannerException {
    using PlannerException::PlannerException;
};
#endif

struct GlobalPlanner {
    using Pose = geometry_msgs::msg::PoseStamped;
    virtual ~GlobalPlanner() {}
    virtual void configure(const LifecycleNode::WeakPtr &parent, std::string name, std::shared_ptr<tf2_ros::Buffer> tf,
                           std::shared_ptr<nav2_costmap_2d::Costmap2DROS> costmap) = 0;
    virtual void cleanup() = 0;
    virtual void activate() = 0;
    virtual void deactivate() = 0;
#if NAV2 == 1
    virtual nav_msgs::msg::Path createPlan(const Pose &start, const Pose &goal) = 0;
#elif NAV2 == 2
    virtual nav_msgs::msg::Path createPlan(const Pose &start, const Pose &goal, std::function<bool()> cancel_checker) = 0;
#else
    virtual nav_msgs::msg::Path createPlan(const Pose &start, const Pose &goal, const std::vector<Pose> &viapoints,
                                           std::function<bool()> cancel_checker) = 0;
#endif
};
}  // namespace nav2_core

#define PLUGINLIB_EXPORT_CLASS(type, base) \
    std::unique_ptr<base> created() { return std::make_unique<type>(); }
