"""Other inverse kinematics, each as its documentation shows, for the benchmark.

Each function makes, for a problem, one that solves its point i and returns the time of the call
into the solver [s], what it found, and the iterations, or -1 where it does not tell. A solver that
is not made for a problem raises `NotMadeForError`.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from _ik_problem import Problem, good, nearest, quaternion, rpy, urdf

TOLERANCE = 1e-6
ITERATIONS = 30
#: Longest time of one call of the solvers that search until one is over [s].
PATIENCE = 0.1


class NotMadeForError(Exception):
    """A solver cannot be asked this."""


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


def eaik_robot(problem: Problem):
    """EAIK's robot, and what turns a pose of ours into one of its own.

    Raises:
        NotMadeForError: it knows no decomposition, or the tip's orientation is not asked for.
    """
    from eaik.IK_HP import HPRobot

    if not problem.whole or len(problem.limits[0]) != 6:
        raise NotMadeForError
    frames = [problem.transforms[0]]
    for constant in problem.transforms[1:]:
        frames.append(frames[-1] @ constant)
    axes = np.array([frame[:3, 2] for frame in frames[:-1]])
    points = np.array([np.zeros(3), *(frame[:3, 3] for frame in frames)])
    robot = HPRobot(axes, np.diff(points, axis=0))
    if not robot.hasKnownDecomposition():
        raise NotMadeForError
    turn = np.eye(4)
    turn[:3, :3] = frames[-1][:3, :3].T
    return robot, turn


def eaik(problem: Problem):
    """EAIK: all solutions in closed form, which know no limits; the nearest within them counts."""
    robot, turn = eaik_robot(problem)

    def solve(i):
        pose = problem.poses[i] @ turn
        begin = time.perf_counter()
        found = robot.IK(pose)
        spent = time.perf_counter() - begin
        # Of the least-squares answers, which it gives as well, only if there is nothing else.
        exact = ~np.array(found.is_LS, dtype=bool)
        return spent, nearest(problem, i, found.Q[exact] if exact.any() else found.Q), -1

    return solve


def eaik_batch(problem: Problem) -> float:
    """EAIK's time for each of all points in one call, with one thread [s]."""
    robot, turn = eaik_robot(problem)
    poses = list(problem.poses @ turn)
    robot.IK_batched(poses[:2], 1)
    begin = time.perf_counter()
    robot.IK_batched(poses, 1)
    return (time.perf_counter() - begin) / len(poses)


def trac_ik(problem: Problem):
    """TRAC-IK's inner call, for speed: the first solution of its two solvers."""
    import pytracik

    if not problem.whole:
        raise NotMadeForError
    tip = f'l{len(problem.transforms)}'
    mode = pytracik.SolveType.Speed
    solver = pytracik.TRAC_IK('l0', tip, urdf(problem, base=''), PATIENCE, TOLERANCE, mode)

    def solve(i):
        turn = quaternion(problem.poses[i][:3, :3])
        goal = [*problem.poses[i][:3, 3], *turn]
        begin = time.perf_counter()
        found = pytracik.ik(solver, problem.seeds[i], *goal)
        return time.perf_counter() - begin, found[1:], -1

    return solve


def optik(problem: Problem):
    """OptIK, for speed, in one thread; its tolerance is of the square of the error."""
    from optik import Robot, SolverConfig

    if not problem.whole:
        raise NotMadeForError
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'chain.urdf'
        path.write_text(urdf(problem))
        robot = Robot.from_urdf_file(str(path), 'l0', f'l{len(problem.transforms)}')
    robot.set_parallelism(1)
    options = SolverConfig(solution_mode='speed', max_time=PATIENCE, tol_f=TOLERANCE**2)

    def solve(i):
        begin = time.perf_counter()
        found = robot.ik(options, problem.poses[i], problem.seeds[i])
        spent = time.perf_counter() - begin
        return spent, problem.seeds[i] if found is None else np.array(found[0]), -1

    return solve
