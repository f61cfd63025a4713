"""A process may be traced by root only (kernel.yama.ptrace_scope=2)."""

from settings import Sysctl

TITLE = "kernel.yama.ptrace_scope=2"
STAYS = False
TOUCHES = ("user notification", "access to programs", "running programs")
setting = Sysctl("kernel.yama.ptrace_scope", 2)
set_up, undo = setting.set, setting.restore
