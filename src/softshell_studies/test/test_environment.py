"""What environments and their tasks refuse, and what they tell."""

import warnings

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState
from softshell_studies.gym.tasks import TASKS, make_task
from softshell_studies.soft.hand_cube import EDGE, TOP


@pytest.mark.parametrize('name', TASKS)
def test_a_setting_is_unknown_also_if_a_parameter_of_a_function_has_its_name(name):
    with pytest.raises(ProblemsError) as caught:
        make_task(name, name='x', self=1)
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


@pytest.mark.needs('studies')
def test_an_action_is_any_finite_numbers_and_nothing_else():
    """Those beyond 1 act as 1 does, also if their sum is not finite; others change nothing."""
    import gymnasium

    environment = gymnasium.make('softshell_studies.gym:softshell/Reach-v0').unwrapped
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for action in (np.ones(4), np.full(4, 1e308)):
            environment.reset(seed=1)
            for wrong in (np.full(4, 1.0 + 1j), [10**400] * 4, [0.0, np.inf, -np.inf, 0.0]):
                with pytest.raises(SoftshellError, match='expected 4 finite numbers from -1 to 1'):
                    environment.step(wrong)
            seen.append(environment.step(action)[0])
    environment.close()
    assert np.array_equal(*seen)


@pytest.mark.needs('studies')
@pytest.mark.parametrize(('step', 'steps', 'rate'), [(0.001, 20, 50), (0.0025, 1000, 1)])
def test_videos_have_a_picture_for_each_step_or_one_a_second(step, steps, rate):
    import gymnasium

    name = 'softshell_studies.gym:softshell/Reach-v0'
    environment = gymnasium.make(name, step=step, steps_per_action=steps)
    assert environment.metadata['render_fps'] == rate
    environment.close()


def test_a_cube_has_left_the_palm_also_if_it_is_below_its_middle():
    """Upright, as after it was pushed through it; where it lies on the palm it has not."""
    task = make_task('Hand')
    for above, failed in ((0.0, False), (-0.1, True)):
        task.begin(np.random.default_rng(0))
        middle = shift(0.0, 0.0, TOP + 0.5 * EDGE + above)
        task.engine.place(task._cube, BodyState.at_rest(middle))
        task.act(np.zeros(8))
        assert task.failed is failed
        assert task.measured()['off'] < 0.01
        assert task.observe()[7] > 0.99  # its upward axis
    task.close()
