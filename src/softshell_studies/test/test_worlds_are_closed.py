"""A world is closed also when an error ends what is done in it: PyBullet keeps it otherwise."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World
from softshell_studies.commanded_robot import CommandedRobot
from softshell_studies.film import Film
from softshell_studies.grasper import Grasper, Thing
from softshell_studies.gym.reach import Reach
from softshell_studies.gym.tasks import make_task
from softshell_studies.soft.examples import EXAMPLES, example

pytestmark = pytest.mark.needs('pybullet')


class StopError(Exception):
    """Ends what is done."""


def stop(*given, **more):
    raise StopError


@pytest.fixture(autouse=True)
def _no_world_is_left():
    """As many worlds are open after a test as before it."""
    pybullet = pytest.importorskip('pybullet')

    def count():
        return sum(pybullet.isConnected(client) for client in range(64))

    before = count()
    yield
    assert count() == before


class Torn(Film):
    """Cannot take a picture."""

    def look(self, engine, view, time):
        stop()


@pytest.mark.parametrize('name', EXAMPLES)
def test_an_experiment_that_fails_closes_its_world(name):
    """At its first picture, or where it has more joints than PyBullet can load."""
    with pytest.raises((StopError, SoftshellError)):
        example(name).run('pybullet', Torn())


def test_a_robot_that_cannot_begin_closes_its_world():
    """One that has no legs to fit to the ground, and one that cannot stand up."""
    with pytest.raises(SoftshellError, match="'arm' has no legs"):
        CommandedRobot(WorldSettings(engine='pybullet'), 'arm', footing=True)
    with pytest.raises(SoftshellError, match="unknown action 'stand'"):
        Grasper('pybullet', Thing(0.05, True), robot='arm')


def test_a_task_that_cannot_begin_closes_its_world(monkeypatch):
    """While its robot comes to rest."""
    monkeypatch.setattr(World, 'settle', stop)
    with pytest.raises(StopError):
        make_task('Walk', engine='pybullet')


@pytest.mark.needs('studies')
def test_an_environment_that_cannot_begin_closes_its_task():
    """One of the user's own, in its first episode."""
    from softshell_studies.gym.environment import TaskEnvironment

    class Broken(Reach):
        def begin(self, random: np.random.Generator) -> None:
            stop()

    with pytest.raises(StopError):
        TaskEnvironment(Broken, engine='pybullet')


@pytest.mark.long
@pytest.mark.needs('studies')
def test_a_training_and_its_workers_close_their_tasks(monkeypatch):
    """The task of a worker is closed when another one is asked for; that of a training at its end.

    Here its worker is a thread of this process.
    """
    from contextlib import nullcontext

    from distributed import Client

    from softshell_studies.gym import train as training

    asked = training.Training('Reach', episodes=1, chosen=1, judged=1, generations=1,
                              population=4, settings=(('engine', 'pybullet'),))  # fmt: skip

    def ask_again():
        kept = training._task_of('Reach', asked.settings)
        assert training._task_of('Reach', asked.settings) is kept
        training._task_of('Reach', (('engine', 'mujoco'),)).close()

    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as one:
        monkeypatch.setattr(training, 'workers_of', lambda *given: nullcontext(one))
        training.train(asked)
        one.submit(ask_again).result()
