"""The gate: may the candidate replace the baseline? Pure decisions on two reports, and what differs between them."""

from __future__ import annotations

from fiel.gate.decide import decide
from fiel.gate.diff import Diff, Mean, diff, diff_document
from fiel.gate.document import decision_document
from fiel.gate.noise import Noise, noise, noise_document

__all__ = [
    "decide",
    "decision_document",
    "Diff",
    "Mean",
    "diff",
    "diff_document",
    "Noise",
    "noise",
    "noise_document",
]
