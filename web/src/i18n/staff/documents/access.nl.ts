// De woorden van wie een document mag lezen, in het Nederlands.
import type { StaffWords } from "../en";

const oneOf = (names: readonly string[]): string =>
  new Intl.ListFormat("nl", { type: "disjunction" }).format(names.map((name) => `“${name}”`));

export const access: StaffWords["access"] = {
  title: "Wie het mag lezen",
  atLoad: "Wie mag lezen wat u laadt",
  usual: (groups) => `Zoals gewoonlijk: ${groups}; van een nieuwe versie wie de vorige mocht lezen`,
  chosen: "Deze groepen",
  sayFirst: "Kies eerst wie het mag lezen: zoals gewoonlijk zijn dat enkel uw groepen, niet iedereen.",
  chooseFirst: "Kies eerst een groep.",
  notTaken: (names) =>
    `Niet genomen, want er is nog geen groep gekozen: ${names.join(", ")}. Kies een groep en voeg ze dan opnieuw toe.`,
  loadAllTheSame: (files) => (files === 1 ? "Toch laden" : `Toch alle ${files} laden`),
  notYours: (groups) => `U ziet dit document niet: alleen wie in de groep ${oneOf(groups)} zit, mag het lezen.`,
  groups: "Groepen",
  help: "Wie in een van deze groepen zit, mag het lezen, nu en in latere versies. In “iedereen” zit wie hier een account heeft.",
  save: "Bewaar wie het mag lezen",
  saved: "Bewaard.",
  empty: (groups: readonly string[], nobody: boolean) =>
    `In de groep ${oneOf(groups)} zit niemand die documenten kan lezen${nobody ? ": niemand zal dit document nog kunnen lezen" : ""}. Kijk de naam na.`,
  emptyYet: "Een groep van uw aanmelddienst is hier bekend zodra iemand uit die groep zich heeft aangemeld.",
  losesIt:
    "U zit in geen van deze groepen: u ziet het document dan niet meer, en alleen een beheerder uit een van die groepen kan het teruggeven.",
  lost: (title: string, groups: readonly string[]) =>
    `Bewaard. U ziet “${title}” niet meer: alleen wie in de groep ${oneOf(groups)} zit, mag het lezen.`,
  noWayBack:
    "Niet bewaard: niemand anders kan u het document teruggeven. Houd er een groep van u bij, of laat eerst een andere beheerder in een van deze groepen opnemen.",
  sure: "Toch bewaren",
  sureBack: (title, version, groups, answers) =>
    `“${title}”${version && `, versie ${version}`} terugzetten? Het is dan weer te vinden voor: ${groups}. ${answers ? "Bedside antwoordt er hen weer uit." : "Bedside antwoordt er niet uit: het is verlopen of kon niet gelezen worden."}`,
  readBy: (groups) => `te lezen door: ${groups}`,
  isBack: (title, version, groups, answers) =>
    `“${title}”${version && `, versie ${version}`} is teruggezet: het is te vinden voor ${groups}. ${answers ? "Bedside antwoordt eruit." : "Bedside antwoordt er niet uit: het is verlopen of kon niet gelezen worden."}`,
  yesBack: "Ja, zet het terug",
  ofDepartment: (department) => `Voor alle documenten van ${department}, behalve die met eigen groepen`,
  resetDepartment: (department) => `Niets eigens meer voor ${department}`,
  reset: "Zoals bij het laden of voor de dienst bepaald",
};
