"""The server with certificates."""
import os
import ssl
import subprocess
import tempfile
from collections.abc import Callable
from typing import Any

from viewer import Server, Viewer, read_all


def certificate(folder: str) -> list[str]:
    files = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                    "-subj", "/CN=localhost", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def with_tls(program: Any, check: Callable[..., Any], *options: str) -> None:
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder:
        certificate_file, key_file = certificate(folder)
        server = Server(program, "--certificate", certificate_file, "--key", key_file, *options)
        try:
            check(server)
        finally:
            assert server.end() == 0


def case_tls(server: Server) -> None:
    """Everything as without TLS, and only TLS 1.2 and later."""
    def check(secure: Server) -> None:
        assert secure.url.startswith("https://127.0.0.1:")
        response = secure.get()
        assert response.status == 200
        assert f"connect-src 'self' wss://{secure.host};" in response.headers["content-security-policy"]
        viewer = Viewer(secure)
        assert viewer.answer("numbers", count=3)["arrays"]["u32"] == [0, 1000, 2000]
        viewer.ask("large", bytes=3_000_000)
        assert len(viewer.receive()[1]) > 3_000_000
        assert Viewer(secure, Origin=f"http://{secure.host}").response.status == 403
        secure.tls = False
        plain = secure.exchange(secure.request())
        assert b"200" not in plain, plain
        assert secure.exchange(os.urandom(500)) is not None
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        try:
            old.wrap_socket(secure.connect())
            raise AssertionError("TLS 1.1 was accepted")
        except (ssl.SSLError, ConnectionError):
            pass
        secure.tls = True
        assert secure.refused("malformed") >= 3
        assert viewer.answer("echo")["answer"] == {"params": {}}
    with_tls(server.program, check)


def case_tls_handshake_in_time(server: Server) -> None:
    """A handshake that does not go on costs its connection."""
    def check(secure: Server) -> None:
        secure.tls = False
        stuck = [secure.connect() for _ in range(5)]
        for connection in stuck:
            assert read_all(connection) == b""
        secure.tls = True
        assert secure.refused("slow") == 5
    with_tls(server.program, check, "--short-limits")


def case_certificates_that_do_not_fit(server: Server) -> None:
    """A certificate without its key is refused at the start, with a reason."""
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder, tempfile.TemporaryDirectory(prefix="dpm-") as other:
        certificate_file, _ = certificate(folder)
        _, other_key = certificate(other)
        for files in ((certificate_file, other_key), (other_key, other_key), (certificate_file, certificate_file)):
            run = subprocess.run([server.program, "--certificate", files[0], "--key", files[1]], text=True,
                                 capture_output=True, stdin=subprocess.DEVNULL)
            assert run.returncode == 2 and "a PEM file" in run.stderr, run
