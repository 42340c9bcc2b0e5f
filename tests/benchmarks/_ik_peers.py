"""The peers' side of the IK benchmark; runs in an environment of its own, without softshell.

    python _ik_peers.py PROBLEMS.npz ANSWERS.npz SEARCHES

A case is a serial chain of revolute joints, each a constant transform and then a turn about z, and
a last constant to the tip. Only the call into the solver is timed, not the setting of its start.
"""

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TOLERANCE = 1e-6
ITERATIONS = 30


@dataclass
class Problem:
    """Arrays of one case: transforms (n + 1, 4, 4), limits (2, n), poses (count, 4, 4)."""

    transforms: np.ndarray
    limits: np.ndarray
    poses: np.ndarray
    seeds: np.ndarray
    mask: np.ndarray
    searches: int

    @property
    def whole(self) -> bool:
        """Whether the orientation is asked for."""
        return bool(self.mask[3])

    def restart(self, number: int) -> np.ndarray:
        """A further seed, the same for every solver that has none of its own."""
        generator = np.random.default_rng(number)
        return generator.uniform(*self.limits)


def toolbox(problem: Problem):
    """Robotics Toolbox, C++ Levenberg–Marquardt, Chan's damping."""
    from roboticstoolbox import ET, ETS

    steps = []
    for constant, low, high in zip(problem.transforms, *problem.limits, strict=False):
        steps += [ET.SE3(constant), ET.Rz(qlim=[low, high])]
    chain = ETS([*steps, ET.SE3(problem.transforms[-1])])
    mask = problem.mask.astype(float)

    def solve(i):
        begin = time.perf_counter()
        solution = chain.ik_LM(
            problem.poses[i], q0=problem.seeds[i], ilimit=ITERATIONS, slimit=problem.searches,
            tol=0.5 * TOLERANCE**2, mask=mask, joint_limits=True, k=0.1,
        )  # fmt: skip
        return time.perf_counter() - begin, solution.q, solution.iterations

    return solve


def pinocchio_loop(problem: Problem):
    """Pinocchio with the damped least-squares loop of its documentation, clipped to limits."""
    import pinocchio as pin

    model = pin.Model()
    joint = 0
    for i, constant in enumerate(problem.transforms[:-1]):
        joint = model.addJoint(joint, pin.JointModelRZ(), pin.SE3(constant), f'joint{i}')
    tool = pin.SE3(problem.transforms[-1])
    frame = model.addFrame(pin.Frame('tip', joint, tool, pin.FrameType.OP_FRAME))
    data = model.createData()
    rows = np.flatnonzero(problem.mask)
    damping = 1e-10 * np.eye(len(rows))
    reference = pin.LOCAL if problem.whole else pin.LOCAL_WORLD_ALIGNED

    def search(q, target):
        for iteration in range(ITERATIONS):
            pin.framesForwardKinematics(model, data, q)
            here = data.oMf[frame]
            if problem.whole:
                error = pin.log6(here.actInv(target)).vector
            else:
                error = np.concatenate([target.translation - here.translation, np.zeros(3)])
            error = error[rows]
            if np.linalg.norm(error) < TOLERANCE:
                return q, iteration, True
            jacobian = pin.computeFrameJacobian(model, data, q, frame, reference)[rows]
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping, error)
            q = np.clip(pin.integrate(model, q, step), *problem.limits)
        return q, ITERATIONS, False

    def solve(i):
        target, q = pin.SE3(problem.poses[i]), problem.seeds[i]
        total = 0
        begin = time.perf_counter()
        for number in range(problem.searches):
            found, iterations, good = search(q, target)
            total += iterations
            if good:
                break
            q = problem.restart(number)
        return time.perf_counter() - begin, found, total

    return solve


def rpy(rotation: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a rotation."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, np.arctan2(rotation[1, 0], rotation[0, 0])


def urdf(problem: Problem) -> str:
    """The chain as a URDF with links of some mass."""
    inertial = (
        '<inertial><mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    parts = [f'<link name="l{i}">{inertial}</link>' for i in range(len(problem.transforms) + 1)]
    for i, constant in enumerate(problem.transforms):
        xyz = ' '.join(f'{value:.17g}' for value in constant[:3, 3])
        turn = ' '.join(f'{value:.17g}' for value in rpy(constant))
        last = i == len(problem.transforms) - 1
        kind = 'fixed' if last else 'revolute'
        limit = ''
        if not last:
            low, high = problem.limits[:, i]
            limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="9"/>'
        parts.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{xyz}" rpy="{turn}"/><axis xyz="0 0 1"/>{limit}</joint>'
        )
    return f'<robot name="chain">{"".join(parts)}</robot>'


def bullet(problem: Problem):
    """PyBullet's calculateInverseKinematics, restarted from further seeds while it fails."""
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'chain.urdf'
        path.write_text(urdf(problem))
        body = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
    n = len(problem.transforms) - 1
    # Its default damping converges too slowly to count; its limits are a mere pull in the
    # nullspace, which keeps it from the goal, so they are left to the restarts.
    damping = [1e-6] * n

    def solve(i):
        position = list(problem.poses[i][:3, 3])
        roll, pitch, yaw = rpy(problem.poses[i])
        more = {}
        if problem.whole:
            more['targetOrientation'] = pybullet.getQuaternionFromEuler((roll, pitch, yaw))
        q, spent = problem.seeds[i], 0.0
        for number in range(problem.searches):
            for joint in range(n):
                pybullet.resetJointState(body, joint, q[joint], physicsClientId=client)
            begin = time.perf_counter()
            found = pybullet.calculateInverseKinematics(
                body,
                n,
                position,
                jointDamping=damping,
                maxNumIterations=ITERATIONS,
                residualThreshold=TOLERANCE,
                physicsClientId=client,
                **more,
            )
            spent += time.perf_counter() - begin
            if good(problem, i, np.array(found)):
                break
            q = problem.restart(number)
        return spent, np.array(found), -1

    return solve


def good(problem: Problem, i: int, q: np.ndarray) -> bool:
    """Whether a solution meets the benchmark's yardstick."""
    if np.any(q < problem.limits[0] - 1e-9) or np.any(q > problem.limits[1] + 1e-9):
        return False
    pose = np.eye(4)
    for constant, value in zip(problem.transforms, q, strict=False):
        turn = np.eye(4)
        turn[:2, :2] = [[np.cos(value), -np.sin(value)], [np.sin(value), np.cos(value)]]
        pose = pose @ constant @ turn
    difference = pose @ problem.transforms[-1] - problem.poses[i]
    near = np.linalg.norm(difference[:3, 3]) < 1e-4
    return near and (not problem.whole or np.linalg.norm(difference[:3, :3]) < 1.4e-3)


def ikpy_chain(problem: Problem):
    """ikpy: scipy's bounded least squares."""
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    links = [OriginLink()]
    for i, constant in enumerate(problem.transforms):
        last = i == len(problem.transforms) - 1
        links.append(
            URDFLink(
                f'j{i}', constant[:3, 3], np.array(rpy(constant)),
                rotation=None if last else np.array([0, 0, 1]),
                joint_type='fixed' if last else 'revolute',
                bounds=(-np.inf, np.inf) if last else tuple(problem.limits[:, i]),
            )
        )  # fmt: skip
    chain = Chain(links, active_links_mask=[False, *[True] * (len(links) - 2), False])

    def solve(i):
        pose = problem.poses[i]
        more = {}
        if problem.whole:
            more = {'target_orientation': pose[:3, :3], 'orientation_mode': 'all'}
        seed, spent = problem.seeds[i], 0.0
        for number in range(min(problem.searches, 10)):
            inside = np.clip(seed, problem.limits[0] + 1e-9, problem.limits[1] - 1e-9)
            begin = time.perf_counter()
            found = chain.inverse_kinematics(
                pose[:3, 3], initial_position=[0.0, *inside, 0.0], **more
            )[1:-1]
            spent += time.perf_counter() - begin
            if good(problem, i, found):
                break
            seed = problem.restart(number)
        return spent, found, -1

    return solve


#: Peer, and how many problems it is given: the slow ones fewer.
PEERS = (
    ('Robotics Toolbox', toolbox, 1000),
    ('Pinocchio DLS', pinocchio_loop, 300),
    ('PyBullet', bullet, 300),
    ('ikpy', ikpy_chain, 20),
)


def problem_of(case: dict[str, np.ndarray], searches: int) -> Problem:
    """A case as ik.py wrote it, with so many searches from a cold start."""
    transforms = np.tile(np.eye(4), (len(case['constants']), 1, 1))
    transforms[:, :3, :3] = case['constants'][:, :9].reshape(-1, 3, 3)
    transforms[:, :3, 3] = case['constants'][:, 9:]
    most = searches if case['cold'] else 10
    return Problem(transforms, case['limits'], case['poses'], case['seeds'], case['mask'], most)


def main() -> None:
    """Solve every case with every peer that imports."""
    source, target, searches = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with np.load(source) as data:
        arrays = dict(data)
    answers = {}
    for index in range(len({name.split('_')[0] for name in arrays})):
        prefix = f'{index}_'
        case = {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
        problem = problem_of(case, searches)
        for name, make, count in PEERS:
            try:
                solve = make(problem)
            except ImportError as error:
                print(f'{name} is left out: {error}', file=sys.stderr)
                continue
            solve(0)
            rows = [solve(i) for i in range(min(count, len(problem.poses)))]
            key = f'{name}|{index}'
            answers[f'{key}|us'] = np.array(1e6 * np.mean([row[0] for row in rows]))
            answers[f'{key}|q'] = np.array([row[1] for row in rows])
            answers[f'{key}|iterations'] = np.array([row[2] for row in rows])
        print(f'case {index + 1} done', file=sys.stderr)
    np.savez(target, **answers)


if __name__ == '__main__':
    main()
