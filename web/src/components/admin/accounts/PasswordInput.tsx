// A new password that is typed for somebody: hidden from who looks along, until it is to be told.
import { type ComponentProps, type ReactNode, useState } from "react";
import { useStaffMessages } from "../../../i18n";
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from "../../../state/staff/account";

interface Props extends Pick<ComponentProps<"input">, "id" | "value" | "onChange" | "aria-describedby"> {
  children?: ReactNode; // what stands behind it
}

export function PasswordInput({ children, ...rest }: Props) {
  const m = useStaffMessages();
  const [shown, setShown] = useState(false);
  return (
    <span className="with-button">
      <input
        {...rest}
        required
        type={shown ? "text" : "password"}
        autoComplete="new-password"
        spellCheck={false}
        minLength={SHORTEST_PASSWORD}
        maxLength={LONGEST_PASSWORD}
      />
      <button type="button" className="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
        {m.accounts.showPassword}
      </button>
      {children}
    </span>
  );
}
