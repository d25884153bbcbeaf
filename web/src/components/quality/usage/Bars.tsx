// A plot of stacked bars. What it shows stands in a table beside it, so that it is a picture to who
// hears the page.
const WIDTH = 720;
const HEIGHT = 160;

interface Column {
  name: string; // shown where one points at it
  parts: number[]; // from below
}

interface Props {
  name: string;
  parts: string[];
  columns: Column[];
  said?: (value: number) => string;
  nested?: boolean; // each part counts those below it: what is within a minute is within an hour
}

export function Bars({ name, parts, columns, said = String, nested = false }: Props) {
  const size = (column: Column, n: number): number =>
    Math.max(0, (column.parts[n] ?? 0) - (nested ? (column.parts[n - 1] ?? 0) : 0));
  const top = (column: Column, n: number): number =>
    parts.slice(0, n + 1).reduce((sum, _, at) => sum + size(column, at), 0);
  const most = Math.max(...columns.map((column) => top(column, parts.length - 1)));
  const scale = HEIGHT / (most || 1);
  const wide = WIDTH / columns.length;
  return (
    <figure className="plot">
      <figcaption>
        {name}
        {parts.map((part, n) => (
          <span key={part} className={`key part-${n}`}>
            {part}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 1}`} role="img" aria-label={`${name}: ${said(most)}`}>
        <text x="0" y="12" className="plot-most">
          {said(most)}
        </text>
        {columns.map((column, at) => (
          <g key={column.name}>
            <title>{`${column.name}: ${column.parts.map((count, n) => `${parts[n]} ${said(count)}`).join(", ")}`}</title>
            <rect x={at * wide} y="0" width={wide} height={HEIGHT} className="column" />
            {parts.map((part, n) => (
              <rect
                key={part}
                className={`part-${n}`}
                x={at * wide + wide * 0.1}
                y={HEIGHT - scale * top(column, n)}
                width={wide * 0.8}
                height={scale * size(column, n)}
              />
            ))}
          </g>
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="plot-line" />
      </svg>
    </figure>
  );
}
