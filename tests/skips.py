"""A skipped test proves nothing: with --refuse-skips (`make unit`, `make e2e`) the run fails on
one, unless nothing could be installed that it needs. What ../shared lacks is said loudly, since
whole collections of files are then not tried."""

from __future__ import annotations

import re

import pytest

# What no set-up can bring: hardware, what a store in memory cannot mean, and the files that are not
# part of the project.
ALLOWED = re.compile(r"\bGPU\b|x86-64-v3|has no wheel for this machine|memory (?:is one process's own|keeps nothing)")
SHARED = re.compile(r"\.\./shared")


class Skips:
    def __init__(self, refuse: bool) -> None:
        self.refuse = refuse
        self.refused: list[tuple[str, str]] = []
        self.without_shared: list[str] = []

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if SHARED.search(reason):
            self.without_shared.append(report.nodeid)
        elif not ALLOWED.search(reason):
            self.refused.append((report.nodeid, reason))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refuse and self.refused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.without_shared:
            terminalreporter.section("../shared IS NOT THERE", sep="!", red=True, bold=True)
            terminalreporter.line(f"{len(self.without_shared)} tests on files that nobody here made were not run:")
            for name in self.without_shared:
                terminalreporter.line(f"  {name}")
        if self.refuse and self.refused:
            terminalreporter.section("skipped, and that fails this run", sep="!", red=True, bold=True)
            for name, reason in self.refused:
                terminalreporter.line(f"  {name}: {reason}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--alike", help="A folder whose files are read in several orders and processes, beside those of the tests."
    )
    parser.addoption(
        "--mutated", type=int, default=20, help="How many files that nobody here made are mutated and read."
    )
    parser.addoption(
        "--refuse-skips",
        action="store_true",
        help="Fail when a test is skipped that could run on a machine set up for it.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Skips(config.getoption("--refuse-skips")))
