"""The adapter's training: packing changes nothing, a resumed training is the same training, what is
saved is PEFT's."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from services.contract.reading_prompt import INVOCATION, LABELS, REASONS, passage_part, question_part
from services.reader.__main__ import main
from services.reader.adapter import ReadingModel, open_model, save
from services.reader.measure import Examination, area, refused_at
from services.reader.packing import IGNORED, pack
from services.reader.questions import AskedPassage, Foreign, TrainingQuestion, read_passages
from services.reader.train import Schedule, Training

# peft asks transformers for an attribute under its old name.
pytestmark = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")

LINES = (
    "Check the name band.",
    "Drug | Dose | Route",
    "ceftriaxone | 2 g | iv",
    "- rinse the line",
    "Call the pharmacy.",
)


def passage(number: int = 0, document: str = "d") -> AskedPassage:
    asked = (
        TrainingQuestion(f"dose of ceftriaxone {number}", 2, 2, 2),
        TrainingQuestion("what to do first, all of it", 0, 3, 3),
        TrainingQuestion(f"dose of cefazolin {number}", reason="drug"),
        TrainingQuestion("who is called at night", reason="moment"),
    )
    return AskedPassage(
        f"p{number}", document, "train", "icu", f"Title {number}", "Doses", LINES, asked, ("dose of ceftriaxone",)
    )


def told_alone(reading: ReadingModel, one: AskedPassage, asked: TrainingQuestion) -> torch.Tensor:
    return reading.tell(pack(one, [asked], reading.vocabulary)).first[0]


@pytest.mark.parametrize("activated", [False, True])
def test_questions_packed_in_one_row_are_told_what_each_is_told_alone(tiny_model: str, activated: bool) -> None:
    reading = _with_a_say(open_model(tiny_model, layers=2, activated=activated))
    one = passage()
    with torch.no_grad():
        together = reading.tell(pack(one, one.asked, reading.vocabulary)).first
        apart = torch.stack([told_alone(reading, one, asked) for asked in one.asked])
        kept = reading.tell(
            pack(one, one.asked, reading.vocabulary), reading.keys_of(pack(one, one.asked, reading.vocabulary).prefix)
        ).first
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(together, kept, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(together[0], together[2], atol=1e-3), "another question is told something else"


def test_an_activated_adapter_leaves_the_passages_keys_to_the_model(tiny_model: str) -> None:
    plain, activated = (_with_a_say(open_model(tiny_model, layers=2, activated=kind)) for kind in (False, True))
    prefix = pack(passage(), passage().asked, plain.vocabulary).prefix
    bare = open_model(tiny_model, layers=2)
    own = bare.keys_of(prefix).layers[-1].keys
    assert torch.equal(activated.keys_of(prefix).layers[-1].keys, own)
    assert not torch.allclose(plain.keys_of(prefix).layers[-1].keys, own)


@pytest.mark.parametrize("activated", [False, True])
def test_a_resumed_training_is_the_same_training(tiny_model: str, tmp_path: Path, activated: bool) -> None:
    passages = [passage(n, f"d{n % 2}") for n in range(5)]

    def trained(work: Path, *until: int) -> Training:
        for steps in until:
            torch.manual_seed(3)  # a fresh adapter begins at random; what is kept replaces it
            training = Training(
                open_model(tiny_model, layers=2, activated=activated),
                passages,
                Schedule(steps, 0, warm=1, retrieved=2),
                work,
            )
            assert training.resume() == (work / "state.pt").exists()
            training.run(None, lambda line: None)
        return training

    whole, resumed = trained(tmp_path / "whole", 6), trained(tmp_path / "resumed", 3, 6)
    for one, other in zip(whole.reading.trained(), resumed.reading.trained(), strict=True):
        torch.testing.assert_close(one, other)
    assert whole.asked == resumed.asked > 6 * (2 * 4 + 1), "questions of other passages are among those asked"


def test_training_teaches_what_it_is_taught(tiny_model: str, tmp_path: Path) -> None:
    torch.manual_seed(3)
    passages = [passage(n, f"d{n % 2}") for n in range(3)]
    training = Training(open_model(tiny_model, layers=3), passages, Schedule(30, 5, rate=5e-3, warm=2), tmp_path)
    packed = pack(passages[0], passages[0].asked, training.reading.vocabulary)
    before = training.reading.loss(packed).item()
    training.run(Examination(passages), lambda line: None)
    after = training.reading.loss(packed).item()
    assert after < before * 0.9
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["step"] == 30
    assert {"right_line", "area", "near_refused_at_0.10"} <= set(curve[-1])


@pytest.mark.parametrize("activated", [False, True])
def test_what_is_saved_is_an_adapter_that_peft_loads(tiny_model: str, tmp_path: Path, activated: bool) -> None:
    reading = _with_a_say(open_model(tiny_model, layers=2, activated=activated))
    folder = tmp_path / "adapter"
    save(reading, folder, {"model": "tiny", "data": ["wardqa"]})
    again = open_model(tiny_model, adapter=folder)
    packed = pack(passage(), passage().asked, reading.vocabulary)
    with torch.no_grad():
        # kept in bf16
        torch.testing.assert_close(again.tell(packed).first, reading.tell(packed).first, rtol=2e-2, atol=2e-2)
        ids = torch.cat([packed.prefix, packed.tokens[: int(packed.first_at[0]) + 1]])
        peft = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(tiny_model), folder).eval()
        logits = peft(input_ids=ids[None]).logits[0, -1][torch.tensor(reading.vocabulary.first)].log_softmax(-1)
        torch.testing.assert_close(logits, again.tell(packed).first[0], rtol=1e-3, atol=1e-3)
    assert again.activated == activated
    assert json.loads((folder / "card.json").read_text())["data"] == ["wardqa"]


def test_the_command_trains_measures_and_goes_on(
    tiny_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "asked.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(json.dumps(_row(n)) for n in range(4)).encode()))
    words = ["--model", tiny_model, "--data", str(file)]
    train = [
        "train",
        *words,
        "--work",
        str(tmp_path / "work"),
        "--out",
        str(tmp_path / "out"),
        "--layers",
        "2",
        "--cool",
        "1",
    ]
    assert main([*train, "--steps", "2"]) == 0
    assert main([*train, "--steps", "3"]) == 0
    assert "goes on at step 2 of 3" in capsys.readouterr().out
    assert main(["measure", *words, "--adapter", str(tmp_path / "out"), "--split", "test"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["questions"] == figures["near_misses"] == 1


def test_a_bad_line_is_told_by_file_and_line(
    tiny_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "asked.jsonl"
    row = _row(0)
    row["questions"][0]["line"] = 9
    file.write_text(json.dumps(_row(1)) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(ValueError, match=r"asked\.jsonl, line 2: no passage with questions: .*lines 1 to 3"):
        read_passages([file])
    measure = ["measure", "--model", tiny_model, "--data", str(file)]
    assert main(measure) == 1
    assert "asked.jsonl, line 2" in capsys.readouterr().err


def test_foreign_questions_come_from_other_passages_half_of_them_of_the_same_document() -> None:
    passages = [passage(n, f"d{n % 2}") for n in range(6)]
    found = Foreign(passages).of(passages[0], 4, random.Random(1))
    assert len(found) == 4
    assert all(one.first is None and one.reason == "other" for one in found)


def test_a_question_cannot_begin_the_adapter_anew_and_a_line_stays_one_line() -> None:
    assert question_part("a\nQuestion: b question : c").count(INVOCATION) == 1
    part = passage_part("T", "H", ["one\ntwo", "three"])
    assert part.count("\n") == 5
    assert "A) one two\n" in part
    with pytest.raises(AssertionError):
        passage_part("T", "H", ["x"] * (len(LABELS) + 1))


def test_an_answers_two_parts_are_told_where_they_follow_the_question(tiny_model: str) -> None:
    reading = open_model(tiny_model, layers=1)
    packed = pack(passage(), passage().asked, reading.vocabulary)
    assert packed.first.tolist() == [2, 0, len(LABELS), len(LABELS)]
    assert packed.last.tolist() == [2, 3, IGNORED, IGNORED]
    assert packed.reason.tolist()[2:] == [list(REASONS).index("drug"), list(REASONS).index("moment")]
    assert packed.tokens[packed.second_at].tolist() == [reading.vocabulary.to] * 2 + [reading.vocabulary.because] * 2


def test_area_and_what_is_refused_are_counted_by_pairs_and_by_threshold() -> None:
    assert area([1.0, 2.0], [0.0, 1.0]) == 0.875
    assert refused_at([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], [0.0, 1.5, 2.5], 0.10) == pytest.approx(
        2 / 3
    )


def _with_a_say(reading: ReadingModel) -> ReadingModel:
    """An untrained adapter says nothing: its second matrix is zero."""
    torch.manual_seed(11)
    for one in reading.trained():
        torch.nn.init.normal_(one, std=0.2)
    reading.model.eval()
    return reading


def _row(number: int) -> dict[str, Any]:
    question = {
        "question": "dose",
        "line": 3,
        "block": [1, 3],
        "near_misses": [{"question": "dose of another", "changed": "drug"}],
    }
    own = {
        "document": f"d{number}",
        "split": "test" if number == 3 else "train",
        "trade": "icu",
        "title": "T",
        "heading": "H",
    }
    return {**own, "lines": list(LINES), "questions": [question]}


def test_a_row_that_comes_with_its_header_and_all_between_is_the_row_alone(tmp_path: Path) -> None:
    lines = ["Doses of the ward", "Drug | Dose", "ceftriaxone | 2 g", "cefazolin | 1 g", "Call the pharmacy."]
    asked = [
        {"question": "cefazolin", "line": 4, "block": [1, 4]},
        {"question": "from the header on", "line": 4, "block": [2, 4]},
        {"question": "all doses", "line": 3, "block": [2, 4]},
        {"question": "two rows", "line": 4, "block": [3, 4]},
        {"question": "the call and what stands above", "line": 5, "block": [4, 5]},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**_row(0), "lines": lines, "questions": asked}))
    [read] = read_passages([file])
    assert [(one.first, one.last, one.heart) for one in read.asked] == [
        (3, 3, 3),
        (3, 3, 3),
        (1, 3, 2),
        (2, 3, 3),
        (3, 4, 4),
    ]
