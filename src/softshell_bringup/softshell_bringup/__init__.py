"""Starting the robot's nodes: the node table, launch, the stand-alone runner, the commands."""
