"""Code blocks of the pages of docs/."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of a page, without their indentation."""
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    found = re.findall(rf'^( *)```{language}\n(.*?)^ *```', text, re.DOTALL | re.MULTILINE)
    return [re.sub(rf'^{indent}', '', block, flags=re.MULTILINE) for indent, block in found]
