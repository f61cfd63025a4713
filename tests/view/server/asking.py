"""What the cases of check_server.py share. A case gets a running server; `options` are the server's, `beside = False`: without a viewer that
asks all the time."""
from collections.abc import Callable
from typing import Any
from viewer import Response, Server, wait_until

PROTECTION = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
              "cross-origin-resource-policy": "same-origin", "cache-control": "no-store"}


def served_with(*options: str, beside: bool = True) -> Callable[..., Any]:
    def decorate(case: Any) -> Any:
        case.options, case.beside = list(options), beside
        return case
    return decorate


def refusal(server: Server, reason: str, status: int, body: bytes = b"", **request: Any) -> None:
    """The request is refused with the status, counted for the reason, and has the headers that protect the page."""
    before = server.refused(reason)
    response = server.get(**request)
    assert response.status == status, (request, response.status)
    assert response.body == body, response.body
    assert_protected(response)
    assert server.refused(reason) == before + 1, (request, reason, server.metrics())


def assert_protected(response: Response) -> None:
    for name, value in PROTECTION.items():
        assert response.headers[name] == value, (name, response.headers)
    policy = response.headers["content-security-policy"]
    for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
        assert part in policy, policy
    assert "unsafe" not in policy, policy


def counted(server: Server, reason: str, attack: Callable[..., Any], times: int = 1) -> None:
    before = server.refused(reason)
    attack()
    wait_until(lambda: server.refused(reason) >= before + times, f"{times} refusals for {reason} are counted")
