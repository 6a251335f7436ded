"""A target behind a URL: one request for each call, filled from a template, and a JSON answer read by pointers."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlencode, urlsplit, urlunsplit

import msgspec

from fiel.adapters.targets.answers import cost_of, decoded, kind_of, model_of, plain, tokens_of, tool_calls_of
from fiel.adapters.targets.template import Template, as_text, pointer
from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError, TargetFailure, did_you_mean
from fiel.core.pointer import at, pointer_of
from fiel.core.trial import Output, Usage
from fiel.ports import Call

if TYPE_CHECKING:
    import httpx2

_METHODS: Final = ("POST", "PUT", "PATCH", "GET")
_ENVELOPE_BYTES: Final = 65_536
_CONNECT_S: Final = 10.0
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class HTTPTarget:
    """Sends ``request`` to ``url`` and reads the answer with JSON pointers.

    ``request`` is a ``Template``; with GET its fields become query parameters (text as it is, all else as JSON), else
    it is the JSON body. Header values may hold ``${NAME}``, taken from ``environ``. ``output``, ``cost_usd``,
    ``input_tokens``, ``output_tokens``, ``tool_calls`` and ``model`` are pointers into the answer; a value that a
    pointer other than ``output`` does not find is unknown, not zero. Redirects are not followed and cookies are not
    kept, so no call changes what another sees. Proxies named in the environment serve all but loopback addresses.
    """

    kind: Final = "http"

    def __init__(
        self,
        *,
        name: str,
        url: str,
        environ: Mapping[str, str],
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        request: Any = "${input}",
        output: str = "",
        cost_usd: str | None = None,
        input_tokens: str | None = None,
        output_tokens: str | None = None,
        tool_calls: str | None = None,
        model: str | None = None,
        options: Mapping[str, Any] | None = None,
        concurrency: int = 8,
        max_output_bytes: int = 262_144,
        unix_s: Callable[[], float] = time.time,
    ) -> None:
        """Raises ConfigError for what cannot be right: URL, method, template, pointer, a missing variable, an option.

        ``max_output_bytes`` limits the output; the whole answer, decompressed, may be 64 KiB longer.
        """
        self._name = name
        self._address = _Address(url, f"targets.{name}.http.url")
        if method.upper() not in _METHODS:
            raise ConfigError(f'targets.{name}.http.method = "{method}"; {did_you_mean(method.upper(), _METHODS)}')
        self._method = method.upper()
        self._headers = _headers(headers or {}, environ, f"targets.{name}.http.headers")
        self._template = Template(request, f"targets.{name}.http.request")
        if self._method == "GET" and not isinstance(request, Mapping):
            raise ConfigError(f"targets.{name}.http.request: with GET it must be a table, one field a query parameter")
        self._template.check(options or {})
        places = {"output": output, "cost_usd": cost_usd, "input_tokens": input_tokens, "model": model}
        places |= {"output_tokens": output_tokens, "tool_calls": tool_calls}
        self._pointers = {
            key: pointer(text, f"targets.{name}.http.{key}") for key, text in places.items() if text is not None
        }
        self._concurrency = concurrency
        self._max_bytes = max_output_bytes
        self._unix_s = unix_s
        self._client: httpx2.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"HTTPTarget({self._name!r}, {self._method} {self._address.shown})"

    @property
    def name(self) -> str:
        return self._name

    async def open(self) -> None:
        """Make the one client of the run; nothing is sent yet."""
        import httpx2

        limits = httpx2.Limits(max_connections=self._concurrency, max_keepalive_connections=self._concurrency)
        self._client = httpx2.AsyncClient(
            auth=self._address.login,
            headers=self._headers,
            # A session cookie would carry one case's state into the next.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            limits=limits,
            timeout=httpx2.Timeout(None, connect=_CONNECT_S),
            follow_redirects=False,
            trust_env=not self._address.is_loopback,
        )

    async def call(self, call: Call) -> Output:
        if self._client is None:
            raise TargetFailure("unreachable", f'the target "{self._name}" is not open')
        request = self._template.filled(call)
        try:
            async with asyncio.timeout(call.timeout_s):
                body = await self._answer(self._client, request)
        except TimeoutError:
            raise TargetFailure("timeout", f"{self._address.shown}: no answer within {call.timeout_s:g} s") from None
        return self._read(decoded(body.content, what=f"the answer of {self._address.shown} ({body.kind})"))

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _answer(self, client: httpx2.AsyncClient, request: Any) -> _Body:
        """The whole body of a 2xx answer, decompressed; raises TargetFailure for every other end."""
        import httpx2

        url = self._address.sent
        asked: dict[str, Any] = {}
        if self._method == "GET":
            fields = urlencode([(key, as_text(value)) for key, value in request.items()], quote_via=quote)
            url += ("&" if "?" in url else "?") + fields
        else:
            asked = {"content": msgspec.json.encode(request), "headers": {"Content-Type": "application/json"}}
        try:
            async with client.stream(self._method, url, **asked) as response:
                if not response.is_success:
                    raise self._refusal(response)
                return await self._body(response)
        except httpx2.DecodingError:
            fault = "the answer is not compressed as its Content-Encoding says"
            raise TargetFailure("garbage", f"{self._address.shown}: {fault}") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            # The library's own texts may quote headers and proxies: only the kind of error is repeated.
            fault = f"cannot connect ({type(error).__name__})"
            raise TargetFailure("unreachable", f"{self._address.shown}: {fault}", retriable=True) from None
        except (httpx2.RequestError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            fault = f"the connection broke before the answer was whole ({type(error).__name__})"
            raise TargetFailure("unreachable", f"{self._address.shown}: {fault}", retriable=True) from None

    async def _body(self, response: httpx2.Response) -> _Body:
        limit = self._max_bytes + _ENVELOPE_BYTES
        content = bytearray()
        pieces = response.aiter_bytes()
        async for piece in pieces:
            if len(content) + len(piece) > limit:
                await pieces.aclose()
                message = f"{self._address.shown}: the answer is larger than {self._max_bytes} bytes (max_output_bytes)"
                raise TargetFailure("output_too_large", message)
            content += piece
        return _Body(content, response.headers.get("content-type", "no content type")[:80])

    def _refusal(self, response: httpx2.Response) -> TargetFailure:
        status = response.status_code
        again = status == 429 or status >= 500
        message = f"{self._address.shown}: answered {status}"
        if 300 <= status < 400:
            message += "; redirects are not followed, so give the final address as url"
        asked = response.headers.get("retry-after") if status in (429, 503) else None
        wait_s = None if asked is None else retry_after_s(asked, self._unix_s())
        return TargetFailure("http_status", message, retriable=again, retry_after_s=wait_s)

    def _read(self, answer: Any) -> Output:
        value = at(answer, self._pointers["output"])
        if value is ABSENT:
            path = pointer_of(self._pointers["output"])
            raise TargetFailure(
                "garbage", f"{self._address.shown}: the answer ({kind_of(answer)}) has no {path} (output)"
            )
        cost, calls, model = (self._at(answer, key) for key in ("cost_usd", "tool_calls", "model"))
        return Output(
            value=plain(value, self._max_bytes),
            cost_usd=cost_of(cost, "the cost (cost_usd)"),
            usage=self._usage(answer),
            tool_calls=None if calls is None else tool_calls_of(calls, self._max_bytes),
            model=model_of(model, "the model's name (model)"),
        )

    def _usage(self, answer: Any) -> Usage | None:
        """Tokens, where every pointer that was given found its number: half a count is not a count."""
        keys = [key for key in ("input_tokens", "output_tokens") if key in self._pointers]
        counts = {key: self._at(answer, key) for key in keys}
        if not counts or None in counts.values():
            return None
        return Usage(**{key: tokens_of(count, f"the count of tokens ({key})") for key, count in counts.items()})

    def _at(self, answer: Any, key: str) -> Any:
        found = at(answer, self._pointers[key]) if key in self._pointers else ABSENT
        return None if found is ABSENT else found


class _Body:
    """What came back, decompressed, and the type it was said to have."""

    __slots__ = ("content", "kind")

    def __init__(self, content: bytearray, kind: str) -> None:
        self.content = content
        self.kind = kind


class _Address:
    """A URL, taken apart so that what is secret in it is never shown."""

    def __init__(self, url: str, where: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            parts, host, port = urlsplit(""), None, None
        if parts.scheme not in ("http", "https") or not host:
            raise ConfigError(f'{where} is no URL to call; write it like "https://agent.example/answer"')
        place = f"[{host}]" if ":" in host else host
        if port is not None:
            place = f"{place}:{port}"
        self.sent = urlunsplit((parts.scheme, place, parts.path, parts.query, ""))
        self.shown = urlunsplit((parts.scheme, place, parts.path, "", ""))[:200]
        self.login = None
        if parts.username is not None:
            self.login = (unquote(parts.username), unquote(parts.password or ""))
        self.is_loopback = _is_loopback(host)


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _headers(headers: Mapping[str, str], environ: Mapping[str, str], where: str) -> dict[str, str]:
    """The headers with their ``${NAME}`` filled; errors name the variable and never show a value."""
    filled = {}
    for header, template in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", header):
            raise ConfigError(
                f"{where} has a header named {header!r}, which HTTP does not allow; use letters and dashes"
            )
        names = _VARIABLE.findall(template)
        for name in names:
            if name not in environ:
                raise ConfigError(f"{where}.{header} needs the environment variable {name}, which is not set")
        value = _VARIABLE.sub(lambda match: environ[match[1]], template)
        if not re.fullmatch(r"[\t\x20-\x7e]*", value) or value != value.strip():
            source = f"the environment variable {' or '.join(names)}" if names else "its value"
            raise ConfigError(
                f"{where}.{header}: {source} holds what a header cannot; look for a line end or an accent"
            )
        filled[header] = value
    return filled


def retry_after_s(header: str, now_unix_s: float) -> float | None:
    """Seconds to wait by a ``Retry-After`` header (RFC 9110, 10.2.3): a number or a date; None where it is neither.

    A date that has passed gives 0.
    """
    text = header.strip()
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text):
        return float(text)
    try:
        wait_s = parsedate_to_datetime(text).timestamp() - now_unix_s
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait_s) if math.isfinite(wait_s) else None
