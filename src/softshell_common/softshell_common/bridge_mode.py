"""The modes of a bridge, as a type; needs no ROS."""

from enum import IntEnum


class BridgeMode(IntEnum):
    """Modes of a bridge; the constants of `softshell_interfaces/BridgeStatus`."""

    STARTING = 0
    INACTIVE = 1
    HOLDING = 2
    EXECUTING = 3
    FAULT = 4
    EMERGENCY_STOP = 5

    @classmethod
    def _missing_(cls, value: object) -> 'BridgeMode | None':
        """A mode that is none of these, such as MODE_9, for a number unknown to this version."""
        if not isinstance(value, int):
            return None
        mode = int.__new__(cls, value)
        mode._name_, mode._value_ = f'MODE_{value}', value
        return mode

    @property
    def words(self) -> str:
        """Its name in plain words, such as `emergency stop`."""
        return self.name.lower().replace('_', ' ')


#: Modes in which the bridge drives the joints.
DRIVING = (BridgeMode.HOLDING, BridgeMode.EXECUTING)
#: Modes in which the bridge has stopped the robot; a person has to clear them.
STOPPED = (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP)
#: Why a bridge in a mode does not drive the robot, and which services to call.
WAY_OUT = {
    BridgeMode.STARTING: 'the bridge is starting',
    BridgeMode.INACTIVE: 'the bridge is inactive; ~/activate it first',
    BridgeMode.FAULT: 'the bridge is in a fault; ~/clear_fault and ~/activate first',
    BridgeMode.EMERGENCY_STOP: 'the bridge is stopped; ~/reset and ~/activate first',
}
