"""What the cases of check_server.py share. A case gets a running server; `options` are the server's, `beside = False`: without a viewer that
asks all the time."""
from viewer import wait_until

PROTECTION = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
              "cross-origin-resource-policy": "same-origin", "cache-control": "no-store"}


def served_with(*options, beside=True):
    def decorate(case):
        case.options, case.beside = list(options), beside
        return case
    return decorate


def refusal(server, reason, status, body=b"", **request):
    """The request is refused with the status, counted for the reason, and has the headers that protect the page."""
    before = server.refused(reason)
    response = server.get(**request)
    assert response.status == status, (request, response.status)
    assert response.body == body, response.body
    assert_protected(response)
    assert server.refused(reason) == before + 1, (request, reason, server.metrics())


def assert_protected(response):
    for name, value in PROTECTION.items():
        assert response.headers[name] == value, (name, response.headers)
    policy = response.headers["content-security-policy"]
    for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
        assert part in policy, policy
    assert "unsafe" not in policy, policy


def counted(server, reason, attack, times=1):
    before = server.refused(reason)
    attack()
    wait_until(lambda: server.refused(reason) >= before + times, f"{times} refusals for {reason} are counted")
