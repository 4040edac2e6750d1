// Draws the growth figure as SVG: the time per token of workload A by batch size and by row length, compared with the
// expectation from the number of operations. Text and lines are legible on light and dark backgrounds.
import type { Row } from './row.ts';

interface Point {
  rows: number;
  length: number;
  /** The measured microseconds for one token. */
  measured: number;
  /** The expected time, if it grows like the number of operations from the smallest size on. */
  expected: number;
}

const width = 760;
const height = 330;
const top = 64;
const bottom = 262;
/** Left edges of the two panels, and their width. */
const panels = [72, 432];
const panelWidth = 290;
/** The tolerated deviation from the expectation. */
const allowed = 0.15;

const style = `
  text { font: 12px system-ui, sans-serif; fill: #57606a; }
  .title { font-size: 13px; font-weight: 600; }
  .axis { stroke: #8c959f; stroke-width: 1; fill: none; }
  .grid { stroke: #8c959f; stroke-opacity: 0.25; }
  .band { fill: #8c959f; fill-opacity: 0.2; }
  .expected { stroke: #8c959f; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none; }
  .measured { stroke: #0969da; stroke-width: 2; fill: none; }
  .dot { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #b1bac4; }
    .measured { stroke: #6cb6ff; }
    .dot { fill: #6cb6ff; }
  }`;

/** Returns the figure of the growth rows of the CPU, or null if some of them were not measured. */
export function growthPlot(rows: readonly Row[]): string | null {
  const points = pointsOf(rows);
  const base = points[0];
  if (!base || points.some(({ measured }) => !(measured > 0))) return null;
  const byBatch = points.filter(({ length }) => length === base.length);
  const byLength = points.filter((point) => point.rows === base.rows);
  if (byBatch.length < 3 || byLength.length < 3) return null;
  const highest = Math.max(...points.flatMap(({ measured, expected }) => [measured, expected * (1 + allowed)]));
  const ticks = ticksUpTo(highest);
  const y = (value: number) => bottom - ((bottom - top) * value) / (ticks.at(-1) as number);
  const title = 'Time of one update per token, backend simd, against the operation count';
  const { adapter, n } = rows.find(isGrowth) as Row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>${style}
</style>
<text class="title" x="16" y="20">${title}</text>
${legend(`${escaped(adapter)}, medians of ${n}`)}
${ticks.map((tick) => gridLine(tick, y(tick))).join('\n')}
<text transform="translate(20 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">µs per token</text>
${panel({ left: panels[0] as number, points: byBatch, y, label: `batch: rows of ${base.length} tokens`, tick: ({ rows: count }) => `${count / base.rows}× (${count})` })}
${panel({ left: panels[1] as number, points: byLength, y, label: `length: tokens in each of ${base.rows} rows`, tick: ({ length }) => `${length / base.length}× (${length})` })}
</svg>
`;
}

function isGrowth({ workload, backend, n }: Row): boolean {
  return workload.startsWith('growth ') && backend === 'simd' && n > 0;
}

function pointsOf(all: readonly Row[]): Point[] {
  const measured = all.filter(isGrowth).map(({ workload, msMedian, operations = Number.NaN }) => {
    const [rows, length] = workload.slice('growth '.length).split(' × ').map(Number) as [number, number];
    return { rows, length, ms: msMedian ?? Number.NaN, operations };
  });
  measured.sort((a, b) => a.rows - b.rows || a.length - b.length);
  const [base] = measured;
  if (!base) return [];
  const scale = (1000 * base.ms) / base.operations;
  return measured.map(({ rows, length, ms, operations }) => ({
    ...{ rows, length },
    measured: (1000 * ms) / (rows * length),
    expected: (scale * operations) / (rows * length),
  }));
}

interface Panel {
  left: number;
  points: Point[];
  y: (value: number) => number;
  label: string;
  tick: (point: Point) => string;
}

function panel({ left, points, y, label, tick }: Panel): string {
  const inset = 34;
  const x = (at: number) => left + inset + ((panelWidth - 2 * inset) * at) / (points.length - 1);
  const path = (of: (point: Point) => number) =>
    points.map((point, at) => `${at === 0 ? 'M' : 'L'}${pixels(x(at))} ${pixels(y(of(point)))}`).join(' ');
  const upper = points.map((point, at) => `${pixels(x(at))},${pixels(y(point.expected * (1 + allowed)))}`);
  const lower = points.map((point, at) => `${pixels(x(at))},${pixels(y(point.expected * (1 - allowed)))}`).reverse();
  const dots = points.map((point, at) => {
    const [cx, cy] = [pixels(x(at)), y(point.measured)];
    const above = point.measured >= point.expected ? -10 : 20;
    return `<circle class="dot" cx="${cx}" cy="${pixels(cy)}" r="4"/>
<text x="${cx}" y="${pixels(cy + above)}" text-anchor="middle">${point.measured.toFixed(1)}</text>
<text x="${cx}" y="${bottom + 20}" text-anchor="middle">${tick(point)}</text>`;
  });
  return `<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>
<path class="expected" d="${path(({ expected }) => expected)}"/>
<path class="measured" d="${path(({ measured }) => measured)}"/>
${dots.join('\n')}
<text x="${left + panelWidth / 2}" y="${bottom + 44}" text-anchor="middle">${label}</text>`;
}

function gridLine(tick: number, y: number): string {
  const lines = panels.map(
    (left) => `<path class="${tick === 0 ? 'axis' : 'grid'}" d="M${left} ${pixels(y)}h${panelWidth}"/>`,
  );
  return [
    ...lines,
    `<text x="${(panels[0] as number) - 8}" y="${pixels(y + 4)}" text-anchor="end">${tick}</text>`,
  ].join('\n');
}

function legend(source: string): string {
  return `<path class="expected" d="M16 38h24"/><rect class="band" x="16" y="32" width="24" height="12"/>
<text x="46" y="42">operation count, ±${100 * allowed} %</text>
<path class="measured" d="M206 38h24"/><circle class="dot" cx="218" cy="38" r="4"/><text x="236" y="42">measured (${source})</text>`;
}

/** Returns about five round steps from 0 to beyond the highest value. */
function ticksUpTo(highest: number): number[] {
  const rough = highest / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * unit >= rough) as number) * unit;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => Number((i * step).toPrecision(3)));
}

function pixels(at: number): string {
  return String(Math.round(at * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
