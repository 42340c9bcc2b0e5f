"""What the doctor says of ROS."""

from softshell_bringup.domain import free_domain
from softshell_bringup.ros import first_message
from softshell_kinematics.errors import SoftshellError
from softshell_tools import doctor
from softshell_tools.doctor import find
from softshell_tools.installation import ROOT
from softshell_tools.workspace import Workspace


def test_ros_that_cannot_be_initialised_is_a_finding(monkeypatch):
    """The last one: without ROS no other node is seen."""

    def refuse(domain):
        raise SoftshellError('ROS refuses its variables')

    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
    monkeypatch.setattr(first_message, 'new_context', refuse)
    *_, last = find(ROOT)
    assert (last.thing, last.state, last.ok) == ('messages', 'ROS refuses its variables', False)
    assert 'ROS_LOG_DIR' in last.remedy


def test_a_module_that_is_gone_comes_back_with_a_new_environment(monkeypatch):
    """pip would take it for installed, by what else is left of its distribution."""
    monkeypatch.setattr(doctor, 'MODULES', ('no_such_module',))
    found = next(one for one in find(ROOT) if one.thing == 'no_such_module')
    assert not found.ok
    assert found.remedy == f'remove the folder {Workspace(ROOT).venv.name} and start again'
