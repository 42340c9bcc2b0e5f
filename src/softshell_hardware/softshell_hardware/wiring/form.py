"""What may be written in a file of servos, entry by entry."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel

#: Device of the first adapter.
DEFAULT_PORT = '/dev/ttyUSB0'

#: Temperature below which no motor is taken to cool [°C].
SURROUNDINGS = 30.0

Identity = Annotated[int, Field(ge=0, le=252, strict=True)]


def _no_switch(value: object) -> object:
    """Take all but True and False, which would pass as numbers.

    Raises:
        ValueError: it is one of them.
    """
    if isinstance(value, bool):
        raise ValueError('expected 1 or -1')
    return value


Direction = Annotated[Literal[1, -1], BeforeValidator(_no_switch)]


class BusSpec(StrictModel):
    """A serial port with servos.

    Attributes:
        port: path of the device.
        family: of all servos on it: AX (protocol 1.0) or X (protocol 2.0).
        baud: bits per second; one of the rates that the family knows.
        latency: latency timer of the adapter [s]: so long it may keep an answer back.
        slack: further time that the computer may take until it looks for an answer [s].
    """

    port: str = DEFAULT_PORT
    family: Literal['ax', 'x'] = 'ax'
    baud: Annotated[int, Field(gt=0, strict=True)] = 1_000_000
    latency: Annotated[Number, Field(ge=0, le=0.1)] = 0.001
    slack: Annotated[Number, Field(ge=0, le=1)] = 0.004


class ServoSpec(StrictModel):
    """The servo of a joint.

    Attributes:
        bus: name of the bus that it is on; may be left out if there is only one.
        id: on its bus.
        model: as the maker calls it, e.g. AX-12A; empty: any of the family, with the efforts of
            an AX-12A or an XM430-W210.
        direction: 1 if the joint's position grows with the servo's, else -1.
        offset: position of the joint when the servo is in the middle of its range [rad], so that
            joint = direction · servo + offset; null: not calibrated.
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Direction = 1
    offset: Number | None = None


class TendonSpec(StrictModel):
    """The servo of a channel that is a tension or an effort: it is driven by current.

    Attributes:
        bus, id, model: as of a joint.
        direction: 1 if a positive current pulls, or gives a positive effort, else -1.
        spool_radius: radius on which the tendon is wound up [m]; given for tensions only.
        torque_constant: torque for each ampere [N m/A].
    """

    bus: str = ''
    id: Identity
    model: str = ''
    direction: Direction = 1
    spool_radius: Positive | None = None
    torque_constant: Positive


class Protection(StrictModel):
    """What leads to a warning, slows the robot down, or is a fault.

    Attributes:
        warn_temperature: temperature of a motor from which on there is a warning [°C].
        derate_temperature: temperature from which on the robot slows down, to a quarter of its
            speed at `stop_temperature` [°C].
        stop_temperature: temperature from which on it is a fault [°C].
        hysteresis: how far below `warn_temperature` or `stop_temperature` a motor has to cool
            until the warning ends, or the robot can be activated again [°C].
        lowest_voltage, highest_voltage: of the supply [V]; outside it is a fault.
        tracking_error: largest distance of a joint from its command [rad]; more is a fault, and
            more than half of it a warning, if it lasts for `tracking_time`.
        tracking_time: how long a joint may be too far from its command [s].
        missed_reads: so many failed readings of one servo, one after the other, are a fault.
        stall: it is a fault if the control loop stood still for longer [s].
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
        coldest = self.warn_temperature - self.hysteresis
        if coldest < SURROUNDINGS:
            raise ValueError(
                f'hysteresis is {self.hysteresis}: the warning would end at {coldest:g} °C; '
                f'expected at most {self.warn_temperature - SURROUNDINGS:g}, as no motor gets '
                f'colder than what is around it, {SURROUNDINGS:g} °C'
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
        robot: name of the robot.
        buses: serial ports with servos, by name.
        joints: the servo of every independent joint, by joint.
        channels: the servo of every other channel, by channel.
        protection: what leads to a warning, slows the robot down, or is a fault.
        on_host_death: what the joints do when the program that drives them dies.
        beats: for `relax`: after so many control periods without a sign of life of that program,
            the torque is switched off.
        watchdog: of X servos: after so long without a packet they stop by themselves [s]; at least
            three control periods.
    """

    robot: str
    buses: dict[str, BusSpec] = Field(min_length=1)
    joints: dict[str, ServoSpec]
    channels: dict[str, TendonSpec] = Field(default_factory=dict)
    protection: Protection = Protection()
    on_host_death: Literal['hold', 'relax'] = 'hold'
    beats: Annotated[int, Field(ge=2, le=1000, strict=True)] = 10
    watchdog: Annotated[Number, Field(ge=0.02, le=2.5)] = 0.2
