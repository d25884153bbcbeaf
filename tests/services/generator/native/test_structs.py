"""Structs that Python passes to the kernels lie in memory as they read it."""

from __future__ import annotations

import ctypes
import json
import subprocess
from pathlib import Path

import pytest

from services.generator import native
from services.generator.native import compiling
from services.generator.native.blend import BlendStruct, EvidenceStruct
from services.generator.native.frequent import FrequentStruct
from services.generator.native.head import DraftStruct, HeadStruct
from services.generator.native.matrix import MatrixStruct
from services.generator.native.step import DeltaStruct, LayerStruct, ModelStruct, StepStruct, WorkingStruct
from services.generator.native.text import TextStruct

pytestmark = pytest.mark.skipif(native.kernels() is None, reason="no C compiler on this machine")

STRUCTS: dict[str, type[ctypes.Structure]] = {
    "Matrix": MatrixStruct,
    "Layer": LayerStruct,
    "Model": ModelStruct,
    "Step": StepStruct,
    "Delta": DeltaStruct,
    "Working": WorkingStruct,
    "Head": HeadStruct,
    "Draft": DraftStruct,
    "Text": TextStruct,
    "Blend": BlendStruct,
    "Evidence": EvidenceStruct,
    "Frequent": FrequentStruct,
}


def fields(struct: type[ctypes.Structure]) -> list[str]:
    return [field[0] for field in struct._fields_]


def program() -> str:
    """C that prints, as JSON, the size of every struct and the offset and size of every field that
    Python names."""
    lines = []
    for name, struct in STRUCTS.items():
        offsets = [
            f'{{"{field}", offsetof({name}, {field}), sizeof((({name} *)0)->{field})}}' for field in fields(struct)
        ]
        lines.append(f'{{"", sizeof({name}), 0}}, ' + ", ".join(offsets))
    table = ",\n".join(lines)
    return f"""#include "kernels.c"
#include <stddef.h>
#include <stdio.h>
static const struct {{ const char *name; size_t offset, size; }} table[] = {{{table}}};
int main(void) {{
    printf("[");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        printf("%s[\\"%s\\", %zu, %zu]", i ? ", " : "", table[i].name, table[i].offset, table[i].size);
    printf("]");
}}
"""


def test_structs_have_the_sizes_and_offsets_that_the_kernels_see(tmp_path: Path) -> None:
    source, binary = tmp_path / "structs.c", tmp_path / "structs"
    source.write_text(program())
    flags = ("-std=gnu11", "-O0", "-w", "-pthread", f"-I{compiling.FOLDER}")
    subprocess.run([*compiling.compiler(), *flags, "-o", str(binary), str(source), "-lm"], check=True, timeout=120)
    printed = iter(json.loads(subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout))
    for name, struct in STRUCTS.items():
        assert next(printed) == ["", ctypes.sizeof(struct), 0], name
        for field in fields(struct):
            member = getattr(struct, field)
            assert next(printed) == [field, member.offset, member.size], f"{name}.{field}"
    assert next(printed, None) is None
