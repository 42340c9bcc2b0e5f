#!/usr/bin/env bash
# Runs a command with ROS and softshell sourced; exec, so that signals reach it.
set -e
source /opt/ros/jazzy/setup.bash
source /opt/softshell/install/setup.bash
exec "$@"
