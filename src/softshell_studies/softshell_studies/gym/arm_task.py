"""Tasks of the planar arm: it brings something to a target in its plane."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_common.yaml_file import Positive
from softshell_kinematics.arrays import Array
from softshell_studies.gym.planar_arm import ACTUATORS, Plane, drives
from softshell_studies.gym.soft_task import SoftForm, SoftTask
from softshell_studies.gym.task import Part


class ArmForm(SoftForm):
    """Settings of all tasks of the planar arm.

    Attributes:
        near: what is nearer to the target than this has arrived [m].
    """

    near: Positive


class ArmTask(SoftTask):
    """A task in which a distance to a target counts.

    Args:
        form: the settings.
        gravity: acceleration downwards [m/s^2].
    """

    form: ArmForm
    actions = (Part('moments', ACTUATORS, '0.125 N m', 'in the joints of each actuator'),)
    #: From the target to what the arm brings there [m].
    _distance: float

    def __init__(self, form: ArmForm, gravity: float) -> None:
        super().__init__(form, gravity)
        self._plane = Plane(self.soft)

    def _drives(self) -> tuple[Sequence[NDArray[np.int64]], Array]:
        return drives(self.soft)

    def act(self, action: Array) -> None:
        """Let the arm move by (actions,) moments, -1 to 1, and note where things are then."""
        super().act(action)
        self._look()

    @abstractmethod
    def _look(self) -> None:
        """Note where things are, and `_distance`."""

    def measured(self) -> Mapping[str, float]:
        """`distance` to the target [m]; `success`: 1 at the target; `score`: -distance [mm]."""
        return {
            'score': -1e3 * self._distance,
            'distance': self._distance,
            'success': float(self._distance < self.form.near),
        }
