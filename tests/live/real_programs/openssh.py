#!/usr/bin/python3
"""OpenSSH over loopback: the server with its privilege separation and the client are metered; a login, a command's exit
status, a megabyte there and back, and a forwarded port."""

import getpass
import hashlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

CONFIGURATION = """ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
PidFile {folder}/pid
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
"""

# Takes a part, then small pieces until the meter has been killed, then the rest.
TAKES = """cd {folder}
{{ head -c 1000000; : >progress; until [ -e struck ]; do head -c 1000; sleep 0.01; done; cat; }} | md5sum"""


def play(session: real_program.Session) -> None:
    folder, port = session.folder, real_program.free_port()
    for key in ("host_key", "user_key"):
        session.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)])
    (folder / "sshd_config").write_text(CONFIGURATION.format(folder=folder, port=port))
    server = session.start(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")])
    session.wait_for_port(port)
    ssh = ["ssh", "-F", "/dev/null", "-p", str(port), "-i", str(folder / "user_key"), "-o", "StrictHostKeyChecking=no", "-o",
           "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes", f"{getpass.getuser()}@127.0.0.1"]
    done = session.run([*ssh, "echo hello; exit 23"], metered=True)
    session.note("login and exit status", (done.returncode, done.stdout))
    large = bytes(range(249)) * 16000
    with session.meter_killed():
        done = session.run([*ssh, TAKES.format(folder=folder)], metered=True, input=large)
    session.note("there", (done.returncode, done.stdout.split()[0] == hashlib.md5(large).hexdigest() if done.stdout else None))
    done = session.run([*ssh, "head -c 3000000 /dev/zero | tr '\\0' x"], metered=session.mode == "metered")
    session.note("back", (done.returncode, len(done.stdout), set(done.stdout)))
    done = session.run([*ssh, "kill -9 $$"], metered=session.mode == "metered")
    session.note("a killed command", done.returncode)
    session.note("the server's end", session.stop(server))


if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
    os.mkdir("/run/sshd", 0o755)  # where sshd separates its privileges; the service makes it when it starts
real_program.main(play, needs=["/usr/sbin/sshd", "ssh", "ssh-keygen"])
