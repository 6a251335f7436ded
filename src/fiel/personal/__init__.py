"""Recognisers of personal data that a rule can prove: by shape, by check digits and by the words around it.

Covered: e-mail addresses, telephone numbers, payment cards, CPF and CNPJ (Brazil, letters included), RUT (Chile),
SSN (United States) and IBAN. **Not covered: people's names, free-form addresses, dates of birth, and anything
written out in words or in look-alike letters**; what is known to be personal can be declared as a literal value.
"""

from __future__ import annotations

from fiel.personal.declared import declared_values, number_text, steps_of, texts_at
from fiel.personal.finding import KINDS, Match, find
from fiel.personal.literals import Literals, contains
from fiel.personal.masking import mask, mask_value

__all__ = [
    "KINDS",
    "Match",
    "find",
    "mask",
    "mask_value",
    "contains",
    "Literals",
    "declared_values",
    "texts_at",
    "steps_of",
    "number_text",
]
