// The server counts code points, JavaScript counts UTF-16 units; they differ from the first emoji
// or rare letter on.

/**
 * Converts offsets in `text` from code points to UTF-16 units. Offsets past the end give the end.
 */
export function utf16Offsets(text: string): (codePoints: number) => number {
  if (!/[\u{10000}-\u{10ffff}]/u.test(text)) return (offset) => Math.min(offset, text.length);
  const starts: number[] = [];
  let unit = 0;
  for (const character of text) {
    starts.push(unit);
    unit += character.length;
  }
  return (offset) => starts[offset] ?? text.length;
}
