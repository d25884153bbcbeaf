// A question that names no patient, completed with one: in its own language, in words that the
// service reads (guard/people/patient.py).
import type { TargetGroup } from "../../api/types";

const ENDINGS: Record<"nl" | "en", Record<TargetGroup, string>> = {
  nl: {
    adult: "bij een volwassene",
    child: "bij een kind",
    neonate: "bij een pasgeborene",
    pregnancy: "bij een zwangere",
  },
  en: { adult: "in an adult", child: "in a child", neonate: "in a newborn", pregnancy: "in a pregnant woman" },
};

/** "welke dosis?" -> "welke dosis bij een kind?" */
export function completed(question: string, group: TargetGroup, language: string): string {
  const [, words = "", mark = ""] = /^(.*?)\s*([?.!]*)\s*$/s.exec(question) ?? [];
  return `${words} ${ENDINGS[language === "en" ? "en" : "nl"][group]}${mark}`;
}
