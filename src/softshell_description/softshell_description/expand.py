"""A robot's URDF: expanded from xacro, and with its meshes found."""

import hashlib
import os
import re
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote
from xml.parsers.expat import ErrorString, ExpatError

import xacro

from softshell_description.expansion_files import ExpansionFiles
from softshell_description.expansions import Expansions
from softshell_description.panels import write_meshes
from softshell_description.robots import PACKAGE, share_directory
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import plain_xml, xml_text

#: Patterns for what a message of xacro complains about, and how that is written in the file.
_QUOTED = (
    (re.compile(r"when evaluating expression '(.*?)'(?: when|$)"), '${{{}}}'),
    (re.compile(r'unknown macro name: (\S+)'), '<{}'),
    (re.compile(r'invalid expression: (.+)'), '{}'),
    (re.compile(r'Invalid parameter "(\w+)"'), '{}='),
    (re.compile(r"^name '(\w+)' is not defined"), '{}'),
    (re.compile(r'Undefined substitution argument (\S+)'), '$(arg {})'),
    (re.compile(r"environment variable '(.+?)' is not set"), '$(env {})'),
    (re.compile(r"package '(.+?)' not found"), '$(find {})'),
    (re.compile(r'\$\(eval (.+)\) is no expression'), '$(eval {})'),
    (re.compile(r'(?:command|argument|variable) \[(.+?)\]'), '$({})'),
)
#: How xacro tells an error that is not its own: its type, its message, and that once more.
_FOREIGN = re.compile(r"<class '[\w.]+'>: (.+) \1")
#: Longest message of xacro that is shown [characters].
_LONGEST = 300
#: Modules beside this one that decide what the meshes are.
_MESH_SOURCES = ('panel.py', 'panels.py', 'slabs.py')


def find_urdf(name: str, folder: Path, *bases: Path) -> Path:
    """The file that a `robot.yaml` names: beside it, or below the installed `urdf/`.

    Args:
        name: as written.
        folder: of the robot.
        bases: folders of the robots that it extends.

    Raises:
        SoftshellError: it is in neither place.
    """
    shared = share_directory() / 'urdf'
    for path in (folder / name, *(base / name for base in bases), shared / name):
        if path.is_file():
            return path
    raise SoftshellError(f'is {name!r}; expected a file in {folder} or below {shared}')


def expand_urdf(path: Path) -> str:
    """The text of a URDF, without a default namespace; a file called `*.xacro` is expanded first.

    Other files are in the encoding that they declare, or that their byte order mark tells.

    Raises:
        SoftshellError: the file cannot be read or expanded; one line that names the file that is
            wrong, which may be an included one, and its line if that is known.
    """
    try:
        if path.suffix == '.xacro':
            return plain_xml(_EXPANSIONS.text(path))
        content = path.read_bytes()
    except OSError as error:
        raise SoftshellError(f'{path.resolve()}: cannot be read: {error.strerror}') from None
    except UnicodeDecodeError as error:
        line = error.object.count(b'\n', 0, error.start) + 1
        raise SoftshellError(f'{path.resolve()}: line {line}: is not UTF-8 text') from None
    except Exception as error:  # xacro raises whatever an expression in the file raises
        raise SoftshellError(_xacro_problem(path, error)) from None
    try:
        return plain_xml(xml_text(content))
    except SoftshellError as error:
        raise SoftshellError(f'{path.resolve()}: {error}') from None


def _xacro_problem(path: Path, error: Exception) -> str:
    """What is wrong with a xacro, in one line.

    Args:
        path: of the file that was expanded.
        error: that ended it.
    """
    # xacro keeps in these the files and the macros that it was in, outermost first.
    files = [Path(name).resolve() for name in getattr(xacro, 'filestack', None) or () if name]
    macros = getattr(xacro, 'macrostack', None) or ()
    file = files[-1] if files else path.resolve()
    if isinstance(error, ExpatError):
        return f'{file}: line {error.lineno}: is not XML: {ErrorString(error.code)}'
    if isinstance(error, RecursionError):
        return f'{file}: a file that includes itself, or a macro that calls itself'
    cause: object = error
    while not isinstance(cause, OSError) and cause is not None:
        cause = getattr(cause, 'exc', None)
    if isinstance(cause, OSError):
        return f'{file}: cannot read {cause.filename}: {cause.strerror}'
    text = _wording(error)
    sources = [file]
    if macros:
        sources.append(Path(macros[-1].history[-1][-1] or path).resolve())
    # What is wrong with a macro's argument stands where the macro is called.
    sources += sorted(path.resolve().parent.rglob('*.xacro'))
    place = f'{file}: ' + (f'macro {macros[-1].body.getAttribute("name")!r}: ' if macros else '')
    for pattern, written in _QUOTED:
        found = pattern.search(text)
        if found is not None:
            place = _place_of(written.format(found[1]), sources) or place
            break
    return place + (text if len(text) <= _LONGEST else text[:_LONGEST] + '...')


def _wording(error: Exception) -> str:
    """What an error of xacro says, in one line; of an error that is not its own, what that says.

    Args:
        error: that ended the expansion.
    """
    cause, inner = error, getattr(error, 'exc', None)
    while isinstance(inner, Exception):
        cause, inner = inner, getattr(inner, 'exc', None)
    own = ''
    text = ' '.join(str(error).split())
    if isinstance(cause, SyntaxError) and cause.text is not None:
        own = f'$(eval {cause.text.strip()}) is no expression: {cause.msg}'
    elif isinstance(cause, LookupError) and cause.args:
        # Its text is that of its message in quotes; all that was searched is long.
        own = str(cause.args[0]).partition(', searching: ')[0]
    return _FOREIGN.sub(lambda told: own or told[1], text)


def _place_of(text: str, files: list[Path]) -> str | None:
    """File and line of a text; None if no line or several have it.

    A file that cannot be read is passed over, since it is not what went wrong.
    """
    lines = []
    for file in dict.fromkeys(files):
        try:
            written = file.read_text(encoding='utf-8', errors='replace').splitlines()
        except OSError:
            continue
        lines += [f'{file}: line {n}: ' for n, line in enumerate(written, 1) if text in line]
    return lines[0] if len(lines) == 1 else None


def resolve_meshes(text: str, folder: Path) -> str:
    """A URDF that names its meshes by absolute path, for programs that know no ROS packages.

    Args:
        text: the URDF.
        folder: of its file, from which relative paths start.

    Raises:
        SoftshellError: a mesh belongs to a package that is not installed, or is not in a file.
    """
    root = ElementTree.fromstring(text)
    meshes = [mesh for mesh in root.iter('mesh') if mesh.get('filename')]
    if not meshes:
        return text
    for mesh in meshes:
        mesh.set('filename', _mesh_path(mesh.attrib['filename'], folder))
    return ElementTree.tostring(root, encoding='unicode') + '\n'


def _mesh_path(name: str, folder: Path) -> str:
    """Absolute path of a mesh that a URDF in a folder names.

    Raises:
        SoftshellError: it belongs to a package that is not installed, or is not in a file.
    """
    scheme, separator, rest = name.partition('://')
    if not separator:
        return str(folder / name)
    if scheme == 'file':
        return unquote(rest)
    if scheme != 'package':
        raise SoftshellError(
            f'mesh {name!r} is at {scheme}://; expected package://, file:// or a path'
        )
    package, _, path = rest.partition('/')
    if package == PACKAGE:
        return str(mesh_directory() / path.removeprefix('meshes/'))
    try:
        from ament_index_python.packages import get_package_share_directory

        return str(Path(get_package_share_directory(package)) / path)
    except (ImportError, LookupError, OSError, ValueError):  # ValueError: no name of a package
        raise SoftshellError(f'mesh {name!r}: no package {package!r} is installed') from None


def mesh_directory() -> Path:
    """The folder with generated meshes, one folder below it for each robot that has panels.

    The build makes them; in a checkout that is not built they are made now, in the user's cache.
    """
    share = share_directory()
    if (share / 'meshes').is_dir():
        return share / 'meshes'
    sources = sorted((share / 'urdf').glob('*/panels.yaml'))
    digest = hashlib.sha256()
    for source in (*map(Path(__file__).with_name, _MESH_SOURCES), *sources):
        digest.update(source.read_bytes())
    folder = _cache_directory() / f'meshes-{digest.hexdigest()[:16]}'
    for source in sources:
        write_meshes(source, folder / source.parent.name)
    return folder


def _cache_directory() -> Path:
    """The user's cache, or a temporary folder of the user if that cannot be written."""
    try:
        cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'softshell'
        cache.mkdir(parents=True, exist_ok=True)
        writable = os.access(cache, os.W_OK)
    except (OSError, RuntimeError):  # RuntimeError: no home
        writable = False
    return cache if writable else Path(tempfile.gettempdir()) / f'softshell-{os.getuid()}'


_EXPANSIONS = Expansions(ExpansionFiles(_cache_directory))
