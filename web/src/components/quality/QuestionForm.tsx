// A judged question to be written or rewritten: its words, who asks, its half, and where the answer stands.
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { ApiError, getFacets } from "../../api/client";
import { deleteQuestion, putQuestion } from "../../api/quality";
import type { Facets } from "../../api/types";
import { useMessages } from "../../i18n";
import {
  EMPTY,
  type Form,
  formOf,
  isSame,
  type Listed,
  newPlace,
  SPLITS,
  toSend,
  withoutAnswer,
  withPlaces,
} from "../../state/judged";
import { GROUPS } from "../../state/scope";
import { Confirm } from "../shared/Confirm";
import { PlaceRow } from "./PlaceRow";

interface Props {
  set: string;
  id: string;
  listed: Listed | null; // null: a new one
  onSaved(): void;
  onDeleted?(question: string): void;
  onClose?(): void;
}

let facetsOnce: Promise<Facets> | null = null;
const VERDICTS = ["yes", "partly", "no"] as const;

export function QuestionForm({ set, id, listed, onSaved, onDeleted, onClose }: Props) {
  const m = useMessages();
  const [before, setBefore] = useState<Form>(() => (listed ? formOf(listed) : EMPTY));
  const [form, setForm] = useState(before);
  const [facets, setFacets] = useState<Facets | null>(null);
  const [said, setSaid] = useState<{ text: string; wrong: boolean } | null>(null);
  const question = useRef<HTMLTextAreaElement>(null);
  const lists = useId();
  useEffect(() => {
    facetsOnce ??= getFacets();
    facetsOnce.then(setFacets, () => {
      facetsOnce = null; // every field can be typed without it
    });
  }, []);
  useEffect(() => {
    if (!listed) question.current?.focus();
  }, [listed]);
  const change = (part: Partial<Form>): void => {
    setForm({ ...form, ...part });
    setSaid(null);
  };
  const fail = (error: unknown): void =>
    setSaid({ text: error instanceof ApiError ? error.message : (m.errors.internal ?? ""), wrong: true });
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const body = toSend(form);
    try {
      await putQuestion(set, id, body);
      setBefore(form);
      setSaid({
        text:
          form.noAnswer || form.places.some((place) => place.document.trim())
            ? m.quality.saved(set)
            : m.quality.savedOpen(set),
        wrong: false,
      });
      onSaved();
    } catch (error) {
      fail(error);
    }
  };
  const unchanged = isSame(form, before);
  return (
    <form className="document-form question-form" onSubmit={(event) => void save(event)}>
      <fieldset>
        <legend className="sr-only">{listed?.judged.question ?? m.sets.add}</legend>
        <label className="document-field wide">
          {m.sets.question}
          <textarea
            rows={2}
            required
            maxLength={4000}
            ref={question}
            value={form.question}
            onChange={(event) => change({ question: event.target.value })}
          />
        </label>
        <label className="document-field">
          {m.quality.function}
          <input
            list={`${lists}f`}
            maxLength={200}
            value={form.function}
            onChange={(event) => change({ function: event.target.value })}
          />
          <datalist id={`${lists}f`}>
            {facets?.functions.map((one) => (
              <option key={one.id} value={one.id}>
                {m.locale.startsWith("nl") ? one.nl : one.en}
              </option>
            ))}
          </datalist>
        </label>
        <label className="document-field">
          {m.quality.department}
          <input
            list={`${lists}d`}
            maxLength={200}
            value={form.department}
            onChange={(event) => change({ department: event.target.value })}
          />
          <datalist id={`${lists}d`}>
            {facets?.departments.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
        <Choice
          label={m.sets.group}
          value={form.group}
          none={m.scope.unsaid}
          options={GROUPS.map((group) => [group, m.card.groups[group]] as const)}
          onValue={(group) => change({ group })}
        />
        <Choice
          label={m.admin.fields.language}
          value={form.language}
          none={m.scope.unsaid}
          options={[["nl", m.scope.dutch] as const, ["en", m.scope.english] as const]}
          onValue={(language) => change({ language })}
        />
        <Choice
          label={m.sets.split}
          value={form.split}
          none={listed ? null : m.sets.splitByWords}
          options={SPLITS.map((split) => [split, m.sets.kinds[split]] as const)}
          onValue={(split) => change({ split })}
        />
        <Choice
          label={m.quality.found}
          value={form.found}
          none={m.scope.unsaid}
          options={VERDICTS.map((verdict) => [verdict, m.quality.verdicts[verdict]] as const)}
          onValue={(found) => change({ found })}
        />
        <label className="document-field wide">
          {m.sets.note}
          <textarea
            rows={1}
            maxLength={2000}
            value={form.note}
            onChange={(event) => change({ note: event.target.value })}
          />
        </label>
      </fieldset>
      <fieldset className="places">
        <legend>{m.quality.held}</legend>
        {form.places.map((place, index) => (
          <PlaceRow
            key={place.key}
            place={place}
            number={index + 1}
            onPlace={(changed) =>
              change(
                withPlaces(
                  form,
                  form.places.map((one) => (one.key === place.key ? changed : one)),
                ),
              )
            }
            onRemove={() =>
              change(
                withPlaces(
                  form,
                  form.places.filter((one) => one.key !== place.key),
                ),
              )
            }
          />
        ))}
        <p className="judge-foot wide">
          <button type="button" className="link" onClick={() => change(withPlaces(form, [...form.places, newPlace()]))}>
            {m.sets.addPlace}
          </button>
          <label className="judge-choice">
            <input
              type="checkbox"
              checked={form.noAnswer}
              onChange={(event) => change(withoutAnswer(form, event.target.checked))}
            />
            {m.quality.none}
          </label>
        </p>
      </fieldset>
      <p className="judge-foot">
        <button type="submit" className="button primary" disabled={unchanged || form.question.trim() === ""}>
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
            yes={m.sets.yes}
            no={m.sets.no}
            onYes={() => void deleteQuestion(set, id).then(() => onDeleted(before.question), fail)}
          />
        )}
        <span role="status" className={said?.wrong ? "wrong" : "muted"}>
          {said?.text}
        </span>
      </p>
    </form>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T | "";
  none: string | null; // null: one must be chosen
  options: readonly (readonly [T, string])[];
  onValue(value: T | ""): void;
}

function Choice<T extends string>({ label, value, none, options, onValue }: ChoiceProps<T>) {
  return (
    <label className="document-field">
      {label}
      <select value={value} onChange={(event) => onValue(event.target.value as T | "")}>
        {none !== null && <option value="">{none}</option>}
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
