"""How often a sensor samples, and after what delay its samples are shown."""

from typing import Annotated

from pydantic import Field

from softshell_common.yaml_file import Number, StrictModel

#: Longest delay [s]: samples wait in memory for so long.
LONGEST_DELAY = 10.0


class SamplingSettings(StrictModel):
    """When a sensor measures, and when that is shown.

    Attributes:
        rate: samples per second; 0: one whenever the world is measured, which is every control
            period. Between samples the last one is shown, and nothing is published.
        delay: from a sample to when it is shown [s].
    """

    rate: Annotated[Number, Field(ge=0, le=1e4)] = 0.0
    delay: Annotated[Number, Field(ge=0, le=LONGEST_DELAY)] = 0.0

    @property
    def at_once(self) -> bool:
        """Whether there is neither rate nor delay: what is shown is always the present."""
        return not (self.rate or self.delay)
