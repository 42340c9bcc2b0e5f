"""Tasks of soft manipulators: actions are moments in their actuators."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from softshell_common.yaml_file import Positive, StrictModel, Whole
from softshell_kinematics.arrays import Array
from softshell_sim.divergence import DivergedError
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.sensing.camera import View
from softshell_sim.soft.body import SoftBody
from softshell_studies.gym.task import Task, size_of


class SoftForm(StrictModel):
    """Settings of all tasks of soft manipulators.

    Attributes:
        engine: physics engine.
        step: time step of the physics [s].
        steps_per_action: number of time steps that an action lasts.
        slew: fastest change of a moment, as part of the largest moment [1/s].
    """

    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    step: Positive = 0.001
    steps_per_action: Annotated[Whole, Field(ge=1, le=1000)] = 20
    slew: Positive = 4.0


class SoftTask(Task):
    """A task whose world is made once, and restored to its first state for each episode.

    Args:
        form: the settings.
        gravity: acceleration downwards [m/s^2]; negative: upwards.

    Attributes:
        form: the settings.
        engine: of the world.
        soft: the manipulators.
        moment: (actions,) that are applied now, as parts of the largest, from -1 to 1.
    """

    def __init__(self, form: SoftForm, gravity: float) -> None:
        self.form = form
        self.period = form.step * form.steps_per_action
        self.engine: Engine = make_engine(
            form.engine, EngineSettings(form.step, gravity, window=False)
        )
        try:
            self.soft = self._world()
            self._columns, self._largest = self._drives()
            self.moment = np.zeros(size_of(self.actions))
            self._efforts = np.zeros(len(self.soft.efforts))
            #: (actions, joints) sums over the joints of each action.
            self._sums = np.zeros((len(self._columns), len(self._efforts)))
            for row, columns in enumerate(self._columns):
                self._sums[row, columns] = 1.0
            self.engine.step()  # so that the saved state has contacts
            self._start = self.engine.save()
        except BaseException:
            self.engine.close()
            raise

    @abstractmethod
    def _world(self) -> SoftBody:
        """Add the manipulators and all other bodies to the engine; returns the manipulators."""

    @abstractmethod
    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        """Columns of the joints that each action drives, and (actions,) largest moments [N m]."""

    def act(self, action: Array) -> None:
        """Do a step with an action.

        Args:
            action: (actions,) parts of the largest moments; clipped to -1 to 1.

        Raises:
            DivergedError: the text names a joint.
        """
        wanted = np.clip(action, -1.0, 1.0)
        most = self.form.slew * self.period
        self.moment += np.clip(wanted - self.moment, -most, most)
        moments = self.moment * self._largest
        for columns, moment in zip(self._columns, moments.tolist(), strict=True):
            self._efforts[columns] = moment
        engine, body = self.engine, self.soft.body
        for _ in range(self.form.steps_per_action):
            engine.apply_effort(body, self._efforts)
            engine.step()
        self.soft.read()
        finite = np.isfinite(self.soft.position)
        if not finite.all():
            joint = int(np.argmin(finite))
            raise DivergedError(
                f'the simulation diverged: joint {body.joints[joint]!r} is at '
                f'{self.soft.position[joint]} rad; expected a finite number. Begin an episode '
                'anew; a smaller step or weaker gravity may avoid this'
            )

    def _rewind(self) -> None:
        """Restore the first state of the world."""
        self.engine.restore(self._start)
        self.moment[:] = 0.0
        self._efforts[:] = 0.0
        self.soft.read()

    def picture(self) -> NDArray[np.uint8]:
        return self.engine.picture(self._view()).rgb

    @abstractmethod
    def _view(self) -> View:
        """The camera's view for pictures."""

    def close(self) -> None:
        self.engine.close()
