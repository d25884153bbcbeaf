"""Decode one answer with EAGLE and copied text in one tree: python examples/decode.py"""

from services.contract.wire import ChatRequest, DocumentIn, MessageIn
from services.generator.server.config import GeneratorSettings
from services.generator.server.openai_chat import build_request
from services.generator.server.service import load

PASSAGE = (
    "Remove the catheter as soon as it is no longer needed. Wash your hands before and after, and write the date in "
    "the patient's record."
)

loaded = load(GeneratorSettings(model="demo", drafter="copy+eagle"))
ask = ChatRequest(
    model="demo",
    messages=[MessageIn(role="user", content="When do I remove the catheter, and what do I write down?")],
    documents=[DocumentIn(id="catheter", title="Catheter care", text=PASSAGE)],
)
request = build_request(ask, loaded.codec, loaded.engine.drafters, loaded.defaults)
loaded.engine.add(request)
outputs = list(loaded.engine.run())
text, stats = "".join(output.text for output in outputs), request.sequence.stats
print(text)
print(
    f"tau {stats.tokens / stats.steps:.2f}: {stats.tokens} tokens in {stats.steps} steps, drafted by "
    f"{stats.accepted_by_source}"
)
print("copied:", [text[span.answer_start : span.answer_end] for output in outputs for span in output.spans])
