"""The decorators of compiled functions, and where their machine code is kept.

Numba looks for changes only in the file of the function itself, not in those it calls, and keeps
its cache next to the source. Here the folder is named after a digest of all that is compiled, so
an edit of it recompiles all that depend on it, and a read-only source folder is no obstacle.

A fork waits while another thread compiles, which may take a minute: the child would else have
numba's lock, and not the thread that gives it back.
"""

import contextlib
import hashlib
import os
import pickle
import tempfile
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import codegen
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

# Their stubs leave out what is used here.
config: Any = numba.config
njit: Any = numba.njit
lock: Any = global_compiler_lock
target: Any = codegen
_Cache: Any = FunctionCache

Function = TypeVar('Function', bound=Any)

SOURCES = Path(__file__).resolve().parent
#: Folders with what is compiled.
COMPILED = (SOURCES, SOURCES.parent / 'loops')
#: Files of whose constants some becomes part of the machine code.
CONSTANTS = (SOURCES.parent / 'limits.py', SOURCES.parent / 'transforms.py')


def processor() -> str:
    """The kind of processor that machine code is compiled for, such as `znver3`."""
    return str(config.CPU_NAME or target.ll.get_host_cpu_name())


def cache_folder() -> Path:
    """The first that can be written of NUMBA_CACHE_DIR, one beside the code, user's, temporary.

    The temporary one has to be the user's own: others can make one of its name before.

    Raises:
        OSError: none of them can be written.
    """
    digest = hashlib.sha256()
    compiled = [source for folder in COMPILED for source in sorted(folder.glob('*.py'))]
    for source in (*compiled, *CONSTANTS):
        digest.update(source.read_bytes())
    # Of two processors that share a folder, each would overwrite the other's machine code.
    digest.update(processor().encode())
    name = f'kernels-{digest.hexdigest()[:12]}'
    candidates = [SOURCES / '__pycache__']
    with contextlib.suppress(RuntimeError):  # no home
        home = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
        candidates.append(home / 'softshell_kinematics')
    user = os.getuid() if hasattr(os, 'getuid') else 0  # Windows has none, and shows 0 for files
    temporary = Path(tempfile.gettempdir()) / f'softshell_kinematics-{user}'
    candidates.append(temporary)
    if config.CACHE_DIR:
        candidates.insert(0, Path(config.CACHE_DIR))
    for parent in candidates:
        try:
            if parent == temporary:
                parent.mkdir(mode=0o700, exist_ok=True)
                if parent.lstat().st_uid != user:  # machine code of others is not run
                    continue
            kept = parent / name
            kept.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=kept).close()
        except OSError:
            continue
        return kept
    raise OSError(f'no folder to keep compiled code in; tried {", ".join(map(str, candidates))}')


CACHE = cache_folder()
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )


OPTIONS: dict[str, Any] = {
    'nogil': True,
    'error_model': 'numpy',
    'boundscheck': False,
    'fastmath': {'contract', 'reassoc', 'nsz', 'arcp'},
}


def compiled(function: Function) -> Function:
    """Compile by numba, to be called from compiled code: it becomes part of what calls it.

    It does not count references to its arguments, which would cost as much as the arithmetic of a
    small chain. So it cannot make arrays or views: see `maker`.
    """
    compiler = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, **OPTIONS)
    made: Function = compiler(function)
    return made


def inlined(function: Function) -> Function:
    """Like `compiled`, and put in line wherever it is called: for what is called in few places."""
    compiler = njit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True, **OPTIONS
    )
    made: Function = compiler(function)
    return made


def maker(function: Function) -> Function:
    """Like `compiled`, but it counts references: for a function that makes arrays or views."""
    made: Function = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)(function)
    return made


class KeptCode(_Cache):  # type: ignore[misc]
    """Numba's cache of one function, in which a file that cannot be used is no more than missing.

    A power cut may leave files that end too early, and a disk may be full.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None if there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what a file that was cut off raises depends on where
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature if there is room."""
        # Saving reads the index first.
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            super().save_overload(sig, data)


def entry(function: Function) -> Function:
    """Compile by numba, to be called from Python; kept on disk between processes.

    Numba keeps code by the path from which a function was imported. Here it is the real path, so
    that a workspace that links to the sources finds what was compiled from them.
    """
    real = os.path.realpath(function.__code__.co_filename)
    function.__code__ = function.__code__.replace(co_filename=real)
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE)
    try:
        made: Function = njit(cache=True, no_cfunc_wrapper=True, **OPTIONS)(function)
        if hasattr(made, '_cache'):
            made._cache = KeptCode(function)
    finally:
        config.CACHE_DIR = previous
    return made
