// The end of a form that makes something: what is wrong with it, and the two ways out.
import { useStaffMessages } from "../../i18n";

interface Props {
  wrong: string;
  make: string;
  pending: boolean;
  onCancel(): void;
}

export function FormFoot({ wrong, make, pending, onCancel }: Props) {
  const m = useStaffMessages();
  return (
    <>
      {wrong && (
        <p className="notice serious" role="alert">
          {wrong}
        </p>
      )}
      <p className="judge-foot">
        <button type="submit" className="button primary" disabled={pending}>
          {make}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {m.accounts.cancel}
        </button>
      </p>
    </>
  );
}
