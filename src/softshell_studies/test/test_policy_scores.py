"""Scores of the policies that come with tasks."""

import functools

import numpy as np
import pytest

from softshell_studies.gym.policy import TRAINED, load_policy, trained
from softshell_studies.gym.score import mean_score, scores
from softshell_studies.gym.tasks import TASKS, make_task
from softshell_studies.gym.train import facts_of, judged_on


def test_a_score_tells_on_what_it_was_measured_and_repeats_there():
    """Kind of processor and versions are stored beside it."""
    network, task = load_policy(trained('Reach')), make_task('Reach')
    first, again = (facts_of(task, 'Reach', network, judged=1) for _ in range(2))
    task.close()
    assert first == again
    assert first['judged_on'] == judged_on()
    assert first['judged_on']['processor']
    assert first['judged_on']['numpy'] == np.__version__


@functools.cache
def played_again(name):
    """The network that comes with a task, and the episodes by which it was judged."""
    network, task = load_policy(trained(name)), make_task(name)
    seeds = range(20_000, 20_000 + network.facts['episodes'])
    episodes = scores(task, network, seeds, TASKS[name].steps)
    task.close()
    return network, episodes


INSTALLED = sorted(path.stem for path in TRAINED.glob('*.npz'))


@pytest.mark.long
@pytest.mark.parametrize('name', INSTALLED)
def test_an_installed_network_reaches_the_score_in_its_file(name):
    """On the episodes by which it was judged, within what another processor's rounding changes.

    That leads episodes apart, so that means agree as those of other episodes would.
    """
    network, played = played_again(name)
    spread = np.std([episode.measured['score'] for episode in played])
    margin = max(0.02 * abs(network.facts['score']), 2.0 * spread / np.sqrt(len(played)))
    assert mean_score(played) == pytest.approx(network.facts['score'], abs=margin)


@pytest.mark.long
@pytest.mark.parametrize('name', INSTALLED)
def test_a_score_repeats_where_it_was_judged(name):
    """On a processor of that kind, with those versions: to a millionth."""
    told = load_policy(trained(name)).facts.get('judged_on')
    if told != judged_on():
        pytest.skip(f'judged on {told or "what its file does not say"}; here: {judged_on()}')
    network, played = played_again(name)
    assert mean_score(played) == pytest.approx(network.facts['score'], rel=1e-6)
