"""Walks whose truth is known: feet that roll without slip under a base that moves as it likes."""

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_control.backend import FootContacts, ImuSample, Measured
from softshell_control.joint_map import JointMap
from softshell_description.foot_spheres import foot_spheres
from softshell_description.load import load_robot
from softshell_kinematics.legged.floating_base import position_goals
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.solving.solution import IkOptions

SECONDS = 0.01
#: Height of a foot in the air [m], and how far it swings ahead [m].
LIFT = 0.025


class Walk:
    """One cycle of a gait, sample by sample, with the joints that it takes.

    The base moves by a constant planar twist and sways in height, roll and pitch. A third of the
    feet or one of four swings at a time, straight up, ahead and straight down again, and then all
    stand for a while.

    Args:
        name: of the robot.
        samples: of the cycle.
        twist: x, y [m/s], yaw [rad/s] of the base.
        slip: velocity of the last leg's foot over the ground while it stands [m/s].
    """

    def __init__(self, name, samples=180, twist=(0.03, 0.015, 0.07), slip=(0.0, 0.0, 0.0)):
        self.robot = load_robot(name)
        self.names = JointMap.of(self.robot).names
        feet = self.robot.legs.feet
        self.chains = [chain_from_urdf(self.robot.urdf, self.robot.base.link, f) for f in feet]
        self.radius = foot_spheres(self.robot).radius
        self.groups = 3 if len(feet) == 6 else 4
        self.touching = np.ones((samples, len(feet)), dtype=bool)
        self._slip = np.array(slip) * SECONDS
        self._go(samples, np.array(twist))

    def measured(self, sample, imu=True, contacts=True):
        """What a backend would measure."""
        result = Measured.zero(len(self.names), len(self.robot.joints))
        result.position[:] = self.joints[sample]
        result.stamp = round(sample * SECONDS * 1e9)
        if imu:
            result.imu = ImuSample(orientation=self.turns[sample].as_quat())
        if contacts:
            count = self.touching.shape[1]
            result.contacts = FootContacts(self.touching[sample].copy(), np.zeros((count, 3)))
        return result

    def _go(self, samples, twist):
        stand = self.robot.poses[self.robot.legs.stand]
        limbs = Limbs(self.chains)
        seed = limbs.seeds([{v: stand[v] for v in c.variables} for c in self.chains])
        poses = [c.forward([stand[v] for v in c.variables]) for c in self.chains]
        # Low enough that no leg is stretched when the base sways.
        height = float(np.mean([r - p[2, 3] for p, r in zip(poses, self.radius, strict=True)]))
        height -= 0.01
        home = np.array([[*p[:2, 3], r] for p, r in zip(poses, self.radius, strict=True)])
        locked = [v for v in self.robot.shared if any(v in c.variables for c in self.chains)]
        self.positions = np.zeros((samples, 3))
        self.turns, self.joints = [], np.zeros((samples, len(self.names)))
        centres, before = home.copy(), None
        yaw, place = 0.0, np.zeros(2)
        for k in range(samples):
            phase = 2 * np.pi * k / samples
            sway = 0.03 * np.sin(phase), 0.02 * np.sin(2 * phase)
            turn = Rotation.from_euler('ZYX', [yaw, *sway])
            position = np.array([*place, height + 0.004 * np.sin(phase)])
            q, before = self._step(
                limbs, seed, locked, centres, before, turn, position, self._swings(k, samples)
            )
            for leg, chain in enumerate(self.chains):
                for column, name in enumerate(chain.variables):
                    self.joints[k, self.names.index(name)] = q[leg][column]
            seed = limbs.seeds(q)
            self.positions[k] = position
            self.turns.append(turn)
            place = place + Rotation.from_euler('z', yaw).apply([*twist[:2], 0.0])[:2] * SECONDS
            yaw += twist[2] * SECONDS

    def _swings(self, sample, samples):
        """(legs,) whether each leg swings, none at both ends of the cycle."""
        margin = samples // 10
        part, since = divmod((sample - margin) * self.groups / (samples - 2 * margin), 1.0)
        lifted = margin <= sample < samples - margin and since < 0.6
        swings = np.array(
            [lifted and leg % self.groups == part for leg in range(len(self.chains))]
        )
        self.touching[sample] = ~swings
        return swings

    def _step(self, limbs, seed, locked, centres, before, turn, position, swings):
        """Angles of every leg for feet that roll from where they were, and their orientations."""
        goal, up = centres.copy(), np.array([0.0, 0.0, 1.0])
        goal[-1] += 0.0 if swings[-1] else self._slip
        for leg, swinging in enumerate(swings):
            was_up = goal[leg, 2] > self.radius[leg] + 0.5 * LIFT
            if swinging:
                ahead = turn.apply([0.0005, 0.0, 0.0])
                goal[leg] += [*ahead[:2], 0.0 if was_up else LIFT]
            elif was_up:
                goal[leg, 2] = self.radius[leg]
        wanted = goal.copy()
        # The way a foot rolls depends on the angles, and they on it: a contraction.
        for _ in range(7):
            seen = turn.inv().apply(wanted - position)
            results = limbs.solve(
                position_goals(seen)[:, None], seed, IkOptions(tolerance=1e-11), locked
            )
            assert all(result.converged.all() for result in results)
            q = [result.q[0] for result in results]
            now = [
                turn * Rotation.from_matrix(c.forward(x)[:3, :3])
                for c, x in zip(self.chains, q, strict=True)
            ]
            if before is None:
                break
            for leg in np.flatnonzero(~swings):
                angle = (now[leg] * before[leg].inv()).as_rotvec()
                wanted[leg] = goal[leg] + self.radius[leg] * np.cross(angle, up)
        centres[:] = wanted
        return q, now
