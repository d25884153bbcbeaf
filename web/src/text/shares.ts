// Shares as a reader compares them.
const MOST = 4; // digits after the point, as the service rounds

/** Two different shares in percent, with as many digits as it takes to see that they differ. */
export function toldApart(one: number, other: number, locale: string): [string, string] {
  for (let digits = 0; ; digits++) {
    const options = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
    const [first, second] = [one.toLocaleString(locale, options), other.toLocaleString(locale, options)];
    if (first !== second || digits === MOST) return [first, second];
  }
}
