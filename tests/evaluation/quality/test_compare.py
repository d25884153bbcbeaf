"""Two runs compared, the report in HTML, and the decoding benchmark: figures that are computed by
hand here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evaluation.quality import RetrievalOutcome, askers, evaluate, report, rows_of
from evaluation.quality.compare import compare, sign_test
from evaluation.quality.decoding import JUDGED, bleu, row_of, statistics, write_rows
from evaluation.quality.html import html_report
from evaluation.quality.metrics import bootstrap_ratio
from evaluation.quality.splits import refuse_test
from rag_api.domain import Chunk, Hit, Metadata, TargetGroup
from rag_api.errors import ConfigurationError, InvalidInput
from rag_api.evaluate.judged import Judged, Place
from rag_api.retrieval.find import Retrieval

ROOT = Path(__file__).parents[3]


def row(id: str, rank: int | None, *, found: bool = True, answerable: bool = True, **more: Any) -> dict[str, Any]:
    fields = {
        "question": f"vraag {id}",
        "language": "nl",
        "department": "",
        "split": "validate",
        "conversation": "",
        "first": "a.pdf",
    }
    return {
        **fields,
        "id": id,
        "rank": rank,
        "found": found,
        "answerable": answerable,
        "right": ["a.pdf"] if rank else [],
        **more,
    }


class TestCompare:
    A = (row("1", 1), row("2", 2), row("3", None), row("4", None, found=True, answerable=False))
    B = (row("1", 1), row("2", 1), row("3", 4), row("4", None, found=False, answerable=False))

    def test_what_differs_is_counted_and_named(self) -> None:
        found = compare(self.A, self.B)
        hit1, mrr, decision = (found["figures"][name] for name in ("hit@1", "mrr", "decision"))
        assert (hit1["a"], hit1["b"], hit1["better"], hit1["worse"]) == (
            pytest.approx(1 / 3),
            pytest.approx(2 / 3),
            1,
            0,
        )
        assert mrr["difference"] == pytest.approx((0.5 + 0.25) / 3)
        assert mrr["interval"][0] <= mrr["difference"] <= mrr["interval"][1]
        assert (decision["better"], decision["worse"]) == (1, 0)
        assert [(q["id"], q["rank"]) for q in found["questions"]] == [
            ("2", [2, 1]),
            ("3", [None, 4]),
            ("4", [None, None]),
        ]

    def test_a_run_does_not_differ_from_itself(self) -> None:
        found = compare(self.A, self.A)
        assert found["questions"] == []
        assert {(d["difference"], d["p"], d["interval"]) for d in found["figures"].values()} == {(0.0, 1.0, (0.0, 0.0))}

    def test_runs_of_other_questions_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="1 are in one"):
            compare(self.A, self.B[:3])
        with pytest.raises(InvalidInput, match="judged anew"):
            compare(self.A, (*self.B[:3], row("4", 1)))

    def test_the_sign_test_is_the_binomials(self) -> None:
        assert sign_test(0, 0) == 1.0
        assert sign_test(5, 0) == pytest.approx(2 / 32)
        assert sign_test(3, 5) == sign_test(5, 3) == pytest.approx(2 * (1 + 8 + 28 + 56) / 256)

    def test_trying_settings_on_the_test_half_is_refused(self) -> None:
        refuse_test([Judged("1", "?", split="validate")], "a setting")
        with pytest.raises(InvalidInput, match="a setting is chosen on the validate half"):
            refuse_test([Judged("1", "?", split="validate"), Judged("2", "?")], "a setting")


class TestIntervals:
    def test_they_hold_the_figure_narrow_with_more_questions_and_are_the_same_each_time(self) -> None:
        few, many = (bootstrap_ratio([0.0, 1.0] * n, [1.0] * 2 * n) for n in (5, 500))
        assert few[0] < many[0] < 0.5 < many[1] < few[1]
        assert few == bootstrap_ratio([0.0, 1.0] * 5, [1.0] * 10)

    def test_a_ratio_whose_denominator_vanishes_counts_as_one(self) -> None:
        assert bootstrap_ratio([0.0], [0.0]) == (1.0, 1.0)
        assert bootstrap_ratio([], []) == (0.0, 0.0)


def hit(document: str, text: str, rank: int, page: int = 1, groups: tuple[TargetGroup, ...] = ()) -> Hit:
    about = Metadata(target_groups=groups)
    return Hit(
        Chunk(f"{document}{rank}", document, document.upper(), (page,), 0, len(text), text, about),
        1 / rank,
        0.9,
        1.0,
        rank,
    )


class TestPlaces:
    HITS = (
        hit("X", "Iets anders.", 1, groups=(TargetGroup.ADULT,)),
        hit("B", "Geef 15 mg/kg per gift.", 2, page=3),
        hit("A", "Wacht zes uur.", 3),
    )
    QUESTION = Judged(
        "1", "?", document="a.pdf", page=2, span="Wacht  zes uur", more=(Place("b.pdf", 3, "15 mg/kg"),), group="child"
    )

    def outcome(self, question: Judged) -> RetrievalOutcome:
        sources = {"A": "a.pdf", "B": "b.pdf", "X": "x.pdf"}
        (found,) = evaluate(
            [question],
            lambda q: Retrieval(self.HITS, 0.9, True),
            sources,
            about={"a.pdf": Metadata(department="Pediatrie", language="nl")},
        )
        return found

    def test_a_question_in_another_language_than_its_documents_is_counted_as_such(self) -> None:
        asked = [replace(self.QUESTION, language=language) for language in ("en", "nl", "")]
        assert [self.outcome(question).crossed for question in asked] == ["en on nl", "", ""]
        found = report([self.outcome(question) for question in asked])["crossed"]
        assert list(found) == ["en on nl"]
        assert (found["en on nl"]["n"], found["en on nl"]["hit@3"]) == (1, 1.0)

    def test_any_place_of_a_question_counts(self) -> None:
        found = self.outcome(self.QUESTION)
        assert (found.rank, found.page_rank, found.span_rank, found.right) == (2, 2, 2, ("b.pdf", "a.pdf"))

    def test_words_are_looked_for_in_the_judged_document_only(self) -> None:
        assert self.outcome(replace(self.QUESTION, more=())).span_rank == 3
        assert self.outcome(replace(self.QUESTION, more=(), span="15 mg/kg")).span_rank is None

    def test_the_department_is_the_askers_else_the_documents(self) -> None:
        assert self.outcome(self.QUESTION).department == "Pediatrie"
        assert self.outcome(replace(self.QUESTION, department="SEH")).department == "SEH"
        assert set(report([self.outcome(self.QUESTION)])["departments"]) == {"Pediatrie"}

    def test_a_first_hit_for_other_patients_is_counted(self) -> None:
        assert report([self.outcome(self.QUESTION)])["wrong_group_first"] == 1
        assert report([self.outcome(replace(self.QUESTION, group="adult"))])["wrong_group_first"] == 0
        assert report([self.outcome(replace(self.QUESTION, group=""))])["wrong_group_first"] == 0

    def test_what_the_askers_function_changes_is_counted_over_all_questions(self) -> None:
        right = self.outcome(replace(self.QUESTION, id="2", group="adult"))
        wrong = self.outcome(replace(self.QUESTION, id="2"))
        other = self.outcome(replace(self.QUESTION, id="3", group="adult"))
        found = askers([right, other], [wrong])
        assert (found["n"], found["with"]["wrong_group_first"], found["without"]["wrong_group_first"]) == (1, 0, 1)

    def test_a_first_hit_for_others_counts_although_no_document_answers(self) -> None:
        unanswerable = Judged("1", "?", group="child")
        assert report([self.outcome(unanswerable)])["wrong_group_first"] == 1


class TestHtml:
    def page(self, **changes: Any) -> str:
        questions = [
            Judged("1", "eerste", "nl", "a.pdf", conversation="c", found="yes"),
            Judged("2", "tweede", "nl", "b.pdf", conversation="c", found="no"),
            Judged("3", '<script>alert("x")</script>', "en", "c.pdf"),
            Judged("4", "vierde", "en"),
        ]
        hits = {"1": ("A",), "2": ("A", "B"), "3": (), "4": ("A",)}
        found = {
            i: Retrieval(tuple(hit(d, "t", r) for r, d in enumerate(names, 1)), 0.5, True) for i, names in hits.items()
        }
        outcomes = evaluate(
            questions,
            lambda q: found[q.id],
            {"A": "a.pdf", "B": "b.pdf"},
            about={"a.pdf": Metadata(department="Heelkunde & co")},
        )
        figures = {**report(outcomes), "splits": {}, "embedder": "e", "store": "memory"}
        return html_report(figures, rows_of(outcomes), [1, 2, None], "Ronde <1>")

    def test_it_stands_alone_and_runs_nothing(self) -> None:
        page = self.page()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert "Heelkunde &amp; co" in page
        assert not re.findall(r'(?:src|href)="(?!#)', page)
        assert not re.findall(r"url\((?!#)", page)

    def test_its_five_plots_are_svg_that_share_no_id(self) -> None:
        plots = re.findall(r"<svg.*?</svg>", self.page(), re.DOTALL)
        assert len(plots) == 5
        ids = [set(re.findall(r' id="(m?p?[0-9a-f]{10,})"', plot)) for plot in plots]
        for plot in plots:
            ElementTree.fromstring(plot)
        assert not any(a & b for i, a in enumerate(ids) for b in ids[i + 1 :])

    def test_it_says_what_the_testers_said_and_what_was_missed(self) -> None:
        page = self.page()
        assert re.search(
            r"<th>yes</th><td[^>]*>1</td>.*<th>partly</th><td[^>]*>0</td>.*<th>no</th><td[^>]*>1</td>", page
        )
        assert "Not among the first three: 1" in page
        assert "Hit@1 0.33" in page  # in figure 3.13, of the ranks among 50
        assert "(2; the thesis" in page  # conversations: "c", and the third question by itself


def test_without_matplotlib_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation.quality.plots import need_matplotlib

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigurationError, match=r"'\.\[report\]'"):
        need_matplotlib()


class TestDecoding:
    HITS = tuple(hit(name, f"Tekst van {name}. Geef 15 mg/kg.", rank) for rank, name in enumerate("ABCD", 1))
    JUDGED = Judged("1", "Hoeveel per kg?", "nl", "a.pdf", 1, "Geef 15 mg/kg.")

    def test_a_prompt_is_the_thesiss_with_three_chunks(self) -> None:
        made = row_of(self.JUDGED, self.HITS)
        assert made["prompt"].startswith("[begin context]")
        assert made["prompt"].count("\n---\n") == 2
        assert "Tekst van C." in made["prompt"]
        assert "Tekst van D." not in made["prompt"]
        assert (made["answer"], made["answer_from"], made["language"]) == ("Geef 15 mg/kg.", JUDGED, "nl")
        assert "You are a doctor" in row_of(replace(self.JUDGED, language="en"), self.HITS)["prompt"]

    def test_bleu_without_brevity_penalty_is_one_for_a_copy_however_short(self) -> None:
        assert bleu(["een twee drie vier"], ["nul een twee drie vier vijf zes zeven"]) == pytest.approx(1.0)
        assert bleu(["heel andere woorden dan die"], ["nul een twee drie vier"]) == 0.0

    def test_bleu_clips_and_takes_the_geometric_mean(self) -> None:
        # 1-grams: a b c d x -> 4/5; 2-grams: ab bc cd dx -> 3/4; 3-grams: 2/3; 4-grams: 1/2
        expected = exp((log(4 / 5) + log(3 / 4) + log(2 / 3) + log(1 / 2)) / 4)
        assert bleu(["a b c d x"], ["a b c d e f"]) == pytest.approx(expected)
        assert bleu(["a a a a b c d"], ["a b c d"]) < 0.6

    def test_the_statistics_are_those_of_table_5_1(self) -> None:
        rows = [
            row_of(self.JUDGED, self.HITS),
            row_of(replace(self.JUDGED, id="2", language="en", span="Geef"), self.HITS),
        ]
        table = statistics(rows, tokens=lambda text: len(text.split()))
        assert (table["prompts"], table["chunks_per_prompt"], table["answer_characters"], table["answer_tokens"]) == (
            2,
            3.0,
            9.0,
            2.0,
        )
        assert table["prompt_characters"] == round(sum(len(r["prompt"]) for r in rows) / 2, 1)
        assert table["languages"]["nl"]["bleu"] == 1.0 or table["languages"]["nl"]["bleu"] > 0.9
        assert table["answers_from"] == {JUDGED: 2}
        assert statistics(rows)["prompt_tokens"] is None

    def test_decode_takes_its_questions_with_their_passages(self, tmp_path: Path) -> None:
        from services.generator.bench.common.prompts import exported
        from services.generator.bench.common.recorded import BadRecords

        write_rows(tmp_path / "prompts.jsonl", [row_of(self.JUDGED, self.HITS)])
        (job,) = exported(tmp_path / "prompts.jsonl")
        assert (job.id, job.question, [passage.text for passage in job.passages]) == (
            "1",
            self.JUDGED.question,
            [hit.chunk.text for hit in self.HITS[:3]],
        )
        (tmp_path / "other.jsonl").write_text('{"id": 1}\n')
        with pytest.raises(BadRecords, match=r"other\.jsonl:1"):
            exported(tmp_path / "other.jsonl")

    def test_replay_measures_on_the_exported_file(self, tmp_path: Path) -> None:
        """The generator's own benchmark reads it, as it reads any recorded answers."""
        from tokenizers import Tokenizer, models, pre_tokenizers

        words = {
            word: n
            for n, word in enumerate(
                ["?", *sorted({w for h in self.HITS for w in re.findall(r"\w+|[^\w\s]+", h.chunk.text)})]
            )
        }
        tokenizer = Tokenizer(models.WordLevel(words, unk_token="?"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        write_rows(tmp_path / "prompts.jsonl", [row_of(self.JUDGED, self.HITS)])
        command = [
            sys.executable,
            "-m",
            "services.generator.bench",
            "replay",
            "--data",
            str(tmp_path / "prompts.jsonl"),
        ]
        command += ["--tokenizer", str(tmp_path / "tokenizer.json"), "--drafter", "casd", "--json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        measured = json.loads(done.stdout.strip().splitlines()[-1])
        assert measured["answers"] == 1
        assert measured["tau"] > 1.0
