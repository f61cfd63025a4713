"""A process may be traced by its parents only (kernel.yama.ptrace_scope=1)."""

from settings import Sysctl

TITLE = "kernel.yama.ptrace_scope=1"
STAYS = False
TOUCHES = ("user notification", "access to programs", "running programs")
setting = Sysctl("kernel.yama.ptrace_scope", 1)
set_up, undo = setting.set, setting.restore
