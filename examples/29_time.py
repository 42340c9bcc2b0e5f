"""Time of a running simulation: stopped, passed in steps, saved, and gone back to.

Run: .venv/bin/python examples/29_time.py
"""

from std_srvs.srv import Trigger

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_interfaces.msg import WorldChange
from softshell_interfaces.srv import GetWorld, NamedState, StepTime

PERIOD = 0.004  # control period of the bridge [s]


def call(shell, kind, service, /, **entries):
    """Call a service of the bridge; returns its answer."""
    client = shell.node.create_client(kind, f'bridge/{service}')
    client.wait_for_service()
    return client.call(kind.Request(**entries))


def look(shell):
    """The clock [s], the height of the ball [m], and where every body and joint is."""
    world = call(shell, GetWorld, 'get_world')
    stamp = world.header.stamp
    places = {body.name: (body.pose, body.positions) for body in world.bodies}
    return stamp.sec + 1e-9 * stamp.nanosec, places['ball'][0].position.z, places


with Stack({'engine': 'mujoco', 'real_time_factor': '0'}) as stack:
    stack.wait_ready()
    with Shell() as shell:
        shell.perform('stand')
        print(call(shell, Trigger, 'pause').message)
        ball = '{sphere: {radius: 0.05}, mass: 0.3}'
        spawn = WorldChange(kind=WorldChange.SPAWN, body='ball', description=ball)
        spawn.pose.position.x = spawn.pose.position.z = 1.0
        shell.begin_world_change([spawn]).answer()
        print(call(shell, NamedState, 'save_state', name='start').message)

        begin, high, saved = look(shell)
        print(call(shell, StepTime, 'step', duration=50 * PERIOD).message)
        end, low, fallen = look(shell)
        print(f'periods on the clock: {(end - begin) / PERIOD:.3f}, fallen: {high - low:.5f} m')

        print(call(shell, NamedState, 'restore_state', name='start').message)
        print(f'as it was saved, bit for bit: {look(shell)[2] == saved}')
        call(shell, StepTime, 'step', duration=50 * PERIOD)
        print(f'fallen as before, bit for bit: {look(shell)[2] == fallen}')

        left = call(shell, NamedState, 'forget_state', name='start').names
        print(f'states that are kept: {len(left)}')
        print(call(shell, Trigger, 'resume').message)
        shell.perform('walk', distance=0.1)
