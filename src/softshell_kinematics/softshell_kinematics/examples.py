"""Robots to try things on, as tests, benchmarks and the notebook do."""

from math import pi
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.from_dh import DhRow, chain_from_dh
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import coordinates_from_pose

HALF = pi / 2
SPEED = 6.178


def lower_leg(k: int = 0) -> SerialChain:
    """A leg of four joints, the first of which all legs of its robot share, by its DH rows."""

    def joint(name: str, low: float, high: float) -> dict[str, Any]:
        return {'joint': name, 'lower': low, 'upper': high, 'velocity': SPEED}

    rows = [
        DhRow(0.0, -0.038, k * pi / 3, 0.066),
        DhRow(0.0, 0.0, 0.0, 0.120, **joint('q1', -2.0, 0.0)),
        DhRow(-HALF, -0.02375, 0.0, 0.038, **joint(f'q2_of_{k}', -HALF, HALF)),
        DhRow(0.0, 0.025, 0.0, 0.0),
        DhRow(0.0, 0.0, pi / 6, 0.07, **joint(f'q3_of_{k}', -HALF, HALF)),
        DhRow(0.0, 0.0, pi / 3, 0.1169, **joint(f'q4_of_{k}', -HALF, HALF)),
    ]
    return chain_from_dh(f'leg {k}', rows)


def upper_leg(k: int = 0) -> SerialChain:
    """A leg of two joints, by its DH rows."""
    rows = [
        DhRow(0.0, 0.045, k * pi / 3, 0.0),
        DhRow(-HALF, 0.018, 0.0, 0.080),
        DhRow(0, 0, -pi / 10, 0.085, f'q5_of_{k}', lower=-HALF, upper=HALF),
        DhRow(0, 0, -HALF, 0.124, f'q6_of_{k}', lower=-HALF, upper=HALF),
    ]
    return chain_from_dh(f'arm {k}', rows)


def puma() -> SerialChain:
    """The Puma 560 with the limits of Corke's Robotics Toolbox."""
    degrees = pi / 180.0
    rows = [
        DhRow(HALF, 0.6718, 0.0, 0.0, 'waist', lower=-160 * degrees, upper=160 * degrees),
        DhRow(0.0, 0.0, 0.0, 0.4318, 'shoulder', lower=-110 * degrees, upper=110 * degrees),
        DhRow(-HALF, 0.15005, 0.0, 0.0203, 'elbow', lower=-135 * degrees, upper=135 * degrees),
        DhRow(HALF, 0.4318, 0.0, 0.0, 'roll', lower=-266 * degrees, upper=266 * degrees),
        DhRow(-HALF, 0.0, 0.0, 0.0, 'bend', lower=-100 * degrees, upper=100 * degrees),
        DhRow(0.0, 0.0, 0.0, 0.0, 'flange', lower=-266 * degrees, upper=266 * degrees),
    ]
    return chain_from_dh('puma', rows)


def ur5() -> SerialChain:
    """Universal Robots' UR5, by the DH rows that its maker publishes; a turn either way."""
    rows = [
        (HALF, 0.089159, 0.0), (0.0, 0.0, -0.425), (0.0, 0.0, -0.39225),
        (HALF, 0.10915, 0.0), (-HALF, 0.09465, 0.0), (0.0, 0.0823, 0.0),
    ]  # fmt: skip
    return chain_from_dh(
        'ur5',
        [
            DhRow(alpha, d, 0.0, r, f'joint_{i}', lower=-2.0 * pi, upper=2.0 * pi)
            for i, (alpha, d, r) in enumerate(rows, 1)
        ],
    )


#: A redundant arm of seven joints with the dimensions of Franka's Panda.
ARM7 = """
<robot name="arm7">
  <link name="base"/><link name="l1"/><link name="l2"/><link name="l3"/><link name="l4"/>
  <link name="l5"/><link name="l6"/><link name="l7"/><link name="hand"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.333"/>
    <limit lower="-2.7437" upper="2.7437" effort="87" velocity="2"/></joint>
  <joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/>
    <origin rpy="-1.5707963267948966 0 0"/>
    <limit lower="-1.7837" upper="1.7837" effort="87" velocity="2"/></joint>
  <joint name="j3" type="revolute"><parent link="l2"/><child link="l3"/><axis xyz="0 0 1"/>
    <origin xyz="0 -0.316 0" rpy="1.5707963267948966 0 0"/>
    <limit lower="-2.9007" upper="2.9007" effort="87" velocity="2"/></joint>
  <joint name="j4" type="revolute"><parent link="l3"/><child link="l4"/><axis xyz="0 0 1"/>
    <origin xyz="0.0825 0 0" rpy="1.5707963267948966 0 0"/>
    <limit lower="-3.0421" upper="-0.1518" effort="87" velocity="2"/></joint>
  <joint name="j5" type="revolute"><parent link="l4"/><child link="l5"/><axis xyz="0 0 1"/>
    <origin xyz="-0.0825 0.384 0" rpy="-1.5707963267948966 0 0"/>
    <limit lower="-2.8065" upper="2.8065" effort="12" velocity="2"/></joint>
  <joint name="j6" type="revolute"><parent link="l5"/><child link="l6"/><axis xyz="0 0 1"/>
    <origin rpy="1.5707963267948966 0 0"/>
    <limit lower="0.5445" upper="4.5169" effort="12" velocity="2"/></joint>
  <joint name="j7" type="revolute"><parent link="l6"/><child link="l7"/><axis xyz="0 0 1"/>
    <origin xyz="0.088 0 0" rpy="1.5707963267948966 0 0"/>
    <limit lower="-3.0159" upper="3.0159" effort="12" velocity="2"/></joint>
  <joint name="flange" type="fixed"><parent link="l7"/><child link="hand"/>
    <origin xyz="0 0 0.107"/></joint>
</robot>
"""

#: A gantry with a tilted turntable, a mimicking wrist and skew axes: everything a URDF can hold.
GANTRY = """
<robot name="gantry">
  <link name="floor"/><link name="bridge"/><link name="carriage"/><link name="turntable"/>
  <link name="wrist"/><link name="tool"/><link name="counter"/><link name="marker"/>
  <joint name="rail" type="prismatic"><parent link="floor"/><child link="bridge"/>
    <origin xyz="0.1 0.2 0.9" rpy="0.3 -0.2 0.5"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-0.5" upper="0.7" effort="50" velocity="1"/></joint>
  <joint name="lift" type="prismatic"><parent link="bridge"/><child link="carriage"/>
    <origin xyz="0 0.3 0" rpy="-1.1 0.4 0.2"/><axis xyz="0 -1 0"/>
    <limit lower="-0.2" upper="0.4" effort="50" velocity="1"/></joint>
  <joint name="turn" type="continuous"><parent link="carriage"/><child link="turntable"/>
    <origin xyz="0.05 0 -0.1" rpy="0.2 0.1 -0.4"/><axis xyz="1 2 -2"/></joint>
  <joint name="bend" type="revolute"><parent link="turntable"/><child link="wrist"/>
    <origin xyz="0.2 0.1 0.05" rpy="1.5 0 0.7"/><axis xyz="0 0 -1"/>
    <limit lower="-2" upper="2" effort="5" velocity="3"/></joint>
  <joint name="follow" type="revolute"><parent link="wrist"/><child link="tool"/>
    <origin xyz="0.15 0 0.02" rpy="0 0.9 0"/><axis xyz="0 1 0"/>
    <mimic joint="bend" multiplier="-0.5" offset="0.25"/>
    <limit lower="-2" upper="2" effort="5" velocity="3"/></joint>
  <joint name="weight" type="prismatic"><parent link="bridge"/><child link="counter"/>
    <origin xyz="0 -0.3 0" rpy="0 0 1"/><axis xyz="0 0 1"/><mimic joint="lift" multiplier="-1"/>
    <limit lower="-0.4" upper="0.2" effort="50" velocity="1"/></joint>
  <joint name="paint" type="fixed"><parent link="counter"/><child link="marker"/>
    <origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/></joint>
</robot>
"""


def arm7() -> SerialChain:
    """The arm of `ARM7`."""
    return chain_from_urdf(ARM7, 'base', 'hand')


def goals_of(chain: SerialChain, q: Array, constrained: str) -> Array:
    """Goals that the tip of a chain meets.

    Args:
        chain: of n variables.
        q: (..., n) positions of its variables [rad] or [m].
        constrained: names of the coordinates that count, such as 'x y z', or 'all'.

    Returns:
        (..., 6) x, y, z [m], yaw, pitch, roll [rad] in the base of the chain; NaN where free.
    """
    names = ['x', 'y', 'z', 'yaw', 'pitch', 'roll']
    keep = names if constrained == 'all' else constrained.split()
    goals = coordinates_from_pose(chain.forward(q))
    goals[..., [name not in keep for name in names]] = np.nan
    return goals
