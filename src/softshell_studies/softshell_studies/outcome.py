"""The results of an experiment, and whether they are as expected."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Check:
    """A measured number and the range in which it is expected.

    Attributes:
        name: what was measured.
        value: the measured number.
        unit: of the value and of its range.
        lowest, highest: ends of the expected range.
    """

    name: str
    value: float
    unit: str
    lowest: float = float('-inf')
    highest: float = float('inf')

    @property
    def passed(self) -> bool:
        """Whether the value is in the expected range; NaN never is."""
        return self.lowest <= self.value <= self.highest

    @property
    def expected(self) -> str:
        """The expected range in words, e.g. `at most 0.1`."""
        if self.lowest == float('-inf'):
            return f'at most {self.highest:g}'
        if self.highest == float('inf'):
            return f'at least {self.lowest:g}'
        return f'{self.lowest:g} to {self.highest:g}'


@dataclass(frozen=True)
class Outcome:
    """The results of an experiment.

    Attributes:
        checks: numbers with an expected range.
        facts: further numbers with their units, as text by name; they are not checked.
        figures: plots, by the name of their file without its ending.
    """

    checks: Sequence[Check]
    facts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, 'Figure'] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(check.passed for check in self.checks)

    def table(self) -> str:
        """All checks and facts, a line of text each."""
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
