"""What a sensor makes of the truth, against statistics and closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_sim.sensing.sampling import SampleQueue
from softshell_sim.sensing.sampling_settings import SamplingSettings
from softshell_sim.sensing.sensor_models import (
    OrientationModel,
    Quantity,
    Sensor,
    SensorModel,
    VectorModel,
)
from softshell_sim.sensing.sensor_settings import SignalSettings
from softshell_sim.sensing.signals import STREAMS, stream

AXES = ('x', 'y', 'z')
#: Samples; of a normal distribution their mean is within 4/√n, their deviation within 4/√(2n).
MANY = 20_000
PERIOD = 0.004


def vector_model(seed=0, **settings):
    model = VectorModel(SignalSettings(**settings), AXES)
    model.begin(stream(seed, 0))
    return model


def samples(model, truth, count=MANY):
    return np.array([model.sample(np.asarray(truth)) for _ in range(count)])


def test_noise_has_the_mean_and_the_deviation_that_are_asked_for():
    """Of each component, and the share beyond 2 σ is that of a normal distribution, 4.55 %."""
    found = samples(vector_model(noise=0.3), [1.0, -2.0, 5.0])
    assert found.mean(axis=0) == pytest.approx([1.0, -2.0, 5.0], abs=4 * 0.3 / MANY**0.5)
    assert found.std(axis=0) == pytest.approx(0.3, rel=4 / (2 * MANY) ** 0.5)
    beyond = (np.abs(found - [1.0, -2.0, 5.0]) > 0.6).mean()
    assert beyond == pytest.approx(0.0455, abs=4 * (0.0455 / (3 * MANY)) ** 0.5)


def test_noise_is_new_in_every_component_and_every_sample():
    """Neither components nor samples that follow each other are correlated."""
    found = samples(vector_model(noise=1.0), np.zeros(3))
    bound = 4 / MANY**0.5
    between = np.corrcoef(found.T)[np.triu_indices(3, 1)]
    assert np.abs(between).max() < bound
    for column in found.T:
        assert abs(np.corrcoef(column[:-1], column[1:])[0, 1]) < bound


def test_streams_of_noise_are_independent():
    """Two quantities of one world, and one quantity of two worlds, have nothing in common."""
    first = samples(vector_model(noise=1.0), np.zeros(3)).ravel()
    assert len(set(STREAMS.values())) == len(STREAMS)
    for seed in (stream(0, 1), stream(1, 0)):
        model = VectorModel(SignalSettings(noise=1.0), AXES)
        model.begin(seed)
        other = samples(model, np.zeros(3)).ravel()
        assert abs(np.corrcoef(first, other)[0, 1]) < 4 / (3 * MANY) ** 0.5
    children = np.random.SeedSequence(7).spawn(3)
    assert stream(7, 2).generate_state(4).tolist() == children[2].generate_state(4).tolist()


def test_bias_is_the_same_in_every_sample():
    """One number adds to all components; numbers by name add to theirs alone."""
    for bias, wanted in ((0.5, [1.5, 2.5, 3.5]), ({'z': -1.0, 'x': 2.0}, [3.0, 2.0, 2.0])):
        found = samples(vector_model(bias=bias), [1.0, 2.0, 3.0], 5)
        assert found.tolist() == [wanted] * 5
    rows = vector_model(bias={'y': 1.0}).sample(np.zeros((2, 3)))
    assert rows.tolist() == [[0.0, 1.0, 0.0]] * 2


def test_digits_are_multiples_of_the_resolution():
    """What is measured is the multiple nearest to truth and bias; so its error is even."""
    model = vector_model(resolution=0.25, bias=0.1)
    assert model.sample(np.array([0.0, 0.02, 1.4])).tolist() == [0.0, 0.0, 1.5]
    truths = np.random.default_rng(3).uniform(-50.0, 50.0, (MANY, 3))
    errors = model.sample(truths) - truths - 0.1
    assert np.abs(errors).max() <= 0.125 + 1e-12
    assert errors.std() == pytest.approx(0.25 / 12**0.5, rel=0.02)


def test_noise_of_an_orientation_is_a_small_turn():
    """Its rotation vector against the truth has the mean and deviation of each axis."""
    model = OrientationModel(SignalSettings(noise=0.02, bias={'y': 0.05}), AXES)
    truth = Rotation.from_euler('zyx', [2.0, -0.7, 0.4])
    found = samples(model, truth.as_quat())
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0)
    turns = (truth.inv() * Rotation.from_quat(found)).as_rotvec()
    assert turns.mean(axis=0) == pytest.approx([0.0, 0.05, 0.0], abs=4 * 0.02 / MANY**0.5)
    assert turns.std(axis=0) == pytest.approx(0.02, rel=4 / (2 * MANY) ** 0.5)


def test_bias_of_an_orientation_is_about_its_own_axes():
    """It adds up to one turn by the right, by Rodrigues' formula, however large it is."""
    model = OrientationModel(SignalSettings(bias={'x': 1.2, 'z': -0.9}), AXES)
    truth = Rotation.from_rotvec([0.3, 2.0, -0.5])
    wanted = truth * Rotation.from_rotvec([1.2, 0.0, -0.9])
    found = Rotation.from_quat(model.sample(truth.as_quat()))
    assert (wanted.inv() * found).magnitude() < 1e-12


def test_digits_of_an_orientation_are_those_of_its_angles():
    """Yaw, pitch and roll come in steps."""
    model = OrientationModel(SignalSettings(resolution=0.1), AXES)
    found = model.sample(Rotation.from_euler('ZYX', [0.52, -0.27, 1.13]).as_quat())
    assert Rotation.from_quat(found).as_euler('ZYX') == pytest.approx([0.5, -0.3, 1.1])


def test_digits_and_a_turn_together():
    """The turn comes first, and rounds as scipy does it, whatever the orientation."""
    model = OrientationModel(SignalSettings(bias={'x': 0.3, 'z': -0.2}, resolution=0.05), AXES)
    turn = Rotation.from_rotvec([0.3, 0.0, -0.2])
    for truth in Rotation.random(200, random_state=4):
        angles = (truth * turn).as_euler('ZYX')
        wanted = Rotation.from_euler('ZYX', np.round(angles / 0.05) * 0.05)
        found = model.sample(truth.as_quat())
        assert found @ truth.as_quat() > 0.5
        assert (wanted.inv() * Rotation.from_quat(found)).magnitude() < 1e-9


def watched(settings, steps, first=0):
    """What a sensor shows of a clock [control periods] at each period, and its ages [s]."""
    truth, shown = np.zeros(1), np.zeros(1)
    sensor = Sensor(SamplingSettings(**settings), [Quantity(truth, shown, SensorModel())])
    values, ages = [], []
    for step in range(first, first + steps):
        truth[:] = step
        ages.append(sensor.read(step * PERIOD))
        values.append(shown[0])
    return np.array(values), np.array(ages)


@pytest.mark.parametrize(('delay', 'periods'), [(0.0, 0), (0.004, 1), (0.01, 3), (0.02, 5)])
def test_delay_is_exact_to_the_control_period(delay, periods):
    """Shown is the newest sample that is at least so old; its age says exactly how old."""
    values, ages = watched({'delay': delay}, 500)
    steps = np.arange(500)
    assert values.tolist() == np.maximum(steps - periods, 0).tolist()
    assert ages == pytest.approx((steps - values) * PERIOD, abs=1e-12)


@pytest.mark.parametrize('rate', [250.0, 125.0, 100.0, 60.0, 7.0, 1000.0])
def test_samples_come_at_the_rate(rate):
    """As many as the rate says, never more than one a period; between them the last one stays."""
    seconds = 10
    values, ages = watched({'rate': rate}, round(seconds / PERIOD))
    times = np.unique(values) * PERIOD
    assert len(times) == pytest.approx(seconds * min(rate, 1 / PERIOD), abs=1)
    assert ages.max() < 1 / min(rate, 1 / PERIOD) + PERIOD - 1e-9
    if rate < 1 / PERIOD:
        late = times - np.arange(len(times)) / rate
        assert late.min() > -1e-9
        assert late.max() < PERIOD


def test_rate_and_delay_add_up():
    """A sample of every 20 ms is shown 12 ms later, and for 20 ms."""
    values, ages = watched({'rate': 50.0, 'delay': 0.012}, 100)
    steps = np.arange(100)
    assert values.tolist() == np.maximum((steps - 3) // 5 * 5, 0).tolist()
    assert ages[10:].min() == pytest.approx(0.012)
    assert ages[10:].max() == pytest.approx(0.028)


def test_nothing_is_sampled_twice_at_one_time():
    """Reading again at the same time shows the same, and draws no noise."""
    truth, shown = np.zeros(3), np.zeros(3)
    sensor = Sensor(SamplingSettings(), [Quantity(truth, shown, vector_model(noise=1.0))])
    sensor.read(0.0)
    first = shown.copy()
    sensor.read(0.0)
    assert shown.tolist() == first.tolist()
    sensor.read(PERIOD)
    assert (shown != first).all()


def test_a_queue_goes_on_from_where_it_was_saved():
    """Samples that wait, the one that is shown and the next time to sample come back."""
    queue = SampleQueue(SamplingSettings(rate=100.0, delay=0.02))
    rows = []
    for begin in (0, 20):
        content = queue.save()
        for _ in range(2):
            queue.restore(content)
            row = []
            for step in range(begin, begin + 20):
                if queue.due(step * PERIOD):
                    queue.push(step * PERIOD, step)
                row.append(queue.shown(step * PERIOD))
            rows.append(row)
    assert rows[0] == rows[1]
    assert rows[2] == rows[3]
    assert rows[2][0][1] == 15
