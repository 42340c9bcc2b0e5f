"""A world of a floor and a robot that joint efforts move, on any engine."""

from collections.abc import Mapping, Sequence

import numpy as np

from softshell_control.backend import Measured
from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, ObjectSpec, Surface
from softshell_sim.changing.changes import Change, Place, is_placed
from softshell_sim.contact.feedback import ContactFeedback
from softshell_sim.contact.self_collision import passing_pairs
from softshell_sim.following import Following
from softshell_sim.joints.control import JointControl
from softshell_sim.joints.limits import limits_of
from softshell_sim.joints.targets import Targets
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.scene import Scene
from softshell_sim.sensing.camera import Picture
from softshell_sim.sensing.cameras import Cameras
from softshell_sim.sensing.sensors import Sensors
from softshell_sim.settings import WorldSettings, gravity_vector
from softshell_sim.shapes import Plane
from softshell_sim.soft.drive import SoftDrive
from softshell_sim.start import extent, place_base, put_down, robot_spec, start_pose
from softshell_sim.step_clock import StepClock
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.tree import bounds, refuse_weightless
from softshell_sim.world_state import WorldState, setup_of


class World:
    """A floor at z = 0 in odom, and a robot on it or fixed to it.

    Several worlds may live in one process. Further bodies are added by `apply`, and stay until the
    next reset. Code that moves the robot through `engine` calls `measure` before the next step.

    Args:
        robot: the robot; it begins in its start pose.
        settings: of the world.

    Attributes:
        engine: the physics engine.
        scene: all bodies, their pushes and paths.
        floor, body: the floor and the robot in the engine.
        joint_map: order of the joints.
        control, drives: of the joints, with the gains that are in force.
        position, velocity: (movable,) of the joints, as last read.
        measured: what the sensors showed last.
        cameras: of the robot.
        time: since the last reset [s].
        targets: positions and velocities that the motors are to reach.
        gravity: (3,) acceleration of free fall, in the world [m/s^2].
        soft: the soft manipulators of the robot.
        feedback: if set, watches all contacts during each `simulate`.
        kinematic: whether `simulate` puts driven joints at their targets, without physics.

    Raises:
        SoftshellError: the engine does not start, or the robot cannot be simulated.
    """

    floor: Body
    body: Body
    gravity: Array
    soft: SoftDrive
    kinematic: bool = False
    feedback: ContactFeedback | None = None

    def __init__(self, robot: RobotModel, settings: WorldSettings | None = None) -> None:
        self.robot = robot
        settings = self.settings = settings or WorldSettings()
        self.joint_map = JointMap.of(robot)
        sensed = settings.gravity, settings.sensors, settings.seed
        self._sensors = Sensors(robot, self.joint_map, *sensed)
        self.measured = self._sensors.measured
        self.cameras = Cameras(robot, self.joint_map, settings)
        refuse_weightless(robot.urdf, robot.base.fixed)
        is_seen = settings.gui or settings.visuals or bool(settings.sensors.cameras)
        flat = self._flat = flatten(robot.urdf_text, visuals=is_seen)
        self.control = JointControl(robot, self.joint_map, settings, flat.text)
        self.drives = self.control.drives
        self.position, self.velocity = np.zeros((2, len(self.joint_map.names)))
        self._driven = slice(self.joint_map.driven)
        self.targets = Targets(limits_of(flat.text, self.joint_map.names[self._driven]))
        surface = Surface(settings.friction, settings.restitution)
        self._floor_spec = ObjectSpec('floor', Plane(), surface=surface)
        rotors = self.control.rotor_inertia
        self._robot_spec = robot_spec(robot, self.joint_map, settings, flat.text, rotors)
        begin = EngineSettings(settings.physics_step, settings.gravity, settings.gui)
        self.engine = make_engine(settings.engine, begin)
        self._clock = StepClock(begin.time_step, self.engine.set_time_step, self.drives.set_step)
        self.scene = Scene(self.engine, {'robot': self.joint_map})
        self._following = Following(self.engine, settings.gui and settings.follow)
        try:
            self.reset()
        except BaseException:
            self.close()
            raise

    @property
    def time(self) -> float:
        """Time since the last reset [s]."""
        return self._clock.time

    def close(self) -> None:
        """End the world: what needs its engine then raises SoftshellError. May be called again."""
        self.engine.close()

    def set_gravity(self, gravity: Array | float) -> None:
        """Change the acceleration of free fall from now on, until the next reset.

        Args:
            gravity: (3,) in the world, or downwards [m/s^2].

        Raises:
            SoftshellError: it is not finite.
        """
        self._sensors.gravity[:] = self.gravity = gravity_vector(gravity)
        self.engine.set_gravity(self.gravity)

    @property
    def motor_position(self) -> Array:
        """(movable,) joint positions as the motors know them, as last read [rad] or [m]."""
        return self._sensors.at_motors(self.position)

    def set_gains(self, gains: Mapping[str, Gains]) -> None:
        """Set PID gains by name of group, limited to stable ones; the others are the model's."""
        self.control.set_gains(gains)

    def reset(self, pose: Array | None = None, height: float | None = None) -> Measured:
        """Begin anew with the floor, the robot and the bodies of the settings, all at rest.

        Args:
            pose: (independent,) joint positions [rad] or [m]; default the robot's start pose.
            height: of the base link [m]; default: it touches what is below it; 0 if fixed.

        Raises:
            ProblemsError: no finite position within limits for each joint, or no finite height.
            SoftshellError: no height is given, and the robot has no collision shape, or no room.
        """
        robot, engine = self.robot, self.engine
        pose = start_pose(robot, pose, height)
        self.set_gravity(self.settings.gravity)
        self._begin()
        self.joint_map.positions(pose, self.position)
        engine.place_joints(self.body, self.position)
        joints = dict(zip(self.joint_map.names, self.position.tolist(), strict=True))
        low, high = bounds(robot.urdf, robot.urdf_text, joints)
        put_down(engine, self.body, self._sensors.base_in_root, high - low, robot, height)
        self.control.begin(joints)
        self._sensors.begin(engine, self.body)
        self.cameras.begin()
        self.targets.hold(self.motor_position[self._driven])
        self._clock.reset()
        measured = self.measure(0.0)
        middle = [0.0, 0.0, (low[2] + high[2]) / 2.0]
        engine.look(self._sensors.base.position + middle, 1.3 * extent(high - low))
        self._following.begin(self._sensors.base.position)
        return measured

    def _begin(self) -> None:
        """Empty the engine, then add the floor, the robot and the bodies of the settings."""
        engine, settings = self.engine, self.settings
        engine.clear()
        self.floor = engine.add(self._floor_spec)
        self.body = engine.load(self._robot_spec)
        self.soft = SoftDrive(self.robot, engine, self.body, self._robot_spec, self._flat)
        engine.set_pair_surface(self.floor, self.body, self._floor_spec.surface)
        place_base(engine, self.body, self._sensors.base_in_root, 0.0)
        if settings.self_collision:
            pairs = passing_pairs(self.robot, self.joint_map, engine, self.body)
            engine.ignore_collisions(self.body, pairs)
        self.scene.begin(settings.scene)

    def apply(self, changes: Sequence[Change]) -> None:
        """Make all of these changes, or none: `Spawn`, `Place`, `Push`, `Drive` and the others.

        Where any joint of the robot is placed, all its joints are held as they then are.

        Raises:
            ProblemsError: what is wrong with each change; nothing was changed.
        """
        self.scene.apply(changes)
        placed = [each for each in changes if is_placed('robot', each)]
        if placed:
            self._sensors.settled()  # what they showed is of where it was
            self.cameras.clear()
            self.measure(0.0)
        if any(isinstance(each, Place) and each.joints for each in placed):
            self.hold()
            self.drives.placed()

    def save(self) -> WorldState:
        """The state of everything that decides how the world goes on.

        The world goes on after `restore` exactly, bit for bit, as it did after `save`.
        """
        return WorldState(
            setup_of(self.robot, self.settings), self.scene.save(), self.control.save(),
            self._sensors.save(), self.cameras.save(), self.targets.save(), self.soft.save(),
            self.gravity, self._clock.save(), np.array([self.position, self.velocity]),
        )  # fmt: skip

    def restore(self, state: WorldState) -> Measured:
        """Bring everything to a state that `save` returned, the time as well.

        Raises:
            SoftshellError: there are other bodies than then, or the state is of another world;
                nothing was changed.
        """
        state.refuse_other_setup(setup_of(self.robot, self.settings))
        self.scene.restore(state.scene)
        self.control.restore(state.control)
        self._sensors.restore(state.sensors)
        self.cameras.restore(state.cameras)
        self.targets.restore(state.targets)
        self.soft.restore(state.soft)
        self.set_gravity(state.gravity)
        self._clock.restore(state.clock)
        self.position[:], self.velocity[:], self._fresh = *state.joints, False
        return self.measured

    def hold(self) -> None:
        """Make the present positions of all joints the targets of the motors."""
        self._read_joints()
        self.targets.hold(self.joint_map.led_by(self.motor_position))

    def simulate(
        self,
        seconds: float,
        target: Array | None = None,
        rate: Array | None = None,
        driven: bool = True,
    ) -> None:
        """Let time pass, in equal steps no longer than the physics step.

        Args:
            seconds: how long [s].
            target: (driven,) positions that the motors are to reach at the end, on straight
                lines from where they were to be before [rad] or [m]; None: the same as before.
            rate: (driven,) velocities that they are to have [rad/s] or [m/s]; None: none.
            driven: whether the motors follow; otherwise they exert nothing.

        Raises:
            SoftshellError: no time to pass, or no finite target for each joint; nothing happened.
        """
        targets = self.targets
        targets.refuse_unfit(target, rate)
        count = self._clock.divide(seconds)
        if self.feedback is not None:
            self.feedback.begin()
        if driven:
            targets.begin(target, rate)
        if self.kinematic:
            self.scene.stop('robot')
            self.drives.placed()
        for k in range(1, count + 1):
            if driven:
                targets.advance(k / count)
            if self.kinematic:
                self._prepare()
                if driven:
                    self.soft.place_motors(*targets.within_limits(self._sensors.motor_offset))
                self._sensors.after_step(None)
                self._passed()
            elif driven:
                self._step(targets.position, targets.velocity)
            else:
                self.coast()

    def step(self, target_position: Array, target_velocity: Array) -> None:
        """Let one step pass under PD control.

        Args:
            target_position, target_velocity: (driven,) [rad] or [m], [rad/s] or [m/s].

        Raises:
            SoftshellError: not one finite target for each joint; nothing happened.
        """
        self.targets.refuse_unfit(target_position, target_velocity)
        self.targets.hold(target_position, target_velocity)
        self._step(target_position, target_velocity)

    def _step(self, target_position: Array, target_velocity: Array) -> None:
        self._prepare()
        joints = self.motor_position[self._driven], self.velocity[self._driven]
        self.drives.compute(*joints, target_position, target_velocity)
        self._advance()

    def coast(self) -> None:
        """Let one physics step pass without the motors; joints that mimic others stay coupled."""
        self._prepare()
        self.drives.release(self.motor_position[self._driven], self.velocity[self._driven])
        self._advance()

    def settle(self, seconds: float) -> None:
        """Hold all joints for some seconds, so that the robot comes to rest."""
        self.hold()
        self.simulate(seconds)
        self._sensors.settled()

    def measure(self, elapsed: float) -> Measured:
        """Read the state into `measured`.

        Args:
            elapsed: since the last call [s]; efforts, forces and accelerations are means over it.

        Raises:
            DivergedError: the text names the joint, or the base.
        """
        self._read_joints()
        self._fresh = True
        measured = self._sensors.read(self.position, self.velocity, elapsed, self.time)
        self.drives.tell_heat(measured)
        self._following.update(self._sensors.base.position, elapsed)
        return measured

    def picture(self, camera: str) -> tuple[float, Picture]:
        """When the newest picture of a camera, by its name, was taken [s], and the picture.

        Raises:
            UnknownNameError: there is no such camera.
        """
        return self.cameras.picture(camera, self.engine, self.body, self.time)

    def _prepare(self) -> None:
        """Read the joints if they have moved, and prepare the control of the next step."""
        if not self._fresh:
            self._read_joints()
        self.control.prepare(self.position, self._clock.steps)

    def _advance(self) -> None:
        effort = self.soft.with_motors(self.drives.effort, self.position, self.velocity)
        self.engine.apply_effort(self.body, effort)
        self.scene.step()
        self._sensors.after_step(self.drives)
        if self.feedback is not None:
            self.feedback.after_step()
        self._passed()

    def _passed(self) -> None:
        self._clock.steps += 1
        self._fresh = False

    def _read_joints(self) -> None:
        self.engine.read_joints(self.body, self.position, self.velocity)
