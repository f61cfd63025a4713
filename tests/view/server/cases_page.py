"""What the page server is for: the page, answers, ticks, metrics."""
import base64
import hashlib
import math
import re
import time

from asking import assert_protected, counted, served_with
from viewer import Response, Server, Viewer, wait_until


def case_page(server: Server) -> None:
    """The page has its protection, and its scripts and styles may run because of their hashes."""
    response = server.get()
    assert response.status == 200 and response.headers["content-type"] == "text/html; charset=utf-8"
    assert_protected(response)
    # Header values were made lower case; hashes are compared the same way.
    for tag in ("script", "style"):
        text = re.findall(f"<{tag}>(.*)</{tag}>", response.body.decode())[0]
        value = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode().lower()
        assert f"{tag}-src 'sha256-{value}';" in response.headers["content-security-policy"]
    assert f"connect-src 'self' ws://{server.host};" in response.headers["content-security-policy"]
    head = server.get(method="HEAD")
    assert head.status == 200 and int(head.headers["content-length"]) == len(response.body)
    assert server.get(target=server.path.rstrip("/")).headers["location"] == server.path


def case_answers(server: Server) -> None:
    """The two forms of an answer are the same."""
    viewer = Viewer(server)
    assert viewer.response.status == 101
    assert_protected(viewer.response)
    message = viewer.answer("numbers", count=11)
    over_http = server.get("api/numbers?count=11")
    assert over_http.headers["content-type"] == "application/json"
    assert_protected(over_http)
    assert message["answer"] == {"count": 11}
    for name in ("f64", "f32", "u32", "u8"):
        values = [None if math.isnan(value) else value for value in message["arrays"][name]]
        assert values == over_http.json()[name], name
    assert viewer.answer("numbers", count=0)["arrays"]["f64"] == []
    assert viewer.answer("name")["answer"]["name"] == "a\ufffd\ufffd<script>"
    assert viewer.answer("echo", a=[1, {"b": None}])["answer"] == {"params": {"a": [1, {"b": None}]}}
    assert server.get("api/echo?a=1&b=x%20y&c=%5B2%5D").json() == {"params": {"a": 1, "b": "x y", "c": [2]}}
    assert server.get("api/numbers?count=11", method="HEAD").status == 200


def case_errors(server: Server) -> None:
    """An error is a sentence, in both forms."""
    viewer = Viewer(server)
    before = server.metric("dpm_page_errors_total")
    mistakes: list[tuple[str, dict[str, str], str]] = [("unknown", {}, ""), ("numbers", {"count": "many"}, "?count=many"), ("never", {}, "")]
    for name, params, query in mistakes:
        sentence = viewer.answer(name, **params)["error"]
        response = server.get(f"api/{name}{query}")
        assert response.status == 400 and response.json() == {"error": sentence}, (sentence, response.body)
    assert server.metric("dpm_page_errors_total") == before + 6


def case_unreadable_queries(server: Server) -> None:
    """Queries that cannot be read are an error, and counted."""
    for query in ("echo?a=%zz", "echo?a=1&a=2", "echo?=1", "ECHO", "", "echo?id=1", "a" * 65, "echo?a=%ff"):
        response = Response(0, {}, b"")

        def attack() -> None:
            nonlocal response
            response = server.get("api/" + query)
        counted(server, "request", attack)
        assert response.status == 400 and response.json()["error"], query


def case_ticks(server: Server) -> None:
    """What is new is announced, at most ten times a second, and the latest always."""
    viewer = Viewer(server)
    begin = time.monotonic()
    for _ in range(500):
        server.tick()
        time.sleep(0.001)
    late = Viewer(server)
    for some in (viewer, late):
        while not some.ticks or some.ticks[-1]["version"] < 500:
            some.receive_answer(some.ask("echo"))
    tenths = (time.monotonic() - begin) * 10
    assert 2 <= len(viewer.ticks) <= tenths + 2, (len(viewer.ticks), tenths)
    versions = [tick["version"] for tick in viewer.ticks]
    assert versions == sorted(set(versions)), versions


def case_metrics(server: Server) -> None:
    """What an independent parser reads of /metrics: the server's numbers and the handler's, with hostile labels."""
    response = server.get("metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    metrics = server.metrics()
    name = 'quote" backslash\\ line\nend'
    assert metrics["numbers_names", (("name", name), ("other", '{a="b"} 1'))] == 1
    assert metrics["numbers_names", (("name", "?"),)] == 0.25
    viewers = [Viewer(server) for _ in range(3)]
    assert server.metric("dpm_page_viewers") == 4  # and the one beside
    for viewer in viewers:
        viewer.close()
    wait_until(lambda: server.metric("dpm_page_viewers") == 1, "viewers that close are not counted")


def case_slow_answers(server: Server) -> None:
    """A slow answer delays other answers for its time only; one that comes later delays none."""
    slow, quick = Viewer(server), Viewer(server)
    for _ in range(8):
        slow.ask("slow", ms=100)
    later = [slow.ask("later", ms=300) for _ in range(2)]
    begin = time.monotonic()
    quick.answer("echo")
    first = time.monotonic() - begin
    slow.receive_answer(later[-1])
    # Not after the eight: each viewer has its turn.
    assert first < 0.5 * (time.monotonic() - begin), (first, time.monotonic() - begin)
    assert server.get("api/later?ms=20").json() == {"later": True}


@served_with("--short-limits")
def case_answer_that_does_not_come(server: Server) -> None:
    """The HTTP form waits for a while only."""
    assert server.get("api/later?ms=4000").status == 504


@served_with(beside=False)
def case_end_while_asked(server: Server) -> None:
    """The server ends while answers are awaited, which come after its end."""
    viewers = [Viewer(server) for _ in range(5)]
    for viewer in viewers:
        viewer.ask("later", ms=300)
        viewer.ask("slow", ms=100)
        viewer.ask("large", bytes=5_000_000)
    viewers[0].answer("echo")
