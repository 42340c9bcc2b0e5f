"""Drive emulated servos over a serial port; one is blocked, and the arm goes on after that.

Run: .venv/bin/python examples/26_servos.py

Needs `./softshell setup hardware`.
"""

from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell
from softshell_description.load import load_robot
from softshell_interfaces.srv import InjectFault

POSES = load_robot('arm').poses


def move(arm, pose):
    """Perform the action that brings the arm into a pose, and print how near it came."""
    arm.perform(pose)
    arm.wait_for_joints()
    off = max(abs(arm.joints[name] - angle) for name, angle in POSES[pose].items())
    print(f'{pose}: joints at most {off:.4f} rad off')


def block(arm, value):
    """Block the servo of the elbow, or free it, as the command inject does."""
    client = arm.node.create_client(InjectFault, 'servo_emulator/inject')
    client.wait_for_service()
    print(client.call(InjectFault.Request(where='elbow', fault='blocked', value=value)).message)


with Stack({'robot': 'arm', 'bridge': 'hardware', 'wiring': 'emulated'}) as stack:
    stack.wait_ready()
    with Shell() as arm:
        move(arm, 'reach')
        block(arm, 'true')
        try:
            move(arm, 'home')
        except ActionFailedError as error:
            print(error)
            codes = ', '.join(code.name for code in arm.bridge().codes)
            print(f'fault {codes}, elbow at {arm.joints["elbow"]:.2f} rad')
        block(arm, 'false')
        arm.clear_fault()
        arm.activate()
        move(arm, 'home')
