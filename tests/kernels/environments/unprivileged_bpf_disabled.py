"""Only root may load eBPF programs, until the machine is started again."""

from settings import Sysctl

TITLE = "kernel.unprivileged_bpf_disabled=1"
STAYS = True
TOUCHES = ("eBPF source", "samples")
setting = Sysctl("kernel.unprivileged_bpf_disabled", 1)
set_up = setting.set


def undo() -> None:
    pass  # the kernel refuses another value from now on
