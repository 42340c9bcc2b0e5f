"""A servo shuts down after an overload: what diagnostics tell, its restart, and the way on.

Run: .venv/bin/python examples/54_servo_fault.py

Needs `./softshell setup hardware`.
"""

from time import sleep

from diagnostic_msgs.msg import DiagnosticArray

from softshell_bringup.runner import Stack
from softshell_client import BridgeMode, Shell
from softshell_interfaces.srv import InjectFault, RebootServo

HIP = 'front_left_hip'  # has a servo of the X series, whose error only a restart clears
heard = []  # diagnostics, one a second


def call(robot, kind, service, **entries):
    """Call a service of the stack, and print its message."""
    client = robot.node.create_client(kind, service)
    client.wait_for_service()
    print(client.call(kind.Request(**entries)).message)


def tell(robot, mode):
    """Wait for a mode of the bridge, then print what diagnostics say."""
    while robot.bridge().mode is not mode:
        sleep(0.05)
    count = len(heard)
    while len(heard) < count + 2:  # the first may have begun in another mode
        sleep(0.05)
    (loop,) = heard[-1].status
    values = {each.key: each.value for each in loop.values}
    print(f'{mode.name}: {loop.message} (hottest: {values["highest temperature"]})')


with Stack({'robot': 'quadruped', 'bridge': 'hardware', 'wiring': 'emulated'}) as stack:
    stack.wait_ready()
    with Shell() as robot:
        robot.node.create_subscription(DiagnosticArray, 'diagnostics', heard.append, 10)
        robot.perform('stand')
        tell(robot, BridgeMode.HOLDING)
        call(robot, InjectFault, 'servo_emulator/inject', where=HIP, fault='overload')
        tell(robot, BridgeMode.FAULT)
        call(robot, RebootServo, 'bridge/reboot_servo', joint=HIP)
        print(robot.clear_fault())
        print(robot.activate())
        robot.perform('stand')
        tell(robot, BridgeMode.HOLDING)
        print(robot.deactivate())
