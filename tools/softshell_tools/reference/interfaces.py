"""The page on messages, services and actions: the files that define them."""

from pathlib import Path

from softshell_tools.reference.markdown import page

KINDS = {'msg': 'Messages', 'srv': 'Services', 'action': 'Actions'}


def interfaces_page(root: Path) -> str:
    """The page.

    Args:
        root: the repository.
    """
    sections = []
    for kind, title in KINDS.items():
        sections.append(f'## {title}')
        for path in sorted((root / 'src' / 'softshell_interfaces' / kind).glob(f'*.{kind}')):
            text = path.read_text(encoding='utf-8').strip()
            sections.append(f'### {path.stem}\n\n```\n{text}\n```')
    return page(
        'Messages, services and actions',
        'Those of `softshell_interfaces`; which topics and services have them is in '
        '[topics.md](topics.md).',
        sections,
    )
