"""What may be written in a file of servos, entry by entry."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel

#: Where the first adapter is found.
DEFAULT_PORT = '/dev/ttyUSB0'

Identity = Annotated[int, Field(ge=0, le=252, strict=True)]


class BusSpec(StrictModel):
    """A serial port with servos.

    Attributes:
        port: path of the device.
        family: of all servos on it.
        baud: bits per second.
        latency: the adapter's latency timer [s].
        slack: what the computer itself may take until it looks for an answer [s].
    """

    port: str = DEFAULT_PORT
    family: Literal['ax', 'x'] = 'ax'
    baud: Annotated[int, Field(gt=0, strict=True)] = 1_000_000
    latency: Annotated[Number, Field(ge=0, le=0.1)] = 0.001
    slack: Annotated[Number, Field(ge=0, le=1)] = 0.004


class ServoSpec(StrictModel):
    """The servo of a joint.

    Attributes:
        bus: which it is on; may be left out where there is only one.
        id: on its bus.
        model: as the maker calls it; empty: any of the family.
        direction: 1 if the joint's position grows with the servo's, else -1.
        offset: the joint's position when the servo is in the middle of its range [rad]; None:
            not calibrated.
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Literal[1, -1] = 1
    offset: Number | None = None


class TendonSpec(StrictModel):
    """The servo of a channel that pulls or turns: it is driven by current.

    Attributes:
        bus, id, model, direction: as of a joint.
        spool_radius: where the tendon winds up [m]; for tensions.
        torque_constant: torque for each ampere [N m/A].
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Literal[1, -1] = 1
    spool_radius: Positive | None = None
    torque_constant: Positive


class Protection(StrictModel):
    """When a motor is told of, slowed down, and stopped.

    Attributes:
        warn_temperature: from here on it is told of [°C].
        derate_temperature: from here on the robot slows down, to a quarter at the stop.
        stop_temperature: a fault.
        hysteresis: so much cooler a warning ends [°C].
        lowest_voltage, highest_voltage: of the supply [V]; outside it is a fault.
        tracking_error: a joint so far from its command [rad] ...
        tracking_time: ... for so long [s] is a fault.
        missed_reads: so many readings of a servo in vain, one after the other, are a fault.
        stall: a control loop that was still for so long [s] is a fault.
    """

    warn_temperature: Positive = 60.0
    derate_temperature: Positive = 65.0
    stop_temperature: Positive = 70.0
    hysteresis: NotNegative = 3.0
    lowest_voltage: Positive = 9.5
    highest_voltage: Positive = 14.0
    tracking_error: Positive = 0.4
    tracking_time: Positive = 0.5
    missed_reads: Annotated[int, Field(ge=1, le=100, strict=True)] = 5
    stall: Positive = 0.5

    @model_validator(mode='after')
    def _ordered(self) -> 'Protection':
        heat = (self.warn_temperature, self.derate_temperature, self.stop_temperature)
        if sorted(heat) != list(heat):
            raise ValueError(
                f'temperatures to warn, derate and stop are {heat}; expected them in this order'
            )
        if self.lowest_voltage >= self.highest_voltage:
            raise ValueError(
                f'voltages are {self.lowest_voltage} to {self.highest_voltage} V; expected the '
                'lowest first'
            )
        return self


class HardwareForm(StrictModel):
    """All of the file.

    Attributes:
        robot: whose servos these are.
        buses: by name.
        joints: the servo of every independent joint.
        channels: the servo of every other channel.
        protection: what may not happen to the motors.
        on_host_death: what the joints do when the computer dies.
        beats: without so many beats of the bridge, of a control period each, its guardian lets the
            joints give way; for `relax` where the servos have no watchdog of their own.
        watchdog: of servos that have one of their own [s].
    """

    robot: str
    buses: dict[str, BusSpec] = Field(min_length=1)
    joints: dict[str, ServoSpec]
    channels: dict[str, TendonSpec] = Field(default_factory=dict)
    protection: Protection = Protection()
    on_host_death: Literal['hold', 'relax'] = 'hold'
    beats: Annotated[int, Field(ge=2, le=1000, strict=True)] = 10
    watchdog: Annotated[Number, Field(ge=0.02, le=2.5)] = 0.2
