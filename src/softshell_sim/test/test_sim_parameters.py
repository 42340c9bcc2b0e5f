"""The parameters of the simulation's bridge are made from the robot."""

import dataclasses

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from softshell_sim.physics.engines import default_engine
from softshell_sim.ros.sim_bridge import SimParameters, make_backend, sim_parameters


def test_gains_of_each_group_are_live_parameters(robot, arm):
    """Each group of any robot has kp, kd and ki, with the model's defaults and units, set live."""
    for model in (robot, arm):
        kind = sim_parameters(model)
        assert issubclass(kind, SimParameters)
        fields = {field.name: field for field in dataclasses.fields(kind)}
        common = {field.name for field in dataclasses.fields(SimParameters)}
        groups = {f'{gain}_{name}' for name in model.groups for gain in ('kp', 'kd', 'ki')}
        assert set(fields) - common == groups
        for name, group in model.groups.items():
            assert fields[f'kp_{name}'].default == group.gains.kp
            assert fields[f'kd_{name}'].default == group.gains.kd
            assert fields[f'ki_{name}'].default == group.gains.ki
            assert fields[f'kd_{name}'].metadata['live']
    assert '[N s/m]' in fields['kd_pushing'].metadata['description']
    assert '[N m/rad]' in fields['kp_turning'].metadata['description']
    with pytest.raises(dataclasses.FrozenInstanceError):
        kind().kp_turning = 1.0


def test_backend_takes_what_the_parameters_say(arm):
    """Step, friction, form of the control and gains of the parameters are those of the world."""
    values = {'kp_turning': 25.0, 'physics_step': 0.002, 'friction': 0.4, 'control_period': 0.01}
    values |= {'ki_turning': 3.0, 'pd': 'implicit'}
    parameters = sim_parameters(arm)(**values)
    backend = make_backend(arm, parameters)
    settings = backend.world.settings
    assert (settings.physics_step, settings.friction) == (0.002, 0.4)
    assert settings.engine == default_engine()
    assert settings.pd == 'implicit'
    assert backend.world.drives.kp.tolist() == [25.0, 2000.0]
    assert backend.world.drives.ki.tolist() == [3.0, 0.0]
    backend.apply(dataclasses.replace(parameters, kd_pushing=15.0))
    assert backend.world.drives.kd.tolist() == [0.5, 15.0]
    backend.close()


@pytest.mark.usefixtures('each_engine')
def test_gravity_of_a_restored_state_lasts_until_a_parameter_is_set(arm):
    """It then is what the parameter shows, also if that was not what was set."""
    kind = sim_parameters(arm)
    backend = make_backend(arm, kind())
    backend.reset()
    state = backend.save()
    for own in (1.62, 3.7):
        backend.apply(kind(gravity=own))
        backend.restore(state)
        assert backend.world.gravity.tolist() == [0.0, 0.0, -9.81]
        backend.apply(kind(gravity=own))
        assert backend.world.gravity.tolist() == [0.0, 0.0, -own]
        backend.world.set_gravity(5.0)
        backend.apply(kind(gravity=own))
        assert backend.world.gravity.tolist() == [0.0, 0.0, -5.0]
    backend.restore(state)
    backend.reset()
    assert backend.world.gravity.tolist() == [0.0, 0.0, -3.7]
    backend.close()
