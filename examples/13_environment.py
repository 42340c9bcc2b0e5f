"""A learning task as an environment of Gymnasium, with the policy that comes with it.

Run: .venv/bin/python examples/13_environment.py

Needs `./softshell setup studies`.
"""

import gymnasium

from softshell_studies.gym.policy import load_policy, trained

environment = gymnasium.make('softshell_studies.gym:softshell/Reach-v0', engine='mujoco')
policy = load_policy(trained('Reach'))

for seed in range(3):
    observation, info = environment.reset(seed=seed)
    policy.begin()
    over = failed = False
    while not (over or failed):
        action = policy.act(observation)  # (4,) moments of the soft arm, -1 to 1
        observation, reward, failed, over, info = environment.step(action)
    print(f'episode {seed}: the tip ends {-info["score"]:.1f} mm from its target')
environment.close()
