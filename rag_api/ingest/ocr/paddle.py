"""The first reader: PP-OCRv6's models, computed by onnxruntime. Finds lines of text on a picture,
and reads them letter by letter.

The models lie in the wheel of `rapidocr` and are named by their paths, so that nothing looks for
them elsewhere. They know eighteen thousand letters; those that no Dutch or English text has are
left out of the choice.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.ocr.picture import Grey

_DETECTION_SIDE = 1280  # pixels of the longer side; less misses small print
_HEIGHT = 48  # pixels of a line, as the models were trained
_WIDEST_BATCH = 2600  # pixels: what is read together costs memory by its width
_LONGEST = 3200  # pixels
_SIGNS = "–—‘’“”„…•·°±×÷≤≥≈≠→←↑↓µμ€£§½¼¾⅓⅔²³‰√α β γ δ Δ Ω λ ☐ ☑ ☒ □ ✓ ✔ ▪ ■ ● ◦ ►"
# lines that are asked which way up they stand, how surely they answer, lines that are read to tell
_ASKED, _AGREED, _TRIED = 12, 0.8, 4

Quad = NDArray[np.float32]  # [4, 2] corners, clockwise from the text's top left


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A line as read. `at`: the middle of each letter as a share of the line's width; `sure`: the
    probability that the model gives it."""

    text: str
    sure: NDArray[np.float32]
    at: NDArray[np.float32]

    @property
    def score(self) -> float:
        return float(self.sure.mean()) if len(self.sure) else 0.0


class Paddle:
    """The three models, loaded."""

    def __init__(self) -> None:
        from omegaconf import OmegaConf
        from rapidocr.ch_ppocr_cls import TextClassifier
        from rapidocr.ch_ppocr_det import TextDetector
        from rapidocr.ch_ppocr_rec import TextRecognizer
        from rapidocr.main import DEFAULT_CFG_PATH
        from rapidocr.utils.log import logger
        from rapidocr.utils.parse_parameters import ParseParams

        logger.setLevel("CRITICAL")
        said = ParseParams.load(DEFAULT_CFG_PATH)
        engine = OmegaConf.merge(said.EngineConfig.onnxruntime, {"intra_op_num_threads": 1, "inter_op_num_threads": 1})
        models = Path(DEFAULT_CFG_PATH).parent / "models"
        for part, model in (
            ("Det", "PP-OCRv6_det_small"),
            ("Cls", "ch_ppocr_mobile_v2.0_cls_mobile"),
            ("Rec", "PP-OCRv6_rec_small"),
        ):
            said[part].engine_cfg = engine
            said[part].model_path = str(models / f"{model}.onnx")
            said[part].model_root_dir = str(models)
        said.Rec.font_path = None
        said.Det.limit_type, said.Det.limit_side_len = "max", _DETECTION_SIDE
        self._detector, self._classifier, self._recogniser = (
            TextDetector(said.Det),
            TextClassifier(said.Cls),
            TextRecognizer(said.Rec),
        )
        letters = self._recogniser.postprocess_op.character
        self._allowed = np.array([n for n, letter in enumerate(letters) if n == 0 or _is_ours(letter)])
        self._letters = [letters[n] for n in self._allowed]

    def find(self, grey: Grey) -> list[Quad]:
        """The lines of text, or pieces of them, in no order."""
        found = self._detector(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR))
        return [] if found.boxes is None else [np.asarray(box, np.float32) for box in found.boxes]

    def is_upside_down(self, crops: Sequence[Grey], check: Callable[[], None]) -> bool:
        """What the longest of these lines say; when they do not agree that they are not, by how
        well they are read either way."""
        longest = sorted(crops, key=lambda crop: -crop.shape[1] / crop.shape[0])
        said = self._classifier([cv2.cvtColor(crop, cv2.COLOR_GRAY2BGR) for crop in longest[:_ASKED]]).cls_res
        if all(label == "0" and score > _AGREED for label, score in said):
            return False
        tried = longest[:_TRIED]
        upright, turned = (
            self.read(lines, check) for lines in (tried, [np.ascontiguousarray(crop[::-1, ::-1]) for crop in tried])
        )
        return sum(float(one.sure.sum()) for one in turned) > sum(float(one.sure.sum()) for one in upright)

    def read(self, crops: Sequence[Grey], check: Callable[[], None]) -> list[Reading]:
        """Each crop's letters, in the order of the crops. check: called between the steps; may
        raise."""
        found: dict[int, Reading] = {}
        for batch in _batches(crops):
            check()
            found |= zip(batch, self._read([_sized(crops[i]) for i in batch]), strict=True)
        return [found[i] for i in range(len(crops))]

    def _read(self, lines: Sequence[Grey]) -> Iterator[Reading]:
        widest = max(line.shape[1] for line in lines)
        batch = np.zeros((len(lines), 3, _HEIGHT, widest), np.float32)
        for n, line in enumerate(lines):
            batch[n, :, :, : line.shape[1]] = line / 127.5 - 1
        chances = np.asarray(self._recogniser.session(batch))[:, :, self._allowed]
        for n, line in enumerate(lines):
            yield self._decode(chances[n], widest / line.shape[1])

    def _decode(self, chances: NDArray[np.float32], stretch: float) -> Reading:
        """[steps, letters] probabilities -> letters; equal ones in a row are one, 0 is none.
        stretch: the batch's width over the line's."""
        best, sure = chances.argmax(axis=1), chances.max(axis=1)
        starts = np.flatnonzero(np.diff(best, prepend=-1))
        ends = np.append(starts[1:], len(best))
        runs = [(int(best[a]), a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True) if best[a]]
        text = "".join(self._letters[letter] for letter, _, _ in runs)
        middles = np.array([(a + b) / 2 / len(best) * stretch for _, a, b in runs], np.float32)
        return Reading(text, np.array([sure[a:b].max() for _, a, b in runs], np.float32), middles)


@cache
def paddle() -> Paddle:
    """Loaded once in a process. Raises ImportError without its packages."""
    return Paddle()


def _is_ours(letter: str) -> bool:
    if len(letter) != 1 or unicodedata.normalize("NFC", letter) != letter:
        return False
    return 0x20 <= ord(letter) < 0x7F or letter in _SIGNS or (letter.isalpha() and ord(letter) < 0x180)


def _sized(crop: Grey) -> Grey:
    width = min(_LONGEST, max(_HEIGHT // 2, round(crop.shape[1] * _HEIGHT / crop.shape[0])))
    return np.asarray(cv2.resize(crop, (width, _HEIGHT)), np.uint8)


def _batches(crops: Sequence[Grey]) -> Iterator[list[int]]:
    """Crops of like shapes together, as many as the widest of them allows."""
    batch: list[int] = []
    for i in sorted(range(len(crops)), key=lambda i: crops[i].shape[1] / crops[i].shape[0]):
        width = min(_LONGEST, crops[i].shape[1] * _HEIGHT / crops[i].shape[0])  # at the model's height
        if batch and (len(batch) + 1) * width > _WIDEST_BATCH:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
