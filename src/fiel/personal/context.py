"""A word nearby says what a bare number is: ``CPF``, ``telefone``, ``pedido``; in English, Portuguese and Spanish.

Everything here reads text that ``folding.shapes`` has folded, so no word below carries an accent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from fiel.personal.folding import shapes

BEFORE: Final = 40
"""How many characters in front of a number are read."""
LONGEST_NAME: Final = 200
"""How many characters of a field's name are read."""

# The last word before the number wins, so words for numbers that are not personal are listed too (`other`): an
# order number on the line of a telephone is still an order number. Two words count as one phrase.
_PHRASES: Final = re.compile(
    r"(?i:(?P<cpf>cpf|pessoas? ?fisicas?)"
    r"|(?P<cnpj>cnpj|pessoas? ?juridicas?)"
    r"|(?P<ssn>social ?security|segur[oi]d?a?d? ?social)"
    r"|(?P<card>(?:credit|debit) ?cards?|card ?(?:number|no|num)|cart(?:ao|oes)|tarjetas?|mastercard)"
    r"|(?P<phone>(?:tele|smart)?phones?|telefones?|telefonos?|fones?|celular(?:es)?|cellular|whats ?app|wa ?me|movil"
    r"|mobile|ligue|llam[ea])"
    r"|(?P<tax>tax ?id|taxpayer|contribuinte|contribuyente|identifica[a-z]+ ?fiscal|identidade?|national ?id))"
)
# In the middle of a word only these say something: customercpf, minhacelular; the others are parts of ordinary words.
_ANYWHERE: Final = re.compile(
    r"(?i:(?P<cpf>cpf)|(?P<cnpj>cnpj)|(?P<phone>phone|celular|whatsapp)|(?P<card>creditcard))"
)
_ALONE: Final = re.compile(
    r"(?P<rut>(?i:ruts?)|RUN)|(?P<ssn>(?i:ssn))|(?P<iban>(?i:iban))"
    r"|(?P<phone>(?i:tels?|cel|cell|sms|fax|call|dial|ligar|zap|contat[oc]s?|contacto))"
    r"|(?P<card>(?i:visa|amex|pan))"
    r"|(?P<other>(?i:orders?|pedidos?|orden|invoices?|faturas?|facturas?|notas?|nfe?|receipt|recibo|protocolo?|ticket"
    r"|chamado|tracking|rastreio|rastreamento|codigos?|codes?|sku|ean|gtin|isbn|lote|batch|serial|serie|account|conta"
    r"|cuenta|processo|proceso|contract|contrato|transaction|transacao|transaccion|timestamp|ids?|uuid|hash|ref))"
)
_WORD: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]+")
_BEHIND: Final = re.compile(r"[ ,;)(-]{0,3}([A-Za-z]{2,24})(?![A-Za-z]|\s*[:=#0-9])")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def label_of(name: str) -> str:
    """What the name of a field says of its value, as :func:`label_in` does, of a name that is not folded yet."""
    return _label_of_name(name[:LONGEST_NAME]) if name else ""


@lru_cache(maxsize=1024)
def _label_of_name(name: str) -> str:
    return label_in(shapes(name))


def label_in(name: str) -> str:
    """What a folded name says of a value: a kind, ``tax``, ``other``, or ``""`` when it says nothing."""
    label = before = ""
    for match in _WORD.finditer(name):
        if _is_placeholder(name, match):
            continue
        word = match[0]
        found = _label_of(before, word)
        if found and (found != "other" or not label):
            label = found
        before = word
    return label


def label_near(text: str, start: int, end: int, outside: str) -> str:
    """What the words around ``text[start:end]`` say it is; ``outside`` is what the caller knew from elsewhere.

    The last telling word within 40 characters in front wins, then one right behind it, then ``outside``.
    """
    label = before = ""
    for match in _WORD.finditer(text, max(0, start - BEFORE), start):
        if _is_placeholder(text, match):
            continue
        word = match[0]
        label = _label_of(before, word) or label
        before = word
    if label:
        return label
    behind = _BEHIND.match(text, end)
    return (_label_of("", behind[1]) if behind is not None else "") or outside


def _is_placeholder(text: str, word: re.Match[str]) -> bool:
    """Whether a mask left the word behind: it is no context, or masking twice would find more than masking once."""
    left, right = word.span()
    return text[left - 1 : left] == "[" and text[right : right + 1] == "]"


def may_be(kind: str, label: str) -> bool:
    """Whether a number that looks like ``kind`` is called one by ``label``."""
    return label == kind or (label == "tax" and kind in ("cpf", "cnpj", "rut", "ssn"))


@lru_cache(maxsize=4096)
def _label_of(before: str, word: str) -> str:
    """What ``word`` calls a number, alone, with the word before it, or by the last part of a camelCase name."""
    match = _PHRASES.fullmatch(f"{before} {word}") or _PHRASES.fullmatch(word) or _ALONE.fullmatch(word)
    if match is None:
        humps = _HUMP.split(word)
        if len(humps) > 1:
            return label_in(" ".join(humps))
        match = _ANYWHERE.search(word)
    return (match.lastgroup or "") if match is not None else ""
