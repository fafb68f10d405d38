"""Installs the extension from its repository index, as from a page of the web, in a window.

BLENDER=/path/to/blender python -m tests.window --repository
"""

import http.server
import sys
import threading
from functools import partial
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parent))

import session

MODULE = "of_index"
session.EXTENSION = f"bl_ext.{MODULE}.impulse"


class Silent(http.server.SimpleHTTPRequestHandler):
    """Gives the files of the folder of the zips, and says nothing of it."""

    def log_message(self, *_arguments):
        pass


def install(going):
    """The index is added as a repository, read, and the extension installed and enabled from it."""
    folder = session.ZIP.parent
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Silent, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/index.json"
    bpy.context.preferences.system.use_online_access = True
    repositories = bpy.context.preferences.extensions.repos
    repository = repositories.new(name="Impulse", module=MODULE, remote_url=address)
    index = list(repositories).index(repository)
    yield
    bpy.ops.extensions.repo_sync(repo_index=index)
    yield
    bpy.ops.extensions.package_install(repo_index=index, pkg_id="impulse", enable_on_install=True)
    yield
    server.shutdown()
    assert session.EXTENSION in bpy.context.preferences.addons
    going.result["installed"] = str(Path(sys.modules[session.EXTENSION].__file__).parent)


if __name__ == "__main__":
    session.start(install, session.self_test)
