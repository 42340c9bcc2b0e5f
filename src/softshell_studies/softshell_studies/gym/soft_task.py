"""Tasks of soft manipulators: moments in their actuators, in an engine of their own."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from softshell_common.yaml_file import Positive, StrictModel
from softshell_kinematics.arrays import Array
from softshell_sim.engine import Engine
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.engines import make_engine
from softshell_sim.sensing.camera import View
from softshell_sim.soft_body import SoftBody
from softshell_studies.gym.task import Task, size_of


class SoftForm(StrictModel):
    """What all tasks of soft manipulators are told.

    Attributes:
        engine: of the world.
        step: of its physics [s].
        steps_per_action: of them that an action lasts.
        slew: the largest change of a moment in a second, as part of the largest moment [1/s].
    """

    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    step: Positive = 0.001
    steps_per_action: Annotated[int, Field(strict=True, ge=1, le=1000)] = 20
    slew: Positive = 4.0


class SoftTask(Task):
    """A task in a world that is made once, and brought back to its begin for each episode.

    Args:
        form: what all are told.
        gravity: downwards [m/s^2]; less than 0: upwards.

    Attributes:
        engine: of the world.
        soft: the manipulators.
        moment: (actions,) as applied now, from -1 to 1.
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
            self.engine.step()  # so that what touches is known
            self._start = self.engine.save()
        except BaseException:
            self.engine.close()
            raise

    @abstractmethod
    def _world(self) -> SoftBody:
        """Make what is in the world."""

    @abstractmethod
    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        """Joints that each action drives, and (actions,) the largest moment of each [N m]."""

    def act(self, action: Array) -> None:
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

    def _rewind(self) -> None:
        """Bring the world back to where it began."""
        self.engine.restore(self._start)
        self.moment[:] = 0.0
        self._efforts[:] = 0.0
        self.soft.read()

    def picture(self) -> NDArray[np.uint8]:
        return self.engine.picture(self._view()).rgb

    @abstractmethod
    def _view(self) -> View:
        """From where the world is seen."""

    def close(self) -> None:
        self.engine.close()
