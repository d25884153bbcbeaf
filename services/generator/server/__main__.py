"""`python -m services.generator.server`: the service on uvicorn. Options override
BEDSIDE_GENERATOR_* variables."""

from __future__ import annotations

import argparse
import logging
import os

# Set before torch is imported. By default OpenMP's threads wait for each other by spinning, 200
# times per forward; as soon as another process wants a core they spin while those they wait for
# cannot run. Measured with the demo model on two busy cores: 68 ms for a step of one node instead
# of 676, 233 ms for 16 nodes instead of 1,476.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import uvicorn

from services.contract import logs, traces
from services.contract.dropped_settings import dropped
from services.generator.server.app import create_app
from services.generator.server.config import GeneratorSettings
from services.generator.server.watchdog import watch

log = logging.getLogger("services.generator")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m services.generator.server", description=__doc__)
    texts = "model", "served-name", "head", "adapters", "device", "dtype", "host", "drafter", "template"
    numbers = "port", "threads", "max-rows", "readings", "max-context", "prefix-mb"
    for name in (*texts, *numbers):
        help_ = GeneratorSettings.model_fields[name.replace("-", "_")].description
        parser.add_argument(f"--{name}", type=int if name in numbers else str, help=help_)
    parser.add_argument("--log-level", default="info", choices=["critical", "error", "warning", "info", "debug"])
    given = vars(parser.parse_args())
    level = given.pop("log_level")
    settings = GeneratorSettings(**{name: value for name, value in given.items() if value is not None})
    logs.configure(settings.logs, logging.getLevelNamesMapping()[level.upper()])
    traces.configure("bedside generator", settings.otlp_url)
    for line in dropped(os.environ, "BEDSIDE_GENERATOR_"):
        log.warning(line)
    log.info("loading %s; /health on http://%s:%d says when it is ready", settings.name, settings.host, settings.port)
    app = create_app(settings)
    watch(app.state.service)
    uvicorn.run(app, host=settings.host, port=settings.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
