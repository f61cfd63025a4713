#!/usr/bin/python3
"""nginx with two workers, under wrk's load: every answer is good, and a large file arrives whole (by sendfile)."""

import hashlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

CONFIGURATION = """worker_processes 2;
daemon off;
error_log stderr warn;
pid {folder}/pid;
events {{ worker_connections 256; }}
http {{
  access_log off;
  sendfile on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
}}
"""


def play(session: real_program.Session) -> None:
    port = real_program.free_port()
    files = session.folder / "files"
    files.mkdir()
    (files / "index.html").write_text("hello\n")
    (files / "large").write_bytes(bytes(range(256)) * 20000)
    files.chmod(0o755)
    configuration = session.folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=session.folder, port=port))
    server = session.start(["nginx", "-e", "stderr", "-c", str(configuration)])
    session.wait_for_port(port)
    address = f"http://127.0.0.1:{port}"
    done = session.run(["curl", "-sS", f"{address}/large", "-o", "got"])
    session.note("a large file", (done.returncode, done.stderr,
                                  hashlib.md5((session.folder / "got").read_bytes()).hexdigest()))
    answers, wrong = 0, []
    for _ in session.rounds():
        done = session.run(["wrk", "-t2", "-c20", "-d1s", "--timeout", "60s", f"{address}/"])
        wrong += [line for line in done.stdout.splitlines() if re.search("Socket errors|Non-2xx", line)]
        wrong += [done.stderr] if done.returncode or done.stderr else []
        answers += sum(int(count) for count in re.findall(r"(\d+) requests in", done.stdout))
    session.note("wrk", (answers > 0, wrong))
    done = session.run(["curl", "-sS", "-w", "%{http_code}", f"{address}/missing", "-o", "/dev/null"])
    session.note("a missing file", (done.returncode, done.stdout))
    session.note("the server's end", session.stop(server))


real_program.main(play, needs=["nginx", "wrk", "curl"])
