"""The latency timer of a USB adapter: how long it keeps bytes back before it hands them over."""

from pathlib import Path

#: Where Linux shows the adapters.
ADAPTERS = Path('/sys/bus/usb-serial/devices')
TIMER = 'latency_timer'
RULE = 'ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"'


def latency_timer(port: str, adapters: Path = ADAPTERS) -> float | None:
    """The latency timer of a port [s]; None where the adapter has none that is shown.

    Args:
        port: path of the device, or of a link to it.
        adapters: where the system shows them.
    """
    try:
        text = (adapters / Path(port).resolve().name / TIMER).read_text(encoding='ascii')
        return int(text) * 1e-3
    except (OSError, ValueError):
        return None


def latency_warning(port: str, expected: float, adapters: Path = ADAPTERS) -> str:
    """A warning if an adapter keeps answers back longer than the wiring says, else empty."""
    found = latency_timer(port, adapters)
    if found is None or found <= expected + 1e-9:
        return ''
    device = Path(port).resolve()
    return (
        f'port {port}: the latency timer of its adapter is {1e3 * found:.0f} ms; expected at most '
        f'{1e3 * expected:g} ms, the latency of its bus. Until it is unplugged: setserial '
        f'{device} low_latency, or echo 1 | sudo tee {ADAPTERS / device.name / TIMER}. For good, '
        f'a line in /etc/udev/rules.d/99-servos.rules: {RULE}'
    )
