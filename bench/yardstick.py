"""The yardstick: awaits the same callable for every case and appends one JSON line each, flushed every 100.

Fixed and small on purpose; the ratios in this folder are measured against it.
"""

import json
import os


async def yardstick(cases, target, path):
    with open(path, "ab", buffering=0) as file:
        for number, case in enumerate(cases, 1):
            output = await target(case["input"])
            file.write(
                json.dumps({"id": case["id"], "output": output, "ok": output == case["expected"]}).encode() + b"\n"
            )
            if number % 100 == 0:
                os.fsync(file.fileno())
