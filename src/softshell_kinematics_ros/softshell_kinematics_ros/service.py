"""The three services over one robot, apart from ROS's node."""

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from softshell_interfaces.msg import JointPath, LimbPath, LimbSolution
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.floating_base import base_path, feet_in_base, position_goals
from softshell_kinematics.from_urdf import chain_from_urdf
from softshell_kinematics.limbs import Limbs
from softshell_kinematics.solution import IkOptions, IkResult
from softshell_kinematics.transforms import (
    COORDINATES,
    coordinates_from_pose,
    rotation_from_quaternion,
    transform,
)
from softshell_kinematics.urdf import Urdf
from softshell_kinematics_ros.requests import (
    RefusalError,
    bytes_field,
    doubles,
    joint_positions,
    known_names,
    one_length,
    path_coordinates,
    shorts,
    values,
)


class KinematicsService:
    """Answers solve_ik, solve_fk and solve_body_ik.

    Args:
        urdf: the robot.
        chains: (base link, tip link) of every chain that can be asked for, by name.
        options: the defaults of the search.

    Raises:
        SoftshellError: there is no chain, or nothing moves one.
    """

    def __init__(
        self, urdf: Urdf, chains: Mapping[str, tuple[str, str]], options: IkOptions
    ) -> None:
        if not chains:
            raise SoftshellError(f'robot {urdf.name!r} has no chain; expected one or more')
        self.urdf = urdf
        self.chains = dict(chains)
        self.options = options
        self.joints = frozenset(joint.name for joint in urdf.joints if joint.movable)
        bases = dict.fromkeys(base for base, _ in self.chains.values())
        self._frames = {base: _rigidly_at(urdf, base) for base in bases}
        self._limbs = lru_cache(maxsize=256)(self._make_limbs)

    def warm_up(self) -> None:
        """Load or compile everything that a request can need."""
        names = tuple(self.chains)
        limbs = self._limbs('', names)
        for warm_start in (False, True):
            options = dataclasses.replace(self.options, warm_start=warm_start)
            limbs.solve(np.zeros((len(names), 2, 6)), options=options)
        for chain in limbs.chains:
            chain.forward(chain.middle())

    def solve_ik(self, request: SolveIK.Request, response: SolveIK.Response) -> Any:
        """Serve one solve_ik."""
        names = [limb.chain for limb in request.limbs]
        self._check_chains(names)
        frame = request.header.frame_id
        self._check_frame(frame, names)
        self._check_joints(request.fixed_joints, 'fixed joint')
        options = self._options(request)
        options = dataclasses.replace(options, warm_start=bool(request.warm_start))
        seed = joint_positions(request.seed, 'seed', self.joints)
        paths = [path_coordinates(limb, f'limb {limb.chain!r}') for limb in request.limbs]
        response.all_converged = True
        if not paths:
            return response
        one_length([len(path) for path in paths], names, 'limb')
        limbs = self._limbs(frame, tuple(names))
        self._solve(limbs, np.stack(paths), seed, request.fixed_joints, options, response)
        return response

    def solve_body_ik(self, request: SolveBodyIK.Request, response: SolveBodyIK.Response) -> Any:
        """Serve one solve_body_ik."""
        names = list(request.chains)
        self._check_chains(names)
        self._check_joints(request.fixed_joints, 'fixed joint')
        options = dataclasses.replace(self._options(request), warm_start=True)
        stance = joint_positions(request.stance, 'stance', self.joints)
        start = _pose(request.start, 'start')
        path = path_coordinates(request.base, 'base')
        response.all_converged = True
        if not names:
            return response
        limbs = self._limbs('', tuple(names))
        feet = []
        for chain in limbs.chains:
            for variable in chain.variables:
                if variable not in stance:
                    raise RefusalError(
                        SolveBodyIK.Response.UNKNOWN_JOINT,
                        f'stance does not name {variable!r}; expected all joints of '
                        f'{chain.name!r}: {", ".join(chain.variables)}',
                    )
            q = np.array([stance[variable] for variable in chain.variables])
            feet.append((start @ chain.forward(q))[:3, 3])
        goals = position_goals(feet_in_base(base_path(path, start), np.array(feet)))
        self._solve(limbs, goals, stance, request.fixed_joints, options, response)
        return response

    def solve_fk(self, request: SolveFK.Request, response: SolveFK.Response) -> Any:
        """Serve one solve_fk."""
        names = list(request.chains) or list(self.chains)
        self._check_chains(names)
        given = [joint.name for joint in request.joints]
        self._check_joints(given, 'joint')
        positions = {
            joint.name: values(joint.position, f'joint {joint.name!r}: position')
            for joint in request.joints
        }
        lengths = [len(joint.position) for joint in request.joints]
        one_length(lengths, given, 'joint')
        points = lengths[0] if lengths else 1
        limbs = self._limbs('', tuple(names))
        for chain in limbs.chains:
            q = np.zeros((points, len(chain)))
            for i, variable in enumerate(chain.variables):
                if variable in positions:
                    q[:, i] = positions[variable]
            response.limbs.append(_limb_path(chain.name, coordinates_from_pose(chain.forward(q))))
        return response

    def _solve(
        self,
        limbs: Limbs,
        goals: Array,
        seed: dict[str, float],
        fixed: Sequence[str],
        options: IkOptions,
        response: Any,
    ) -> None:
        seeds = limbs.seeds(
            [[seed.get(name, math.nan) for name in chain.variables] for chain in limbs.chains]
        )
        # A fixed joint of another chain holds nothing here.
        moved = {name for chain in limbs.chains for name in chain.variables}
        locked = limbs.locks(name for name in fixed if name in moved)
        begin = time.perf_counter()
        results = limbs.solve(goals, seeds, options, locked)
        response.solve_time = time.perf_counter() - begin
        response.all_converged = results.all_converged
        response.solutions = [
            _solution(chain.name, chain.variables, result)
            for chain, result in zip(limbs.chains, results, strict=True)
        ]

    def _make_limbs(self, frame: str, names: tuple[str, ...]) -> Limbs:
        # Chains that start at the goals' frame: free coordinates stay free along its own axes.
        return Limbs(
            [
                chain_from_urdf(self.urdf, frame or base, tip, name)
                for name, (base, tip) in ((name, self.chains[name]) for name in names)
            ]
        )

    def _options(self, request: Any) -> IkOptions:
        """The defaults with what a request asks for instead; 0 asks for nothing."""
        try:
            return dataclasses.replace(
                self.options,
                tolerance=request.tolerance or self.options.tolerance,
                max_iterations=request.max_iterations or self.options.max_iterations,
            )
        except ProblemsError as error:
            raise RefusalError(SolveIK.Response.OUT_OF_RANGE, '; '.join(error.problems)) from None

    def _check_chains(self, names: Sequence[str]) -> None:
        known_names(names, 'chain', self.chains, SolveIK.Response.UNKNOWN_CHAIN)

    def _check_frame(self, frame: str, names: Sequence[str]) -> None:
        """Refuse a frame that moves against the base of a chain; an empty one is that base."""
        for base in [self.chains[name][0] for name in names] if frame else []:
            if frame not in self._frames[base]:
                error = UnknownNameError('frame', frame, self._frames[base])
                raise RefusalError(SolveIK.Response.UNKNOWN_FRAME, str(error))

    def _check_joints(self, names: Sequence[str], kind: str) -> None:
        known_names(names, kind, self.joints, SolveIK.Response.UNKNOWN_JOINT)


def _rigidly_at(urdf: Urdf, base: str) -> frozenset[str]:
    """Links that no joint moves against the base."""
    body = urdf.bodies[urdf.link(base).name][0]
    return frozenset(link for link, (other, _) in urdf.bodies.items() if other == body)


def _pose(message: Any, subject: str) -> Array:
    p, o = message.position, message.orientation
    position = values([p.x, p.y, p.z], f'{subject}.position')
    quaternion = values([o.x, o.y, o.z, o.w], f'{subject}.orientation')
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-3:
        raise RefusalError(
            SolveBodyIK.Response.OUT_OF_RANGE,
            f'{subject}.orientation has length {length:.3g}; expected a unit quaternion',
        )
    return transform(rotation_from_quaternion(quaternion), position)


def _limb_path(chain: str, coordinates: Array) -> LimbPath:
    path = LimbPath(chain=chain)
    for i, name in enumerate(COORDINATES):
        setattr(path, name, doubles(coordinates[:, i]))
    return path


def _solution(chain: str, variables: Sequence[str], result: IkResult) -> LimbSolution:
    return LimbSolution(
        chain=chain,
        joints=[
            JointPath(name=name, position=doubles(result.q[:, i]))
            for i, name in enumerate(variables)
        ],
        status=bytes_field(result.status),
        residual=doubles(result.residual),
        iterations=shorts(result.iterations),
    )
