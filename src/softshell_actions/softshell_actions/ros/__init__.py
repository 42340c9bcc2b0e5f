"""The node `action_manager`: everything of this package that needs ROS."""
