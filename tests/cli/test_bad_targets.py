"""Targets that misbehave cost their own cases and nothing else; what stops a run keeps all that was finished."""

from __future__ import annotations

import http.server
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

AGENT = """
import json, os, signal, sys, time
call = json.load(sys.stdin)
do = call["input"]
if do == "garbage":
    print("Sure! Here is the answer: {not json")
elif do == "hang":
    time.sleep(600)
elif do == "137":
    os.kill(os.getpid(), signal.SIGKILL)
elif do == "exit":
    sys.stderr.write("no licence\\n" * 3)
    sys.exit(3)
elif do == "megabyte":
    print(json.dumps("x" * 1_000_000))
else:
    print(json.dumps(do))
"""
COMMAND = """
[targets.answer]
command = { argv = [%s, "agent.py"] }
"""
REASONS = {
    "garbage": "target_garbage",
    "hang": "target_timeout",
    "137": "target_exit_status",
    "exit": "target_exit_status",
}


def config_with(base: str, table: str) -> str:
    return base.replace('targets.answer.python = "targets:answer"\n', "") + table


def test_each_fault_of_a_command_is_its_own_ungraded_and_the_run_goes_on(workspace, base_config):
    asked = ["fine", *REASONS, "megabyte", "fine too"]
    (workspace.folder / "agent.py").write_text(AGENT)
    fiel = workspace(
        [{"id": what, "input": what, "expected": what} for what in asked],
        config=config_with(base_config, COMMAND % json.dumps(sys.executable)),
    )
    done = fiel("run", "answer", "--timeout", "3", "--retries", "0", "-o", "runs/a")
    assert done.code == 0, "a run that completed exits 0, whatever the verdicts"
    report = fiel.report("runs/a")
    balance = report["balance"]["exact"]
    assert (balance["attempted"], balance["graded"]) == (len(asked), 2)
    assert sum(balance["ungraded"].values()) == len(asked) - 2
    assert report["overall"]["exact"] | {"interval": None} == {
        "numerator": 2,
        "denominator": 2,
        "value": 1.0,
        "interval": None,
    }
    trials = fiel.lines("runs/a/trials.jsonl")
    codes = {trial["case"]: trial["failed"]["reason"] for trial in trials if trial.get("failed")}
    assert codes == REASONS | {"megabyte": "target_output_too_large"}
    assert {failure["case"] for failure in report["failures"]} == set(codes)
    assert (fiel.folder / "runs/a/trials.jsonl").stat().st_size < 20_000, "a megabyte is not kept"
    assert "2 of 2" in done.out
    ruled = fiel("gate", "--candidate", "runs/a")
    assert ruled.code == 2, "a dev run is refused"


@pytest.fixture
def busy_server() -> Iterator[tuple[str, list[float]]]:
    """A real server that answers each question once with 429 and Retry-After, and then with the question."""
    asked: dict[str, int] = {}
    times: list[float] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            times.append(time.monotonic())
            asked[body["q"]] = asked.get(body["q"], 0) + 1
            busy = asked[body["q"]] == 1 or body["q"] == "never"
            answer = json.dumps({"answer": body["q"]}).encode()
            self.send_response(429 if busy else 200)
            if busy:
                self.send_header("Retry-After", "1")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library names it
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/answer", times
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_busy_server_is_asked_again_when_it_said_and_not_before(workspace, base_config, busy_server):
    url, times = busy_server
    table = f"""
[targets.answer]
code_version = "1"
http = {{ url = "{url}", request = {{ q = "${{input}}" }}, output = "/answer" }}
"""
    cases = [{"id": name, "input": name, "expected": name} for name in ("soon", "never")]
    fiel = workspace(cases, config=config_with(base_config, table))
    done = fiel("run", "answer", "--retries", "1", "--concurrency", "1", "-o", "runs/a", "--json")
    assert done.code == 0, done
    assert len(times) == 4
    assert times[1] - times[0] >= 0.99
    assert done.json["overall"]["exact"]["numerator"] == done.json["overall"]["exact"]["denominator"] == 1
    failed = [trial["failed"] for trial in fiel.lines("runs/a/trials.jsonl") if trial.get("failed")]
    assert len(failed) == 1
    assert "429" in json.dumps(failed)


def test_a_server_that_is_not_there_leaves_every_case_ungraded(workspace, base_config):
    table = '[targets.answer]\ncode_version = "1"\nhttp = { url = "http://127.0.0.1:9/" }\n'
    done = workspace(config=config_with(base_config, table)).inside("run", "answer", "--retries", "0", "--json")
    assert done.code == 0, done
    assert done.json["overall"]["exact"]["denominator"] == 0
    assert done.json["overall"]["exact"]["value"] is None
    assert sum(done.json["balance"]["exact"]["ungraded"].values()) == 1


def test_a_command_that_is_not_there_is_refused_before_anything_is_begun(workspace, base_config):
    table = COMMAND % '"no-such-program-anywhere"'
    fiel = workspace(config=config_with(base_config, table))
    done = fiel.inside("run", "answer")
    assert done.code == 2, done
    assert "no-such-program-anywhere" in done.err
    assert not (fiel.folder / "runs").exists()


SLOW = """
import pathlib, time
CALLS = pathlib.Path(__file__).parent / "calls.log"

def answer(question):
    with CALLS.open("a") as file:
        file.write(question + "\\n")
    if question == "x60" and not (CALLS.parent / "go").exists():
        time.sleep(600)
    time.sleep(0.01)
    return question
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_run_that_is_told_to_stop_stops_at_once_and_can_be_gone_on_with(workspace, sent, code):
    cases = [{"id": f"c{n}", "input": f"x{n}", "expected": f"x{n}"} for n in range(120)]
    fiel = workspace(cases, targets=SLOW)
    with subprocess.Popen(
        fiel.argv("run", "answer", "--concurrency", "2", "-o", "runs/a"),
        cwd=fiel.folder,
        env=fiel.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for(lambda: (fiel.folder / "calls.log").exists() and "x70\n" in (fiel.folder / "calls.log").read_text())
        process.send_signal(sent)
        said = process.communicate(timeout=20)
        assert process.returncode == code, said
    assert "Traceback" not in said[1]
    if sent == signal.SIGINT:
        assert said[1].startswith("fiel: interrupted\n")
        assert "fiel run answer --split dev --resume runs/a" in said[1]
    kept = [trial["case"] for trial in fiel.lines("runs/a/trials.jsonl")]
    assert len(kept) >= 60
    assert "holds no report.json; the run was not finished: go on with --resume" in fiel("report", "runs/a").err
    (fiel.folder / "go").touch()
    done = fiel("run", "answer", "--resume", "runs/a", "--json")
    assert done.code == 0, done
    assert done.json["overall"]["exact"]["numerator"] == 120
    trials = [trial["case"] for trial in fiel.lines("runs/a/trials.jsonl")]
    assert sorted(trials) == sorted(case["id"] for case in cases), "each once"
    assert trials[: len(kept)] == kept
    asked = (fiel.folder / "calls.log").read_text().split()
    assert len(asked) - 120 <= 2, "only the calls in flight are asked again"


def test_a_full_disk_ends_a_run_with_code_four_and_loses_nothing_finished(workspace):
    cases = [{"id": f"c{n}", "input": "x" * 500, "expected": f"x{n}"} for n in range(200)]
    fiel = workspace(cases)
    limited = ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh", *fiel.argv("run", "answer", "-o", "runs/a")]
    full = subprocess.run(
        limited, cwd=fiel.folder, env=fiel.environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert full.returncode == 4, full
    assert "runs/a/trials.jsonl: File too large" in full.stderr
    assert "go on with --resume" in full.stderr
    assert "Traceback" not in full.stderr
    kept = fiel.lines("runs/a/trials.jsonl")
    assert 20 < len(kept) < 200
    done = fiel("run", "answer", "--resume", "runs/a", "--json")
    assert done.code == 0, done
    assert done.json["attempted"] == 200
    assert fiel.lines("runs/a/trials.jsonl")[: len(kept)] == kept


def test_a_place_that_cannot_be_written_is_named(workspace):
    fiel = workspace()
    (fiel.folder / "runs").write_text("a file where a directory should be")
    for out in ((), ("-o", "runs/a"), ("-o", "/proc/nowhere/a")):
        done = fiel.inside("run", "answer", *out)
        assert done.code == 4, done
        assert "runs" in done.err or "/proc/nowhere" in done.err
        assert not done.out
    assert fiel.inside("run", "answer", "-o", "elsewhere").code == 4, "runs/latest cannot be renewed"
    assert fiel.report("elsewhere")["overall"]["exact"]["numerator"] == 1, "and yet nothing was lost"
    done = fiel.inside("report", "elsewhere", "--format", "html", "-o", "runs/r.html")
    assert done.code == 4
    assert "runs/r.html" in done.err


def wait_for(seen, seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def test_a_killed_writer_lets_go_of_the_run_directory(workspace, tmp_path: Path):
    fiel = workspace([{"id": f"c{n}", "input": "x60", "expected": "x60"} for n in range(3)], targets=SLOW)
    with subprocess.Popen(
        fiel.argv("run", "answer", "-o", "runs/a"), cwd=fiel.folder, env=fiel.environment(), stderr=subprocess.DEVNULL
    ) as process:
        wait_for((fiel.folder / "calls.log").exists)
        taken = fiel("run", "answer", "--resume", "runs/a")
        process.kill()
    assert taken.code == 2
    assert "another process is writing this run" in taken.err
    (fiel.folder / "go").touch()
    assert fiel("run", "answer", "--resume", "runs/a").code == 0
