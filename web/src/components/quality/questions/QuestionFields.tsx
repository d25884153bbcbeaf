// The words of a judged question, who asks it, and what is noted of it.
import { useEffect, useRef } from "react";
import { useStaffMessages } from "../../../i18n";
import { functionsOf, useFacets } from "../../../queries/documents/facets";
import { VERDICTS } from "../../../state/conversation/judgement";
import { GROUPS } from "../../../state/scope";
import { type Form, SPLITS } from "../../../state/staff/judged";
import { Choice } from "../../shared/controls/Choice";
import { Suggested } from "../../shared/controls/Suggested";

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
        {functionsOf(facets, m).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
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
