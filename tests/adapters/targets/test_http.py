"""An HTTP target against a real server on this machine: what is asked, what is read, and every way to fail."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fiel.adapters.targets.http import HTTPTarget
from fiel.core.errors import TargetFailure
from fiel.core.trial import Output, ToolCall, Usage
from fiel.ports import Call
from fiel.testing.target_contract import MAX_OUTPUT_BYTES, OPTIONS, TargetContract

Answer = Callable[["Server.Handler", Any], None]


class Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # 40 calls at once connect together


class Server:
    """A server that answers by a function and remembers every request: method, path, headers and decoded body."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.closing = threading.Event()
        self.connections = 0
        server = self

        class Bound(Server.Handler):
            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def serve(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append((self.command, self.path, headers, body))
                with contextlib.suppress(ConnectionError):
                    answer(self, body)

            do_GET = do_POST = serve  # noqa: N815 - the names are the library's

        Bound.closing = self.closing
        self._server = Listening(("127.0.0.1", 0), Bound)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        closing: threading.Event

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
            pass

        def reply(self, body: Any, status: int = 200, **headers: str) -> None:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            headers = {"content_type": "application/json", "content_length": str(len(raw)), **headers}
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(raw)


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    running: list[Server] = []

    def start(answer: Answer) -> Server:
        running.append(Server(answer))
        return running[-1]

    yield start
    for server in running:
        server.close()


Serve = Callable[[Answer], Server]


def make(url: str, **how: Any) -> HTTPTarget:
    return HTTPTarget(name="api", url=url, **{"environ": {}, "max_output_bytes": 20_000, **how})


async def ask(target: HTTPTarget, asked: Any = "in", **options: Any) -> Output:
    await target.open()
    try:
        return await target.call(Call(case_id="c1", input=asked, trial=2, options=options, timeout_s=20))
    finally:
        await target.close()


async def fails(target: HTTPTarget, asked: Any = "in") -> TargetFailure:
    with pytest.raises(TargetFailure) as caught:
        await ask(target, asked)
    return caught.value


def play(handler: Server.Handler, body: Any) -> None:
    """The contract's agent."""
    asked = body["q"]
    match asked["do"]:
        case "echo":
            handler.reply({"answer": asked["value"]})
        case "who":
            handler.reply({"answer": body["who"]})
        case "sleep":
            time.sleep(asked["s"])
            handler.reply({"answer": "late"})
        case "hang":
            handler.closing.wait()
        case "crash":
            handler.reply({"answer": 1}, status=500)
        case "garbage":
            handler.reply(b"<html>", content_type="text/html")
        case "large":
            handler.reply({"answer": "x" * 1_000_000})


class TestContract(TargetContract):
    @pytest.fixture(autouse=True)
    def _server(self, serve: Serve) -> None:
        self.url = serve(play).url

    def make(self) -> HTTPTarget:
        who = {"case_id": "${case_id}", "trial": "${trial}", "tone": "${option.tone}"}
        return HTTPTarget(
            name=self.name, url=self.url, request={"q": "${input}", "who": who}, output="/answer", environ={},
            options=OPTIONS, concurrency=40, max_output_bytes=MAX_OUTPUT_BYTES,
        )  # fmt: skip


async def test_the_input_alone_is_the_body_and_the_body_alone_the_output_by_default(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply([body]))
    assert (await ask(make(server.url + "/a?k=v"), {"q": "ação"})).value == [{"q": "ação"}]
    method, path, headers, body = server.requests[0]
    assert (method, path, body) == ("POST", "/a?k=v", {"q": "ação"})
    assert headers["content-type"] == "application/json"


async def test_pointers_read_output_cost_tokens_tools_and_model(serve: Serve) -> None:
    answer = {
        "out": [{"text": None}], "usage": {"cost": 0.5, "in": 3, "out": 4}, "model": "m-1",
        "tools": [{"name": "look", "arguments": {"q": 1}}],
    }  # fmt: skip
    server = serve(lambda handler, body: handler.reply(answer))
    pointers = {"output": "/out/0/text", "cost_usd": "/usage/cost", "input_tokens": "/usage/in", "model": "/model"}
    pointers |= {"output_tokens": "/usage/out", "tool_calls": "/tools"}
    assert await ask(make(server.url, **pointers)) == Output(
        value=None, cost_usd=0.5, usage=Usage(input_tokens=3, output_tokens=4), model="m-1",
        tool_calls=(ToolCall(name="look", arguments={"q": 1}),),
    )  # fmt: skip


async def test_what_the_answer_does_not_say_is_unknown_and_not_zero(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply({"usage": {"in": 3, "cost": None}}))
    pointers = {"cost_usd": "/usage/cost", "input_tokens": "/usage/in", "output_tokens": "/usage/out"}
    output = await ask(make(server.url, tool_calls="/tools", model="/model", **pointers))
    assert (output.cost_usd, output.usage, output.tool_calls, output.model) == (None, None, None, None)
    only_one = await ask(make(server.url, input_tokens="/usage/in"))
    assert only_one.usage == Usage(input_tokens=3)


@pytest.mark.parametrize(
    ("pointers", "said"),
    [
        ({"output": "/answer"}, "the answer (an object) has no /answer (output)"),
        ({"cost_usd": "/text"}, "the cost (cost_usd) is text"),
        ({"input_tokens": "/text"}, "the count of tokens (input_tokens) is text"),
        ({"tool_calls": "/text"}, "tool_calls is text"),
        ({"model": "/n"}, "the model's name (model) is a number"),
    ],
)
async def test_an_answer_of_another_shape_is_garbage(serve: Serve, pointers: dict[str, str], said: str) -> None:
    server = serve(lambda handler, body: handler.reply({"text": "patient name", "n": 1}))
    failure = await fails(make(server.url, **pointers))
    assert failure.code == "garbage"
    assert said in str(failure)
    assert "patient" not in str(failure)


async def test_get_sends_its_fields_as_query_parameters(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply(1))
    await ask(
        make(server.url + "/a?k=v", method="get", request={"q": "${input}", "n": "${trial}", "o": {"a": "x"}}), "a b&c"
    )
    method, path, _, body = server.requests[0]
    assert (method, body) == ("GET", None)
    assert path == "/a?k=v&q=a%20b%26c&n=2&o=%7B%22a%22%3A%22x%22%7D"


async def test_headers_take_their_secrets_from_the_environment_and_nothing_shows_them(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply({"no": 1}, status=401))
    target = make(server.url, headers={"Authorization": "Bearer ${API_KEY}"}, environ={"API_KEY": "sk-very-secret"})
    failure = await fails(target)
    assert server.requests[0][2]["authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in f"{failure} {failure!r} {target!r}"
    assert (failure.code, failure.retriable) == ("http_status", False)


async def test_a_login_in_the_url_is_used_and_never_shown(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply(1, status=403))
    address = server.url.replace("http://", "http://ana:p%40ss@") + "/a?token=hidden#x"
    target = make(address)
    failure = await fails(target)
    assert server.requests[0][2]["authorization"] == "Basic YW5hOnBAc3M="
    assert str(failure) == f"{server.url}/a: answered 403"
    for secret in ("ana", "p%40ss", "p@ss", "hidden"):
        assert secret not in f"{failure} {target!r}"


@pytest.mark.parametrize("status", [300, 400, 404, 422, 429, 500, 502, 503, 504])
async def test_a_status_is_retriable_when_the_same_call_may_do_better_later(serve: Serve, status: int) -> None:
    server = serve(lambda handler, body: handler.reply({"detail": "patient name"}, status=status))
    failure = await fails(make(server.url))
    assert (failure.code, failure.retriable) == ("http_status", status >= 429)
    assert f"answered {status}" in str(failure)
    assert "patient" not in str(failure)
    assert failure.retry_after_s is None


@pytest.mark.parametrize(("status", "asked", "wait_s"), [(429, "7", 7.0), (503, "0", 0.0), (429, "soon", None)])
async def test_a_busy_target_says_when_to_come_back(
    serve: Serve, status: int, asked: str, wait_s: float | None
) -> None:
    server = serve(lambda handler, body: handler.reply({}, status=status, retry_after=asked))
    failure = await fails(make(server.url))
    assert failure.retriable
    assert failure.retry_after_s == wait_s


async def test_a_busy_target_may_give_a_date(serve: Serve) -> None:
    now = 1_790_000_000.0
    server = serve(lambda handler, body: handler.reply({}, status=503, retry_after=formatdate(now + 90, usegmt=True)))
    assert (await fails(make(server.url, unix_s=lambda: now))).retry_after_s == 90.0


async def test_a_redirect_is_not_followed(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply({}, status=307, location="/elsewhere?secret=1"))
    failure = await fails(make(server.url))
    assert "answered 307; redirects are not followed" in str(failure)
    assert "secret" not in str(failure)
    assert len(server.requests) == 1


async def test_a_cookie_of_one_call_is_not_sent_with_the_next(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply(1, set_cookie="session=abc; Path=/"))
    target = make(server.url)
    await target.open()
    for n in range(2):
        await target.call(Call(case_id=f"c{n}", input=n))
    await target.close()
    assert "cookie" not in server.requests[1][2]


async def test_one_client_keeps_its_connections_through_the_run(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply(body))
    target = make(server.url, concurrency=2)
    await target.open()
    for n in range(10):
        assert (await target.call(Call(case_id="c", input=n))).value == n
    await target.close()
    assert server.connections == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>patient</html>", "text/html"),
        (b'"\xff patient"', "application/json"),
        (b"", "no/thing"),
        (b"NaN", "a/b"),
    ],
)
async def test_a_body_that_is_not_json_is_told_by_type_and_length(serve: Serve, body: bytes, kind: str) -> None:
    server = serve(lambda handler, asked: handler.reply(body, content_type=kind))
    failure = await fails(make(server.url))
    assert failure.code == "garbage"
    assert f"({kind}) is not JSON" in str(failure)
    assert f"({len(body)} bytes)" in str(failure)
    assert "patient" not in str(failure)


async def test_a_compressed_answer_is_read_and_a_bomb_is_not_unfolded(serve: Serve) -> None:
    def answer(handler: Server.Handler, size: int) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        body = packer.compress(b'"')
        for _ in range(size // 1_000_000):
            body += packer.compress(b"x" * 1_000_000)
        body += packer.compress(b'"') + packer.flush()
        handler.reply(body, content_encoding="gzip")

    server = serve(answer)
    assert (await ask(make(server.url), 0)).value == ""
    assert len((await ask(make(server.url, max_output_bytes=1_100_000), 1_000_000)).value) == 1_000_000
    failure = await fails(make(server.url), 300_000_000)
    assert failure.code == "output_too_large"
    assert "larger than 20000 bytes" in str(failure)


async def test_an_answer_that_is_not_compressed_as_it_says_is_garbage(serve: Serve) -> None:
    server = serve(lambda handler, body: handler.reply(b"plain", content_encoding="gzip"))
    assert "not compressed as its Content-Encoding says" in str(await fails(make(server.url)))
    half = gzip.compress(json.dumps("x" * 5000).encode())[:-12]
    server = serve(lambda handler, body: handler.reply(half, content_encoding="gzip"))
    assert (await fails(make(server.url))).code == "garbage"


async def test_an_endless_answer_is_cut_at_the_limit(serve: Serve) -> None:
    def answer(handler: Server.Handler, body: Any) -> None:
        handler.send_response(200)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        while not handler.closing.is_set():
            handler.wfile.write(b"400\r\n" + b"x" * 1024 + b"\r\n")

    assert (await fails(make(serve(answer).url))).code == "output_too_large"


async def test_a_slow_drip_ends_at_the_timeout_of_the_call(serve: Serve) -> None:
    def answer(handler: Server.Handler, body: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        while not handler.closing.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    target = make(serve(answer).url)
    await target.open()
    started = time.monotonic()
    with pytest.raises(TargetFailure, match=r"no answer within 0\.3 s") as caught:
        await target.call(Call(case_id="c", input=0, timeout_s=0.3))
    assert caught.value.code == "timeout"
    assert time.monotonic() - started < 3
    await target.close()


async def test_a_connection_that_breaks_in_the_middle_may_be_tried_again(serve: Serve) -> None:
    def answer(handler: Server.Handler, body: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"half": ')
        handler.close_connection = True

    failure = await fails(make(serve(answer).url))
    assert (failure.code, failure.retriable) == ("unreachable", True)
    assert "broke before the answer was whole" in str(failure)


async def test_a_dead_port_and_an_unknown_host_may_be_tried_again() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}/a?token=hidden"
        failure = await fails(make(dead))
    assert (failure.code, failure.retriable) == ("unreachable", True)
    assert "cannot connect" in str(failure)
    assert "hidden" not in str(failure)


async def test_a_server_that_speaks_something_else_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def speak() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail.example ESMTP\r\n")

        speaker = threading.Thread(target=speak)
        speaker.start()
        failure = await fails(make(f"http://127.0.0.1:{listening.getsockname()[1]}"))
        speaker.join()
    assert failure.code == "unreachable"
