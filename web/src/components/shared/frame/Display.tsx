// How the page looks: light or dark, and how large its words are, for instance on a cart. Kept on
// this device.
import { useEffect, useState } from "react";
import { useMessages } from "../../../i18n";
import { useSession } from "../../../queries/session";
import { recall, remember } from "../../../settings";
import { keepPlace } from "../../../state/window/keptPlace";
import { known } from "../../../text/known";
import { Choice } from "../controls/Choice";
import { lazyPart } from "../controls/lazyPart";
import { Optional } from "../controls/Optional";

const HandsFree = lazyPart(async () => (await import("./HandsFree")).default);

const THEMES = ["auto", "light", "dark"] as const;
const SIZES = ["normal", "larger", "largest"] as const;

/** Items of a menu. `useDisplay` must be called where it is always drawn. */
export function Display({ theme, size, setTheme, setSize }: ReturnType<typeof useDisplay>) {
  const m = useMessages();
  const handsFree = useSession().data?.hands_free;
  return (
    <>
      <li>
        <Choice
          className="menu-choice"
          label={m.app.theme}
          value={theme}
          options={THEMES.map((one) => [one, m.app.themes[one]] as const)}
          onValue={(chosen) => setTheme(chosen || "auto")}
        />
      </li>
      <li>
        <Choice
          className="menu-choice"
          label={m.app.size}
          value={size}
          options={SIZES.map((one) => [one, m.app.sizes[one]] as const)}
          onValue={(chosen) => keepPlace(() => setSize(chosen || "normal"))}
        />
      </li>
      {handsFree && (
        <Optional fallback={null}>
          <HandsFree />
        </Optional>
      )}
    </>
  );
}

export function useDisplay() {
  const [theme, setTheme] = useState(() => known(THEMES, recall("theme") ?? "") ?? "auto");
  const [size, setSize] = useState(() => known(SIZES, recall("size") ?? "") ?? "normal");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
  }, [theme]);
  useEffect(() => {
    document.documentElement.dataset.size = size;
    remember("size", size);
  }, [size]);
  return { theme, size, setTheme, setSize };
}
