// What the dialogs that tell an owner something have alike: what kind of message it is, and the
// button that sends it.
import { useOwnerMessages } from "../../i18n";

interface KindsProps<Kind extends string> {
  legend: string;
  kinds: readonly Kind[];
  labels: Record<NoInfer<Kind>, string>;
  name: string;
  value: Kind;
  onValue(kind: NoInfer<Kind>): void;
}

export function Kinds<Kind extends string>({ legend, kinds, labels, name, value, onValue }: KindsProps<Kind>) {
  return (
    <fieldset className="ask-owner-kinds">
      <legend>{legend}</legend>
      {kinds.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={value === one} onChange={() => onValue(one)} />
          {labels[one]}
        </label>
      ))}
    </fieldset>
  );
}

/** `form`: the id of the form that it sends, which it may stand outside of. */
export function Send({ form, isPending, disabled }: { form: string; isPending: boolean; disabled: boolean }) {
  const m = useOwnerMessages();
  return (
    <>
      <button type="submit" form={form} className="button primary" disabled={isPending || disabled}>
        {m.askOwner.send}
      </button>
      <span role="status">{isPending && m.askOwner.sending}</span>
    </>
  );
}
