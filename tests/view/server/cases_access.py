"""Asking for what one may not have: tokens, hosts, origins, methods, paths, addresses."""
import subprocess

from asking import assert_protected, counted, refusal, served_with
from viewer import Server, Viewer


def case_wrong_token(server: Server) -> None:
    """Without the token there is nothing, whatever is asked for and however."""
    token = server.path.strip("/")
    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for target in ("/", "/favicon.ico", "/" + wrong + "/", f"/{wrong}/metrics", "/" + token[:-1] + "/", f"//{token}/",
                   f"/{token}x/", "/" + token.upper().replace("0", "O") + "/", "/socket", "*"):
        refusal(server, "token", 404, target=target)
    refusal(server, "token", 404, target="/" + wrong + "/", method="DELETE")
    refusal(server, "token", 404, target=f"/{wrong}/socket", Upgrade="websocket", Connection="Upgrade",
            Origin=server.origin, Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==")


def case_other_hosts(server: Server) -> None:
    """DNS rebinding: a page of another site cannot speak to the server under that site's name."""
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "127.0.0.1:1", f"{server.host}.evil.example",
                 "", None):
        refusal(server, "host", 421, Host=host)
        refusal(server, "host", 421, target="/", Host=host)
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}", f"LocalHost:{server.port}"):
        assert server.get(Host=host).status == 200, host
    twice = server.request().replace(b"\r\n\r\n", f"\r\nHost: {server.host}\r\n\r\n".encode())
    counted(server, "host", lambda: server.exchange(twice))


@served_with("--allow-host", "tunnel.example:9000", "--allow-host", "Box.example")
def case_allowed_hosts(server: Server) -> None:
    """Names that were allowed are the server's."""
    for host in ("tunnel.example:9000", "box.example", f"box.example:{server.port}"):
        assert server.get(Host=host).status == 200, host
        assert Viewer(server, Host=host, Origin="http://" + host).response.status == 101
    refusal(server, "host", 421, Host="tunnel.example")
    refusal(server, "origin", 403, Host="box.example", Origin=server.origin)


def case_other_origins(server: Server) -> None:
    """A page of another site cannot use the server, even if it knows the token."""
    before = server.refused("origin")
    wrong = ("http://evil.example", "null", f"https://{server.host}", "http://127.0.0.1", f"http://localhost:{server.port}")
    for origin in wrong:
        refusal(server, "origin", 403, name="api/echo", Origin=origin)
        response = Viewer(server, Origin=origin).response
        assert response.status == 403
        assert_protected(response)
    assert Viewer(server, Origin=None).response.status == 403
    assert server.refused("origin") == before + 2 * len(wrong) + 1
    assert server.get("api/echo", Origin=server.origin).status == 200


def case_methods(server: Server) -> None:
    """Only GET and HEAD."""
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "BREW"):
        refusal(server, "method", 405, method=method)


def case_paths(server: Server) -> None:
    """No address leads to a file."""
    for path in ("../", "../../../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd",
                 "%252e%252e%252fetc%252fpasswd", "..%5c..%5c", "..%c0%af", "./", "/", "index.html", "api", "api%2fecho",
                 "metrics/", "%00", "socket/..", "api/../metrics/"):
        response = server.get(path)
        assert response.status in (400, 404) and b"root:" not in response.body, (path, response.status)
    refusal(server, "path", 404, name="etc/passwd")
    assert server.get("api/../../../etc/passwd").status == 400


def case_other_addresses(server: Server) -> None:
    """Every address is served if it was asked for: the names of this machine are the server's."""
    program = server.program
    refused = subprocess.run([program, "--address", "0.0.0.0"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert refused.returncode == 2 and "--insecure" in refused.stderr, refused
    everywhere = Server(program, "--address", "0.0.0.0", "--insecure")
    try:
        assert everywhere.get().status == 200
        assert everywhere.get(Host="evil.example").status == 421
        shown = everywhere.url.split("/")[2]
        assert everywhere.get(Host=shown).status == 200, shown
    finally:
        assert everywhere.end() == 0
