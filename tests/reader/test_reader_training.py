"""Training the reader: a handful of examples is learned, a stop changes nothing, and Bedside computes what was trained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rag_api.bench.wardqa import read_wardqa
from rag_api.embed.e5.encoder import E5Encoder
from rag_api.errors import InvalidInput
from rag_api.evaluate import cases as kept
from rag_api.evaluate.cases import DecisionCase, Extract, Kind, Sentence, write_extract
from rag_api.readers.bedside import BedsideReader
from rag_api.readers.network import Network, Sizes
from rag_api.readers.text import rarities
from rag_api.retrieval.calibration import SIGNALS
from rag_api.retrieval.reader import Passage
from services.reader.examples import Pair, Texts, batches
from services.reader.fit import Fit, FitOptions, Schedule
from services.reader.model import ReaderModel, split_rows
from services.reader.over import Example, OverFit, OverOptions, some
from services.reader.over import loss_of as loss_over
from services.reader.product import examples_of, public_examples
from services.reader.public import public_pairs
from services.reader.train import main
from services.reader.ward import Ward
from services.reader.weights import pack

SMALL = Sizes(heads=2, width=8, token=8, inner=16, told=8, joined=16)
LAYERS = 2
PASSAGES = [
    Passage(
        "Heupprothese", "Tromboseprofylaxe", "Na de operatie 35 dagen. Bij een knie 14 dagen.\tNooit langer.", ((0, 23), (24, 46), (47, 61))
    ),
    Passage("Katheters", "", "Spoel de poortkatheter elke 8 weken. De PICC elke week.", ((0, 36), (37, 55))),
    Passage("Leeg", "", "", ()),
]
ASKED = [
    ("hoe lang spuiten na heup", 0, 0),
    ("hoe lang spuiten na knie", 0, 1),
    ("hoe vaak poortkatheter spoelen", 1, 0),
    ("prijs van een PICC", 1, None),
]


@pytest.fixture(scope="module")
def encoder() -> E5Encoder:
    return E5Encoder()


@pytest.fixture(scope="module")
def texts(encoder: E5Encoder, tmp_path_factory: pytest.TempPathFactory) -> Texts:
    made = Texts(encoder, LAYERS)
    for passage in PASSAGES:
        made.passage(passage)
    for question, _, _ in ASKED:
        made.question(question)
    made.compute(tmp_path_factory.mktemp("states") / "states.npy")
    return made


@pytest.fixture(scope="module")
def pairs(texts: Texts) -> list[Pair]:
    found = [
        Pair(texts.question(question), at, () if line is None else (line,), None if line is None else (line,))
        for question, at, line in ASKED
    ]
    return [*found, Pair(found[0].question, 1), Pair(found[2].question, 0), Pair(found[0].question, 2)]


def trained(texts: Texts, pairs: list[Pair], folder: Path, epochs: tuple[int, ...]) -> ReaderModel:
    """Trains to each of these epochs, each time from what is on disk."""
    for until in epochs:
        model = ReaderModel(SMALL, seed=3)
        model.standardise(texts.some_states())
        Fit(model, texts, lambda epoch: pairs, folder, FitOptions(epochs=40, pairs=4, learning_rate=0.01, warm_up=2)).run(until=until)
    return model.eval()


def loss(model: ReaderModel, texts: Texts, pairs: list[Pair]) -> float:
    from services.reader.fit import loss_of

    batch = texts.batch(pairs)
    with torch.no_grad():
        return float(loss_of(model(batch), pairs, batch.rows, 0.3))


def test_a_handful_of_examples_is_learned(texts: Texts, pairs: list[Pair], tmp_path: Path) -> None:
    before = loss(ReaderModel(SMALL, seed=3).eval(), texts, pairs)
    assert loss(trained(texts, pairs, tmp_path, (40,)), texts, pairs) < before / 3


def test_training_that_was_stopped_ends_where_it_would_have(texts: Texts, pairs: list[Pair], tmp_path: Path) -> None:
    whole, stopped = trained(texts, pairs, tmp_path / "whole", (6,)), trained(texts, pairs, tmp_path / "stopped", (1, 4, 6))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, stopped.state_dict()[name]), name


@pytest.mark.parametrize("options", [FitOptions(), OverOptions()])
def test_the_rate_warms_up_then_falls_on_a_line_to_what_is_left_at_the_end(options: Schedule) -> None:
    steps = 10 * options.warm_up
    rates = [options.rate(step, steps) / options.learning_rate for step in range(steps)]
    assert rates[0] == pytest.approx(1 / options.warm_up)
    assert max(rates) == rates[options.warm_up - 1] == pytest.approx(1 - (options.warm_up - 1) / steps)
    assert rates[steps // 2] == pytest.approx(0.5)
    assert rates[-1] == pytest.approx(options.last)


def test_states_that_were_computed_are_read_again_and_others_are_not(texts: Texts, encoder: E5Encoder, tmp_path: Path) -> None:
    told: list[int] = []
    for words in ("een", "een", "twee"):
        own = Texts(encoder, LAYERS)
        own.question(words)
        own.compute(tmp_path / "states.npy", lambda done, of: told.append(done))
    assert len(told) == 2


def test_an_epoch_reads_every_pair_once(texts: Texts, pairs: list[Pair]) -> None:
    read = [pair for own in batches(pairs, texts, 2, seed=1) for pair in own]
    assert sorted(map(repr, read)) == sorted(map(repr, pairs))


def test_bedside_computes_what_was_trained(texts: Texts, pairs: list[Pair], encoder: E5Encoder) -> None:
    model = ReaderModel(SMALL, seed=5).eval()
    model.standardise(texts.some_states())
    with torch.no_grad():
        batch = texts.batch(pairs)
        expected = split_rows(model(batch), batch.rows)
    network, layers = Network(model.arrays()), encoder.layers(range(LAYERS))
    for pair, wanted in zip(pairs, expected, strict=True):
        question, passage = texts.questions[pair.question], texts.passages[pair.passage]
        asked = network.question(encoder.states_of([question.ids], layers)[0], question, rarities(question, encoder))
        found = network.judge(asked, network.passage(encoder.states_of([passage.ids], layers)[0], passage))
        assert found == pytest.approx(wanted.numpy(), abs=0.02)  # states were kept in half precision


def test_what_is_packed_judges_as_it_was_trained(texts: Texts, pairs: list[Pair], encoder: E5Encoder) -> None:
    model = ReaderModel(SMALL, seed=1).eval()
    model.standardise(texts.some_states())
    reader = BedsideReader(encoder, weights=pack(encoder.name, LAYERS, model.arrays()))
    with torch.no_grad():
        wanted = model(texts.batch(pairs[:1]))[0, :, 1].tolist()
    assert reader.judge(ASKED[0][0], PASSAGES)[0].block == pytest.approx(wanted, abs=0.02)


def test_the_command_trains_goes_on_and_writes_weights_that_bedside_reads(
    encoder: E5Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("services.reader.ward.read_wardqa", lambda splits: read_wardqa(splits)[:6])
    command = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "reader.npz"), "--curve", "0.5", "--epochs"]
    assert main([*command, "1"]) == 0
    computed = capsys.readouterr().out.count(" of ")
    write_extract(tmp_path / "work/asked.json.gz", Extract("multilingual-e5-small-int8+neutral", (), {}))
    assert main([*command, "2", "--over"]) == 0
    epochs = [json.loads(line)["epoch"] for line in (tmp_path / "work/all/curve.jsonl").read_text().splitlines()]
    assert epochs == [1, 2]
    assert capsys.readouterr().out.count(" of ") < computed  # states are computed once
    found = BedsideReader(encoder, weights=(tmp_path / "reader.npz").read_bytes()).judge("hoe lang spuiten na heup", PASSAGES)
    assert len(found[0].spans) == 3


def over(texts: Texts) -> list[Example]:
    """Two questions with an answer that today's score puts second, and a near miss that it believes in."""
    spans = [len(passage.spans) for passage in PASSAGES]
    asked = [(texts.question(question), at, line) for question, at, line in ASKED]
    found = [
        Example(((Pair(q, at), tuple(range(spans[at]))),), -np.arange(spans[at], dtype=np.float32), np.arange(spans[at]) == line, True, 1.0)
        for q, at, line in asked[1:3]
        if line is not None
    ]
    return [*found, replace(found[1], right=np.zeros(spans[1], np.bool_), answerable=False, learns="alone")]


def test_what_todays_score_gets_wrong_is_learned_over_it(texts: Texts, tmp_path: Path) -> None:
    model = ReaderModel(SMALL, seed=3)
    model.standardise(texts.some_states())
    examples = over(texts)[:1]
    options = OverOptions(epochs=60, learning_rate=0.01, warm_up=2, dropout=0.0)
    fit = OverFit(model, texts, examples, tmp_path, options)

    def lost() -> float:
        with torch.no_grad():
            loss = loss_over(fit.model, texts, examples, options, np.random.default_rng(0))
        assert loss is not None
        return float(loss)

    before = lost()
    fit.run()
    assert lost() < before / 3
    ((pair, numbers),) = examples[0].passages
    with torch.no_grad():
        read = split_rows(fit.model.reader(texts.batch([pair]))[:, :, 0], (len(numbers),))[0]
        chosen = int(fit.model(read, torch.from_numpy(examples[0].scores), 1.0).argmax())
    assert examples[0].right[chosen]


def test_teaching_over_todays_score_goes_on_where_it_was_stopped(texts: Texts, tmp_path: Path) -> None:
    def taught(folder: Path, stops: tuple[int, ...]) -> dict[str, torch.Tensor]:
        for until in stops:
            model = ReaderModel(SMALL, seed=3)
            model.standardise(texts.some_states())
            found = OverFit(model, texts, over(texts), folder, OverOptions(epochs=4)).run(until)
        return found.state_dict()

    whole, stopped = taught(tmp_path / "whole", (4,)), taught(tmp_path / "stopped", (1, 3, 4))
    for name, value in whole.items():
        assert torch.equal(value, stopped[name]), name


def test_of_many_passages_the_one_that_answers_is_always_read(texts: Texts) -> None:
    one = over(texts)[0]
    many = replace(one, passages=tuple((one.passages[0][0], (n % 2,)) for n in range(9)), right=np.array([False, True]))
    for seed in range(20):
        chosen = some(many, 5, np.random.default_rng(seed))
        assert len(chosen) == 5
        assert sum(own == (1,) for _, own in chosen) == 4  # of the nine four hold it


def test_what_the_product_found_is_taught_with_its_score_and_altered(encoder: E5Encoder) -> None:
    part = next(part for part in read_wardqa(("train",)) if part.questions)
    asked = part.questions[0]
    signals = dict.fromkeys((*SIGNALS, "crossed"), 0.0)
    sentences = (Sentence(0, 0, 4, (0.5, 0.5, 0.0, 0.5), True), Sentence(0, 5, 9, (0.4, 0.5, 0.0, 0.0), False))
    case = DecisionCase("wardqa", "fit", Kind.ANSWERABLE, asked.question, "nl", part.document, True, signals, ("a",), sentences)
    extracted = Extract("multilingual-e5-small-int8+neutral", (case,), {"a": kept.Passage("T", "", "Eerst dan.")})
    found = examples_of(extracted, Texts(encoder, LAYERS))
    assert found[0].learns == "sum"
    assert found[0].scores[0] > found[0].scores[1]
    assert {own.learns for own in found[1:]} == {"alone"}
    assert not any(own.right.any() for own in found[1:] if not own.answerable)
    with pytest.raises(InvalidInput, match="nothing was fitted"):
        examples_of(replace(extracted, made_by="unheard-of"), Texts(encoder, LAYERS))


def test_a_public_question_is_an_example_of_one_passage(texts: Texts, pairs: list[Pair]) -> None:
    found = public_examples(pairs, texts)
    assert {own.learns for own in found} == {"public"}
    assert len(found) == len(pairs) - 1  # one passage is empty
    assert found[0].right.tolist() == [True, False, False]


def test_altered_questions_and_rivals_are_of_the_document_that_they_are_about(encoder: E5Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.reader.ward.read_wardqa", lambda splits: read_wardqa(splits)[:12])
    monkeypatch.setattr("services.reader.ward.RIVALS", 1.0)
    ward = Ward(["train"], Texts(encoder, LAYERS), taught=True)
    assert any(asked.altered for asked in ward.asked)
    for asked in ward.asked:
        own = asked.own[0]
        assert not asked.near_miss or not any(pair.answers for pair in asked.altered)
        assert all(pair.question == own.question and not pair.answers for pair in asked.rivals)
        assert all(ward.texts.passages[pair.passage].ids[:4] == ward.texts.passages[own.passage].ids[:4] for pair in asked.rivals)
    plain = Ward(["train"], Texts(encoder, LAYERS))
    assert not any(asked.altered or asked.rivals for asked in plain.asked)
    assert len(ward.pairs(0)) > len(plain.pairs(0))


def test_public_sets_that_are_not_there_are_named(texts: Texts, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"dev-v2\.0"):
        public_pairs(tmp_path, texts)


def test_a_public_question_is_paired_with_the_sentence_that_answers_it(
    encoder: E5Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The ward opens at eight. Visitors leave at seven in the evening."
    asked = [
        {"question": "when do visitors leave", "is_impossible": False, "answers": [{"text": "seven", "answer_start": text.index("seven")}]},
        {"question": "when do dogs leave", "is_impossible": True, "answers": []},
    ]
    (tmp_path / "set.json").write_text(json.dumps({"data": [{"title": "The_ward", "paragraphs": [{"context": text, "qas": asked}]}]}))
    monkeypatch.setattr("services.reader.public.FILES", ("set.json",))
    found = public_pairs(tmp_path, Texts(encoder, LAYERS))
    assert sorted(pair.answers for pair in found) == [(), (1,)]
