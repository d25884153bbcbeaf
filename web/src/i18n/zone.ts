// Where the clock stands that times are told by: this device's.

/** "Central European Time": of summer and winter. */
export const zoneIn = (locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeZoneName: "longGeneric" })
    .formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value ?? "";
