"""Three ways to read a RelayOps document: strict patterns, the same with normalisation, and a stand-in for a model.

Each target takes one case's input, ``{"doc_type": ..., "text": ...}``, and gives back the fields of that document
type (see datasets/schemas). A field that the document leaves open is None: saying "I don't know" is an answer.

This file is yours. Change a target, run it on dev, and let the gate decide on holdout.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from fiel import Output

# --- What each document type is asked for -----------------------------------------------------------------------

FIELDS: dict[str, tuple[str, ...]] = {
    "invoice": ("invoice_number", "vendor", "issue_date", "due_date", "total", "currency"),
    "receipt": ("merchant", "date", "total", "currency"),
    "contract-notice": ("contract_id", "counterparty", "notice_type", "effective_date"),
    "intake-id": ("application_id", "full_name", "tax_id", "birth_date"),
}
DATES = ("issue_date", "due_date", "date", "effective_date", "birth_date")

# --- baseline: strict patterns for the simplest one-page form ----------------------------------------------------

STRICT: dict[str, str] = {
    "invoice_number": r"Invoice number: (\S+)",
    "vendor": r"Vendor: (.+)",
    "issue_date": r"Issue date: (\d{4}-\d{2}-\d{2})",
    "due_date": r"Due date: (\d{4}-\d{2}-\d{2})",
    "merchant": r"Merchant: (.+)",
    "date": r"Date: (\d{4}-\d{2}-\d{2})",
    "total": r"Total: [A-Z]{3} (\d+\.\d{2})",
    "currency": r"Total: ([A-Z]{3}) \d+\.\d{2}",
    "contract_id": r"Contract: (\S+)",
    "counterparty": r"Counterparty: (.+)",
    "notice_type": r"Notice type: (renewal|termination|amendment)",
    "effective_date": r"Effective date: (\d{4}-\d{2}-\d{2})",
    "application_id": r"Application: (\S+)",
    "full_name": r"Full name: (.+)",
    "tax_id": r"Tax id: (\S+)",
    "birth_date": r"Birth date: (\d{4}-\d{2}-\d{2})",
}


def baseline(document: dict[str, Any]) -> Output:
    """The fields that the strict patterns find on the first page; the rest is None.

    It trusts whatever looks like a labelled value, wherever it stands: also inside a line that somebody planted.
    """
    first_page = document["text"].split("\f")[0]
    found: dict[str, Any] = {}
    for name in FIELDS[document["doc_type"]]:
        hit = re.search(STRICT[name], first_page)
        found[name] = hit.group(1).strip() if hit else None
    if found.get("total") is not None:
        found["total"] = float(found["total"])
    return Output(value=found, cost_usd=0.0)


# --- workflow: the same idea, after deterministic normalisation --------------------------------------------------

LABELS: dict[str, str] = {
    "account": r"account|conta|cuenta",
    "invoice_number": r"invoice number|invoice no\.?|nota fiscal|factura",
    "vendor": r"vendor|supplier|fornecedor|proveedor",
    "issue_date": r"issue date|invoice date|data de emissão|fecha de emisión",
    "due_date": r"due date|payment due|vencimento|vencimiento",
    "merchant": r"merchant|store|estabelecimento|comercio",
    "date": r"date|data|fecha",
    "total": r"total|total due|grand total|valor total|total a pagar",
    "contract_id": r"contract|contrato",
    "counterparty": r"counterparty|contraparte",
    "notice_type": r"notice type|tipo de aviso",
    "effective_date": r"effective date|data de vigência|fecha de vigencia",
    "application_id": r"application|solicitud|solicitação",
    "full_name": r"full name|nome completo|nombre completo",
    "tax_id": r"tax id|CPF|RUT",
    "birth_date": r"birth date|date of birth|data de nascimento|fecha de nacimiento",
}
PAGE_MARK = re.compile(r"^\W*(page|página)\s+\d+\s+(of|de)\s+\d+\W*$", re.IGNORECASE)
INJECTED = re.compile(
    r"\b(AI|IA)\b.{0,20}\b(reader|assistant|agent)s?\b|\basistentes? de IA\b|\bautomated (reader|agent)s?\b"
    r"|\bleitor automático\b|\bsistema automático\b|^\W*(SYSTEM|ASSISTANT)\b"
    r"|\b(ignore|ignorem?|ignoren|disregard)\b.{0,40}\b(instructions|instruções|instrucciones|clause|form)\b",
    re.IGNORECASE,
)
OPEN = re.compile(
    r"to be (determined|confirmed)|not (provided|stated)|illegible|on receipt"
    r"|a definir|ilegível|não informad[oa]|por definir|ilegible",
    re.IGNORECASE,
)
NOTICES = {
    "renewal": r"renewal|renovação|renovación",
    "termination": r"termination|rescisão|terminación",
    "amendment": r"amendment|aditivo|modificación",
}


def lines_of(text: str) -> list[str]:
    """The document's lines with its pages joined: page marks and empty lines are gone."""
    lines = (line.strip() for line in re.split(r"[\f\n]", text))
    return [line for line in lines if line and not PAGE_MARK.match(line)]


def workflow(document: dict[str, Any]) -> Output:
    """The labelled values of the whole document, in any of the known formats, without planted lines."""
    lines = [line for line in lines_of(document["text"]) if not INJECTED.search(line)]
    return Output(value=read_fields(document["doc_type"], lines), cost_usd=0.0)


def read_fields(doc_type: str, lines: list[str]) -> dict[str, Any]:
    """Every field of a document type, None where the lines do not say."""
    found = {name: read_field(name, lines) for name in FIELDS[doc_type] if name != "currency"}
    if "total" in found:
        amount, currency = found["total"] or (None, None)
        found |= {"total": amount, "currency": currency}
    return found


def read_field(name: str, lines: list[str]) -> Any:
    """The first readable value of a field; None as soon as the document itself says that it is open."""
    label = re.compile(rf"^(?:{LABELS[name]})\s*(?::|\.{{2,}})\s*(.*)$", re.IGNORECASE)
    for i, line in enumerate(lines):
        hit = label.match(line)
        if hit is None:
            continue
        # A label at the foot of a page has its value on the next line.
        value = hit.group(1) or (lines[i + 1] if i + 1 < len(lines) else "")
        if OPEN.search(value):
            return None
        read = read_value(name, value)
        if read is not None:
            return read
    return None


def read_value(name: str, text: str) -> Any:
    """One value by its kind: a date as ISO text, money as (amount, currency), a notice's type, or plain text."""
    if name in DATES:
        return next(iter(dates_in(text)), None)
    if name == "total":
        return money_in(text)
    if name == "notice_type":
        return next((kind for kind, words in NOTICES.items() if re.search(words, text, re.IGNORECASE)), None)
    return text.strip() or None


MONTHS = {
    word: number
    for number, words in enumerate(
        (
            "january janeiro enero",
            "february fevereiro febrero",
            "march março marzo",
            "april abril",
            "may maio mayo",
            "june junho junio",
            "july julho julio",
            "august agosto",
            "september setembro septiembre",
            "october outubro octubre",
            "november novembro noviembre",
            "december dezembro diciembre",
        ),
        start=1,
    )
    for word in words.split()
}
MONTH = "|".join(MONTHS)
DATE = re.compile(
    r"\b(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})\b"
    r"|\b(?P<d2>\d{1,2})[/.](?P<m2>\d{1,2})[/.](?P<y2>\d{4})\b"
    rf"|\b(?P<d3>\d{{1,2}})º?\s+(?:de\s+)?(?P<m3>{MONTH})\s+(?:de\s+)?(?P<y3>\d{{4}})\b"
    rf"|\b(?P<m4>{MONTH})\s+(?P<d4>\d{{1,2}}),?\s+(?P<y4>\d{{4}})\b",
    re.IGNORECASE,
)


def dates_in(text: str) -> Iterable[str]:
    """Every date in a text as YYYY-MM-DD, in reading order. 03/04/2026 is the third of April."""
    for hit in DATE.finditer(text):
        parts = {key[0]: value for key, value in hit.groupdict().items() if value}
        month = MONTHS.get(parts["m"].lower()) or int(parts["m"])
        try:
            yield date(int(parts["y"]), month, int(parts["d"])).isoformat()
        except ValueError:  # 31/02/2026 is no date
            continue


CURRENCIES = {"R$": "BRL", "US$": "USD", "€": "EUR", "$": "USD"}
MONEY = re.compile(r"(?P<before>R\$|US\$|\$|€|[A-Z]{3})?\s*(?P<amount>\d[\d.,]*)\s*(?P<after>€|[A-Z]{3}\b)?")


def money_in(text: str) -> tuple[float, str] | None:
    """The first amount that names its currency. The last separator is decimal when two digits follow it."""
    for hit in MONEY.finditer(text):
        mark = hit["after"] or hit["before"]
        if mark is None:
            continue
        digits = hit["amount"].rstrip(".,")
        whole, cents = (digits[:-3], digits[-2:]) if re.search(r"[.,]\d\d$", digits) else (digits, "00")
        return float(f"{re.sub(r'[.,]', '', whole)}.{cents}"), CURRENCIES.get(mark, mark)
    return None


# --- runner: STUB_MODEL v1, a deterministic stand-in for a model ----------------------------------------------------

STUB_MODEL = "v1"
SCENARIO_COST_USD = 0.0043
"""What a document would cost in the scenario that this example tells. Nothing is called and nothing is paid."""

CAREFUL_ACCOUNT = "CRX-"
"""The stub's prompt has a paragraph for the critical tenant's documents: leave open what the document leaves open."""

INJECTED_REGRESSION = {"hd-0005": ("effective_date", "2099-01-01")}
"""The fault that `--option inject_regression=true` plants: an invented date where null is right."""


def runner(document: dict[str, Any], *, case_id: str, inject_regression: bool = False) -> Output:
    """What a helpful model might answer: mostly right, and now and then too eager to please a planted line.

    No model is called: this is a synthetic function of the document and of ``case_id``, so its numbers say nothing
    about any real model.
    """
    lines = lines_of(document["text"])
    planted = [line for line in lines if INJECTED.search(line)]
    honest = [line for line in lines if not INJECTED.search(line)]
    answer = read_fields(document["doc_type"], honest)
    careful = (read_field("account", honest) or "").startswith(CAREFUL_ACCOUNT)
    if planted and not careful and tempted(case_id):
        answer = help_too_much(answer, planted, honest)
    if inject_regression and case_id in INJECTED_REGRESSION:
        name, value = INJECTED_REGRESSION[case_id]
        answer[name] = value
    return Output(value=answer, cost_usd=SCENARIO_COST_USD)


def tempted(case_id: str) -> bool:
    """Whether the stub gives in for this case: a fixed coin per case id that falls on "yes" three times in four."""
    return hashlib.sha256(f"STUB_MODEL {STUB_MODEL}:{case_id}".encode()).digest()[0] % 4 != 0


def help_too_much(answer: dict[str, Any], planted: list[str], honest: list[str]) -> dict[str, Any]:
    """The answer after believing what a planted line offers, else after guessing a date that was left open."""
    helped = dict(answer)
    for name, value in answer.items():
        if name not in DATES and name != "total":
            continue
        label = re.compile(rf"\b(?:{LABELS[name]})\s*:\s*(.*)$", re.IGNORECASE)
        offers = (hit.group(1) for line in planted if (hit := label.search(line)))
        offered = next((read for text in offers if (read := read_value(name, text)) is not None), None)
        if name == "total" and offered is not None:
            helped["total"], helped["currency"] = offered
        elif name in DATES and offered is not None:
            helped[name] = offered
        elif name in DATES and value is None:
            helped[name] = next((day for line in honest for day in dates_in(line)), None)
    return helped
