"""A network learns to act as its teacher does: the tip of an arm follows a point, without ROS.

Run: .venv/bin/python examples/50_imitation.py

Needs `./softshell setup studies`.
"""

from contextlib import closing

import numpy as np
from follower.task import ARM, TURN, Follow

from softshell_studies.gym.imitate import imitate
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.score import scores

GAIN = 8.0  # from the distance to the speed of the tip [1/s]
STEPS = int(TURN / Follow.period)  # of an episode: one turn


class Teacher(Policy):
    """Moves the tip towards the point, by the inverse of the Jacobian of the arm."""

    def act(self, observation):
        """Rates of the joints [rad/s], for the joints [rad] and the way to the point [m]."""
        _, jacobian = ARM.forward_and_jacobian(observation[:3])
        rates = np.linalg.lstsq(jacobian[:3], GAIN * observation[3:], rcond=1e-3)[0]
        return np.clip(rates, -1.0, 1.0)


def tell(number, off):
    """Print how far actions of the network are from those of the teacher."""
    print(f'round {number + 1}: actions {off:.3f} rad/s off')


with closing(Follow()) as task:
    pupil = imitate(task, Teacher(), 'Follow', hidden=(16,), steps=STEPS, progress=tell)
    numbers = range(5)  # of episodes that it has not seen
    for name, policy in (('teacher', Teacher()), ('network', pupil)):
        behind = [-one.total / one.steps for one in scores(task, policy, numbers, STEPS)]
        print(f'{name}: {1e3 * np.mean(behind):.2f} mm behind the point')
