// The words of a judged question, who asks it, and what is noted of it.
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { VERDICTS } from "../../../state/conversation/judgement";
import { GROUPS } from "../../../state/scope";
import { type Form, SPLITS } from "../../../state/staff/judged";
import { Choice } from "../../shared/controls/Choice";

interface Props {
  form: Form;
  known: string | undefined; // the question as it stands; undefined: a new one
  onChange(part: Partial<Form>): void;
}

export function QuestionFields({ form, known, onChange }: Props) {
  const m = useStaffMessages();
  const question = useRef<HTMLTextAreaElement>(null);
  const isNew = known === undefined;
  useEffect(() => {
    if (isNew) question.current?.focus();
  }, [isNew]);
  return (
    <fieldset>
      <legend className="sr-only">{known ?? m.sets.add}</legend>
      <label className="document-field wide">
        {m.sets.question}
        <textarea
          rows={2}
          required
          maxLength={4000}
          ref={question}
          value={form.question}
          onChange={(event) => onChange({ question: event.target.value })}
        />
      </label>
      <Asker form={form} onChange={onChange} />
      <Choices form={form} isNew={isNew} onChange={onChange} />
      <label className="document-field wide">
        {m.sets.note}
        <textarea
          rows={1}
          maxLength={2000}
          value={form.note}
          onChange={(event) => onChange({ note: event.target.value })}
        />
      </label>
    </fieldset>
  );
}

function Asker({ form, onChange }: Pick<Props, "form" | "onChange">) {
  const m = useStaffMessages();
  const { data: facets } = useFacets(); // without it every field can be typed
  return (
    <>
      <Suggested label={m.quality.function} value={form.function} onValue={(chosen) => onChange({ function: chosen })}>
        {facets?.functions.map((one) => (
          <option key={one.id} value={one.id}>
            {m.locale.startsWith("nl") ? one.nl : one.en}
          </option>
        ))}
      </Suggested>
      <Suggested
        label={m.quality.department}
        value={form.department}
        onValue={(department) => onChange({ department })}
      >
        {facets?.departments.map((one) => (
          <option key={one} value={one} />
        ))}
      </Suggested>
    </>
  );
}

interface SuggestedProps {
  label: string;
  value: string;
  children: ReactNode; // options to choose from while something else may be typed
  onValue(value: string): void;
}

function Suggested({ label, value, children, onValue }: SuggestedProps) {
  const list = useId();
  return (
    <label className="document-field">
      {label}
      <input list={list} maxLength={200} value={value} onChange={(event) => onValue(event.target.value)} />
      <datalist id={list}>{children}</datalist>
    </label>
  );
}

function Choices({ form, isNew, onChange }: Pick<Props, "form" | "onChange"> & { isNew: boolean }) {
  const m = useStaffMessages();
  return (
    <>
      <Choice
        className="document-field"
        label={m.sets.group}
        value={form.group}
        none={m.scope.unsaid}
        options={GROUPS.map((group) => [group, m.card.groups[group]] as const)}
        onValue={(group) => onChange({ group })}
      />
      <Choice
        className="document-field"
        label={m.admin.fields.language}
        value={form.language}
        none={m.scope.unsaid}
        options={[["nl", m.scope.dutch] as const, ["en", m.scope.english] as const]}
        onValue={(language) => onChange({ language })}
      />
      <Choice
        className="document-field"
        label={m.sets.split}
        value={form.split}
        none={isNew ? m.sets.splitByWords : null}
        options={SPLITS.map((split) => [split, m.sets.kinds[split]] as const)}
        onValue={(split) => onChange({ split })}
      />
      <Choice
        className="document-field"
        label={m.feedback.found}
        value={form.found}
        none={m.scope.unsaid}
        options={VERDICTS.map((verdict) => [verdict, m.feedback.verdicts[verdict]] as const)}
        onValue={(found) => onChange({ found })}
      />
    </>
  );
}
