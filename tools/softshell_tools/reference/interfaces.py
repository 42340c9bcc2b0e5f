"""The page on messages, services and actions: their definitions with comments."""

from pathlib import Path

from softshell_tools.reference.markdown import page

KINDS = {'msg': 'Messages', 'srv': 'Services', 'action': 'Actions'}


def interfaces_page(root: Path) -> str:
    """The page, in Markdown.

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
        'The definitions in `softshell_interfaces`. [topics.md](topics.md) says which topics and '
        'services use them.',
        sections,
    )
