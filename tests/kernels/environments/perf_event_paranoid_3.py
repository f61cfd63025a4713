"""Only root may use counters (kernel.perf_event_paranoid=3)."""

from settings import Sysctl

TITLE = "kernel.perf_event_paranoid=3"
STAYS = False
TOUCHES = ("CPU time",)
setting = Sysctl("kernel.perf_event_paranoid", 3)
set_up, undo = setting.set, setting.restore
