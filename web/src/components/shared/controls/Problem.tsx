// What went wrong with what the page shows; nothing when nothing did.
import { failureWords, useMessages } from "../../../i18n";

export function Problem({ code }: { code: string | undefined }) {
  const m = useMessages();
  if (code === undefined) return null;
  return (
    <p className="notice serious" role="alert">
      {failureWords(code, m)}
    </p>
  );
}
