// Speaks the other language; where its words cannot be had, that is told.
import { useLanguage, useMessages } from "../../../i18n";

export function LanguageButton({ onFailed }: { onFailed(failed: boolean): void }) {
  const m = useMessages();
  const { other, speakOther } = useLanguage();
  const speak = (): void => {
    speakOther().then(
      () => onFailed(false),
      () => onFailed(true),
    );
  };
  return (
    <button type="button" className="quiet" lang={other} onClick={speak} aria-label={m.app.languageLabel}>
      {m.app.language}
    </button>
  );
}
