"""Parameters of a servo are found again in records that were made with known ones."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from softshell_control.drives.identify import StepRecord, identify, read_record
from softshell_kinematics.errors import ProblemsError, SoftshellError

INERTIA = 0.012


def record(kp, kd, friction, delay, noise=0.0, effort=np.inf, seed=0):
    """A step of 0.3 rad at 0.1 s and back at 0.7 s, every 5 ms for 1.2 s, from the equation.

    Two samples are 2 µs apart, as in a record by the time of the wall.
    """
    times = np.sort([*np.arange(0.0, 1.2, 0.005), 0.500002])

    def command(t):
        return 0.3 if 0.1 <= t < 0.7 else 0.0

    def rate(t, x):
        pull = np.clip(kp * (command(t - delay) - x[0]) - kd * x[1], -effort, effort)
        # tanh: steep enough that what sticks creeps by less than the noise.
        return [x[1], (pull - friction * np.tanh(x[1] / 1e-3)) / INERTIA]

    exact = solve_ivp(
        rate, (0.0, 1.2), [0.0, 0.0], t_eval=times, max_step=1e-3, method='LSODA', rtol=1e-7
    )
    measured = exact.y[0] + np.random.default_rng(seed).normal(0.0, noise, len(times))
    return StepRecord(times, np.array([command(t + 1e-9) for t in times]), measured)


@pytest.mark.parametrize(
    'true',
    [
        (8.0, 0.25, 0.1, 0.02),
        pytest.param((20.0, 0.3, 0.0, 0.011), marks=pytest.mark.long),
        pytest.param((4.0, 0.35, 0.15, 0.0), marks=pytest.mark.long),
    ],
)
def test_parameters_are_found_in_noise(true):
    """With 0.5 mrad of noise kp and kd within 4 %, friction by 0.02 N m and delay by 2 ms."""
    found = identify(record(*true, noise=5e-4), INERTIA)
    assert (found['kp'], found['kd']) == pytest.approx(true[:2], rel=0.04)
    assert found['dry_friction'] == pytest.approx(true[2], abs=0.02)
    assert found['delay'] == pytest.approx(true[3], abs=2e-3)
    assert found.residual == pytest.approx(5e-4, rel=0.2)


@pytest.mark.long
def test_a_motor_that_saturates_needs_its_effort():
    """Known to give 1 N m at most, the servo is found; taken to be stronger, it is not."""
    true = (12.0, 0.3, 0.05, 0.01)
    made = record(*true, noise=5e-4, effort=1.0)
    assert identify(made, INERTIA, effort=1.0)['kp'] == pytest.approx(12.0, rel=0.04)
    assert identify(made, INERTIA).residual > 3.0 * identify(made, INERTIA, 1.0).residual


@pytest.mark.long
def test_standard_errors_are_those_of_repeated_records():
    """Over 8 records kp scatters by its standard error, within a factor of two."""
    found = [identify(record(8.0, 0.25, 0.1, 0.02, 2e-3, seed=k), INERTIA) for k in range(8)]
    scatter = np.std([each['kp'] for each in found])
    assert 0.5 < scatter / np.mean([each.errors[0] for each in found]) < 2.0


@pytest.mark.long
def test_a_delay_of_zero_has_an_error_too():
    """As a delay that is hardly more, within a factor of three: they depend on when it sticks."""
    none, little = (
        identify(record(8.0, 0.25, 0.1, delay, 2e-3, seed=4), INERTIA).errors
        for delay in (0.0, 2e-3)
    )
    assert ((none > little / 3.0) & (none < 3.0 * little)).all()


def test_the_error_of_what_a_record_does_not_tell_is_infinite():
    """A motor that gives all it can until the end shows neither its stiffness nor its damping."""
    times = np.arange(0.0, 0.2, 0.005)
    path = np.where(times > 0.1, 0.5 * (0.3 / INERTIA) * (times - 0.1) ** 2, 0.0)
    found = identify(StepRecord(times, np.where(times > 0.0999, 9.0, 0.0), path), INERTIA, 0.3)
    assert np.isinf(found.errors[:2]).all()
    assert 'inf' in found.table()


def test_a_file_is_read_or_refused_by_what_is_wrong(tmp_path):
    """A CSV file gives its record; lacking columns, samples or numbers are named."""
    made, path = record(8.0, 0.25, 0.1, 0.02), tmp_path / 'step.csv'

    def write(rows, header='time,command,position'):
        np.savetxt(path, rows, delimiter=',', header=header, comments='')

    rows = np.column_stack([made.time, made.command, made.position])
    write(rows)
    assert read_record(path).position == pytest.approx(made.position)
    write(rows, 'time,target,position')
    with pytest.raises(SoftshellError, match=r'step\.csv: there is no column command; expected'):
        read_record(path)
    rows[3] = [0.0, np.nan, 0.0]
    write(rows[:6])
    with pytest.raises(ProblemsError, match=r'are 6 samples.*\n.*command is nan in sample 3'):
        read_record(path)
    with pytest.raises(SoftshellError, match=r'nothing\.csv'):
        read_record(tmp_path / 'nothing.csv')
    with pytest.raises(ProblemsError, match='time does not increase at sample 5'):
        StepRecord(np.r_[0.0:0.5:0.1, 0.4:1.0:0.1], np.ones(11), np.zeros(11))
    with pytest.raises(ProblemsError, match='never leaves the position; expected a step'):
        StepRecord(np.arange(20.0), np.zeros(20), np.zeros(20))
    with pytest.raises(SoftshellError, match='inertia is 0; expected more than 0'):
        identify(made, 0.0)
    with pytest.raises(SoftshellError, match='inertia is inf; expected a finite number'):
        identify(made, float('inf'))


@pytest.mark.parametrize('begin', [-3.0, 1e4])
def test_a_record_may_begin_at_any_time(begin):
    """What is found does not depend on it."""
    made = record(8.0, 0.25, 0.1, 0.02)
    moved = StepRecord(made.time + begin, made.command, made.position)
    assert identify(moved, INERTIA).values == pytest.approx([8.0, 0.25, 0.1, 0.02], rel=0.05)


@pytest.mark.long
def test_the_deepest_valley_is_found():
    """Without noise too, where a valley beside it, 15 % off in friction, is almost as deep."""
    found = identify(sampled(12.0, 0.4, 0.15, 0.02, 0.02, effort=5.0), 0.02, 5.0)
    assert found.values == pytest.approx([12.0, 0.4, 0.15, 0.02], rel=0.01)
    assert found.residual < 5e-5


def sampled(kp, kd, friction, delay, inertia, effort):
    """A step of 0.5 rad at 0.2 s and back at 1.6 s, every 5 ms for 3 s, in steps of 10 µs."""
    position, velocity, rows = 0.0, 0.0, []
    for tick in range(300_000):
        time = 1e-5 * tick
        target = 0.5 if 0.2 <= time - delay < 1.6 else 0.0
        pull = min(max(kp * (target - position) - kd * velocity, -effort), effort)
        if tick % 500 == 0:
            rows.append((time, 0.5 if 0.2 <= time < 1.6 else 0.0, position))
        way = np.sign(velocity or pull)
        rate = 0.0 if velocity == 0.0 and abs(pull) <= friction else pull - way * friction
        faster = velocity + 1e-5 * rate / inertia
        velocity = 0.0 if faster * velocity < 0.0 else faster
        position += 1e-5 * velocity
    return StepRecord(*np.array(rows).T)


def test_a_joint_that_does_not_follow_and_an_empty_file_are_refused(tmp_path):
    """There is nothing to be found, and no number is made up."""
    with pytest.raises(ProblemsError, match='the position never changes; expected a joint that'):
        StepRecord(np.arange(20) * 0.01, np.ones(20), np.zeros(20))
    (tmp_path / 'empty.csv').write_text('')
    with pytest.raises(SoftshellError, match=r'empty\.csv: .*Empty input file.*; expected a CSV'):
        read_record(tmp_path / 'empty.csv')
