"""A policy for the task `Reach` trained by a program on all cores, saved, loaded and scored.

Run: .venv/bin/python examples/43_train.py

Needs `./softshell setup studies`. Writes out/reach.npz.
"""

from contextlib import closing
from pathlib import Path

from softshell_studies.gym import make_task, scripted
from softshell_studies.gym.policy import load_policy, save_policy
from softshell_studies.gym.score import mean_score, scores
from softshell_studies.gym.tasks import entry_of
from softshell_studies.gym.train import Training, train

FILE, EPISODES = Path('out/reach.npz'), range(20_500, 20_510)
# Short, to show how it goes: the network that comes with the task took 339 generations.
TRAINING = Training(
    'Reach', population=12, episodes=2, chosen=8, generations=15, settings=(('engine', 'mujoco'),)
)


def tell(generation):
    """Print how far the training is."""
    print(f'generation {generation.number}: mean of all rewards {generation.total:.1f}')


if __name__ == '__main__':  # the processes that play import this file
    save_policy(train(TRAINING, progress=tell), FILE)
    learnt = load_policy(FILE)
    with closing(make_task(learnt.task, engine='mujoco')) as task:
        for name, policy in (('learnt', learnt), ('scripted', scripted(learnt.task, task))):
            episodes = scores(task, policy, EPISODES, entry_of(learnt.task).steps)
            print(f'{name}: the tip ends {-mean_score(episodes):.0f} mm from its target')
