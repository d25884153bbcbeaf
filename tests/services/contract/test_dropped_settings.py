"""Settings that are none any more are named, by each service its own."""

from __future__ import annotations

import pytest

from rag_api.config import Settings
from services.contract.dropped_settings import DROPPED, dropped
from services.embedder.config import EmbedderSettings
from services.generator.server.config import GeneratorSettings

pytestmark = pytest.mark.quick


def test_what_is_set_and_changes_nothing_is_named_with_what_holds_now() -> None:
    environment = {"BEDSIDE_GENERATOR_NODES": "32", "BEDSIDE_WIDEN": "1", "BEDSIDE_GENERATOR_MAX_ROWS": "8"}
    assert dropped(environment, "BEDSIDE_GENERATOR_") == [
        "BEDSIDE_GENERATOR_NODES is no setting any more and changes nothing: 64 at most"
    ]
    assert len(dropped(environment)) == 2


@pytest.mark.parametrize("settings", [Settings, GeneratorSettings, EmbedderSettings])
def test_what_is_a_setting_is_not_called_none(
    settings: type[Settings] | type[GeneratorSettings] | type[EmbedderSettings],
) -> None:
    names = {f"{settings.model_config['env_prefix']}{name.upper()}" for name in settings.model_fields}
    assert not names & DROPPED.keys()
