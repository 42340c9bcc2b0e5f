"""Environments satisfy Gymnasium, and episodes can be repeated exactly."""

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState
from softshell_sim.changing.changes import Place
from softshell_studies.gym.policy import TRAINED, Policy, load_policy
from softshell_studies.gym.score import mean_score, play, scores
from softshell_studies.gym.task import size_of
from softshell_studies.gym.tasks import TASKS, make_task, scripted

LONG = pytest.mark.long
#: Standard deviation of the score of an episode with the scripted policy, and of how many episodes
#: the mean is taken here.
BY_HAND = {
    'Walk': (0.64, 10),
    'WalkRough': (3.4, 10),
    'Roll': (0.65, 10),
    'Reach': (2.5, 20),
    'ReachObstacle': (1.1, 20),
    'Push': (2.5, 20),
    'Hand': (2.1, 3),
    'Snake': (0.003, 3),
}
#: Scores of the scripted and of the trained policy, as docs/learning.md has them.
SCORES = {
    name: (scripted, trained)
    for name, scripted, trained in re.findall(
        r'^\| `(\w+)` \|.*\| (\S+) \| (.*?) ?\|$',
        (Path(__file__).parents[3] / 'docs/learning.md').read_text(encoding='utf-8'),
        re.MULTILINE,
    )
}
#: Tasks whose worlds take longest.
SLOW = ('WalkRough', 'Roll', 'Snake')


@pytest.mark.needs('studies')
@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=LONG if name in SLOW else ()) for name in TASKS]
)
def test_the_checker_of_gymnasium_reports_nothing(name):
    """Neither an error nor a warning; an episode is truncated after its steps.

    Other checkers want plain numbers and truths as well.
    """
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    environment = gymnasium.make(f'softshell_studies.gym:softshell/{name}-v0', render_mode=None)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_env(environment.unwrapped, skip_render_check=True)
    still = np.zeros(environment.action_space.shape, np.float32)
    _, *told, _ = environment.unwrapped.step(still)
    assert [type(value) for value in told] == [float, bool, bool]
    assert environment.spec.max_episode_steps == TASKS[name].steps
    environment.close()


@pytest.mark.needs('studies')
def test_each_step_has_measurements_and_the_last_is_truncated():
    import gymnasium

    environment = gymnasium.make('softshell_studies.gym:softshell/Reach-v0')
    observation, told = environment.reset(seed=1)
    assert observation.shape == (size_of(environment.unwrapped.task.observations),)
    still = np.zeros(environment.action_space.shape, np.float32)
    for _ in range(TASKS['Reach'].steps - 1):
        _, reward, failed, over, told = environment.step(still)
        assert not failed
        assert not over
    *_, over, _ = environment.step(still)
    assert over
    assert told['score'] == pytest.approx(-1e3 * told['distance'])
    assert reward == pytest.approx(-told['distance'] / 0.5, abs=1e-3)
    for wrong in (np.zeros(3), np.full(4, np.nan)):
        with pytest.raises(SoftshellError, match='expected 4 finite numbers from -1 to 1'):
            environment.unwrapped.step(wrong)
    with pytest.raises(SoftshellError, match="render_mode is 'human'; expected rgb_array"):
        environment.unwrapped.__class__('Reach', render_mode='human')
    environment.close()


@pytest.mark.needs('studies')
def test_environments_in_several_processes_are_independent():
    """Each gives the same as it does alone."""
    import gymnasium

    name = 'softshell_studies.gym:softshell/Reach-v0'
    together = gymnasium.make_vec(name, num_envs=2, vectorization_mode='async')
    alone = gymnasium.make(name)
    first, _ = together.reset(seed=[5, 6])
    seen, _ = alone.reset(seed=6)
    assert np.array_equal(first[1], seen)
    action = np.full((2, 4), 0.3, np.float32)
    for _ in range(20):
        rows, *_ = together.step(action)
        seen, *_ = alone.step(action[1])
    assert np.array_equal(rows[1], seen)
    together.close()
    alone.close()


@pytest.mark.needs('studies')
def test_pictures_are_rendered_only_with_a_render_mode():
    import gymnasium

    environment = gymnasium.make(
        'softshell_studies.gym:softshell/Reach-v0', render_mode='rgb_array'
    )
    environment.reset(seed=0)
    picture = environment.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert picture.std() > 5.0
    environment.close()


@pytest.mark.parametrize(
    ('name', 'engine'),
    [
        ('Reach', 'mujoco'),
        ('Push', 'mujoco'),
        pytest.param('Roll', 'mujoco', marks=LONG),
        pytest.param('ReachObstacle', 'pybullet', marks=LONG),
        *(pytest.param(name, 'mujoco', marks=LONG) for name in ('Walk', 'WalkRough', 'Hand')),
        *(pytest.param(name, 'pybullet', marks=LONG) for name in ('Walk', 'Push', 'Snake')),
    ],
)
def test_the_same_seed_and_actions_give_the_same_episode(name, engine):
    """Bit for bit, also after other episodes and in a new world."""

    def seen(task, seed):
        random = np.random.default_rng(3)
        task.begin(np.random.default_rng(seed))
        rows = []
        for _ in range(15):
            task.act(random.uniform(-1.0, 1.0, size_of(task.actions)))
            rows.append(np.append(task.observe(), task.reward()))
        return np.array(rows)

    one, other = make_task(name, engine=engine), make_task(name, engine=engine)
    first = seen(one, 7)
    seen(one, 8)
    assert np.array_equal(seen(one, 7), first)
    assert np.array_equal(seen(other, 7), first)
    assert not np.array_equal(seen(other, 8), first)
    one.close()
    other.close()


def rounding(told: str) -> float:
    """Half a unit of the last digit of a number."""
    return 0.5 * 10.0 ** -len(told.partition('.')[2])


@pytest.mark.parametrize(
    ('name', 'engine', 'episodes'),
    [
        ('Reach', 'mujoco', 3),
        ('ReachObstacle', 'mujoco', 3),
        ('Push', 'mujoco', 2),
        *(
            pytest.param(name, 'mujoco', episodes, marks=LONG)
            for name, (_, episodes) in BY_HAND.items()
        ),
        *(
            pytest.param(name, 'pybullet', 2, marks=LONG)
            for name in ('Walk', 'Roll', 'Reach', 'ReachObstacle', 'Push')
        ),
    ],
)
def test_the_scripted_policy_reaches_its_documented_score(name, engine, episodes):
    """No episode fails, and the mean score is that of docs/learning.md within two standard errors.

    On another engine than MuJoCo it is no worse.
    """
    task, steps = make_task(name, engine=engine), TASKS[name].steps
    played = scores(task, scripted(name, task), range(20_000, 20_000 + episodes), steps)
    task.close()
    assert all(episode.steps == steps for episode in played)
    told, margin = SCORES[name][0], 2.0 * BY_HAND[name][0] / math.sqrt(episodes)
    least = float(told) - rounding(told) - margin
    assert mean_score(played) > least
    if engine == 'mujoco':
        assert mean_score(played) < float(told) + rounding(told) + margin


def test_the_scores_of_trained_policies_on_the_page_are_those_in_their_files():
    """Of each policy that is installed, with that of the scripted policy on the same episodes."""
    files = sorted(TRAINED.glob('*.npz'))
    assert {name for name, row in SCORES.items() if row[1]} == {path.stem for path in files}
    for path in files:
        facts = load_policy(path).facts
        assert facts['episodes'] == 20
        for told, name in zip(SCORES[path.stem], ('score_by_hand', 'score'), strict=True):
            number = told.partition(',')[0]
            assert float(number) == pytest.approx(facts[name], abs=rounding(number))


def test_a_robot_that_leans_too_far_has_fallen():
    """The episode ends, and the reward is lower."""
    task = make_task('Walk')
    task.begin(np.random.default_rng(0))
    still = np.zeros(size_of(task.actions))
    task.act(still)
    assert not task.failed
    before = task.reward()
    lying = transform(rotation_about((1.0, 0.0, 0.0), 1.2), (0.0, 0.0, 0.4))
    task.world.apply([Place('robot', BodyState.at_rest(lying))])
    task.act(still)
    assert task.failed
    assert task.reward() < before - 5.0
    assert task.measured()['fallen'] == 1.0
    assert task.measured()['score'] <= -1000.0
    task.close()


def test_wrong_names_settings_and_actions_are_refused():
    with pytest.raises(UnknownNameError, match='did you mean Reach'):
        make_task('Reachh')
    with pytest.raises(ProblemsError) as caught:
        make_task('Reach', engine='bullet', gravty=3.0, steps_per_action=0)
    text = str(caught.value)
    assert "engine: is 'bullet'; expected 'mujoco' or 'pybullet'" in text
    assert "gravty: unknown key; did you mean 'gravity'?" in text
    assert 'steps_per_action: is 0; expected at least 1' in text
    with pytest.raises(SoftshellError, match='has no legs'):
        make_task('Walk', robot='arm')
    with pytest.raises(SoftshellError, match='has no cage'):
        make_task('Roll', robot='quadruped')


def test_kinematics_of_the_plane_agree_with_frames_and_differences():
    """The position of the tip by the frames of all links; its Jacobian by differences."""
    from softshell_studies.gym.planar_arm import tip_of

    task = make_task('Reach')
    task.begin(np.random.default_rng(0))
    for _ in range(60):
        task.act(np.array([0.5, -0.4, 0.3, 0.2]))
    x, y, z = task.soft.tip('arm')[:3, 3]
    along, aside = task.observe()[4:6]
    assert abs(x) < 1e-9
    assert [along, aside] == pytest.approx([-z, y], abs=1e-9)
    angles = np.random.default_rng(1).normal(size=20) * 0.2
    point, jacobian = tip_of(angles)
    for joint in range(20):
        moved, _ = tip_of(angles + 1e-6 * (np.arange(20) == joint))
        assert jacobian[:, joint] == pytest.approx((moved - point) / 1e-6, abs=1e-5)
    task.close()


@pytest.mark.parametrize('name', ['Walk', 'Roll'])
def test_a_task_observes_what_the_stack_measures(name):
    """Through the same wiring as the node on the stack."""
    task = make_task(name)
    task.begin(np.random.default_rng(2))
    for _ in range(5):
        task.act(np.zeros(size_of(task.actions)))
    measured = task._core.measured
    base = measured.base
    down = task.observe()[9:12] if name == 'Walk' else task.observe()[3:6]
    x, y, z, w = base.orientation
    assert down == pytest.approx(
        [-2 * (x * z - w * y), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1]
    )
    task.close()


def test_an_episode_ends_when_the_task_has_failed():
    """A cube is thrown off the palm; `play` returns the number of steps."""
    task, pushed = make_task('Hand'), []

    class Pusher(Policy):
        def act(self, observation):
            pushed.append(observation)
            if len(pushed) == 5:
                task.engine.place(task._cube, BodyState.at_rest(shift(0.2, 0.0, 0.2)))
            return np.zeros(8)

    episode = play(task, Pusher(), 0, 400)
    task.close()
    assert episode.steps == 5
    assert episode.measured['off'] == pytest.approx(0.2, abs=0.01)


@pytest.mark.needs('studies')
@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_a_copied_environment_has_a_world_of_its_own(engine):
    """It has the same settings; steps in one do not change the other."""
    import copy

    import gymnasium

    name = 'softshell_studies.gym:softshell/Reach-v0'
    first = gymnasium.make(name, engine=engine, obstacle=True).unwrapped
    other = copy.deepcopy(first)
    one, _ = first.reset(seed=4)
    two, _ = other.reset(seed=4)
    assert np.array_equal(one, two)
    action = np.full(4, 0.5, np.float32)
    for _ in range(5):
        one, *_ = first.step(action)
    still, *_ = other.step(np.zeros(4, np.float32))
    assert not np.array_equal(one, still)
    other.reset(seed=4)
    for _ in range(5):
        two, *_ = other.step(action)
    assert np.array_equal(one, two)
    with pytest.raises(SoftshellError, match="action is 'left'; expected 4 finite numbers"):
        first.step('left')
    first.close()
    other.close()


@pytest.mark.needs('studies')
def test_a_task_of_ones_own_is_an_environment_by_its_class():
    """With its settings, and again in a copy; a copy is made from the same class."""
    import copy

    from softshell_studies.gym.environment import TaskEnvironment
    from softshell_studies.gym.reach import Reach

    first = TaskEnvironment(Reach, obstacle=True)
    other = copy.deepcopy(first)
    assert type(other.task) is Reach
    assert other.observation_space.shape == (22,)  # two more for the obstacle
    assert np.array_equal(first.reset(seed=3)[0], other.reset(seed=3)[0])
    first.close()
    other.close()
