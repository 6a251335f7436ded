"""What every Cache must do, as tests: subclass ``CacheContract`` and each adapter is held to the same promises."""

from __future__ import annotations

import hashlib

from fiel.ports import Cache

VALUES: tuple[bytes, ...] = (b"", b"\x00", b"\xff\xfe\x00\n\r\x1a", b"'; DROP TABLE answers; --", "ação 東京".encode())


def key_of(text: str) -> str:
    """A key as callers make them: the SHA-256 of what was asked, 64 hex digits in lower case."""
    return hashlib.sha256(text.encode()).hexdigest()


class CacheContract:
    """The contract suite of the Cache port.

    A subclass gives ``make()``: a new, empty Cache. A cache keeps values up to ``kept_bytes``; it may forget a larger
    one, and never gives another value, or a part, in its place.
    """

    kept_bytes = 100_000

    def make(self) -> Cache:
        raise NotImplementedError("a subclass of CacheContract gives make()")

    def test_an_unknown_key_has_no_value(self) -> None:
        cache = self.make()
        assert cache.get(key_of("a")) is None
        cache.put(key_of("a"), b"1")
        assert cache.get(key_of("b")) is None

    def test_any_bytes_come_back_as_they_went(self) -> None:
        cache = self.make()
        for n, value in enumerate(VALUES):
            cache.put(key_of(str(n)), value)
        for n, value in enumerate(VALUES):
            got = cache.get(key_of(str(n)))
            assert type(got) is bytes
            assert got == value

    def test_a_value_may_be_asked_for_again_and_again(self) -> None:
        cache = self.make()
        cache.put(key_of("a"), b"1")
        assert [cache.get(key_of("a")) for _ in range(3)] == [b"1"] * 3

    def test_the_latest_value_of_a_key_wins(self) -> None:
        cache = self.make()
        for value in (b"old", b"a longer one", b"", b"new"):
            cache.put(key_of("a"), value)
            assert cache.get(key_of("a")) == value

    def test_keys_that_look_alike_are_different(self) -> None:
        cache = self.make()
        keys = [*(f"{n:064x}" for n in range(20)), "00" * 16, "00" * 20, "f" * 64, "f" * 63 + "e"]
        for key in keys:
            cache.put(key, key.encode())
        assert [cache.get(key) for key in keys] == [key.encode() for key in keys]

    def test_a_value_up_to_the_size_that_is_kept_comes_back_whole(self) -> None:
        cache = self.make()
        large = bytes(range(256)) * (self.kept_bytes // 256)
        cache.put(key_of("a"), large)
        assert cache.get(key_of("a")) == large

    def test_a_larger_value_comes_back_whole_or_not_at_all(self) -> None:
        cache = self.make()
        larger = b"x" * (self.kept_bytes * 30)
        cache.put(key_of("a"), larger)
        assert cache.get(key_of("a")) in (larger, None)

    def test_a_larger_value_never_leaves_the_one_before_it(self) -> None:
        cache = self.make()
        larger = b"x" * (self.kept_bytes * 30)
        cache.put(key_of("a"), b"old")
        cache.put(key_of("b"), b"other")
        cache.put(key_of("a"), larger)
        assert cache.get(key_of("a")) in (larger, None)
        assert cache.get(key_of("b")) == b"other"
