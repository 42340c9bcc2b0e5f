"""A learner of your own on parallel environments of Gymnasium: a hanging arm raises its tip.

Run: .venv/bin/python examples/33_learner.py

Needs `./softshell setup studies`. Writes out/learner.png.
"""

from pathlib import Path

import cmaes
import gymnasium
import matplotlib.pyplot as plt
import numpy as np

NAME = 'softshell_studies.gym:softshell/Reach-v0'
STEPS, WORLDS, TRIED, ROUNDS = 100, 4, 12, 25


class Raise(gymnasium.ObservationWrapper):
    """The arm of the task `Reach`; it sees its tip alone, along (downwards) and aside [m]."""

    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def observation(self, observation):
        """(2,) the tip, which `Reach` shows after target and error."""
        return observation[4:6]


def heights(worlds, policies):
    """(policies,) of the tip above the base, over the second half of an episode [m]."""
    found = []
    for batch in policies.reshape(-1, WORLDS, 4, 3):  # four moments, by the tip and by 1
        tips = [worlds.reset(seed=0)[0]]
        for _ in range(STEPS):
            inputs = np.column_stack([tips[-1], np.ones(WORLDS)])
            moments = np.tanh(np.einsum('wmi,wi->wm', batch, inputs))
            tips.append(worlds.step(moments.astype(np.float32))[0])
        found.append(-np.mean(tips[STEPS // 2 :], axis=0)[:, 0])
    return np.concatenate(found)


if __name__ == '__main__':  # the processes of the worlds import this file
    worlds = gymnasium.make_vec(NAME, WORLDS, 'async', wrappers=[Raise])
    print(f'without moments: tip at {heights(worlds, np.zeros((WORLDS, 12)))[0]:.3f} m')
    search = cmaes.CMA(np.zeros(12), sigma=0.7, population_size=TRIED, seed=0)
    rounds = []
    for _ in range(ROUNDS):
        policies = np.array([search.ask() for _ in range(TRIED)])
        rounds.append(heights(worlds, policies))
        search.tell(list(zip(policies, -rounds[-1], strict=True)))
    print(f'learnt: tip at {np.max(rounds[-1]):.3f} m')
    worlds.close()
    plt.plot(rounds, '.', color='C0')
    plt.xlabel('round')
    plt.ylabel('height of the tip above the base [m]')
    Path('out').mkdir(exist_ok=True)
    plt.savefig('out/learner.png')
