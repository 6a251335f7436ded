"""Readers of receipts, copied into the workspace: fixed patterns, a normalising one, and one told the answers."""

import json
import re
from functools import lru_cache
from pathlib import Path

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
DATES = (
    r"\b(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>20\d{2}|\d{2})\b",
    r"\b(?P<y>20\d{2})[/.-](?P<m>\d{1,2})[/.-](?P<d>\d{1,2})\b",
    r"\b(?P<d>\d{1,2})[ /-](?P<m>[A-Z]{3})[A-Z]*[ /-](?P<y>20\d{2}|\d{2})\b",
)
AMOUNT = re.compile(r"-?(?:RM|MYR|\$)? ?-?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d{2}(?!\d|%)")
LEGAL = re.compile(r"\b(?:SDN|BHD|ENTERPRISE|TRADING|RESTAURANT|RESTORAN|SHOP|HARDWARE|STATIONERY|MART|CAFE|PIZZA)\b")
NOT_ADDRESS = re.compile(
    r"\b(?:TEL|TELEPHONE|FAX|GST|TAX INVOICE|RECEIPT|INVOICE|EMAIL|REG|COMPANY|CO\.? ?NO|BR ?NO|BRN|ROC|H/?P|TABLE|BILL"
    r"|CASHIER|DATE|HOURS|WHATSAPPS?|MOBILE|DOC|GUEST|HTTP|WWW|SITE ?:|CARELINE|CHIT)\b"
    r"|^\W*\(?[A-Z]{0,3}\d{5,}\W?[A-Z]?\)?\W*$|^[\d+()\s.-]{8,}$|^\d{1,2}[ /-](?:\d\d|[A-Z]{3})[ /-]|^\([\w -]+\)$"
)
STATE = re.compile(r"^(?:SELANGOR|JOHOR|MALAYSIA|MASAI|KUALA LUMPUR|WILAYAH|PENANG|PAHANG|KLANG)\b")


def strict(text):
    """One layout only: the company on top, the date as dd/mm/yyyy, TOTAL: and its amount on one line or two."""
    lines = text.split("\n")
    date = re.search(r"\b\d{2}/\d{2}/\d{4}\b", text)
    total = re.search(r"^(?:GRAND )?TOTAL ?:?\s((?:RM ?)?\d+\.\d{2})$", text, re.MULTILINE)
    address = None
    for end in range(2, 6):
        if re.search(r"\b\d{5}\b", " ".join(lines[end - 1 : end])):
            address = " ".join(lines[1:end])
            break
    return _fields(lines[0], date and date[0], address, total and total[1])


def normalising(text):
    """The same four fields after reading any usual date, joining lines and following a total over its lines."""
    lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    first, end = _company(lines)
    company = re.sub(r"\s*\((?=[^()]*\d{3})[\w -]+\)$", "", " ".join(lines[first:end]))
    return _fields(company, _date(text), _address(lines[end:]), _total(lines))


def labels(text, case_id):
    """What ``labels.json`` in the workspace holds for this receipt."""
    return _known()[case_id]


@lru_cache
def _known():
    return json.loads(Path(__file__).with_name("labels.json").read_text(encoding="utf-8"))


def _fields(company, date, address, total):
    return {"company": company, "date": date or None, "address": address, "total": total or None}


def _company(lines):
    """Where the company's name stands, as the lines from and up to; a name that goes on below keeps its lines."""
    head = [place for place, line in enumerate(lines[:4]) if len(re.findall("[A-Z]", line)) > 3]
    head = [place for place in head if not re.search(r"TAX INVOICE|THANK|RECEIPT", lines[place])]
    named = [place for place in head if LEGAL.search(lines[place])]
    first = (named or head or [0])[0]
    goes_on = re.match(r"(?:SDN|BHD|C[OP]\.|&)", lines[first])
    start = first - 1 if first and goes_on else first
    return start, first + 1 + bool(re.search("&$", lines[first]))


def _date(text):
    for shape in DATES:
        for found in re.finditer(shape, text):
            word = found["m"]
            month = int(word) if word.isdigit() else MONTHS.index(word) + 1 if word in MONTHS else 0
            year = found["y"] if len(found["y"]) == 4 else "20" + found["y"]
            if 1 <= month <= 12 and 1 <= int(found["d"]) <= 31:
                return f"{year}-{month:02}-{int(found['d']):02}"
    run = re.search(r"(?<!\d)(20[12]\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)", text)
    return f"{run[1]}-{run[2]}-{run[3]}" if run else None


def _address(lines):
    kept = []
    for line in lines[:10]:
        if NOT_ADDRESS.search(line):
            if kept:
                break
        elif kept and re.search(r"\b\d{5}\b", " ".join(kept)) and not STATE.search(line):
            break
        elif kept or re.search(r"\d", line):
            kept.append(line)
    return " ".join(kept) or None


def _total(lines):
    ranked = []
    for place, line in enumerate(lines):
        rank = _rank(line)
        for follow in lines[place : place + 4] if rank else ():
            amounts = AMOUNT.findall(follow)
            if amounts:
                ranked.append((rank, -place, amounts[-1].replace(",", "")))
                break
            if follow is not line and len(re.findall("[A-Z]", follow)) > 9:
                break
    return max(ranked)[2] if ranked else None


def _rank(line):
    if re.search(r"QTY|ITEM|SAVING|EXCL|POINT|CHANGE|DISC|TAX TOTAL|TOTAL TAX|SUMMARY|TOTAL GST|\(RM\)$", line):
        return 0
    if re.search(r"ROUNDED|NETT|NET TOTAL|GRAND|FINAL|AFTER ADJ|BALANCE|PAYABLE|AMT PAID|^TOTAL RM$", line):
        return 4
    if not re.search(r"TOTAL|AMOUNT", line):
        return 0
    return 3 if "INCL" in line else 1 if "SUB" in line else 2
