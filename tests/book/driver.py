"""Node.js and the packages with which tests drive a browser, installed on first use."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock

from book.pages import ROOT
from grader.instruct.browser import chromium

BROWSER = Path(__file__).with_name("browser")
LOCK = ROOT / "_build" / ".npm.lock"


@cache
def lacking() -> str:
    """Say what keeps a browser from being driven, and the remedy; its driver is installed now."""
    if not chromium():
        return "there is no Chromium (package chromium; COURSE_BROWSER names another one)"
    if not shutil.which("npm"):
        return "there is no npm to drive a browser with (package npm)"
    locked = json.loads((BROWSER / "package-lock.json").read_text())["packages"]
    driver = locked["node_modules/playwright-core"]
    node = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    oldest = driver["engines"]["node"].removeprefix(">=")
    if int(node.removeprefix("v").partition(".")[0] or 0) < int(oldest):
        return f"the browser's driver does not run on Node.js {node} (Node.js {oldest} or later)"
    LOCK.parent.mkdir(exist_ok=True)
    with FileLock(LOCK):
        if installed(locked):
            return ""
        done = subprocess.run(["npm", "ci"], cwd=BROWSER, capture_output=True, text=True)
    return "" if installed(locked) else f"npm ci failed (a network, once): {done.stderr.strip()}"


def installed(locked: dict) -> bool:
    packages = {name: BROWSER / name / "package.json" for name in filter(None, locked)}
    return all(
        path.is_file() and json.loads(path.read_text())["version"] == locked[name]["version"]
        for name, path in packages.items()
    )
