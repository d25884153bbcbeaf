// A conversation as Markdown, for a report or a record: each answer with its documents, pages,
// links and the words that were quoted.
import type { Answer, ConversationDetail, Source } from "../../api/types";
import { dayOf, formatDay, formatInstant, type StaffMessages } from "../../i18n";
import { placePath } from "../../state/window/route";
import { type Block, blocks, type Row, type Run } from "../../text/answer/blocks";
import { citationOf, noticesSaid, placesOf, sinceWords } from "../../text/documents/facts";

/** `origin`: where the links lead, as "https://bedside.hospital.example". */
export function markdownOf({ title, answers }: ConversationDetail, origin: string, m: StaffMessages): string {
  const said = answers.map((answer) => answerOf(answer, origin, m));
  return [`# ${plain(title)}`, ...said, `*${plain(m.answer.copiedOn(formatDay(dayOf(new Date()), m)))}*`]
    .join("\n\n")
    .concat("\n");
}

function answerOf(answer: Answer, origin: string, m: StaffMessages): string {
  const { question, created_at, notices, since, sources, spans, unsupported } = answer;
  const words = blocks(answer.answer, spans, sources, unsupported).map((block) => blockOf(block, m));
  const cited = citationsOf(answer, origin, m);
  return [
    `## ${plain(question)}`,
    `*${plain(formatInstant(created_at, m))}*`,
    ...since.map((one) => `**${plain(sinceWords(one, m))}** ${plain(one.newer?.title ?? "")}`.trim()),
    ...noticesSaid(notices, m).map(({ text }) => `**${plain(text)}**`),
    ...words,
    ...(cited.length > 0 ? [`### ${m.conversations.sources}`, ...cited] : []),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Each page of a source once, with all of its words that were quoted. */
function citationsOf({ sources, spans }: Answer, origin: string, m: StaffMessages): string[] {
  const of = (source: Source, page: number, quote: string): string => {
    const link = `${origin}${placePath({ document: source.document_id, page, quotes: [] })}`;
    const told = citationOf(source, page, m).slice(`${source.rank}. ${source.title}`.length);
    const quoted = quote
      ? `\n\n${quote
          .split("\n")
          .map((line) => `> ${plain(line)}`)
          .join("\n>\n")}`
      : "";
    return `\\[${source.rank}\\] [${plain(source.title)}](<${link}>)${plain(told)}${quoted}`;
  };
  return placesOf({ sources, spans }).map(({ source, page }) => {
    const own = spans.filter((span) => span.rank === source.rank && span.page === page);
    return of(source, page, own.map(({ text }) => text.trim()).join("\n"));
  });
}

function blockOf(block: Block, m: StaffMessages): string {
  if (block.kind === "part") {
    const rank = block.spans[0]?.rank;
    return [...block.pieces.map(runOf), rank === undefined ? "" : `\\[${rank}\\]`].filter(Boolean).join("\n\n");
  }
  const said = block.segments.map(({ text, span, unsupported }) => {
    if (unsupported) return `${plain(text)} (${m.answer.notInSource})`;
    return span ? `${plain(text.trimEnd())} \\[${span.rank}\\]${text.slice(text.trimEnd().length)}` : plain(text);
  });
  return said.join("").trim();
}

function runOf(run: Run): string {
  if (run.kind === "table") return tableOf(run.head, run.body);
  if (run.kind === "list") {
    return run.items
      .map(({ label, text, level }) => {
        const told = /[\p{L}\p{N}]/u.test(label) ? `${label} ${text}` : text; // a bullet is there already
        return `${"  ".repeat(level)}- ${plain(told)}`;
      })
      .join("\n");
  }
  const words = run.said
    .map(({ text, asked }) => (asked ? `**${plain(text.trim())}** ` : plain(text)))
    .join("")
    .trim();
  const { as: kind } = run;
  return kind === "heading" ? `**${words}**` : words;
}

/**
 * A table in Markdown has one header: of several the last, with what stands above it as rows
 * before.
 */
function tableOf(head: readonly Row[], body: readonly Row[]): string {
  const rows = [...head, ...body];
  const width = Math.max(...rows.flatMap((row) => row.map(({ column, columns }) => column + columns)));
  const line = (row: Row): string => {
    const cells = Array.from({ length: width }, (_, column) => row.find((cell) => cell.column === column)?.text ?? "");
    return `| ${cells.map((text) => plain(text).replaceAll("\n", " ")).join(" | ")} |`;
  };
  const [first = [], ...rest] = head.length > 0 ? rows : [[], ...rows];
  return [line(first), `|${" --- |".repeat(width)}`, ...rest.map(line)].join("\n");
}

/**
 * So that a document's signs stay signs: "*" is no emphasis, and "1." at a line's beginning no
 * list.
 */
const plain = (text: string): string =>
  text
    .replaceAll("\t", " | ")
    .replace(/[\\`*_[\]<>|#~&]/g, "\\$&")
    .replace(/^(\s*)([-+])(?=\s)/gm, "$1\\$2")
    .replace(/^(\s*\d+)([.)])(?=\s)/gm, "$1\\$2");
