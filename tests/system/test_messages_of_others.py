"""A package of messages that contain softshell's is built as the page of the example says."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'examples' / 'my_robot_pkg' / 'README.md'
FILES = {
    'CMakeLists.txt': """
cmake_minimum_required(VERSION 3.16)
project(my_msgs)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(softshell_interfaces REQUIRED)
rosidl_generate_interfaces(my_msgs msg/Told.msg DEPENDENCIES softshell_interfaces)
ament_package()
""",
    'package.xml': """
<package format="3">
  <name>my_msgs</name>
  <version>0.0.0</version>
  <description>Contains a message of softshell's</description>
  <maintainer email="me@example.com">me</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
  <depend>softshell_interfaces</depend>
  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
</package>
""",
    'msg/Told.msg': 'softshell_interfaces/ActionOutcome outcome\n',
}
#: Sends such a message to itself.
PROGRAM = """
import rclpy
from my_msgs.msg import Told

rclpy.init()
node, heard = rclpy.create_node('teller'), []
node.create_subscription(Told, 'told', heard.append, 1)
publisher, told = node.create_publisher(Told, 'told', 1), Told()
told.outcome.message = 'done'
while not heard:
    publisher.publish(told)
    rclpy.spin_once(node, timeout_sec=0.1)
print(heard[0].outcome.message)
"""


@pytest.mark.long
def test_a_message_that_contains_one_of_ours_is_built_and_sent(tmp_path):
    """Also where ours were built without libraries for C++: its own have them."""
    workspace = Workspace(ROOT)
    if workspace.ros_is_sourced:
        pytest.skip('the page says how it is built with the wheels of ROS')
    folder = tmp_path / 'my_ws' / 'src' / 'my_msgs'
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip())
    section = PAGE.read_text(encoding='utf-8').split('## Messages of your own')[1]
    (build,) = re.findall(r'```bash\n(.+?)```', section, re.DOTALL)
    run = subprocess.run(
        ['bash', '-c', f'set -e\n{build}\npython -c "$PROGRAM"'],
        cwd=ROOT,
        env={
            'PATH': os.environ['PATH'], 'HOME': str(tmp_path), 'PROGRAM': PROGRAM,
            'ROS_DOMAIN_ID': str(free_domain()),
        },
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == 'done'
