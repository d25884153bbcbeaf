// Taking a document out, asked once more, with a reason for who opens it later.
import { useState } from "react";
import { useStaffMessages } from "../../i18n";
import { Confirm } from "../shared/controls/Confirm";

const LONGEST = 500; // characters: the service's limit

interface Props {
  label: string;
  question: string;
  yes: string;
  onYes(reason: string): void;
}

export function Withdraw({ onYes, ...asked }: Props) {
  const m = useStaffMessages();
  const [reason, setReason] = useState("");
  return (
    <Confirm {...asked} onYes={() => onYes(reason.trim())}>
      <label className="document-field">
        {m.admin.why}
        <input maxLength={LONGEST} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Confirm>
  );
}
