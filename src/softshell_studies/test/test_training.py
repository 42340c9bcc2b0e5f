"""Trainings by a search: they keep the best network, and say what is wrong."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.gym.policy import Network, count_of
from softshell_studies.gym.score import Episode
from softshell_studies.gym.train import Training, _searched, train


@pytest.mark.long
@pytest.mark.needs('studies')
def test_a_search_keeps_its_best():
    """And judges it, as well as the scripted policy."""
    kept, told = [], []
    training = Training('Reach', population=4, episodes=1, chosen=1, judged=1, generations=2)
    best = train(training, workers=1, keep=kept.append, progress=told.append)
    assert [generation.number for generation in told] == [1, 2]
    assert np.array_equal(best.weights[0], kept[-1].rounded().weights[0])
    assert best.facts['generations'] == 2
    assert best.facts['score_by_hand'] > best.facts['score']


@pytest.mark.long
@pytest.mark.needs('studies')
def test_a_network_that_is_kept_meanwhile_tells_its_robot_and_settings():
    """So a training that is ended leaves a file that no other robot takes."""
    kept = []
    training = Training(
        'Walk', population=4, episodes=1, chosen=1, judged=1, generations=1,
        settings=(('engine', 'mujoco'),),
    )  # fmt: skip
    train(training, workers=1, keep=kept.append)
    assert kept[-1].facts == {'robot': 'shell', 'settings': {'engine': 'mujoco'}}


class Searcher:
    """A search that always asks for the same two candidates."""

    population_size, mean = 2, np.zeros(count_of((1, 1)))

    def ask(self):
        return np.ones(2)

    def tell(self, solutions):
        pass


@pytest.mark.parametrize('scores', [(-5.0, np.nan), (np.nan, -5.0), (-5.0, np.inf)])
def test_a_search_keeps_no_network_without_a_finite_score(scores):
    """Neither instead of one with a score nor before it."""
    training, kept = Training('Reach', episodes=1, chosen=1, generations=1), []

    def blank(numbers):
        return Network.of_numbers('Reach', np.zeros(1), np.ones(1), (1, 1), numbers)

    def played(networks, seeds):
        return [[Episode(0, 1, 0.0, {'score': score})] for score in scores]

    best, _ = _searched(
        training, Searcher(), blank, played, kept.append, lambda told: None, lambda: False
    )
    assert kept == [best]
    assert best.weights[0].item() == scores.index(-5.0)  # the mean is 0, the candidate 1


def test_candidates_that_diverge_are_the_worst_and_end_no_training(monkeypatch):
    """Their totals are not in the mean that is told; it is NaN if there is no other."""
    told = []

    def blank(numbers):
        return Network.of_numbers('Reach', np.zeros(1), np.ones(1), (1, 1), numbers)

    def totals(*given):
        def played(networks, seeds):
            return [[Episode(0, 1, total, {'score': -5.0})] for total in given]

        training, learnt = Training('Reach', episodes=1, chosen=1, generations=1), []
        monkeypatch.setattr(Searcher, 'tell', lambda self, found: learnt.extend(found))
        _searched(training, Searcher(), blank, played, lambda best: None, told.append, bool)
        return [value for _, value in learnt]

    assert totals(-np.inf, 2.0) == [np.inf, -2.0]
    assert told[-1].total == 2.0
    totals(-np.inf, -np.inf)
    assert np.isnan(told[-1].total)


@pytest.mark.needs('studies')
@pytest.mark.parametrize('allowed', [2, 3])
def test_a_training_whose_workers_die_ends_with_one_error(monkeypatch, allowed):
    """As when their memory does not suffice; Dask gives up after three of them.

    The scheduler of a cluster may do so later.
    """
    from distributed.scheduler import KilledWorker

    class Client:
        def submit(self, *given, **more):
            return SimpleNamespace(status='error')

        def gather(self, futures):
            raise KilledWorker('play_all', None, allowed)

    monkeypatch.setattr(
        'softshell_studies.gym.train.workers_of', lambda *given: nullcontext(Client())
    )
    told = f'a worker that played Reach died, {allowed + 1} times'
    with pytest.raises(SoftshellError, match=told):
        train(Training('Reach', generations=1))


@pytest.mark.needs('studies')
@pytest.mark.parametrize(
    ('error', 'told'),
    [
        (
            ModuleNotFoundError('No module'),
            'cannot do runs: ModuleNotFoundError: No module.* same',
        ),
        (IndexError('of a task'), 'what a worker did has failed: IndexError: of a task$'),
    ],
)
def test_a_training_whose_workers_cannot_play_ends_with_one_error(monkeypatch, error, told):
    """As when they have another version, or a task is wrong; a lost cluster is told apart."""

    class Client:
        def submit(self, *given, **more):
            return SimpleNamespace(status='error')

        def gather(self, futures):
            raise error

    monkeypatch.setattr(
        'softshell_studies.gym.train.workers_of', lambda *given: nullcontext(Client())
    )
    with pytest.raises(SoftshellError, match=told):
        train(Training('Reach', generations=1))


@pytest.mark.needs('studies')
def test_a_training_whose_workers_do_not_come_back_ends_with_an_error(monkeypatch):
    """Rather than wait for ever, where their scheduler goes on."""
    from distributed import Client, LocalCluster

    monkeypatch.setattr('softshell_studies.study.workers.GONE', 0.5)
    with (
        LocalCluster(n_workers=0, host='127.0.0.1', dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        monkeypatch.setattr(
            'softshell_studies.gym.train.workers_of', lambda *given: nullcontext(client)
        )
        told = r'^there was no worker for 0\.5 s; the training has to begin anew$'
        with pytest.raises(SoftshellError, match=told):
            train(Training('Reach'))


@pytest.mark.needs('studies')
def test_a_training_whose_workers_are_lost_says_that_it_has_to_begin_anew(monkeypatch):
    """Unlike a sweep, it cannot be continued."""

    def lost(*given):
        raise OSError('closed')

    monkeypatch.setattr('softshell_studies.gym.train._searched', lost)
    told = '^Dask on this machine was lost; the training has to begin anew$'
    with pytest.raises(SoftshellError, match=told):
        train(Training('Reach'), workers=1)


@pytest.mark.long
@pytest.mark.needs('studies')
def test_a_search_improves_and_can_be_repeated():
    """On an easy task; the result does not depend on the number of workers."""
    told = []
    training = Training('Reach', episodes=2, chosen=2, judged=2, generations=6, seed=3)
    best = train(training, workers=2, progress=told.append)
    assert told[-1].total > told[0].total
    again = train(training, workers=1)
    assert np.array_equal(again.weights[0], best.weights[0])


@pytest.mark.parametrize(
    ('wrong', 'words'),
    [
        ({'task': 'Fly'}, 'unknown task'),
        ({'episodes': 0}, 'episodes is 0; expected 1 or more'),
        ({'population': 2}, 'population is 2; expected 4 or more'),
        ({'seconds': float('nan')}, 'seconds is nan'),
        ({'seed': 5_000_000_000}, 'seed is 5000000000; expected 0 to 4294967295'),
        ({'hidden': (0,)}, 'expected sizes of 1 or more'),
    ],
)
def test_a_training_with_a_wrong_setting_is_refused(wrong, words):
    with pytest.raises(SoftshellError, match=words):
        train(Training(**{'task': 'Reach', **wrong}))
