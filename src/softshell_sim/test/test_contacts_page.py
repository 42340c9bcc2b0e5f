"""The program of docs/contacts.md runs, and tells what it should."""

import re
from pathlib import Path

import pytest
from every_engine import EACH

PAGE = Path(__file__).parents[3] / 'docs' / 'contacts.md'


@pytest.mark.parametrize('engine', EACH)
def test_the_program_of_the_page(engine, capsys):
    """The box lies on its layer, is carried by its weight of 19.62 N, and all is normal."""
    (program,) = re.findall(r'```python\n(.*?)```', PAGE.read_text(), re.DOTALL)
    exec(program.replace("'mujoco'", repr(engine)), {})
    found = re.match(r'True \[(.*?)\] NORMAL', capsys.readouterr().out)
    assert found is not None
    force = [float(number) for number in found[1].split()]
    assert force == pytest.approx([0.0, 0.0, 19.62], rel=0.01, abs=0.02)
