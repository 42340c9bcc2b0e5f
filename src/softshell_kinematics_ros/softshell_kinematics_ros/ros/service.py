"""The three services for one robot, independent of the node."""

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.legged.floating_base import (
    base_path,
    feet_in_base,
    position_goals,
    refuse_other_bases,
)
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.mechanism import ParallelMechanism
from softshell_kinematics.model.urdf import Urdf
from softshell_kinematics.solving.limbs import Limbs
from softshell_kinematics.solving.shortfall import first_shortfall
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics.transforms import COORDINATES, coordinates_from_pose
from softshell_kinematics_ros.chains import rigidly_at
from softshell_kinematics_ros.ros.messages import limb_path, limb_solution, pose_matrix
from softshell_kinematics_ros.ros.requests import (
    RefusalError,
    check_positions,
    each_once,
    joint_names,
    joint_positions,
    known_names,
    largest_positions,
    limited_points,
    one_length,
    path_coordinates,
    posture_paths,
    refused_by_status,
    values,
)
from softshell_kinematics_ros.slices import Clock, Slices, solve_in_slices

#: Points of all chains up to which a request is read at once; larger ones wait for their turn.
AT_ONCE = 2000
#: Points per slice of work that is not timed: poses of feet, forward kinematics.
BLOCK = 5000
NO_POSTURE: Mapping[str, Array] = {}


class KinematicsService:
    """Answers solve_ik, solve_fk and solve_body_ik.

    Each is a task in slices: it fills in the response, and yields after each slice but the last
    how many points are left. It raises `RefusalError` if the request cannot be served.

    Args:
        urdf: the robot.
        chains: (base link, tip link) of every chain that can be asked for, by name.
        options: the defaults of the search.

    Raises:
        SoftshellError: there is no chain, or no joint of one moves.
    """

    def __init__(
        self, urdf: Urdf, chains: Mapping[str, tuple[str, str]], options: IkOptions
    ) -> None:
        if not chains:
            raise SoftshellError(f'robot {urdf.name!r} has no chain; expected one or more')
        self.urdf = urdf
        self.chains = dict(chains)
        self.options = options
        moving = [joint for joint in urdf.joints if joint.movable and not joint.loose]
        self._mimics = {joint.name: joint.mimic for joint in moving if joint.mimic}
        self._joints = {joint.name for joint in moving} - self._mimics.keys()
        bases = dict.fromkeys(base for base, _ in self.chains.values())
        self._frames = {base: rigidly_at(urdf, base) for base in bases}
        self._limbs = lru_cache(maxsize=256)(self._make_limbs)
        self._mechanism = lru_cache(maxsize=256)(lambda limbs: ParallelMechanism(limbs.chains))
        self._limbs('', tuple(self.chains))

    def warm_up(self) -> None:
        """Load or compile everything that a request can need."""
        names = tuple(self.chains)
        limbs = self._limbs('', names)
        for warm_start in (False, True):
            options = dataclasses.replace(self.options, warm_start=warm_start)
            limbs.solve(np.zeros((len(names), 2, 6)), options=options)
        names_of = [name for chain in limbs.chains for name in chain.variables]
        if len({*names_of}) < len(names_of):
            with contextlib.suppress(SoftshellError):  # requests for some of them can be served
                self._mechanism(limbs).solve(np.zeros((2, len(names), 6)), options=options)
        for chain in limbs.chains:
            chain.forward(chain.middle())

    def solve_ik(self, request: SolveIK.Request, response: SolveIK.Response) -> Slices:
        """Serve one solve_ik."""
        names = [limb.chain for limb in request.limbs]
        self._check_chains(names)
        each_once(names, 'chain')
        frame = request.header.frame_id
        self._check_frame(frame, names)
        self._check_joints(request.fixed_joints, 'fixed_joints')
        options = self._options(request)
        options = dataclasses.replace(options, warm_start=bool(request.warm_start))
        seed = self._positions(request.seed, 'seed', names, frame)
        response.all_converged = True
        if not names:
            return
        limbs = self._limbs(frame, tuple(names))
        points = max(len(getattr(limb, name)) for limb in request.limbs for name in COORDINATES)
        total = limited_points(points, len(names))
        if total > AT_ONCE:
            yield total
        paths = [
            path_coordinates(limb, f'limb {limb.chain!r}', chain.reach)
            for limb, chain in zip(request.limbs, limbs.chains, strict=True)
        ]
        one_length([len(path) for path in paths], names, 'limb')
        self._check_joints([joint.name for joint in request.posture], 'posture')
        largest = largest_positions(limbs.chains)
        posture = posture_paths(request.posture, len(paths[0]), largest)
        goals = np.stack(paths)
        yield from self._solve(limbs, goals, seed, request, options, response, posture)

    def solve_body_ik(
        self, request: SolveBodyIK.Request, response: SolveBodyIK.Response
    ) -> Slices:
        """Serve one solve_body_ik.

        Raises:
            RefusalError: the chains begin at different bases, or as for `solve_ik`.
        """
        names = list(request.chains)
        self._check_chains(names)
        each_once(names, 'chain')
        self._check_joints(request.fixed_joints, 'fixed_joints')
        options = dataclasses.replace(self._options(request), warm_start=True)
        stance = self._positions(request.stance, 'stance', names)
        start = pose_matrix(request.start, 'start')
        response.all_converged = True
        if not names:
            return
        limbs = self._limbs('', tuple(names))
        try:
            refuse_other_bases(limbs.chains)
        except SoftshellError as error:
            raise RefusalError(SolveBodyIK.Response.UNKNOWN_CHAIN, str(error)) from None
        reach = max(chain.reach for chain in limbs.chains)
        path = path_coordinates(request.base, 'base', reach)
        total = limited_points(len(path), len(names))
        if total > AT_ONCE:
            yield total
        feet = np.array([self._foot(chain, stance, start) for chain in limbs.chains])
        goals = np.empty((len(names), len(path), 6))
        for first in range(0, len(path), BLOCK):
            with refused_by_status():
                poses = base_path(path[first : first + BLOCK], start, reach)
                goals[:, first : first + BLOCK] = position_goals(feet_in_base(poses, feet))
            if first + BLOCK < len(path):
                yield total
        yield from self._solve(limbs, goals, stance, request, options, response)

    def solve_fk(self, request: SolveFK.Request, response: SolveFK.Response) -> Slices:
        """Serve one solve_fk."""
        names = list(request.chains) or list(self.chains)
        self._check_chains(names)
        given = [joint.name for joint in request.joints]
        self._check_joints(given, 'joints')
        each_once(given, 'joint')
        lengths = [len(joint.position) for joint in request.joints]
        one_length(lengths, given, 'joint')
        points = lengths[0] if lengths else 1
        left = limited_points(points, len(names))
        chains = self._limbs('', tuple(names)).chains
        largest = largest_positions(chains)
        positions = {}
        for joint in request.joints:
            subject = f'joint {joint.name!r}: position'
            positions[joint.name] = values(joint.position, subject)
            check_positions(positions[joint.name], joint.name, subject, largest)
        for chain in chains:
            coordinates = np.empty((points, 6))
            for first in range(0, points, BLOCK):
                block = slice(first, min(first + BLOCK, points))
                q = np.zeros((block.stop - first, len(chain)))
                for i, variable in enumerate(chain.variables):
                    if variable in positions:
                        q[:, i] = positions[variable][block]
                with refused_by_status():
                    coordinates[block] = coordinates_from_pose(chain.forward(q))
                left -= block.stop - first
                if left and points > BLOCK:
                    yield left
            response.limbs.append(limb_path(chain.name, coordinates))

    def _solve(
        self,
        limbs: Limbs,
        goals: Array,
        seed: dict[str, float],
        request: Any,
        options: IkOptions,
        response: Any,
        posture: Mapping[str, Array] = NO_POSTURE,
    ) -> Slices:
        # Fixed joints of other chains do not matter here.
        moved = [name for chain in limbs.chains for name in chain.variables]
        locked = [name for name in request.fixed_joints if name in moved]
        for name in locked:
            if name not in seed:
                raise RefusalError(
                    SolveIK.Response.UNKNOWN_JOINT,
                    f'fixed_joints names {name!r}, and seed does not; expected the position at '
                    'which it stays',
                )
        clock = Clock()
        shared = sorted(name for name in {*moved} - {*locked} if moved.count(name) > 1)
        if shared:
            # A joint that moves several chains has one position for all of them.
            _refuse_posture(posture, shared)
            try:
                mechanism = self._mechanism(limbs)
            except SoftshellError as error:
                raise RefusalError(SolveIK.Response.UNKNOWN_CHAIN, str(error)) from None
            start = {name: seed[name] for name in mechanism.variables if name in seed}
            with refused_by_status():
                whole = mechanism.begin(goals.transpose(1, 0, 2), start, options, locked)
            yield from solve_in_slices(whole, len(limbs), clock)
            results = mechanism.by_limb(whole.result(), options)
        else:
            with refused_by_status():
                seeds = None
                if seed:
                    seeds = limbs.seeds(
                        [
                            {name: seed[name] for name in chain.variables if name in seed}
                            for chain in limbs.chains
                        ]
                    )
                search = limbs.begin(goals, seeds, options, locked, _by_limb(limbs, posture))
            yield from solve_in_slices(search, len(limbs), clock)
            results = search.result()
        response.solve_time = clock.spent
        response.all_converged = results.all_converged
        response.solutions = [
            limb_solution(chain.name, chain.variables, result)
            for chain, result in zip(limbs.chains, results, strict=True)
        ]
        if not results.all_converged:
            response.message = str(first_shortfall(limbs, goals, results, options, locked))
            if shared:
                response.message += f'; {" and ".join(shared)} also moves the other chains'

    def _foot(self, chain: SerialChain, stance: Mapping[str, float], start: Array) -> Array:
        """(3,) a foot in the ground frame [m].

        Raises:
            RefusalError: a joint of its chain has no position.
        """
        for variable in chain.variables:
            if variable not in stance:
                raise RefusalError(
                    SolveBodyIK.Response.UNKNOWN_JOINT,
                    f'stance does not name {variable!r}; expected all joints of {chain.name!r}: '
                    f'{", ".join(chain.variables)}',
                )
        with refused_by_status():
            pose = chain.forward([stance[variable] for variable in chain.variables])
        return (start @ pose)[:3, 3]

    def _make_limbs(self, frame: str, names: tuple[str, ...]) -> Limbs:
        # Chains start at the frame of the goals, so that coordinates are free along its axes.
        return Limbs(
            [
                chain_from_urdf(self.urdf, frame or base, tip, name)
                for name, (base, tip) in ((name, self.chains[name]) for name in names)
            ]
        )

    def _options(self, request: Any) -> IkOptions:
        """The node's defaults, replaced by those that the request gives; 0 keeps the default.

        Raises:
            RefusalError: an option is out of its range or not finite.
        """
        values(request.tolerance, 'tolerance')
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
        """Refuse a frame that is not fixed to the bases of all chains; empty stands for these.

        Raises:
            RefusalError: it moves against one of them, or the robot has no such link.
        """
        for base in [self.chains[name][0] for name in names] if frame else []:
            if frame not in self._frames[base]:
                error = UnknownNameError('frame', frame, self._frames[base])
                raise RefusalError(SolveIK.Response.UNKNOWN_FRAME, str(error))

    def _check_joints(self, names: Sequence[str], field: str) -> None:
        joint_names(names, field, self._joints, self._mimics)

    def _positions(
        self, state: Any, field: str, names: Sequence[str], frame: str = ''
    ) -> dict[str, float]:
        # A joint that moves none of these chains may stand anywhere.
        largest = largest_positions(self._limbs(frame, tuple(names)).chains) if names else {}
        return joint_positions(state, field, self._joints, self._mimics, largest)


def _refuse_posture(posture: Mapping[str, Array], shared: Sequence[str]) -> None:
    """Refuse a posture for chains that are solved as one mechanism.

    Raises:
        RefusalError: there is a posture.
    """
    if posture:
        raise RefusalError(
            SolveIK.Response.UNKNOWN_JOINT,
            f'posture names {next(iter(posture))!r}, but {" and ".join(shared)} moves several of '
            'the chains; expected that among fixed_joints, or no posture',
        )


def _by_limb(
    limbs: Limbs, posture: Mapping[str, Array]
) -> list[Mapping[str, ArrayLike] | None] | None:
    """A posture as `Limbs` takes it; None where there is none, which costs nothing."""
    if not posture:
        return None
    named = [posture.keys() & {*chain.variables} for chain in limbs.chains]
    return [{name: posture[name] for name in names} for names in named]
