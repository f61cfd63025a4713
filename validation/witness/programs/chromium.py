"""Headless Chromium draws a page: dozens of processes and threads that pass descriptors and memory to one another."""

import hashlib
from stage import Stage

NEEDS = ["chromium"]
VARIES = [("", "a browser's processes say to one another what time and threads make of it")]
OPEN = {"messages": "under strace a send into a UNIX stream may not be seen to be over when its receiver is looked at: two receives may divide "
                    "the same bytes in another way",
        "matched": "a send that moves a part, or is not seen to be over, hides where the messages after it begin"}
PAGE = "<html><body style='background: #abc'><h1>witness</h1><script>document.body.append('x'.repeat(100))</script></body></html>"


def play(stage: Stage) -> None:
    (stage.folder / "page.html").write_text(PAGE)
    stage.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--host-resolver-rules=MAP * ~NOTFOUND",
               "--disable-background-networking", "--disable-component-update", "--no-first-run",
               f"--user-data-dir={stage.folder}/profile", "--window-size=300,200", f"--screenshot={stage.folder}/picture.png",
               f"file://{stage.folder}/page.html"], env={"HOME": str(stage.folder)})
    stage.note("picture", hashlib.sha256((stage.folder / "picture.png").read_bytes()).hexdigest())
