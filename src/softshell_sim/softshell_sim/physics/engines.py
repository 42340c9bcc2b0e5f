"""All engines by name. An engine is imported when it is first used."""

import os
from collections.abc import Callable
from importlib.util import find_spec

from softshell_description.model import RobotModel
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings


def _pybullet(settings: EngineSettings) -> Engine:
    from softshell_sim.pybullet.engine import PyBulletEngine

    return PyBulletEngine(settings)


def _mujoco(settings: EngineSettings) -> Engine:
    try:
        from softshell_sim.mujoco.engine import MujocoEngine
    except (AttributeError, ImportError, RuntimeError) as error:
        # MuJoCo loads the graphics library that this variable names, though nothing needs it here.
        given = os.environ.get('MUJOCO_GL')
        raise SoftshellError(
            f'engine mujoco cannot be imported: {error}; the environment variable MUJOCO_GL is '
            f'{given!r}, expected it unset'
        ) from error

    return MujocoEngine(settings)


ENGINES: dict[str, Callable[[EngineSettings], Engine]] = {
    'pybullet': _pybullet,
    'mujoco': _mujoco,
}


def default_engine() -> str:
    """Name of the engine to use: PyBullet if it is installed, else MuJoCo."""
    return 'pybullet' if find_spec('pybullet') else 'mujoco'


def engine_of(robot: RobotModel) -> str:
    """Name of the engine of a robot: that of its `robot.yaml`, or else the default.

    Raises:
        UnknownNameError: its `robot.yaml` names an engine that does not exist.
    """
    if robot.engine and robot.engine not in ENGINES:
        raise UnknownNameError(f'engine of {robot.name}', robot.engine, ENGINES)
    return robot.engine or default_engine()


def make_engine(name: str, settings: EngineSettings) -> Engine:
    """Start an engine.

    Args:
        name: one of `ENGINES`.
        settings: time step, gravity and window at the start.

    Raises:
        UnknownNameError: there is no such engine.
        SoftshellError: it does not start.
    """
    if name not in ENGINES:
        raise UnknownNameError('engine', name, ENGINES)
    if name == 'pybullet' and default_engine() != 'pybullet':
        raise SoftshellError(
            'engine pybullet is not installed here; run ./softshell setup pybullet, or take '
            'engine:=mujoco'
        )
    return ENGINES[name](settings)
