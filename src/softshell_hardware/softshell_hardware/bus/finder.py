"""Pings: which servos are on a bus, whatever the wiring expects."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import dynamixel_sdk as sdk

from softshell_hardware.bus.bus import Answer, Failure, ServoBus
from softshell_hardware.bus.wire import BITS, BROADCAST, STATUS_2, Decoder, Instruction

#: Bytes of a ping and of an answer to it, by protocol.
PING, PING_ANSWER = {1: 6, 2: 10}, {1: 6, 2: 14}
#: What it contains, by protocol: the model and the firmware, or nothing.
PING_CONTENT = {1: 0, 2: 3}
#: Servos of protocol 2 answer a ping of all in the order of their ids, each in its own 3 ms.
SLOT, IDS = 0.003, 253


@dataclass
class Roll:
    """Which servos answered a ping of all.

    Attributes:
        whole: model number and firmware, by id.
        damaged: ids of answers with a wrong checksum.
    """

    whole: dict[int, Mapping[str, int]] = field(default_factory=dict)
    damaged: set[int] = field(default_factory=set)


class Finder(ServoBus):
    """A bus on which servos are looked for."""

    def call(self, servo: int) -> Answer:
        """Ping one servo; whether it answers.

        Unlike `ping`, this reads nothing: a servo of status return level 0 answers pings only.
        """
        protocol = self.family.protocol
        self._forget()
        if not self._send_ping(servo):
            return Answer({}, failure=Failure.UNSENT)
        self._port.setPacketTimeout(PING_ANSWER[protocol])
        return self._answer(servo, (), 0, PING_CONTENT[protocol])

    def call_all(self) -> Roll:
        """Ping all servos of protocol 2 at once; the SDK's own drops what is damaged."""
        roll = Roll()
        self._forget()
        if not self._send_ping(BROADCAST):
            return roll
        self._port.is_using = False
        self._port.setPacketTimeoutMillis(1e3 * _answers_time(self.baud, self._port.patience))
        decoder = Decoder()
        while not self._port.isPacketTimeout():
            for packet in decoder.feed(self._checked(lambda port: port.readPort(4096))):
                content = packet.parameters
                if not packet.intact:
                    roll.damaged.add(packet.id)
                elif packet.instruction == STATUS_2 and len(content) == 1 + PING_CONTENT[2]:
                    model = int.from_bytes(content[1:3], 'little')
                    roll.whole[packet.id] = {'model_number': model, 'firmware': content[3]}
        return roll

    def _send_ping(self, servo: int) -> bool:
        # The SDK fills in header and checksum.
        packet = [0] * PING[self.family.protocol]
        if self.family.protocol == 1:
            packet[2:5] = [servo, 2, Instruction.PING]
        else:
            packet[4:8] = [servo, 3, 0, Instruction.PING]
        sent = self._checked(self._packets.txPacket, packet)
        return bool(sent == sdk.COMM_SUCCESS)


def call_time(baud: int, patience: float) -> float:
    """Longest time for a ping of one servo with protocol 1 [s]."""
    return (PING[1] + PING_ANSWER[1]) * BITS / baud + patience


def roll_time(baud: int, patience: float) -> float:
    """Time for a ping of all servos with protocol 2 [s]."""
    return PING[2] * BITS / baud + _answers_time(baud, patience)


def _answers_time(baud: int, patience: float) -> float:
    return IDS * (PING_ANSWER[2] * BITS / baud + SLOT) + patience
