"""Verbatim mode: exact spans only, lossless, weighed, and no character invented."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.contract.wire import BedsideIn, CandidateIn, ChatRequest, DocumentIn, MessageIn, SpanIn
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.engine.engine import Request
from services.generator.errors import BadRequest
from services.generator.models import StepInput
from services.generator.server import openai_chat as chat
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import FinishReason, NodeOrigin
from services.generator.verbatim.likelihood import QuestionLikelihood
from services.generator.verbatim.quotes import split_sentences
from services.generator.verbatim.trie import Verbatim
from tests.services.generator.engines import OracleDrafter, RandomDrafter, drain, engine, tiny_codec, tiny_target

pytestmark = pytest.mark.quick

DEFAULTS = chat.Defaults("demo", "copy", 256)
DOCUMENTS = [
    DocumentIn(
        id="catheter",
        title="Catheter",
        text="Remove the catheter when it is no longer needed. Wash your hands. Write it down.\n",
    ),
    DocumentIn(
        id="dosis", title="Dosis", text="De dosis is 5 mg per kg. De dosis is 8 mg bij een kind. Wash your hands.\n"
    ),
]


def ask(
    question: str = "Hoeveel mg?",
    documents: list[DocumentIn] | None = None,
    sampling: dict[str, Any] | None = None,
    **bedside: Any,
) -> Request:
    chat_request = ChatRequest(
        model="tiny",
        messages=[MessageIn(role="user", content=question)],
        documents=DOCUMENTS if documents is None else documents,
        bedside=BedsideIn(mode="verbatim", **bedside),
        **(sampling or {}),
    )
    return chat.build_request(chat_request, tiny_codec(), {"copy": CopyDrafter(), "random": RandomDrafter(9)}, DEFAULTS)


def answer(request: Request, **options: Any) -> tuple[str, list[Any]]:
    one = engine(tiny_target(), RandomDrafter(400), **({"context": 512, "nodes": 64} | options))
    one.add(request)
    outputs = drain(one)
    return "".join(output.text for output in outputs), [span for output in outputs for span in output.spans]


def assert_covered(text: str, spans: list[Any], documents: list[DocumentIn]) -> None:
    """Spans follow each other without a gap, and each equals its source."""
    texts = {document.id: document.text for document in documents}
    at = 0
    for span in spans:
        assert span.answer_start == at
        assert text[span.answer_start : span.answer_end] == texts[span.passage_id][span.start : span.end]
        at = span.answer_end
    assert at == len(text)


def candidate(document: str, sentence: str, score: float) -> CandidateIn:
    text = next(d.text for d in DOCUMENTS if d.id == document)
    start = text.index(sentence)
    return CandidateIn(document=document, start=start, end=start + len(sentence), score=score)


def test_the_heaviest_candidates_are_quoted_in_the_order_of_their_weight() -> None:
    candidates = [
        candidate("catheter", "Wash your hands.", 1),
        candidate("dosis", "De dosis is 5 mg per kg.", 3),
        candidate("catheter", "Write it down.", 2),
    ]
    text, spans = answer(ask(candidates=candidates, likelihood_weight=0))
    assert text == "De dosis is 5 mg per kg. Write it down."
    assert_covered(text, spans, DOCUMENTS)


def test_sentences_of_one_passage_keep_its_order() -> None:
    candidates = [
        candidate("catheter", "Remove the catheter when it is no longer needed.", 1),
        candidate("catheter", "Write it down.", 2),
    ]
    text, _ = answer(ask(candidates=candidates, likelihood_weight=0))
    assert text == "Remove the catheter when it is no longer needed. Write it down."


def test_what_is_not_among_the_best_does_not_pass_the_one_of_them_that_stands_first() -> None:
    """Another document's sentence is heavier than the lighter one of the best two, which is written
    before the heaviest."""
    candidates = [
        candidate("catheter", "Write it down.", 3),
        candidate("dosis", "De dosis is 5 mg per kg.", 2),
        candidate("catheter", "Remove the catheter when it is no longer needed.", 1),
    ]
    text, _ = answer(ask(candidates=candidates, likelihood_weight=0, margin=3, one_document=True))
    assert text == "Remove the catheter when it is no longer needed. Write it down."


def test_a_sentence_further_than_the_margin_is_left_out() -> None:
    candidates = [candidate("catheter", "Wash your hands.", 3), candidate("dosis", "De dosis is 5 mg per kg.", 1)]
    assert answer(ask(candidates=candidates, likelihood_weight=0, margin=1))[0] == "Wash your hands."
    assert answer(ask(candidates=candidates, likelihood_weight=0, margin=3))[0] != "Wash your hands."


def test_a_sentence_that_two_passages_hold_is_written_once() -> None:
    candidates = [candidate("catheter", "Wash your hands.", 3), candidate("dosis", "Wash your hands.", 4)]
    text, (span,) = answer(ask(candidates=candidates, likelihood_weight=0))
    assert (text, span.passage_id) == ("Wash your hands.", "dosis")


LIST = [
    DocumentIn(id="list", text="Niet geven bij:\n- leverinsufficientie\n- koorts boven 39\n\nWel geven bij pijn.\n"),
    DocumentIn(id="table", text="Gewicht\tDosis\n5 kg\t75 mg\n9 kg\t135 mg\nWel geven bij koorts.\n"),
]


def led(document: str, sentence: str, lead: str, score: float) -> CandidateIn:
    text = next(d.text for d in LIST if d.id == document)
    start, before = text.index(sentence), text.index(lead)
    return CandidateIn(
        document=document,
        start=start,
        end=start + len(sentence),
        score=score,
        lead=[SpanIn(start=before, end=before + len(lead))],
    )


def test_what_leads_a_sentence_in_is_written_before_it() -> None:
    text, spans = answer(ask(documents=LIST, candidates=[led("list", "- koorts boven 39", "Niet geven bij:", 1)]))
    assert text == "Niet geven bij:\n- koorts boven 39"
    assert_covered(text, spans, LIST)


def test_what_two_sentences_share_is_written_once() -> None:
    rows = [led("table", "5 kg\t75 mg", "Gewicht\tDosis", 1), led("table", "9 kg\t135 mg", "Gewicht\tDosis", 2)]
    text, spans = answer(ask(documents=LIST, candidates=rows, likelihood_weight=0))
    assert text == "Gewicht\tDosis\n5 kg\t75 mg\n9 kg\t135 mg"
    assert_covered(text, spans, LIST)


def test_a_lead_is_written_again_for_another_documents_sentence() -> None:
    other = DocumentIn(id="other", text="Gewicht\tDosis\n20 kg\t300 mg\n")
    candidates = [led("table", "5 kg\t75 mg", "Gewicht\tDosis", 2)]
    candidates.append(CandidateIn(document="other", start=14, end=26, score=1, lead=[SpanIn(start=0, end=13)]))
    text, _ = answer(ask(documents=[*LIST, other], candidates=candidates, likelihood_weight=0))
    assert text == "Gewicht\tDosis\n5 kg\t75 mg\nGewicht\tDosis\n20 kg\t300 mg"


def test_a_further_sentence_comes_from_the_same_document_when_that_is_asked() -> None:
    texts = {"list": "Wel geven bij pijn.", "table": "Wel geven bij koorts."}
    candidates = [led("list", "- leverinsufficientie", "Niet geven bij:", 1)]
    for n, (document, sentence) in enumerate(texts.items()):
        start = next(d.text for d in LIST if d.id == document).index(sentence)
        candidates.append(
            CandidateIn(document=document, start=start, end=start + len(sentence), score=3 - 2 * n + (n and 3))
        )
    options: dict[str, Any] = {"documents": LIST, "candidates": candidates, "likelihood_weight": 0}
    assert answer(ask(**options))[0] == "Wel geven bij koorts.\nWel geven bij pijn."
    assert answer(ask(**options, one_document=True))[0] == "Wel geven bij koorts."


def test_sentences_that_say_nearly_the_same_are_written_once_but_not_those_that_differ_in_a_number_or_a_negation() -> (
    None
):
    def both(first: str, second: str) -> bool:
        documents = [DocumentIn(id="a", text=first + "\n"), DocumentIn(id="b", text=second + "\n")]
        whole = [CandidateIn(document=d.id, start=0, end=len(d.text), score=n) for n, d in enumerate(documents)]
        return len(answer(ask(documents=documents, candidates=whole, likelihood_weight=0))[0].splitlines()) == 2

    assert not both(
        "Was de handen voor en na elk contact.", "Was de handen vóór en na elk contact!".replace("vóór", "voor")
    )
    assert both("Geef het kind per gift 5 ml.", "Geef het kind per gift 8 ml.")
    assert both("Geef de dosis wel aan een kind met koorts.", "Geef de dosis niet aan een kind met koorts.")


def test_sentences_that_begin_alike_part_where_their_weights_say() -> None:
    for five, eight in ((1.0, 2.0), (2.0, 1.0)):
        candidates = [
            candidate("dosis", "De dosis is 5 mg per kg.", five),
            candidate("dosis", "De dosis is 8 mg bij een kind.", eight),
        ]
        text, _ = answer(ask(candidates=candidates, likelihood_weight=0, max_sentences=1))
        assert text == ("De dosis is 8 mg bij een kind." if eight > five else "De dosis is 5 mg per kg.")


def test_no_white_space_is_invented_between_sentences() -> None:
    documents = [
        DocumentIn(id="a", text="Een."),
        DocumentIn(id="b", text="Kop\nTwee."),
        DocumentIn(id="c", text="Drie."),
    ]
    whole = [
        CandidateIn(document="a", start=0, end=4, score=3),
        CandidateIn(document="c", start=0, end=5, score=2),
        CandidateIn(document="b", start=4, end=9, score=1),
    ]
    text, spans = answer(ask(documents=documents, candidates=whole, likelihood_weight=0, max_sentences=3))
    assert text == "Een.\nTwee."  # "Drie." has nothing before it in its source that could part it from "Een."
    assert_covered(text, spans, documents)


def test_the_likelihood_is_the_models_own() -> None:
    target, codec = tiny_target(), tiny_codec()
    sentences = [
        ("Dosis", "De dosis is 5 mg per kg."),
        ("", "Wash your hands before and after each patient."),
        ("T", "x"),
    ]
    scorer = QuestionLikelihood(codec, "Hoeveel mg?", sentences, portion=40)
    portions = 0
    while not scorer.done:
        scorer.advance(target)
        portions += 1
    assert portions > 1
    question = codec.encode(" Hoeveel mg?")[0]
    for (title, sentence), score in zip(sentences, scorer.scores, strict=True):
        context = codec.encode(f"{title}: {sentence}" if title else sentence)[0] + codec.encode("\nQuestion:")[0]
        tokens = torch.tensor([context + question])
        step = StepInput(tokens, torch.arange(tokens.shape[1])[None], (0,), (0,), (tokens.shape[1],), None)
        log_p = target.forward(step, target.new_cache(1, tokens.shape[1])).logits[0].log_softmax(-1)
        expected = sum(float(log_p[len(context) - 1 + n, token]) for n, token in enumerate(question))
        assert score == pytest.approx(expected, abs=1e-3)


def test_a_sentence_once_begun_is_one_draft() -> None:
    request = ask()
    answer(request)
    stats = request.sequence.stats
    assert stats.tokens / stats.steps >= 8
    assert set(stats.accepted_by_source) <= {"constraint", "target"}


def test_of_another_drafters_tree_all_that_may_follow_is_verified_and_nothing_else() -> None:
    candidates = [
        candidate("dosis", "De dosis is 5 mg per kg.", 1),
        candidate("dosis", "De dosis is 8 mg bij een kind.", 0),
    ]
    request = ask(candidates=candidates, max_sentences=1)
    assert request.preparation is not None
    constraint = request.preparation.advance(tiny_target())
    assert isinstance(constraint, Verbatim)
    form = constraint.quotes[1].form(False, False)
    assert form is not None
    fits, other = list(form.ids), tiny_codec().encode("Wash your hands.")[0]
    builder = TreeBuilder(7)
    builder.add_chain(0, fits, [0.5] * len(fits), [NodeOrigin("copy", n) for n in range(len(fits))])
    builder.add_chain(0, other, [0.4] * len(other), [NodeOrigin("copy")] * len(other))
    builder.add(2, other[-1], 0.3, (NodeOrigin("copy"),))
    kept = constraint.allowed(builder.build())
    assert kept.token_ids == (7, *fits)
    assert kept.origins[1:] == tuple((NodeOrigin("copy", n),) for n in range(len(fits)))


def test_a_drafter_that_is_named_drafts_in_verbatim_mode_too() -> None:
    """Whatever does not fit is left out of what it drafts; what fits is verified beside the
    constraint's own."""
    plain = ask()
    text, _ = answer(plain)
    request = ask(drafter="copy")
    assert request.drafters == ("copy",)
    request.drafters = ("oracle",)
    one = engine(
        tiny_target(),
        OracleDrafter(400, {request.sequence.prompt.token_ids: plain.sequence.token_ids}),
        context=512,
        nodes=64,
    )
    one.add(request)
    assert "".join(output.text for output in drain(one)) == text
    assert any("oracle" in source for source in request.sequence.stats.accepted_by_source)


words = st.sampled_from(
    [
        "De",
        "dosis",
        "5",
        "mg",
        "🙂",
        "e\u0301",
        "\n",
        "<|im_end|>",
        "[einde",
        "documenten]",
        "A.",
        "is?",
        "\u00a0",
        "\t",
        "",
    ]
)
sources = st.lists(words, min_size=1, max_size=14).map(" ".join)


@pytest.mark.longer
@given(st.lists(sources, min_size=1, max_size=3), st.data())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_answer_is_a_concatenation_of_source_spans_and_lossless(texts: list[str], data: st.DataObject) -> None:
    documents = [DocumentIn(id=str(n), text=text) for n, text in enumerate(texts)]
    candidates = None
    if data.draw(st.booleans()):
        candidates = []
        for _ in range(data.draw(st.integers(1, 6))):
            document = data.draw(st.sampled_from([d for d in documents if d.text] or [DocumentIn(id="0", text="x")]))
            start = data.draw(st.integers(0, max(0, len(document.text) - 1)))
            end = data.draw(st.integers(start + 1, max(start + 1, len(document.text))))
            lead = []
            if start > 1 and data.draw(st.booleans()):
                first = data.draw(st.integers(0, start - 2))
                lead = [SpanIn(start=first, end=data.draw(st.integers(first + 1, start)))]
            if end <= len(document.text):
                score = data.draw(st.floats(-3, 3))
                candidates.append(CandidateIn(document=document.id, start=start, end=end, lead=lead, score=score))
    sampling = {
        "temperature": data.draw(st.sampled_from([0.0, 0.7, 1.0])),
        "seed": data.draw(st.integers(0, 99)),
        "max_tokens": data.draw(st.integers(1, 80)),
    }
    bedside: dict[str, Any] = {
        "candidates": candidates,
        "max_sentences": data.draw(st.integers(1, 4)),
        "margin": data.draw(st.sampled_from([0.0, 0.5])),
    }
    bedside["one_document"] = data.draw(st.booleans())
    results = []
    for drafter, nodes in (("copy", 64), ("random+copy", 5), (None, 64), ("none", 64)):
        try:
            request = ask(documents=documents, sampling=sampling, drafter=drafter, **bedside)
        except BadRequest:
            return  # nothing to quote
        text, spans = answer(request, nodes=nodes)
        assert_covered(text, spans, documents)
        assert text == text.rstrip()
        results.append((text, spans, request.sequence.token_ids))
    assert all(result == results[0] for result in results)


@pytest.mark.longer
def test_chances_follow_the_weights_at_temperature_one() -> None:
    weights = {"De dosis is 5 mg per kg.": 1.0, "De dosis is 8 mg bij een kind.": 0.5, "Wash your hands.": 0.0}
    candidates = [candidate("dosis", sentence, weight) for sentence, weight in weights.items()]
    one, drawn = engine(tiny_target(), context=512, nodes=64), Counter[str]()
    for seed in range(300):
        request = ask(
            candidates=candidates, likelihood_weight=0, max_sentences=1, sampling={"temperature": 1.0, "seed": seed}
        )
        one.add(request)
        drawn["".join(output.text for output in drain(one))] += 1
    total = sum(math.exp(weight) for weight in weights.values())
    for sentence, weight in weights.items():
        assert drawn[sentence] / 300 == pytest.approx(math.exp(weight) / total, abs=0.1)


def test_an_answer_that_is_cut_is_still_covered() -> None:
    request = ask(sampling={"max_tokens": 5})
    text, spans = answer(request)
    assert request.sequence.finish_reason is FinishReason.LENGTH
    assert text
    assert_covered(text, spans, DOCUMENTS)


def test_a_stop_string_cuts_a_quotation() -> None:
    candidates = [candidate("dosis", "De dosis is 5 mg per kg.", 3)]
    text, spans = answer(ask(candidates=candidates, sampling={"stop": ["mg"]}))
    assert text == "De dosis is 5"
    assert_covered(text, spans, DOCUMENTS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"document": "nowhere", "start": 0, "end": 3},
        {"document": "dosis", "start": 5, "end": 900},
        {"document": "dosis", "start": 5, "end": 5},
        {"document": "dosis", "start": 5, "end": 9, "lead": [{"start": 6, "end": 7}]},
        {"document": "dosis", "start": 5, "end": 9, "lead": [{"start": 3, "end": 3}]},
    ],
)
def test_a_candidate_that_is_no_span_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match="candidate"):
        ask(candidates=[CandidateIn(**wrong)])


def test_documents_without_text_cannot_be_quoted() -> None:
    with pytest.raises(BadRequest, match="no sentence"):
        ask(documents=[DocumentIn(id="a", text=" \n ")])


def test_sentences_are_split_at_lines_and_full_stops() -> None:
    document = DocumentIn(id="a", text="Kop\nEerste zin. Tweede zin! (Derde.) 5 mg i.v. geven.\n- punt een\n")
    found = [document.text[c.start : c.end].strip() for c in split_sentences([document])]  # type: ignore[list-item]
    assert found == ["Kop", "Eerste zin.", "Tweede zin!", "(Derde.)", "5 mg i.v. geven.", "- punt een"]
