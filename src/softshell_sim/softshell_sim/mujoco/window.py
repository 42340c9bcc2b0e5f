"""MuJoCo's viewer as a window on a world that makes its own steps."""

import threading
import time
from typing import Any

import mujoco.viewer

from softshell_kinematics.arrays import Array

#: Time between two pictures [s].
FRAME = 1.0 / 60.0
#: Time that each thread of the viewer may take to end [s].
PATIENCE = 5.0


class Window:
    """A window that the user may close at any time; it also shows a newly compiled model."""

    def __init__(self) -> None:
        self._viewer: Any = None
        self._threads: set[threading.Thread] = set()
        self._model: Any = None
        self._drawn = 0.0
        self._camera: tuple[Array, float] | None = None
        self._is_closed = False

    def look(self, target: Array, distance: float) -> None:
        """Aim the camera at a (3,) point in the world, from a distance [m]."""
        self._camera = target.copy(), distance
        self._point()

    def follow(self, way: Array) -> None:
        """Shift the camera by (3,) [m]; its distance and direction stay."""
        if self._viewer is not None and self._viewer.is_running():
            with self._viewer.lock():
                self._viewer.cam.lookat[:] += way
        elif self._camera is not None:
            target, distance = self._camera
            self._camera = target + way, distance

    @property
    def is_due(self) -> bool:
        """Whether it is time for a picture; never once it is closed."""
        return not self._is_closed and time.monotonic() - self._drawn >= FRAME

    def show(self, model: Any, data: Any) -> None:
        """Draw the world; to be called when `is_due`."""
        self._drawn = time.monotonic()
        if self._viewer is None:
            before = set(threading.enumerate())
            self._viewer = mujoco.viewer.launch_passive(
                model, data, show_left_ui=False, show_right_ui=False
            )
            self._threads = set(threading.enumerate()) - before
        elif model is not self._model and self._viewer.is_running():
            # A second window in a process would end it: so this one gets the new model.
            self._viewer._get_sim().load(model, data, '')
        if model is not self._model:
            self._model = model
            self._point()
        if not self._viewer.is_running():
            self.close()  # the user has closed it
            return
        self._viewer.sync()

    def close(self) -> None:
        """Close the window for good."""
        self._is_closed = True
        if self._viewer is not None:
            self._viewer.close()
            for thread in self._threads:  # a process that ends before them crashes
                thread.join(PATIENCE)
            self._viewer = None

    def _point(self) -> None:
        """Aim the camera of the viewer as `look` asked last."""
        if self._viewer is not None and self._camera is not None:
            camera = self._viewer.cam
            camera.lookat[:], camera.distance = self._camera
            # From the same side as PyBullet's window, which counts from another axis.
            camera.azimuth, camera.elevation = 165.0, -25.0
