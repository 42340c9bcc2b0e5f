"""MuJoCo's own cable and tendons in the continuum benchmark; runs in an environment of its own.

    python _continuum_cable.py PROBLEM.json ANSWER.json

Bodies joined by balls, with the elasticity plugin between them, discs as geoms, and spatial
tendons through sites, each pulled by a motor. MuJoCo 4 has no cables any more.
"""

import json
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

#: Step [s]; damping of a joint by its stiffness [s], as of our chain.
STEP, DAMPING = 0.002, 0.02
#: Velocity of the fastest joint of a rod that stands still [rad/s]; simulated time at most [s].
STILL, LONGEST = 5e-4, 4.0
#: Steps between two looks.
LOOK = 50
#: Half the thickness and the radius of a disc, as drawn [m].
DISC = (0.001, 0.009)

XML = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}" integrator="implicitfast">
    <flag contact="disable"/>
  </option>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <worldbody>
    <composite prefix="rod" type="cable" curve="s" count="{points} 1 1" size="{length}"
        initial="none">
      <plugin plugin="mujoco.elasticity.cable">
        <config key="twist" value="{shear}"/><config key="bend" value="{young}"/>
      </plugin>
      <joint kind="main" damping="{damping}"/>
      <geom type="cylinder" size="{radius}" density="{density}"/>
    </composite>
  </worldbody>
</mujoco>
"""


def body_name(number, elements):
    """Of a body of the cable, which goes along x from its origin."""
    return {0: 'rodB_first', elements - 1: 'rodB_last'}.get(number, f'rodB_{number}')


def model(problem):
    """The rod, clamped at its first body, with its discs and tendons."""
    elements, radius = problem['elements'], 0.5 * problem['diameter']
    element = problem['length'] / elements
    stiffness = problem['young'] * np.pi * radius**4 / 4.0 / element
    spec = mujoco.MjSpec.from_string(
        XML.format(
            step=STEP, points=elements + 1, damping=DAMPING * stiffness, radius=radius,
            **{key: problem[key] for key in ('gravity', 'length', 'shear', 'young', 'density')},
        )
    )  # fmt: skip
    eyes = []
    for arc in problem['discs']:
        number = min(int(arc / element + 1e-9), elements - 1)
        body, along = spec.body(body_name(number, elements)), arc - number * element
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[DISC[1], DISC[0], 0.0],
            pos=[along, 0.0, 0.0], quat=[np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0],
            mass=problem['disc'],
        )  # fmt: skip
        eyes.append((body, along))
    for place, (down, left) in enumerate(problem['offsets']):
        tendon = spec.add_tendon(name=f'tendon{place}')
        for number, (body, along) in enumerate([(spec.worldbody, 0.0), *eyes]):
            name = f'eye{place}_{number}'
            body.add_site(name=name, pos=[along, left, -down])
            tendon.wrap_site(name)
        motor = spec.add_actuator(
            name=f'motor{place}', target=tendon.name, trntype=mujoco.mjtTrn.mjTRN_TENDON
        )
        motor.set_to_motor()
    return spec.compile()


def settle(compiled, tensions):
    """The tip of the rod at rest [m], and how long that took [s] and was simulated [s]."""
    data = mujoco.MjData(compiled)
    data.ctrl[:] = -np.array(tensions)
    begin = time.perf_counter()
    while data.time < LONGEST:
        mujoco.mj_step(compiled, data, LOOK)
        if np.abs(data.qvel).max() < STILL:
            break
    passed = time.perf_counter() - begin
    last = compiled.body('rodB_last')
    # All elements are of one length: from the last body's origin to the end it is that to its own.
    tip = data.xpos[last.id] + data.xmat[last.id].reshape(3, 3) @ compiled.body_pos[last.id]
    return tip.tolist(), passed, data.time


def main() -> None:
    """Settle the rod of a problem once for each of its tensions."""
    problem = json.loads(Path(sys.argv[1]).read_text(encoding='utf-8'))
    compiled = model(problem)
    answer = [settle(compiled, row) for row in problem['tensions']]
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding='utf-8')


if __name__ == '__main__':
    main()
