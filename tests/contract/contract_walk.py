"""A walk of a robot as joint trajectories, planned from its own gait."""

import numpy as np

from softshell_actions.motion import Motion, joint_motion
from softshell_actions.robot import body_of
from softshell_kinematics import IkOptions, Limbs


def walk(robot, distance):
    """Motions of the joints of a walk, one after the other, from the pose `stand`.

    Args:
        robot: the robot.
        distance: [m].
    """
    body = body_of(robot)
    library = body.library()
    planner = body.planner(library)
    state = body.measured_state(robot.poses[robot.legs.stand])
    motions = []
    for call in library.call('walk', {'distance': distance}):
        plan = planner.plan(call, state)
        legs = Limbs([body.chains[name] for name in plan.limbs])
        goals = np.stack(list(plan.limbs.values()))
        seeds = legs.seeds([[state.joints[name] for name in leg.variables] for leg in legs.chains])
        solved = legs.solve(goals, seeds, IkOptions(warm_start=True), robot.shared)
        assert solved.all_converged
        paths = {
            name: solution.q[:, leg.index(name)]
            for leg, solution in zip(legs.chains, solved, strict=True)
            for name in leg.variables
            if name not in robot.shared
        }
        motions.append(joint_motion(plan, paths))
        state = plan.end.with_joints(motions[-1].end)
    return motions


def joined(motions):
    """One motion of several that follow each other."""
    ends = np.cumsum([0.0, *(motion.duration for motion in motions)])
    rows = [slice(None), *[slice(1, None)] * (len(motions) - 1)]
    assert len({motion.joints for motion in motions}) == 1
    return Motion(
        motions[0].joints,
        np.concatenate([m.times[r] + t for m, r, t in zip(motions, rows, ends[:-1], strict=True)]),
        np.concatenate([m.positions[r] for m, r in zip(motions, rows, strict=True)]),
        np.concatenate([m.velocities[r] for m, r in zip(motions, rows, strict=True)]),
    )
