// Light, dark, or as the device has it; kept on this device.
import { useEffect, useState } from "react";
import { useMessages } from "../../../i18n";
import { recall, remember } from "../../../settings";
import { known } from "../../../text/known";
import { Options } from "../controls/Choice";

const THEMES = ["auto", "light", "dark"] as const;
type ThemeName = (typeof THEMES)[number];

export function Theme() {
  const m = useMessages();
  const [theme, setTheme] = useState<ThemeName>(() => known(THEMES, recall("theme") ?? "") ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
  }, [theme]);
  return (
    <Options
      className="quiet theme"
      aria-label={m.app.theme}
      title={m.app.theme}
      value={theme}
      options={THEMES.map((one) => [one, m.app.themes[one]] as const)}
      onValue={(chosen) => setTheme(chosen || "auto")}
    />
  );
}
