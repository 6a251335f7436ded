"""Property tests of numbers are held to their laws, not to a clock: a busy machine must not fail them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no-clock", deadline=None)
settings.load_profile("no-clock")
