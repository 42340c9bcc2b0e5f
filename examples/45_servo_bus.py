"""A bus of emulated servos, without ROS: scanned, calibrated, and one of them restarted.

Run: .venv/bin/python examples/45_servo_bus.py

Needs `./softshell setup hardware`.
"""

from dataclasses import replace
from types import SimpleNamespace

from softshell_description.load import load_robot
from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.search.calibrate import calibrate
from softshell_hardware.search.homing import Homing
from softshell_hardware.search.scan import scan, sweeps
from softshell_hardware.wiring.config import load_hardware

robot = load_robot('quadruped')
blank = load_hardware(robot)  # config/hardware/quadruped.yaml, not calibrated
mounted = tuple(replace(each, offset=0.01 * k) for k, each in enumerate(blank.joints))  # [rad]
guide = SimpleNamespace(wait=lambda text, poses, look: print(text))  # they are in that pose
with EmulatedRobot(robot, replace(blank, joints=mounted), physics=False) as emulated:
    config = blank.at({name: port.path for name, port in emulated.ports.items()})
    spec, hip = config.buses['body'], config.joints[0]
    plan = sweeps(spec, [each.id for each in config.joints], [spec.baud], quick=True)
    found = scan(spec.port, plan, spec.latency, spec.slack)
    print(f'found {[each.id for each in found]}: {found[0].model}, {found[0].baud} baud')
    with Homing(robot, config) as homing:
        homing.relax()
        wirings = calibrate(homing, guide, robot.start).wirings
    off = max(abs(wirings[each.name].offset - each.offset) for each in mounted)
    tick = hip.family.tick
    print(f'{len(wirings)} offsets, at most {off:.5f} rad off; a tick is {tick:.5f} rad')
    emulated.inject(hip.name, 'overload', True)
    with ServoBus(spec.port, hip.family, spec.baud, spec.latency, spec.slack) as bus:
        for what in ('overloaded', 'restarted'):
            error = bus.read(hip.id, ['hardware_error']).values['hardware_error']
            print(f'{hip.label} {what}: hardware error {error:#04x}')
            bus.reboot(hip.id)
