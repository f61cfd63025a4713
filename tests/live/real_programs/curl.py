#!/usr/bin/python3
"""curl over TLS, with a certificate of our own: both curl and the server (Python's) are metered."""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

# What is put is read to a third, and then in small pieces until the meter has been killed (see meter_killed).
SERVER = """
import hashlib, http.server, os, pathlib, ssl, sys, time
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_PUT(self):
        left = int(self.headers["Content-Length"])
        kept_back = left // 3
        body = self.rfile.read(left // 3)
        pathlib.Path("progress").touch()
        while not os.path.exists("struck"):
            if left - len(body) > kept_back: body += self.rfile.read(1000)
            time.sleep(0.001)
        body += self.rfile.read(left - len(body))
        self.send_response(200); self.end_headers(); self.wfile.write(hashlib.md5(body).hexdigest().encode())
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate", "key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def play(session: real_program.Session) -> None:
    port = real_program.free_port()
    session.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "certificate", "-days",
                 "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
    large = session.folder / "large"
    large.write_bytes(bytes(range(251)) * 40000)
    server = session.start(["/usr/bin/python3", "-c", SERVER, str(port)])
    session.wait_for_port(port)
    curl = ["curl", "-sS", "--cacert", "certificate"]
    address = f"https://localhost:{port}"
    done = session.run([*curl, f"{address}/large", "-o", "got"], metered=True)
    session.note("download", (done.returncode, hashlib.md5((session.folder / "got").read_bytes()).hexdigest()))
    with session.meter_killed():
        done = session.run([*curl, "-T", "large", f"{address}/put"], metered=True)
    session.note("upload", (done.returncode, done.stdout))
    done = session.run([*curl, "--max-time", "60", f"https://127.0.0.1:{port}/large"], metered=session.mode == "metered")
    session.note("a name that the certificate does not have", done.returncode)
    session.note("the server's end", session.stop(server))


real_program.main(play, needs=["curl", "openssl", "/usr/bin/python3"])
