"""Networks: files, imitation, and wiring to robots."""

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from softshell_control.channel import limits_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_studies.gym.imitate import _gradient, _layers, fit, imitate
from softshell_studies.gym.policy import (
    TRAINED,
    Network,
    Policy,
    count_of,
    load_policy,
    save_policy,
    trained,
)
from softshell_studies.gym.policy_check import refuse_misfit, wired_policy
from softshell_studies.gym.score import mean_score, scores
from softshell_studies.gym.task import Part, Task, size_of
from softshell_studies.gym.tasks import make_task
from softshell_studies.gym.wiring import Sensed, WalkWiring, wiring_of

SIZES = (3, 5, 2)


#: What a file tells besides its arrays, with its facts left open.
TOLD = '{"version": 1, "task": "Reach", "facts": %s}'


def rewrite(path, **arrays):
    """Write a file of a policy again, with some other arrays; without those that are None."""
    with np.load(path) as content:
        arrays = {**content, **arrays}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.fixture
def network():
    random = np.random.default_rng(0)
    numbers = random.normal(size=count_of(SIZES))
    return Network.of_numbers('Reach', random.normal(size=3), np.ones(3), SIZES, numbers)


def test_a_network_computes_the_layers_of_its_numbers(network):
    """Against a computation by hand; the numbers are the weights, scaled, and the biases."""
    seen = np.array([0.3, -0.2, 0.5])
    inner = np.tanh(network.weights[0] @ (seen - network.mean) + network.biases[0])
    assert network.act(seen) == pytest.approx(
        np.tanh(network.weights[1] @ inner + network.biases[1])
    )
    numbers = []
    for weight, bias in zip(network.weights, network.biases, strict=True):
        numbers += [*(weight * np.sqrt(weight.shape[1])).ravel(), *bias]
    again = Network.of_numbers('Reach', network.mean, network.spread, SIZES, np.array(numbers))
    assert again.act(seen) == pytest.approx(network.act(seen))


def test_a_policy_is_read_as_it_was_written(network, tmp_path):
    """In single precision, with its facts."""
    network.facts = {'score': -3.5}
    save_policy(network, tmp_path / 'deep/one.npz')
    read = load_policy(tmp_path / 'deep/one.npz')
    seen = np.array([0.3, -0.2, 0.5])
    assert read.act(seen) == pytest.approx(network.act(seen), abs=1e-6)
    assert (read.task, read.facts) == ('Reach', {'score': -3.5})


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (lambda path: path.unlink(), 'cannot be read: No such file'),
        (lambda path: path.write_bytes(b'no archive'), 'is no policy'),
        (lambda path: path.write_bytes(path.read_bytes()[:300]), 'is no policy'),
        (lambda path: np.savez(path, other=np.zeros(3)), 'is no policy'),
        (lambda path: rewrite(path, mean=np.array(1.0)), 'the sizes of its layers do not match'),
        (lambda path: rewrite(path, bias_1=np.array(1.0)), 'the sizes of its layers do not match'),
        (lambda path: rewrite(path, spread=np.zeros(3)), 'or a spread is not above 0'),
        (lambda path: rewrite(path, bias_1=None), 'it has .*weight_1; expected mean, spread, and'),
        (lambda path: rewrite(path, weight_7=np.zeros((2, 2))), 'it has .*weight_7; expected'),
        (lambda path: rewrite(path, more=np.zeros(2), other=np.zeros(2)), 'it has .*more, other;'),
        (lambda path: rewrite(path, bias_1=np.full(2, 1j)), 'it has .*bias_1 of complex128; expe'),
        (lambda path: rewrite(path, mean=np.array(['1'] * 3)), 'it has .*mean of <U1.*; expected'),
        (lambda path: rewrite(path, told=TOLD % '5'), 'its facts are 5; expected values by name'),
        (lambda path: rewrite(path, told=TOLD % '[]'), r'its facts are \[\]; expected values'),
        (lambda path: np.savez(path, told=np.array('{"version": 9}')), 'of version 9; expected 1'),
    ],
)
def test_a_file_that_is_no_policy_is_refused_in_one_line(network, tmp_path, change, words):
    path = tmp_path / 'one.npz'
    save_policy(network, path)
    change(path)
    with pytest.raises(SoftshellError, match=words) as caught:
        load_policy(path)
    assert '\n' not in str(caught.value)


@pytest.mark.long
def test_a_file_with_a_wrong_byte_is_refused_or_read(network, tmp_path):
    """Whichever byte it is, no other error is raised."""
    path, refused = tmp_path / 'one.npz', 0
    save_policy(network, path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            load_policy(path)
        except SoftshellError:
            refused += 1
    assert refused > len(whole) // 2


def test_a_damaged_member_whose_checksum_is_right_is_refused_by_its_file(network, tmp_path):
    """Whatever its bytes are then: no array at all, or a header that is no Python."""
    path, refused = tmp_path / 'one.npz', []
    save_policy(network, path)
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    whole = members['mean.npy']
    header = range(whole.index(b'}') + 1)
    for damaged in (b'no array', *(whole[:k] + b'(' + whole[k + 1 :] for k in header)):
        with ZipFile(path, 'w') as archive:
            for name, content in (members | {'mean.npy': damaged}).items():
                archive.writestr(name, content)
        try:
            load_policy(path)
        except SoftshellError as error:
            refused.append(str(error))
    assert len(refused) > len(header) // 2
    assert all(text.startswith(f'{path} is ') for text in refused)


def test_layers_whose_sizes_do_not_match_are_refused(network, tmp_path):
    network.weights[1] = np.zeros((2, 4))
    save_policy(network, tmp_path / 'one.npz')
    with pytest.raises(SoftshellError, match='the sizes of its layers do not match'):
        load_policy(tmp_path / 'one.npz')


def test_the_gradient_agrees_with_finite_differences(network):
    """Of half the mean over rows of the squared error."""
    random = np.random.default_rng(1)
    rows, targets = random.normal(size=(7, 3)), random.uniform(-0.9, 0.9, (7, 2))
    values = [np.array(one) for pair in zip(network.weights, network.biases, strict=True)
              for one in pair]  # fmt: skip

    def half_square():
        return 0.5 * np.mean(((_layers(values, rows)[-1] - targets) ** 2).sum(axis=1))

    for value, change in zip(values, _gradient(values, rows, targets), strict=True):
        for place in np.ndindex(value.shape):
            kept = value[place]
            value[place] = kept + 1e-6
            more = half_square()
            value[place] = kept - 1e-6
            less = half_square()
            value[place] = kept
            assert change[place] == pytest.approx((more - less) / 2e-6, abs=1e-7)


class Follow(Task):
    """A point is to follow a target: what is right is their difference."""

    actions = (Part('speed', 2, 'm/s', ''),)
    observations = (Part('error', 2, 'm', ''),)
    period = 0.1

    def begin(self, random):
        self._target, self._at = random.uniform(-1.0, 1.0, 2), np.zeros(2)

    def act(self, action):
        self._at = self._at + self.period * np.clip(action, -1.0, 1.0)

    def observe(self):
        return self._target - self._at

    def reward(self):
        return -float(np.linalg.norm(self.observe()))

    def measured(self):
        return {'score': self.reward()}

    def picture(self):
        return np.zeros((2, 2, 3), np.uint8)

    def close(self):
        pass


class Ahead(Policy):
    def act(self, observation):
        return 0.9 * np.tanh(2.0 * observation)


@pytest.mark.long
def test_a_network_learns_to_act_as_its_teacher():
    """It scores as well on episodes that were not used in the training."""
    task = Follow()
    pupil = imitate(task, Ahead(), 'Follow', (8,), 60)
    by_teacher, by_pupil = (
        mean_score(scores(task, one, range(9), 60)) for one in (Ahead(), pupil)
    )
    assert by_pupil > by_teacher - 0.02


def test_a_fit_reduces_the_error(network):
    random = np.random.default_rng(2)
    rows = random.normal(size=(400, 3))
    targets = 0.5 * np.tanh(rows @ random.normal(size=(3, 2)))
    network.mean[:] = 0.0
    assert fit(network, rows, targets, random) < 0.02


def test_each_installed_network_fits_its_task():
    """Its sizes are those of the observations and actions of the task."""
    files = sorted(TRAINED.glob('*.npz'))
    assert {path.stem for path in files} >= {'Walk'}
    for path in files:
        network = load_policy(path)
        assert network.task == path.stem
        task = make_task(network.task)
        assert len(network.mean) == size_of(task.observations)
        assert len(network.biases[-1]) == size_of(task.actions)
        task.close()
    with pytest.raises(SoftshellError, match='no trained policy comes with task Fly; one comes'):
        trained('Fly')


def test_a_policy_fits_the_robot_that_it_was_trained_with(tmp_path):
    network, wiring = wired_policy(trained('Walk'), 'shell')
    assert wiring.pose == 'stand'
    observation = wiring.observe(Sensed(wiring.centre, np.zeros(37)), np.zeros(3))
    positions = wiring.positions(network.act(observation))
    assert (positions >= wiring.robot.lower_limits).all()
    assert (positions <= wiring.robot.upper_limits).all()
    network.facts = {}  # without the robot's name, the sizes decide
    save_policy(network, tmp_path / 'one.npz')
    with pytest.raises(SoftshellError, match=r"expected 50 and 12 for robot 'quadruped': it was"):
        wired_policy(tmp_path / 'one.npz', 'quadruped')
    with pytest.raises(SoftshellError, match="robot 'arm' has no legs"):
        wired_policy(trained('Walk'), 'arm')
    with pytest.raises(SoftshellError, match='moves no robot of the stack; expected one for Walk'):
        wiring_of('Reach', load_robot('shell'))


def test_a_wiring_keeps_joints_within_limits_and_moves_no_others():
    wiring = WalkWiring(load_robot('shell'))
    far = wiring.positions(np.full(18, 9.0))
    assert np.flatnonzero(far != wiring.centre).tolist() == wiring.moved.tolist()
    assert np.abs(far - wiring.centre).max() <= 0.5
    assert wiring.last.max() == 1.0
    wiring.begin()
    assert wiring.time == 0.0


def test_a_task_and_its_wiring_give_the_same_rates(monkeypatch):
    """The node on the stack takes them from the wiring too."""
    task, offered = make_task('Walk'), []
    task.begin(np.random.default_rng(0))
    offer = task._core.offer
    monkeypatch.setattr(task._core, 'offer', lambda each: (offered.append(each), offer(each)))
    before = task._target.copy()
    for action in (np.full(18, 0.02), np.full(18, -1.0)):
        task.act(action)
    task.close()
    for one in offered:
        rates = task.wiring.rates(one.values[0], before)
        assert np.array_equal(one.rates[0], rates)
        before = one.values[0]
    moved = task.wiring.moved
    assert np.array_equal(-rates[moved], limits_of(task.wiring.robot).rate[moved])


def test_a_policy_for_another_robot_is_refused(tmp_path):
    """Also if that robot has joints of the same names."""
    with pytest.raises(
        SoftshellError, match="trained with robot 'shell'; expected a policy for 'shell_"
    ):
        wired_policy(trained('Walk'), 'shell_fingers')


def test_a_policy_of_other_sizes_is_refused(network):
    """Whether it is for a robot or for a task without one."""
    sizes = len(network.mean), len(network.biases[-1])
    refuse_misfit(Path('a.npz'), network, None, *sizes)
    with pytest.raises(
        SoftshellError, match=r'a\.npz takes \d+ numbers and returns \d+; expected 1 and 2: it was'
    ):
        refuse_misfit(Path('a.npz'), network, None, 1, 2)


def test_a_ball_without_a_velocity_keeps_its_panels_closed():
    """Without a velocity there is no heading; a walking robot steps on the spot."""
    robot = load_robot('shell')
    rolls, walks = wiring_of('Roll', robot), WalkWiring(robot)
    assert rolls.wish(np.array([0.0, 0.01, 1.0])) is None
    assert rolls.positions(rolls.still) == pytest.approx(robot.pose('ball'), abs=1e-9)
    assert rolls.wish(np.array([0.0, 0.5, 0.0])) == pytest.approx([np.pi / 2])
    assert walks.wish(np.zeros(3)) == pytest.approx(np.zeros(3))


def test_a_rounded_network_is_the_one_in_its_file(network, tmp_path):
    """So what it was judged by is what its file holds."""
    save_policy(network, tmp_path / 'a.npz')
    read, rounded = load_policy(tmp_path / 'a.npz'), network.rounded()
    seen = np.array([0.3, -0.2, 0.5])
    assert np.array_equal(read.act(seen), rounded.act(seen))
    assert not np.array_equal(read.act(seen), network.act(seen))
