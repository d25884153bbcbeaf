// Quotes as a copied link names them: of a long one its first words, how many characters it has and
// their check sum. By these the service finds it again, and sees where one of them changed.
const FIRST = 240; // characters of the first words of all quotes together
const LEAST = 4; // of one of very many

export function shortened(quotes: readonly string[]): string[] {
  return byLetters(quotes).map((short, index) => {
    const words = plain(quotes[index] ?? "");
    return short.length < words.length ? short : words;
  });
}

/** Even where they are short: by these they are found wherever the document's text has blanks. */
export function byLetters(quotes: readonly string[]): string[] {
  const each = Math.max(LEAST, Math.floor(FIRST / quotes.length));
  return quotes.map(plain).map((words) => {
    const letters = words.replaceAll(" ", "");
    return `${[...words].slice(0, each).join("").trim()}~${[...letters].length}-${checkSum(letters)}`;
  });
}

const plain = (quote: string): string => quote.replace(/\s+/g, " ").trim();

/** CRC-32, as zlib counts it. */
function checkSum(text: string): string {
  let sum = -1;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (~sum >>> 0).toString(36);
}
