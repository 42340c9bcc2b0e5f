"""A task as a Gymnasium environment."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle
from numpy.typing import ArrayLike, NDArray

from softshell_kinematics.errors import SoftshellError
from softshell_studies.gym.score import random_of
from softshell_studies.gym.task import Task, size_of
from softshell_studies.gym.tasks import TASKS, make_task

Numbers = NDArray[np.float32]


class TaskEnvironment(gymnasium.Env[Numbers, Numbers], EzPickle):
    """A Gymnasium environment: observations in SI units, actions from -1 to 1.

    `info` holds the measurements of the task so far, among them its `score`.

    Args:
        task: its name, or what makes one of your own, such as its class.
        render_mode: None or `rgb_array`.
        settings: of the task that differ from their defaults.

    Attributes:
        task: the task itself.

    Raises:
        SoftshellError: there is no such task, render mode or setting.
    """

    metadata: dict[str, Any] = {'render_modes': ['rgb_array'], 'render_fps': 25}  # noqa: RUF012

    def __init__(
        self, /, task: str | Callable[..., Task], render_mode: str | None = None, **settings: Any
    ) -> None:
        if render_mode not in (None, *self.metadata['render_modes']):
            raise SoftshellError(f'render_mode is {render_mode!r}; expected rgb_array, or None')
        if not isinstance(task, str) and not callable(task):
            raise SoftshellError(
                f'task is {task!r}; expected one of {", ".join(TASKS)}, or what makes one, such '
                'as its class'
            )
        self.task = make_task(task, **settings) if isinstance(task, str) else task(**settings)
        # A copy or an unpickled environment is made by a new call with these arguments.
        EzPickle.__init__(self, task, render_mode, **settings)
        try:
            self.task.begin(random_of(0))
        except BaseException:
            self.task.close()
            raise
        self.render_mode = render_mode
        fps = max(1, round(1.0 / self.task.period))  # of long periods: no video has none
        self.metadata = {**self.metadata, 'render_fps': fps}
        seen, done = size_of(self.task.observations), size_of(self.task.actions)
        most = float(np.finfo(np.float32).max)
        self.observation_space = gymnasium.spaces.Box(-most, most, (seen,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (done,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin an episode; the same seed gives the same episode.

        Args:
            seed: of the random numbers; None: they go on.
            options: none are known, and none are looked at.
        """
        super().reset(seed=seed)
        self.task.begin(self.np_random)
        return self._seen(), self._told()

    def step(self, action: Numbers) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Apply an action for one period of the task.

        Args:
            action: (actions,) numbers from -1 to 1.

        Raises:
            SoftshellError: the action has a wrong size or is not real and finite, with the world
                unchanged; or the simulation diverged.
        """
        task = self.task
        numbers = _real(action)
        if numbers.shape != self.action_space.shape or not np.isfinite(numbers).all():
            raise SoftshellError(
                f'action is {action!r}; expected {size_of(task.actions)} finite numbers from -1 '
                'to 1'
            )
        task.act(numbers)
        return self._seen(), float(task.reward()), bool(task.failed), False, self._told()

    def render(self) -> NDArray[np.uint8] | None:
        """(height, width, 3) a picture of the world; None if there is no render mode."""
        return None if self.render_mode is None else self.task.picture()

    def close(self) -> None:
        """Close the world; a second call does nothing."""
        self.task.close()

    def _seen(self) -> Numbers:
        return self.task.observe().astype(np.float32)

    def _told(self) -> dict[str, Any]:
        return dict(self.task.measured())


def _real(action: ArrayLike) -> NDArray[np.float64]:
    """An action as an array; NaN if it is none of real numbers."""
    try:
        if not np.iscomplexobj(action):
            return np.asarray(action, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.full(1, np.nan)
