"""tmux: a server, clients that pass it their terminals over a UNIX stream, and commands in panes."""

from stage import Stage
NEEDS = ["tmux"]
VARIES = [("", "tmux redraws when time permits, and its clients' versions of a screen are merged")]


def play(stage: Stage) -> None:
    tmux = ["tmux", "-S", stage.folder / "socket", "-f", "/dev/null"]
    around = {"TERM": "xterm", "LANG": "C.UTF-8"}
    stage.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", "sh -c 'seq 1 15; sleep 100'"], env=around)
    stage.wait_until("the pane shows what was printed", lambda: "15" in stage.run([*tmux, "capture-pane", "-p"], env=around))
    stage.note("screen", stage.run([*tmux, "capture-pane", "-p"], env=around).split())
    for number in range(3 if stage.quick else 20):
        stage.run([*tmux, "new-window", "-d", f"echo {number}; sleep 100"], env=around)
    stage.note("windows", len(stage.run([*tmux, "list-windows"], env=around).splitlines()))
    stage.run([*tmux, "kill-server"], env=around)
