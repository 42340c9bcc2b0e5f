"""The form of a kind of motor in `robot.yaml`: its limits, and what else is to be modelled of it.

Of a motor that turns, units are as written here; of one that slides, N m is N, rad is m and kg m²
is kg. All values are those at the joint, behind the gears.
"""

from typing import Annotated

from pydantic import Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel

#: Longest delay of a motor [s].
LONGEST_DELAY = 10.0


class BackEmfSpec(StrictModel):
    """The torque–speed line of a motor at its full voltage, τ = τ0 (1 − ω/ω0).

    Args:
        stall_effort: τ0, at rest [N m].
        no_load_velocity: ω0, at which the induced voltage is the full voltage [rad/s].
    """

    stall_effort: Positive
    no_load_velocity: Positive


class ThermalSpec(StrictModel):
    """A winding that warms by its losses and cools to its surroundings.

    C dT/dt = loss τ² − (T − ambient) / resistance.

    Args:
        loss: heat for an effort [W/(N m)^2]: winding resistance over torque constant squared.
        resistance: between winding and surroundings [K/W].
        capacity: of the winding, C [J/K].
        ambient: temperature of the surroundings, and of the motor at first [°C].
        derate_from: temperature [°C] from which the effort that is left falls.
        limit: temperature [°C] at which no effort is left.
    """

    loss: Positive
    resistance: Positive
    capacity: Positive
    ambient: Number = 25.0
    derate_from: Number
    limit: Number

    @model_validator(mode='after')
    def _ordered(self) -> 'ThermalSpec':
        if not self.ambient < self.derate_from < self.limit:
            raise ValueError(
                f'ambient, derate_from and limit are {self.ambient:g}, {self.derate_from:g} and '
                f'{self.limit:g}; expected each above the one before'
            )
        return self


class MotorSpec(StrictModel):
    """A kind of motor. What is left out is not modelled.

    Args:
        effort: largest effort [N m] or [N].
        velocity: largest speed [rad/s] or [m/s].
        dry_friction: effort that it takes to start the joint, and that brakes it [N m].
        viscous_friction: further braking effort, per speed [N m s/rad].
        rotor_inertia: of the rotor, times the gear ratio squared [kg m^2].
        backlash: angle that the joint can turn while the motor stands still, from one end of the
            play to the other [rad].
        delay: from a command to its effect [s].
        back_emf: torque–speed line; without it the effort falls from half of `velocity` on.
        thermal: how it warms, and what effort is left when it is hot.
    """

    effort: Positive
    velocity: Positive
    dry_friction: NotNegative = 0.0
    viscous_friction: NotNegative = 0.0
    rotor_inertia: NotNegative = 0.0
    backlash: NotNegative = 0.0
    delay: Annotated[NotNegative, Field(le=LONGEST_DELAY)] = 0.0
    back_emf: BackEmfSpec | None = None
    thermal: ThermalSpec | None = None
