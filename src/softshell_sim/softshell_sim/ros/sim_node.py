"""The bridge to a simulated world with what only a simulation has."""

from softshell_control.ros.bridge_node import BridgeNode
from softshell_sim.ros.world_services import WorldServices


class SimBridgeNode(BridgeNode):
    """A bridge whose world can be changed, saved and asked for."""

    def _advertise(self) -> None:
        super()._advertise()
        self._world_services = WorldServices(self, self._core)
