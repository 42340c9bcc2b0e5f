"""What the doctor says of ROS."""

from softshell_bringup.domain import free_domain
from softshell_bringup.ros import first_message
from softshell_kinematics.errors import SoftshellError
from softshell_tools.doctor import find
from softshell_tools.installation import ROOT


def test_ros_that_cannot_be_initialised_is_a_finding(monkeypatch):
    """The last one: without ROS no other node is seen."""

    def refuse(domain):
        raise SoftshellError('ROS refuses its variables')

    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
    monkeypatch.setattr(first_message, 'new_context', refuse)
    *_, last = find(ROOT)
    assert (last.thing, last.state, last.ok) == ('messages', 'ROS refuses its variables', False)
    assert 'ROS_LOG_DIR' in last.remedy
