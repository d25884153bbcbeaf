// Everything the reader must know before the answer, in one place: from the service, and of what went wrong.
import type { Notice } from "../../api/types";
import { type Messages, useMessages } from "../../i18n";
import { type AnswerState, view } from "../../state/answer";

const SERIOUS = new Set(["stream_broken", "offline", "internal", "patient_group", "conflict", "unsupported"]);

export function Notices({ state }: { state: AnswerState }) {
  const m = useMessages();
  const notices = noticesOf(state, m);
  if (notices.length === 0) return null;
  return (
    <ul className="notices">
      {notices.map((notice) => (
        <li key={notice.code + notice.text} className={SERIOUS.has(notice.code) ? "notice serious" : "notice"}>
          {notice.text}
        </li>
      ))}
    </ul>
  );
}

function noticesOf(state: AnswerState, m: Messages): Notice[] {
  const { notices, sources } = view(state);
  const own: Notice[] = [];
  if (state.kind === "failed")
    own.push({ code: state.code, text: m.errors[state.code] ?? (state.message || m.errors.internal) });
  if (state.kind === "stopped") own.push({ code: "stopped", text: m.answer.stopped });
  if (state.kind === "complete" && notices.length === 0) {
    if (state.answer.status === "not_found") own.push({ code: "not_found", text: m.answer.notFound });
    if (state.answer.status === "sources_only" && sources.length > 0)
      own.push({ code: "sources_only", text: m.answer.sourcesOnly });
  }
  return [...notices.filter((notice) => notice.code !== "demo_model"), ...own]; // the page's banner says that already
}
