"""Navigation meshes of waymesh in ROS 2."""
