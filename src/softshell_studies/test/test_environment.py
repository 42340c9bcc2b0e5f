"""What environments and their tasks refuse, and what they tell."""

import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_studies.gym.tasks import TASKS, make_task


@pytest.mark.parametrize('name', TASKS)
def test_a_setting_is_unknown_also_if_a_parameter_of_a_function_has_its_name(name):
    with pytest.raises(ProblemsError) as caught:
        make_task(name, **{'name': 'x', 'self': 1})
    assert 'name: unknown key' in str(caught.value)
    assert 'self: unknown key' in str(caught.value)


@pytest.mark.needs('studies')
@pytest.mark.parametrize(
    ('settings', 'told'),
    [
        ({'name': 'x', 'self': 1}, 'name: unknown key'),
        ({'self': 1}, 'self: unknown key'),
        ({'task': 3}, 'task is 3; expected one of Walk, WalkRough, Roll, Reach'),
    ],
)
def test_an_environment_refuses_unknown_settings_and_what_makes_no_task(settings, told):
    import gymnasium

    with pytest.raises(SoftshellError) as caught:
        gymnasium.make('softshell_studies.gym:softshell/Reach-v0', **settings)
    assert told in str(caught.value)
