// Numbers in a text that are to be dialled, by their form: a whole number of a country ("+32 2 555
// 01 02", "02/555.01.02"), or one that words about telephones lead to ("toestel 4521", "call 112").
// A dose, a date, a page or a room is none. What is in doubt is left alone: a number that cannot be
// pressed can still be read.

export interface Phone {
  start: number; // UTF-16 offsets
  end: number;
  number: string; // what is dialled: digits, and a plus before a country
}

const CANDIDATE = /(?<![\p{L}\p{N}+/.,:-])\+?\d+(?:(?: ?\(0\) ?|[ ./-])\d+)*(?![\p{L}\p{N}])/gu;
/**
 * Nouns; those in the second are also other words ("tel 100 compressies"), so their number must be
 * long or a point must follow.
 */
const NOUN =
  /(?:^|[^\p{L}])(?:telefoon|telefoonnummer|telefoonnr|toestel|toestelnummer|dect|gsm|oproepnummer|noodnummer|doorkiesnummer|pieper|extension|telephone|phone|pager|bleep|mobile|[☎✆])(?:[\s-]*(?:nummer|number|nr|no))?[.:]*\s*\(?$/iu;
const SHORT_NOUN = /(?:^|[^\p{L}])(?:tel|ext|intern|sein)([\s-]*(?:nummer|number|nr|no))?([.:]*)\s*\(?$/iu;
const VERB =
  /(?:^|[^\p{L}])(?:bel|bellen|belt|call|dial|ring|phone)\s+(?:(?:op|naar|via|het|on|to|the)\s+)*(?:(?:nummer|number|nr)[.:]?\s+)?$/iu;
/** "Bel de arts van wacht op 4521": further away, so more is asked of the number. */
const FAR_VERB =
  /(?:^|[^\p{L}])(?:bel|bellen|belt|call|dial|ring|phone)\s[^\d.;!?\n]{1,60}\s(?:op|via|on|nummer|number)\s+$/iu;
const AND = /^\s?(?:,|\/|of|or|en|and)\s?$/;
const DATE = /^\d{1,2}[ ./-]\d{1,2}[ ./-](?:19|20)?\d{2}(?!\d)/;
const YEAR_FIRST = /^(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2}(?!\d)/;
/** What makes a number a quantity: a sign, or a symbol of a unit. */
const QUANTITY =
  /^(?:\s?(?:%|°|×|\/|[.,]\d|:\d)|\s?(?:[µμnmkcdh]?(?:g|l|L|m|mol|Pa|eq|osm|cal)|mcg|gram|mmHg|cmH2O|IE|IU|E|U|x|bpm|keer|times|maal|sec|min|uur|u|h|s|dagen|days)(?![\p{L}\p{N}]))/u;
const ENDS = /^\s?(?:$|[.;,!?)\]]|\n)/;

export function phonesIn(text: string): Phone[] {
  const found: Phone[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const [start, end] = [match.index, match.index + match[0].length];
    const [before, after] = [text.slice(0, start), text.slice(end)];
    const last = found.at(-1);
    const follows = last !== undefined && AND.test(text.slice(last.end, start));
    if (isPhone(match[0], before, after, follows)) found.push({ start, end, number: dialled(match[0]) });
  }
  return found;
}

const dialled = (written: string): string => written.replace("(0)", "").replace(/[^\d+]/g, "");

function isPhone(written: string, before: string, after: string, follows: boolean): boolean {
  const digits = dialled(written).replace("+", "");
  if (QUANTITY.test(after) || DATE.test(written) || YEAR_FIRST.test(written) || digits.length < 3) return false;
  if (written.startsWith("+")) return /^[1-9]/.test(digits) && digits.length >= 9 && digits.length <= 15;
  const national = /^0[1-9]\d*$/.test(digits) && digits.length >= 9 && digits.length <= 10;
  if (national && /^0\d{1,3}[ ./-]/.test(written)) return true;
  if (!(national || /^0\d{7,10}$/.test(digits) || isExtension(written))) return false;
  const noun = SHORT_NOUN.exec(before);
  if (noun) return noun[1] !== undefined || noun[2] !== "" || (digits.length >= 4 && ENDS.test(after));
  if (NOUN.test(before) || VERB.test(before)) return true;
  if (follows) return true;
  return FAR_VERB.test(before) && digits.length >= 4 && ENDS.test(after);
}

/**
 * One run of digits, or runs of one length ("245 245"): of others one cannot tell where the number
 * ends.
 */
function isExtension(written: string): boolean {
  const runs = written.split(/[ ./-]/);
  if (runs.length === 1) return written.length <= 6;
  return (
    runs.length <= 3 && runs.every((run) => run.length === runs[0]?.length && run.length >= 2) && !/[./]/.test(written)
  );
}
