// A judged question to be written or rewritten: its words, who asks, its half, and where the answer
// stands.
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../../api/errors";
import { refusalWords, useStaffMessages } from "../../../i18n";
import { useDeleteQuestion, useWriteQuestion } from "../../../queries/staff/judged";
import { EMPTY, type Form, formOf, isPlaced, isSame, type Listed, toSend } from "../../../state/staff/judged";
import { Confirm } from "../../shared/controls/Confirm";
import { Places } from "./Places";
import { QuestionFields } from "./QuestionFields";

interface Props {
  set: string;
  id: string;
  listed: Listed | null; // null: a new one
  onDeleted?(question: string): void;
  onClose?(): void;
}

export function QuestionForm({ set, id, listed, onDeleted, onClose }: Props) {
  const m = useStaffMessages();
  const [before, setBefore] = useState<Form>(() => (listed ? formOf(listed) : EMPTY));
  const [form, setForm] = useState(before);
  const [said, setSaid] = useState<{ text: string; wrong: boolean } | null>(null);
  const write = useWriteQuestion(set, id);
  const remove = useDeleteQuestion(set, id);
  const change = (part: Partial<Form>): void => {
    setForm({ ...form, ...part });
    setSaid(null);
  };
  const onError = (error: ApiError): void => setSaid({ text: refusalWords(error, m), wrong: true });
  const saved = (): void => {
    setBefore(form);
    setSaid({ text: isPlaced(form) ? m.quality.saved(set) : m.quality.savedOpen(set), wrong: false });
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    write.mutate(toSend(form), { onSuccess: saved, onError });
  };
  return (
    <form className="document-form question-form" onSubmit={save}>
      <QuestionFields form={form} known={listed?.judged.question} onChange={change} />
      <Places form={form} onChange={change} />
      <p className="judge-foot">
        <button type="submit" className="button primary" disabled={isSame(form, before) || form.question.trim() === ""}>
          {m.quality.save}
        </button>
        {onClose && (
          <button type="button" className="button" onClick={onClose}>
            {m.sets.close}
          </button>
        )}
        {onDeleted && (
          <Confirm
            label={m.sets.deleteQuestion}
            question={m.sets.sureQuestion}
            onYes={() => remove.mutate(undefined, { onSuccess: () => onDeleted(before.question), onError })}
          />
        )}
        <span role="status" className={said?.wrong ? "wrong" : "muted"}>
          {said?.text}
        </span>
      </p>
    </form>
  );
}
