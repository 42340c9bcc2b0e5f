"""Episodes of tasks that fail: by a fall, or since the simulation diverges."""

import math

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.bodies import BodyState
from softshell_sim.changing.changes import Place
from softshell_sim.divergence import DivergedError
from softshell_studies.gym.imitate import imitate
from softshell_studies.gym.score import mean_score, tried
from softshell_studies.gym.task import size_of
from softshell_studies.gym.tasks import make_task, scripted


def test_a_fall_in_the_first_second_has_the_error_of_standing_still():
    """In that second no velocity is compared; to fall at once is no better than to stand."""
    task = make_task('Walk')
    task.begin(np.random.default_rng(0))
    lying = transform(rotation_about((1.0, 0.0, 0.0), 1.2), (0.0, 0.0, 0.4))
    task.world.apply([Place('robot', BodyState.at_rest(lying))])
    task.act(np.zeros(size_of(task.actions)))
    assert task.failed
    commanded = math.hypot(*task.wish[:2])
    assert commanded > 0.03
    assert task.measured()['error'] == pytest.approx(commanded)
    assert task.measured()['score'] == pytest.approx(-1000.0 * (1.0 + commanded))
    task.close()


def test_a_soft_task_that_diverges_says_so():
    """Under a gravity that no engine can integrate; an episode can begin anew."""
    task = make_task('Reach', gravity=1e6)
    task.begin(np.random.default_rng(0))
    with pytest.raises(DivergedError, match=r"diverged: joint '0_0_bend' is at nan rad; expected"):
        task.act(np.array([1.0, -1.0, 1.0, -1.0]))
    task.begin(np.random.default_rng(0))
    assert np.isfinite(task.observe()).all()
    task.close()


@pytest.mark.long
def test_a_task_of_a_robot_that_diverges_says_so():
    """As a soft one does; the next episode is the one that it would have been."""
    task, still, first = make_task('Walk'), np.zeros(18), []
    for _ in range(2):
        task.begin(np.random.default_rng(0))
        task.act(still)
        first.append(task.observe())
        task.world.set_gravity(1e100)
        with pytest.raises(DivergedError, match=r"diverged .*: joint 'fold' is at nan, .* expect"):
            task.act(still)
    assert np.array_equal(*first)
    task.close()


def test_another_error_of_a_backend_is_no_divergence(monkeypatch):
    """So that a training ends with it, rather than with a network that has learnt nothing."""
    task = make_task('Walk')

    def simulate(*given, **more):
        raise TypeError('of the backend')

    monkeypatch.setattr(task.world, 'simulate', simulate)
    with pytest.raises(SoftshellError, match=r'^TypeError: of the backend') as caught:
        tried(task, scripted('Walk', task), 0, 5)
    assert not isinstance(caught.value, DivergedError)
    task.close()


def test_an_episode_that_diverges_is_the_worst_and_has_no_score():
    """So that one candidate of many does not end a training."""
    task = make_task('Reach', gravity=1e6)
    episode = tried(task, scripted('Reach', task), 0, 5)
    assert episode.total == -math.inf
    assert math.isnan(mean_score([episode]))
    task.close()


def test_a_look_is_taken_after_each_step_of_an_episode_that_is_tried():
    """As where it is filmed."""
    task, seen = make_task('Reach'), []
    episode = tried(task, scripted('Reach', task), 0, 5, seen.append)
    assert seen == [1, 2, 3, 4, 5]
    assert episode.steps == 5
    task.close()


def test_an_imitation_learns_from_what_was_seen_before_an_episode_diverged(monkeypatch):
    """Each episode does so in its third step."""
    monkeypatch.setattr('softshell_studies.gym.imitate.EPISODES', (2, 1))
    monkeypatch.setattr('softshell_studies.gym.imitate.STEPS', 10)
    task, acts, fitted = make_task('Reach'), [], []

    def act(action):
        acts.append(action)
        if len(acts) % 3 == 0:
            raise DivergedError('the simulation diverged')

    monkeypatch.setattr(task, 'act', act)
    imitate(
        task, scripted('Reach', task), 'Reach', (4,), steps=100,
        progress=lambda round_, off: fitted.append(off),
    )  # fmt: skip
    assert len(acts) == 9
    assert np.isfinite(fitted).all()
    task.close()
