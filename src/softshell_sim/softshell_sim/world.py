"""A world with a floor and a robot that follows by joint efforts, on any engine."""

from collections.abc import Mapping

import numpy as np

from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_control.pd import Drives
from softshell_control.stable_pd import StablePd
from softshell_description.config import Gains
from softshell_description.expand import resolve_meshes
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import inverse, shift
from softshell_kinematics.urdf_reader import parse_urdf
from softshell_sim.bodies import Body, BodyState, ObjectSpec, Plane, RobotSpec, Surface
from softshell_sim.engine import EngineSettings
from softshell_sim.engines import make_engine
from softshell_sim.flatten import flatten
from softshell_sim.gains import joint_gains, take_gains
from softshell_sim.joint_mass import JointMass
from softshell_sim.losses import Losses
from softshell_sim.self_collision import passing_pairs
from softshell_sim.sensors import Sensors
from softshell_sim.settings import WorldSettings
from softshell_sim.tree import bounds, joint_inertia, refuse_weightless

#: Steps for which implicit control takes the mass matrix of the joints to be the same.
MASS_STEPS = 10


class World:
    """A floor at z = 0 in odom, and a robot, on it or fixed to it.

    Several worlds may live in one process. Further bodies are added through `engine`, and last
    until the next reset. Whoever moves the robot through `engine` calls `measure` before the next
    step.

    Args:
        robot: the robot; it begins in its start pose.
        settings: what the world is like.

    Attributes:
        engine: the physics engine.
        floor, body: the floor and the robot in it.
        joint_map: order of the joints.
        drives: motors and control of the joints, with the gains that are in force.
        position, velocity: (movable,) of the joints, as last read.
        measured: as last measured.
        time: since the last reset [s].

    Raises:
        SoftshellError: the engine does not start, or the robot cannot be simulated; the text says
            why.
    """

    floor: Body
    body: Body

    def __init__(self, robot: RobotModel, settings: WorldSettings | None = None) -> None:
        self.robot = robot
        self.settings = settings or WorldSettings()
        self.joint_map = JointMap.of(robot)
        self.drives = Drives.of(robot, self.joint_map, self.settings.physics_step)
        self._losses = Losses.of(self.drives)
        self._sensors = Sensors(robot, self.joint_map, self.settings.gravity)
        self.measured = self._sensors.measured
        refuse_weightless(robot.urdf, robot.base.fixed)
        flat = flatten(robot.urdf_text, visuals=self.settings.gui)
        self._urdf = resolve_meshes(flat.text, robot.urdf_folder)
        count = len(self.joint_map.names)
        self._mass: JointMass | None = None
        if self.settings.pd == 'implicit':
            flat_urdf, rotors = parse_urdf(flat.text), self._losses.rotor_inertia
            self._mass = JointMass(flat_urdf, self.joint_map.names, robot.base.fixed, rotors)
            self.drives.stable = StablePd(count, len(robot.joints), self.settings.physics_step)
        self.position, self.velocity = np.zeros(count), np.zeros(count)
        self._gains: Mapping[str, Gains] = {}
        self.engine = make_engine(
            self.settings.engine,
            EngineSettings(self.settings.physics_step, self.settings.gravity, self.settings.gui),
        )
        try:
            self.reset()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the world; a second call does nothing, any other raises SoftshellError."""
        self.engine.close()

    @property
    def time(self) -> float:
        """Since the last reset [s]."""
        return self._steps * self.settings.physics_step

    def set_gains(self, gains: Mapping[str, Gains]) -> None:
        """Take PID gains by group of joints.

        With explicit control no joint gets more than integration bears in the pose of the last
        reset; see `limited_gains`.

        Args:
            gains: by group; a group that is left out, or has the model's gains, keeps what the
                model says of each joint.

        Raises:
            UnknownNameError: the robot has no such group.
        """
        asked = joint_gains(self.robot, self.joint_map, gains)
        self._gains = dict(gains)
        viscous, names = self._losses.viscous_friction, self.joint_map.names
        #: Which gains were limited, by kind of gain: 'kp', 'kd', 'viscous friction'.
        self.limited_gains = take_gains(self.drives, asked, viscous, self._inertia, names)

    def reset(self, pose: Array | None = None, height: float | None = None) -> Measured:
        """Begin anew with nothing but the floor and the robot, at rest.

        Args:
            pose: (independent,) joint positions [rad] or [m]; default the robot's start pose.
            height: of the base link [m]; default: a robot with a fixed base stands on z = 0 with
                its base link, any other just touches the floor.

        Raises:
            ProblemsError: not one finite position for each joint, or a height that is not finite.
        """
        settings, robot = self.settings, self.robot
        pose = robot.pose(robot.start) if pose is None else np.asarray(pose, dtype=np.float64)
        self._refuse(pose, height)
        # Engines multiply: with 1 on the robot the floor decides what is between the two.
        floor = Surface(settings.friction, settings.restitution)
        surface = Surface(1.0, settings.restitution)
        self.engine.clear()
        self.floor = self.engine.add(ObjectSpec('floor', Plane(), surface=floor))
        self.body = self.engine.load(
            RobotSpec(
                'robot',
                self._urdf,
                self.joint_map.names,
                robot.base.fixed,
                settings.self_collision,
                surface,
                tuple(self._losses.rotor_inertia.tolist()),
            )
        )
        if self._losses.dry_friction.any():
            self.engine.set_joint_friction(self.body, self._losses.dry_friction)
        self._place_base(0.0)
        if settings.self_collision:
            pairs = passing_pairs(robot, self.joint_map, self.engine, self.body)
            self.engine.ignore_collisions(self.body, pairs)
        self.joint_map.positions(pose, self.position)
        self.engine.place_joints(self.body, self.position)
        joints = dict(zip(self.joint_map.names, self.position.tolist(), strict=True))
        low, high = bounds(robot.urdf, robot.urdf_text, joints)
        self._place_base(self._touching_height(high - low) if height is None else height)
        rotors = dict(zip(joints, self._losses.rotor_inertia.tolist(), strict=True))
        inertia = joint_inertia(robot.urdf, joints, robot.base.fixed, rotors)
        self._inertia = np.array([inertia[name] for name in self.joint_map.names])
        self.drives.forget()
        self.set_gains(self._gains)
        self._sensors.begin(self.engine, self.body)
        self._steps = 0
        measured = self.measure(0.0)
        centre = self._sensors.base.position + [0.0, 0.0, (low[2] + high[2]) / 2.0]
        self.engine.look(centre, 1.3 * float(np.linalg.norm(high - low)))
        return measured

    def step(self, target_position: Array, target_velocity: Array) -> None:
        """Let one physics step pass under PD control.

        Args:
            target_position: (movable,) [rad] or [m].
            target_velocity: (movable,) [rad/s] or [m/s].
        """
        self._prepare()
        self.drives.compute(self.position, self.velocity, target_position, target_velocity)
        self._advance()

    def coast(self) -> None:
        """Let one physics step pass while the motors give way; mechanisms stay together."""
        self._prepare()
        self.drives.release(self.position, self.velocity)
        self._advance()

    def settle(self, seconds: float) -> None:
        """Hold all joints where they are for a while, so that the robot comes to rest."""
        self._read_joints()
        target, rate = self.position.copy(), np.zeros(len(self.position))
        for _ in range(round(seconds / self.settings.physics_step)):
            self.step(target, rate)

    def measure(self, elapsed: float) -> Measured:
        """Read the state into `measured`.

        Args:
            elapsed: since the last call [s]; efforts, contact forces and accelerations are means
                over it.

        Raises:
            SoftshellError: the simulation diverged; the text names a joint or the base.
        """
        self._read_joints()
        self._fresh = True
        measured = self._sensors.read(self.position, self.velocity, elapsed)
        self.drives.tell_heat(measured)
        self._refuse_infinite()
        return measured

    def _prepare(self) -> None:
        """Bring what the drives need to know up to date."""
        if not self._fresh:
            self._read_joints()
        stable = self.drives.stable
        if self._mass is not None and stable is not None and self._steps % MASS_STEPS == 0:
            self._mass.write(self.position, stable.mass)

    def _advance(self) -> None:
        self.engine.apply_effort(self.body, self.drives.effort)
        self.engine.step()
        self._sensors.after_step(self.drives)
        self._steps += 1
        self._fresh = False

    def _read_joints(self) -> None:
        self.engine.read_joints(self.body, self.position, self.velocity)

    def _place_base(self, height: float) -> None:
        """Put the base link level above the origin [m], at rest."""
        root = shift(z=height) @ inverse(self._sensors.base_in_root)
        self.engine.place(self.body, BodyState.at_rest(root))

    def _touching_height(self, size: Array) -> float:
        """Height of the base link [m] at which the robot just touches the floor.

        Raises:
            SoftshellError: nothing of the robot can touch.
        """
        if self.robot.base.fixed:
            return 0.0
        above = 0.1 + 2.0 * float(np.linalg.norm(size))
        self._place_base(above)
        gaps = self.engine.gaps(self.body, self.floor, 2.0 * above)
        if not gaps:
            raise SoftshellError(
                f'robot {self.robot.name!r} has no <collision> shape to stand on; '
                'expected one, or a fixed base'
            )
        return above - min(gap.distance for gap in gaps)

    def _refuse(self, pose: Array, height: float | None) -> None:
        names = self.robot.joint_names
        problems = []
        if pose.shape != (len(names),):
            problems.append(
                f'pose has the shape {pose.shape}; expected ({len(names)},), one position for '
                f'each of {", ".join(names)}'
            )
        else:
            problems += [
                f'pose of {name!r} is {value}; expected a finite number'
                for name, value in zip(names, pose.tolist(), strict=True)
                if not np.isfinite(value)
            ]
        if height is not None and not np.isfinite(height):
            problems.append(f'height is {height} m; expected a finite number')
        if problems:
            raise ProblemsError('reset of the world', problems)

    def _refuse_infinite(self) -> None:
        base = self._sensors.base
        finite = np.isfinite(self.position) & np.isfinite(self.velocity)
        if finite.all() and np.isfinite(base.position).all():
            return
        if finite.all():
            what = f'the base is at {base.position.tolist()}'
        else:
            joint = int(np.argmin(finite))
            what = (
                f'joint {self.joint_map.names[joint]!r} is at {self.position[joint]} and moves '
                f'with {self.velocity[joint]}'
            )
        raise SoftshellError(
            f'the simulation diverged {self.time:.3f} s after its reset: {what}; expected finite '
            'numbers. Reset it; a smaller physics_step or lower gains may avoid this'
        )
