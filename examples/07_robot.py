"""A robot of your own: a lamp of two joints, moved on the mock.

Run: .venv/bin/python examples/07_robot.py
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from softshell_bringup.runner import Stack
from softshell_client import Shell

JOINT = """
  <joint name="{name}" type="revolute"><origin xyz="0 0 {height}"/><axis xyz="0 1 0"/>
    <parent link="{parent}"/><child link="{child}"/>
    <limit lower="-1.5" upper="1.5" effort="2" velocity="4"/></joint>"""
LINK = """
  <link name="{name}"><inertial><mass value="0.2"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
URDF = f"""<robot name="lamp">
{''.join(LINK.format(name=name) for name in ('foot', 'arm', 'head'))}
{JOINT.format(name='ankle', parent='foot', child='arm', height=0.05)}
{JOINT.format(name='neck', parent='arm', child='head', height=0.30)}
</robot>"""
ROBOT = """
description: A desk lamp.
urdf: lamp.urdf
base: {link: foot, fixed: true}
motors: {servo: {effort: 2.0, velocity: 4.0}}
groups:
  lamp:
    gains: {kp: 10.0, kd: 0.1}
    goal_tolerance: 0.05
    joints: {ankle: servo, neck: servo}
    chains: {lamp: {base: foot, tip: head}}
poses: {upright: {joints: {ankle: 0.0, neck: 0.0}}}
start: upright
"""
BOW = """
name: bow
description: Bow to the front.
parameters:
  depth: {default: 0.4, minimum: 0.0, maximum: 1.0, unit: rad, meaning: how far}
sub_actions:
  - {name: bow, duration: 0.8, moves: [{group: lamp, joints: [{ankle: depth / 2, neck: depth}]}]}
"""

with TemporaryDirectory() as folder:
    robot = Path(folder)
    (robot / 'actions').mkdir()
    (robot / 'lamp.urdf').write_text(URDF)
    (robot / 'robot.yaml').write_text(ROBOT)
    (robot / 'actions' / 'bow.yaml').write_text(BOW)
    with Stack({'robot': folder, 'bridge': 'mock'}) as stack:
        stack.wait_ready()
        with Shell() as lamp:
            lamp.perform('bow', depth=0.8)
            lamp.wait_for_joints()
            print({name: round(angle, 2) for name, angle in lamp.joints.items()})
