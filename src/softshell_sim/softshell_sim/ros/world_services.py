"""The services that change, save, restore and describe a simulated world."""

from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Pose, Twist, Vector3
from rclpy.node import Node

from softshell_common.frames import ODOM
from softshell_common.reason import Reason, ReasonCode
from softshell_common.ros.qos import SERVICE
from softshell_control.bridge import BridgeCore
from softshell_control.ros.messages import set_quaternion, set_stamp, set_vector
from softshell_control.ros.requests import carry_out
from softshell_interfaces.msg import WorldBody, WorldChange
from softshell_interfaces.srv import ChangeWorld, GetWorld, NamedState
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_sim.bodies import BodyState, Surface
from softshell_sim.changing.changes import Change, Place, Push, Remove, SetPadding, SetSurface
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.ros.world_looks import Looks
from softshell_sim.scenes.scene_file import read_body
from softshell_sim.sim_backend import SimBackend
from softshell_sim.stability import Status

#: Most states that are kept.
MOST_STATES = 100
#: Most bodies of a world.
MOST_BODIES = 1000


class WorldServices:
    """`~/change_world`, `~/get_world`, `~/save_state`, `~/restore_state` and `~/forget_state`.

    Args:
        node: offers the services.
        core: its backend is the simulation.
    """

    def __init__(self, node: Node, core: BridgeCore) -> None:
        assert isinstance(core.backend, SimBackend)
        self._node, self._core, self._backend = node, core, core.backend
        self._states: dict[str, tuple[Any, Array | None]] = {}
        self._looks = Looks(node.get_logger().warning)
        node.create_service(ChangeWorld, '~/change_world', self._change, qos_profile=SERVICE)
        node.create_service(GetWorld, '~/get_world', self._get, qos_profile=SERVICE)
        for act in (self.save_state, self.restore_state, self.forget_state):
            serve = self._named(act)
            node.create_service(NamedState, f'~/{act.__name__}', serve, qos_profile=SERVICE)

    def save_state(self, name: str) -> str:
        """Keep the present state under a name; called by the control loop.

        Raises:
            SoftshellError: the name is empty, or there are too many states.
        """
        if not name:
            raise SoftshellError('the name of the state is empty; expected one')
        if name not in self._states and len(self._states) >= MOST_STATES:
            raise SoftshellError(
                f'{MOST_STATES} states are kept already; expected no more: call forget_state first'
            )
        # Without drive the last command is no place to hold the joints at.
        command = self._core.command.value.copy() if self._core.driven else None
        self._states[name] = self._backend.save(), command
        return f'the state is kept as {name!r}'

    def restore_state(self, name: str) -> str:
        """Bring the world to a kept state; called by the control loop.

        Raises:
            SoftshellError: there is no such state, or the world has other bodies than then.
        """
        state, command = self._state(name)
        reason = Reason(ReasonCode.MOVED, f'the state {name!r} was restored')
        self._core.intervene(lambda: self._backend.restore(state), reason, command)
        return f'the world is as when {name!r} was saved'

    def forget_state(self, name: str) -> str:
        """Remove a kept state; called by the control loop.

        Raises:
            UnknownNameError: there is no such state.
        """
        self._state(name)
        del self._states[name]
        return f'{name!r} is forgotten'

    def _state(self, name: str) -> tuple[Any, Array | None]:
        if name not in self._states:
            raise UnknownNameError('state', name, self._states)
        return self._states[name]

    def _named(self, act: Callable[[str], str]) -> Callable[[Any, Any], Any]:
        """A callback of the service that does something with the state of a name."""

        def serve(request: Any, response: Any) -> Any:
            done = carry_out(self._node, self._core, act.__name__, lambda: act(request.name))
            response.success, response.message = done
            response.names = sorted(self._states)
            return response

        return serve

    def _change(self, request: Any, response: Any) -> Any:
        def change() -> str:
            changes = read_changes(request.changes)
            bodies = self._backend.world.engine.bodies
            if len(bodies) + len(changes) > MOST_BODIES:
                raise SoftshellError(
                    f'the world has {len(bodies)} bodies, the request {len(changes)} changes; '
                    f'expected at most {MOST_BODIES} together'
                )
            placed = [each for each in changes if isinstance(each, Place) and each.joints]
            if any(each.body == 'robot' for each in placed):
                reason = Reason(ReasonCode.MOVED, 'joints were put somewhere else')
                self._core.intervene(lambda: self._backend.change(changes), reason)
            else:
                self._backend.change(changes)
            warnings = ''.join(f'; {reason.text}' for reason in self._backend.warnings())
            return f'{len(changes)} changes made{warnings}'

        done = carry_out(self._node, self._core, 'change_world', change)
        response.success, response.message = done
        return response

    def _get(self, request: Any, response: Any) -> Any:
        specs: dict[str, Any] = {}

        def read() -> str:
            response.bodies = self._bodies()
            specs.update(self._backend.world.engine.specs)
            return f'{len(response.bodies)} bodies'

        carry_out(self._node, self._core, 'get_world', read, query=True)
        for body in response.bodies:  # outside the control loop, since it takes long
            body.shapes = self._looks.shapes(body, specs[body.name])
        core = self._core
        response.header.frame_id = ODOM
        set_stamp(response.header.stamp, core.now)
        response.states = sorted(self._states)
        set_vector(response.gravity, self._backend.world.gravity)
        response.paused = core.flow.paused
        return response

    def _bodies(self) -> list[WorldBody]:
        world, found = self._backend.world, []
        statuses = {} if world.scene.stability is None else world.scene.stability.read()
        for name, body in world.engine.bodies.items():
            state, joints = world.scene.state(name), np.zeros((2, len(body.joints)))
            world.engine.read_joints(body, *joints)
            surface = world.engine.surfaces.of(body)
            message = WorldBody(
                name=name,
                links=list(body.links),
                joints=list(body.joints),
                fixed=world.scene.stands(name),
                driven=body in world.engine.driven,
                friction=surface.friction,
                restitution=surface.restitution,
                stiffness=surface.stiffness or 0.0,
                damping=surface.damping or 0.0,
                padding=world.engine.padding[body],
                positions=joints[0].tolist(),
                status=int(statuses.get(body, Status.NORMAL)),
            )
            set_vector(message.pose.position, state.position)
            set_quaternion(message.pose.orientation, state.orientation)
            set_vector(message.twist.linear, state.linear_velocity)
            set_vector(message.twist.angular, state.angular_velocity)
            found.append(message)
        return found


def read_changes(messages: list[WorldChange]) -> list[Change]:
    """The changes that messages ask for.

    Raises:
        ProblemsError: what is wrong with each message, with its place in the list.
    """
    changes, problems = [], []
    for number, message in enumerate(messages, start=1):
        try:
            changes.append(_read(message))
        except SoftshellError as error:
            found = error.problems if isinstance(error, ProblemsError) else [str(error)]
            where = f'change {number} of {len(messages)}, {message.body!r}'
            problems += [f'{where}: {problem}' for problem in found]
    if problems:
        raise ProblemsError('changes of the world', problems)
    return changes


def _read(message: WorldChange) -> Change:
    match message.kind:
        case WorldChange.SPAWN:
            return read_body(message.body, message.description, _state(message))
        case WorldChange.REMOVE:
            return Remove(message.body)
        case WorldChange.PLACE:
            return Place(message.body, _state(message))
        case WorldChange.PLACE_JOINTS:
            names, positions = message.joints, message.positions.tolist()
            if len(names) != len(positions):
                raise SoftshellError(
                    f'{len(names)} joints, {len(positions)} positions; expected one for each joint'
                )
            return Place(message.body, joints=dict(zip(names, positions, strict=True)))
        case WorldChange.PUSH:
            wrench = message.wrench
            return Push(
                message.body,
                _vector(wrench.force),
                _vector(wrench.torque),
                message.duration,
                message.link,
                _vector(message.point),
            )
        case WorldChange.SET_SURFACE:
            return SetSurface(message.body, _surface(message), message.other)
        case WorldChange.BLEND_SURFACES:
            return SetSurface(message.body, None, message.other)
        case WorldChange.SET_PADDING:
            return SetPadding(message.body, message.padding)
        case WorldChange.DRIVE:
            poses = [np.concatenate(_position_and_turn(pose)) for pose in message.path]
            return Drive(message.body, np.array(message.times), np.array(poses).reshape(-1, 7))
        case WorldChange.RELEASE:
            return Release(message.body)
    raise SoftshellError(f'kind is {message.kind}; expected one of the constants of WorldChange')


def _vector(message: Vector3 | Point) -> Array:
    return np.array([message.x, message.y, message.z])


def _position_and_turn(pose: Pose) -> tuple[Array, Array]:
    turn = pose.orientation
    return _vector(pose.position), np.array([turn.x, turn.y, turn.z, turn.w])


def _state(message: WorldChange) -> BodyState:
    twist: Twist = message.twist
    return BodyState(
        *_position_and_turn(message.pose), _vector(twist.linear), _vector(twist.angular)
    )


def _surface(message: WorldChange) -> Surface:
    rigid = message.stiffness == message.damping == 0.0
    soft = {} if rigid else {'stiffness': message.stiffness, 'damping': message.damping}
    return Surface(message.friction, message.restitution, **soft)
