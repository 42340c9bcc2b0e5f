"""The page's own code, in Node with elements that only keep what is set and who listens."""

import shutil
import subprocess
from importlib import resources

import pytest

#: Drags the slider of the speed; tells what is said, and whether the slider has the focus then.
DRAG = """
import { readFileSync } from 'node:fs';

const made = (id) => Object.assign(new EventTarget(), {
  id, dataset: {}, parentElement: {}, blur() { document.activeElement = null; },
});
const elements = new Map();
globalThis.document = {
  activeElement: null,
  getElementById(id) {
    if (!elements.has(id)) elements.set(id, made(id));
    return elements.get(id);
  },
  querySelectorAll: (wanted) => wanted.split(', ').filter((one) => one.startsWith('#'))
    .map((one) => document.getElementById(one.slice(1))),
};
const code = readFileSync(process.argv[1], 'utf8');
const { Panels } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const said = [];
new Panels(Object.assign(new EventTarget(), { say: (message) => said.push(message) }));
const slider = document.getElementById('speed');
document.activeElement = slider;
slider.valueAsNumber = 1.5;
slider.oninput({ target: slider });
const held = document.activeElement === slider;
slider.dispatchEvent(new Event('change'));
console.log(JSON.stringify(said), held, document.activeElement === slider);
"""


@pytest.mark.skipif(not shutil.which('node'), reason='needs Node')
def test_a_slider_that_is_let_go_gives_the_keys_back_to_driving():
    """While it is dragged it keeps them."""
    with resources.as_file(resources.files('softshell_dashboard') / 'page/panels.js') as panels:
        result = subprocess.run(
            ['node', '--input-type=module', '-e', DRAG, str(panels)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert result.stdout == '[{"type":"speed","factor":1.5}] true false\n', result.stderr
