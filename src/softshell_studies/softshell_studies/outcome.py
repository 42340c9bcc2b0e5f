"""What an experiment found, and whether that is what was to be expected."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Check:
    """A number that was measured, and where it is expected.

    Attributes:
        name: of what was measured.
        value: that was found.
        unit: of it.
        lowest, highest: between which it is expected.
    """

    name: str
    value: float
    unit: str
    lowest: float = float('-inf')
    highest: float = float('inf')

    @property
    def passed(self) -> bool:
        """Whether it is where it is expected; what is no number is not."""
        return self.lowest <= self.value <= self.highest

    @property
    def expected(self) -> str:
        """Where it is expected, in words."""
        if self.lowest == float('-inf'):
            return f'at most {self.highest:g}'
        if self.highest == float('inf'):
            return f'at least {self.lowest:g}'
        return f'{self.lowest:g} to {self.highest:g}'


@dataclass(frozen=True)
class Outcome:
    """What an experiment found.

    Attributes:
        checks: what is expected.
        facts: further numbers with their units, by name, of which nothing is expected.
        figures: plots, by the name of their file without its ending.
    """

    checks: Sequence[Check]
    facts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, 'Figure'] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all is as expected."""
        return all(check.passed for check in self.checks)

    def table(self) -> str:
        """All that was found, as lines of text."""
        rows = [
            ('ok' if check.passed else 'FAILED', check.name, f'{check.value:.4g} {check.unit}',
             f'expected {check.expected}')
            for check in self.checks
        ]  # fmt: skip
        rows += [('', name, text, '') for name, text in self.facts.items()]
        widths = [max(len(row[k]) for row in rows) for k in range(4)] if rows else []
        return '\n'.join(
            '  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )
