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
}

export function Bars({ name, parts, columns }: Props) {
  const total = (column: Column) => column.parts.reduce((sum, part) => sum + part, 0);
  const most = Math.max(1, ...columns.map(total));
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
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 1}`} role="img" aria-label={`${name}: ${most}`}>
        <text x="0" y="12" className="plot-most">
          {most}
        </text>
        {columns.map((column, at) => (
          <g key={column.name}>
            <title>{`${column.name}: ${column.parts.map((count, n) => `${parts[n]} ${count}`).join(", ")}`}</title>
            <rect x={at * wide} y="0" width={wide} height={HEIGHT} className="column" />
            {column.parts.map((count, n) => {
              const below = column.parts.slice(0, n).reduce((sum, part) => sum + part, 0);
              const high = (HEIGHT * count) / most;
              return (
                <rect
                  key={parts[n]}
                  className={`part-${n}`}
                  x={at * wide + wide * 0.1}
                  y={HEIGHT - (HEIGHT * below) / most - high}
                  width={wide * 0.8}
                  height={high}
                />
              );
            })}
          </g>
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="plot-line" />
      </svg>
    </figure>
  );
}
