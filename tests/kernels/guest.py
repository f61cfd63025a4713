"""A Debian kernel under qemu, with this machine's file system: what is built here runs there, and nothing that it writes comes back.

The file system is passed by 9p, read-only, under an overlay in the guest's memory (guest_init). Kernels are unpacked from their Debian packages
into a folder of the build. Where /dev/kvm may not be used, qemu emulates the processor, ten to thirty times slower than the machine.

The guest's first serial port is its console, which goes to a file; the second is the standard output of its job.
"""

import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
PROGRAMS = ("qemu-system-x86_64", "busybox", "depmod", "modprobe", "cpio", "xz", "dpkg", "apt-get")
FOLDERS = ("bin", "proc", "sys", "dev", "mnt/host", "mnt/rw", "mnt/root", "modules")
MEMORY_MB = 3000
KVM_TRIAL_S = 20


class Missing(Exception):
    """This machine cannot run a guest, and why."""


def _program(name: str) -> str:
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Missing(f"{name} is not installed")
    return found


def need_programs() -> None:
    for name in PROGRAMS:
        _program(name)


def _call(words: list[str], folder: pathlib.Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{' '.join(words[:3])}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


class Kernel:
    """A kernel package, unpacked in a folder of its own."""

    def __init__(self, package: str, cache: pathlib.Path) -> None:
        self.package, self.folder = package, cache / package

    def is_there(self) -> bool:
        return (self.folder / "ready").exists()

    def fetch(self, say: Callable[[str], None]) -> None:
        if not self.is_there():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            say(f"fetching {self.package}")
            _call([_program("apt-get"), "download", "-qq", self.package], self.folder)
            package = next(self.folder.glob("*.deb"))
            _call([_program("dpkg"), "-x", str(package), "tree"], self.folder)
            package.unlink()
            _call([_program("depmod"), "-b", str(self.folder / "tree"), self.release], self.folder)
            (self.folder / "ready").touch()
        self._make_initrd()

    @property
    def image(self) -> pathlib.Path:
        return next((self.folder / "tree/boot").glob("vmlinuz-*"))

    @property
    def release(self) -> str:
        return self.image.name.removeprefix("vmlinuz-")

    @property
    def initrd(self) -> pathlib.Path:
        return self.folder / "initrd"

    def _modules(self) -> Iterator[pathlib.Path]:
        """In the order in which they are loaded."""
        seen = set()
        for name in MODULES:
            shown = subprocess.run([_program("modprobe"), "-d", str(self.folder / "tree"), "-S", self.release, "--show-depends", name],
                                   capture_output=True, text=True, check=False).stdout
            for line in shown.splitlines():
                if line.startswith("insmod ") and line not in seen:
                    seen.add(line)
                    yield pathlib.Path(line.split()[1])

    def _make_initrd(self) -> None:
        init = HERE / "guest_init"
        if self.initrd.exists() and self.initrd.stat().st_mtime > init.stat().st_mtime:
            return
        root = self.folder / "initrd.d"
        shutil.rmtree(root, ignore_errors=True)
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True)
        shutil.copy(_program("busybox"), root / "bin/busybox")
        shutil.copy(init, root / "init")
        (root / "init").chmod(0o755)
        order = []
        for module in self._modules():
            plain = root / "modules" / module.name.removesuffix(".xz")
            if module.suffix == ".xz":
                plain.write_bytes(subprocess.run([_program("xz"), "-dc", str(module)], capture_output=True, check=True).stdout)
            else:
                shutil.copy(module, plain)
            order.append(plain.name)
        (root / "modules/order").write_text("".join(f"{name}\n" for name in order))
        names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
        with open(self.initrd, "wb") as file:
            subprocess.run([_program("cpio"), "-o", "-H", "newc", "--quiet"], input=names.encode(), stdout=file, cwd=root, check=True)


@functools.cache
def accelerator(image: pathlib.Path) -> list[str]:
    """KVM only where it starts this kernel: nested in another machine, it may be there and hang, or refuse the processor."""
    emulated = ["-accel", "tcg,thread=multi"]
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return emulated
    command = [_program("qemu-system-x86_64"), "-machine", "q35", "-accel", "kvm", "-cpu", "max", "-m", "512", "-nodefaults", "-no-user-config",
               "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", str(image), "-append", "console=ttyS0 panic=-1"]
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=KVM_TRIAL_S, check=False).stdout
    except subprocess.TimeoutExpired as expired:
        said = expired.stdout or b""
    if b"Linux version" in said:
        return ["-accel", "kvm"]
    print("kernels: /dev/kvm starts no guest here: the processor is emulated", file=sys.stderr)
    return emulated


def run_in_guest(kernel: Kernel, job: list[str], *, cores: int, limit_s: float) -> Iterator[str]:
    """The lines that the job prints. The guest ends with it, or after the limit."""
    script = kernel.folder / "job"
    script.write_text("exec " + " ".join(f"'{word}'" for word in job) + "\n")
    # On a busy machine an emulated timer is too late for the kernel's check of it (no_timer_check).
    console = kernel.folder / "console.log"
    qemu = subprocess.Popen(
        [_program("qemu-system-x86_64"), "-machine", "q35", *accelerator(kernel.image), "-cpu", "max", "-smp", str(cores),
         "-m", str(MEMORY_MB), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", f"file:{console}", "-serial", "stdio",
         "-kernel", str(kernel.image), "-initrd", str(kernel.initrd),
         "-append", f"console=ttyS0 quiet panic=-1 mitigations=off no_timer_check job={script}",
         "-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
         "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    clock = threading.Timer(limit_s, lambda: qemu.send_signal(signal.SIGKILL))
    clock.start()
    began = time.monotonic()
    try:
        assert qemu.stdout
        for line in qemu.stdout:
            yield line.rstrip("\r\n")
    finally:
        clock.cancel()
        qemu.kill()
        _, errors = qemu.communicate()
    if time.monotonic() - began >= limit_s:
        print(f"kernels: {kernel.package} did not end within {limit_s:.0f} s; its console is {console}", file=sys.stderr)
    elif errors.strip() and "warning" not in errors:
        print(f"kernels: qemu: {errors.strip()}", file=sys.stderr)
