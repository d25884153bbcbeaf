"""A file is read alike whatever was read before it, wherever."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag_api.ingest.readers.read import media_type, read
from tests.rag_api.made_files.pdfs import HANDBOOK, SAMPLES, write
from tests.rag_api.made_files.read_digests import digest

ROOT = Path(__file__).parents[4]
FILES = [
    *sorted(HANDBOOK.glob("*.pdf")),
    *sorted((ROOT / "evaluation" / "sets").glob("*/pdf/*.pdf")),
    *sorted(SAMPLES.glob("pdf/*/**/*.pdf")),
]
LENT = (
    b"<</Type/Font/Subtype/TrueType/BaseFont/%s/FirstChar 32/LastChar 126/Widths[%s]/FontDescriptor 7 0 "
    b"R/Encoding/WinAnsiEncoding>>"
)
LOOK = (
    b"<</Type/FontDescriptor/FontName/%s/Flags %d/ItalicAngle 0/StemV %d/Ascent 900/Descent -200/CapHeight "
    b"700/FontBBox[0 0 1000 1000]>>"
)


def _read_in_a_process(files: list[Path]) -> dict[Path, str]:
    command = [sys.executable, "-m", "tests.rag_api.made_files.read_digests"]
    ran = subprocess.run(
        command, input="\n".join(map(str, files)), capture_output=True, text=True, check=True, cwd=ROOT
    )
    return dict(zip(files, ran.stdout.split(), strict=True))


def test_files_are_read_alike_in_every_order_and_process(request: pytest.FixtureRequest) -> None:
    """Forwards in one process and backwards in another: of two files each is read before the other
    once. `--alike FOLDER` reads a folder's files too, in four processes at once."""
    files = FILES[::4] + [path for path in FILES[-40:] if path.stat().st_size < 500_000]
    more = request.config.getoption("--alike")
    files = list(dict.fromkeys([*files, *(sorted(Path(more).glob("*.*")) if more else ())]))
    orders = [files[::-1], files]
    if more:
        orders += [random.Random(seed).sample(files, len(files)) for seed in range(2)]
    with ThreadPoolExecutor(len(orders)) as processes:
        found = list(processes.map(_read_in_a_process, orders))
    digests = {path: {own[path] for own in found} for path in files}
    print(f"{len(files)} files, {len(orders)} processes: {sum(len(own) == 1 for own in digests.values())} read alike")
    assert [path.name for path, own in digests.items() if len(own) > 1] == []


def one_page(content: bytes, font: bytes, more: tuple[bytes, ...] = ()) -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</A 5 0 R>>/XObject<</F 6 0 "
        b"R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        font,
        *more,
    ]
    return (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj%s endobj\n" % (n, one) for n, one in enumerate(objects, start=1))
        + b"trailer<</Root 1 0 R>>"
    )


def _lent(name: bytes, width: int, flags: int, stem: int, text: bytes) -> bytes:
    """A file that does not bring its font, of letters as wide as each other."""
    content = b"".join(b"BT /A 11 Tf 1 0 0 1 60 %d Tm (%s) Tj ET\n" % (760 - 16 * n, text) for n in range(12))
    return one_page(content, LENT % (name, b" ".join([b"%d" % width] * 95)), (b"<<>>", LOOK % (name, flags, stem)))


@pytest.mark.quick
def test_a_font_that_a_file_does_not_bring_is_measured_alike_after_another(tmp_path: Path) -> None:
    text = b"Geef 0123456789 mg, 20 mg of 10 mg bij 68 kg"
    first = write(tmp_path, "eerst.pdf", _lent(b"OnbekendSmal", 420, 32, 60, text))
    others = [
        write(tmp_path, f"{width}.pdf", _lent(b"Ander%d" % width, width, 32, stem, b"Zwaar en breed 0123456789 MWmw"))
        for width, stem in ((300, 40), (900, 220))
    ]
    found = {digest(first)}
    for other in others:
        digest(other)
        found.add(digest(first))
    assert len(found) == 1


@pytest.mark.quick
@pytest.mark.parametrize("width", [420, 520, 640, 780])
def test_a_font_that_is_lent_and_bent_says_what_it_shows(tmp_path: Path, width: int) -> None:
    path = write(tmp_path, "gebogen.pdf", _lent(b"Onbekend", width, 32, 160, b"10 mg, 20 mg en 0 mg bij 68 kg"))
    assert not read(path, path.name, media_type(path, path.name), 10).uncertain


@pytest.mark.quick
def test_letters_that_a_form_stretches_again_say_what_they_show(tmp_path: Path) -> None:
    """Drawn in a form four times as high as wide, which the page makes square again."""
    drawn = b"BT /A 10 Tf 0.25 0 0 1 10 10 Tm (Geef 250 mg morfine na 30 minuten) Tj ET"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    form = (
        b"<</Type/XObject/Subtype/Form/BBox[0 0 200 40]/Resources<</Font<</A 5 0 R>>>>/Length "
        b"%d>>stream\n%s\nendstream"
        % (
            len(drawn),
            drawn,
        )
    )
    path = write(tmp_path, "gerekt.pdf", one_page(b"q 4.4 0 0 1.1 60 700 cm /F Do Q", font, (form,)))
    document = read(path, path.name, media_type(path, path.name), 10)
    assert "250 mg morfine" in document.pages[0].text
    assert not document.uncertain
