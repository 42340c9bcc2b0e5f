"""Tasks for learning, registered as Gymnasium environments if Gymnasium is installed.

`gymnasium.make('softshell_studies.gym:softshell/Reach-v0')` makes one; after an import of this
package, `gymnasium.make('softshell/Reach-v0')` does too. `tasks.py` lists the tasks, and makes
them without Gymnasium.
"""

from importlib.util import find_spec

from softshell_studies.gym.tasks import TASKS, make_task, scripted

__all__ = ['TASKS', 'make_task', 'register', 'scripted']


def register() -> None:
    """Register the environments with Gymnasium; called when this package is imported.

    Those that are registered already stay as they are.
    """
    import gymnasium

    for name, entry in TASKS.items():
        if f'softshell/{name}-v0' in gymnasium.registry:
            continue
        gymnasium.register(
            f'softshell/{name}-v0',
            'softshell_studies.gym.environment:TaskEnvironment',
            max_episode_steps=entry.steps,
            disable_env_checker=True,  # it looks at what a step returns, which tests do already
            kwargs={'task': name},
        )


if find_spec('gymnasium') is not None:
    register()
