"""The robot of a simulated world while other bodies are changed, and after a state is restored."""

import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from std_srvs.srv import Trigger

from softshell_interfaces.msg import BridgeStatus, TrajectoryState, WorldChange
from softshell_interfaces.srv import NamedState, StepTime

sys.path.insert(0, str(Path(__file__).parents[2] / 'softshell_control/test'))
from bridge_process import starter
from world_client import WorldClient, change, spawn

SIM = 'import sys; from softshell_sim.ros.sim_bridge import main; sys.exit(main())'
INERTIAL = """<inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
#: A body with a joint of its own, about z.
GATE = f"""
<robot name="gate">
  <link name="post">{INERTIAL}</link>
  <link name="wing">{INERTIAL}</link>
  <joint name="hinge" type="revolute"><parent link="post"/><child link="wing"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def arm(domains):
    """A client of the arm's bridge, paused and held; the bridge ends with the test."""
    starting = starter(domains)
    client = next(starting)(
        'robot:=arm', 'engine:=mujoco', 'real_time_factor:=0.0', code=SIM, client=WorldClient
    )
    client.wait_mode(BridgeStatus.HOLDING)
    assert client.ask(Trigger, 'pause').success
    yield client
    next(starting, None)


@pytest.mark.long
def test_joints_of_another_body_leave_the_robot_to_its_motion(arm, tmp_path):
    """A gate is put somewhere; the trajectory of the arm goes on."""
    (tmp_path / 'gate.urdf').write_text(GATE)
    urdf = f'{{urdf: {{file: {tmp_path}/gate.urdf, fixed: true}}}}'
    assert arm.change(spawn('gate', urdf, x=3.0)).success
    name = arm.send(['shoulder'], [0.4], 5.0)
    arm.wait_for(name, TrajectoryState.ACTIVE)
    put = change(WorldChange.PLACE_JOINTS, 'gate', joints=['hinge'], positions=[0.3])
    assert arm.change(put).success
    assert arm.bodies()['gate'].positions.tolist() == [0.3]
    assert arm.ask(StepTime, 'step', duration=0.5).success
    begun = len(arm.statuses)
    arm.wait(lambda: len(arm.statuses) > begun, 'a status')
    assert arm.statuses[-1].mode == BridgeStatus.EXECUTING


def test_a_state_saved_without_drive_is_held_where_it_was(arm):
    """Saved sunk and restored while it is driven, the arm does not go where it was held before."""
    held = arm.bodies()['robot'].positions
    assert arm.ask(Trigger, 'deactivate').success
    assert arm.ask(StepTime, 'step', duration=0.5).success
    sunk = arm.bodies()['robot'].positions
    assert max(abs(one - other) for one, other in zip(sunk, held, strict=True)) > 0.3
    assert arm.ask(NamedState, 'save_state', name='sunk').success
    assert arm.ask(Trigger, 'activate').success
    assert arm.ask(NamedState, 'restore_state', name='sunk').success
    assert arm.ask(StepTime, 'step', duration=0.5).success
    assert arm.bodies()['robot'].positions == pytest.approx(sunk, abs=0.1)
