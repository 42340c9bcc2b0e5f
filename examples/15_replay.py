"""Replay the commands of a bag: a simulated arm repeats what an arm on the mock was told.

Run: .venv/bin/python examples/15_replay.py

Writes the bags out/mock/ and out/sim/.
"""

import shutil
from pathlib import Path
from time import sleep

import numpy as np
from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_recording.report.log import read_log
from softshell_recording.ros.record import recording_to
from softshell_recording.ros.replay import replay
from softshell_recording.selection import Selection


def send(arm):
    """Command angles [rad] each second, once the bridge and the recorder have subscribed."""
    publisher = arm.node.create_publisher(JointTrajectory, 'joint_trajectory', 10)
    while publisher.get_subscription_count() < 2:
        sleep(0.05)
    for angles in ([-1.6, 1.7], [-1.4, 1.5], [-1.1, 1.2], [-0.8, 0.9]):
        point = JointTrajectoryPoint(positions=angles, time_from_start=Duration(sec=1))
        publisher.publish(JointTrajectory(joint_names=['shoulder', 'elbow'], points=[point]))
        sleep(1.0)


def record_arm(bridge, command):
    """Record the joints of an arm into a bag while it follows commands."""
    bag = Path('out', bridge)
    shutil.rmtree(bag, ignore_errors=True)  # a bag is a new folder
    with Stack({'robot': 'arm', 'bridge': bridge, 'black_box': 'false'}) as stack:
        stack.wait_ready()
        with recording_to(bag, Selection(['joint_*'])), Shell() as arm:
            command(arm)
            end = arm.time + 1.5  # [s] until the last motion has ended
            while arm.time < end:
                sleep(0.02)
    recording = read_log(bag).recording
    last, error = recording.joints[-1], np.nanmax(np.abs(recording.errors))
    print(f'{bridge}: ends at {np.round(last, 2)} rad, within {error:.3f} rad of its commands')


record_arm('mock', send)
record_arm('sim', lambda arm: replay(Path('out/mock'), Selection(['joint_trajectory'])))
