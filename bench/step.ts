// How fast: `npm run bench [-- A B C rollout growth] [-- --full] [-- --count 20]`. One table of what an update, an
// iteration and a turn take on every engine that runs here, beside the peers. Writes bench/results/step.json; parts
// left out keep their rows.
import { parseArgs } from 'node:util';
import { describeRow, rowsOf, writeResults } from './stepTable.ts';
import { measureInRounds, type Measured, type Pace } from './stepRounds.ts';
import { serveEngine, type Entry } from './stepProcess.ts';

const parts = ['A', 'B', 'C', 'rollout', 'growth'] as const;
type Part = (typeof parts)[number];

if (process.argv[2] === 'serve') await serveEngine(JSON.parse(process.argv[3] as string) as Entry);
else {
  await bench();
  // Explicit, because native parts may keep a handle open.
  process.exit(0);
}

async function bench(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { full: { type: 'boolean', default: false }, count: { type: 'string', default: '20' } },
  });
  const unknown = positionals.filter((name) => !parts.includes(name as Part));
  if (unknown.length > 0) throw new Error(`bench: no part ${unknown.join(', ')}; there are ${parts.join(', ')}`);
  const wanted = parts.filter((part) => positionals.length === 0 || positionals.includes(part));
  const isFull = values.full;
  for (const part of wanted) {
    const measured: Measured[] = [];
    for (const { entries, pace } of groupsOf(part, { isFull, count: Number(values.count) }))
      measured.push(...(await measureInRounds(entries, pace)));
    const rows = rowsOf(part, measured);
    for (const row of rows) console.log(describeRow(row));
    writeResults(rows);
  }
  if (isFull && wanted.includes('A')) {
    const { measureInChromium } = await import('./stepBrowser.ts');
    const rows = await measureInChromium();
    for (const row of rows) console.log(describeRow(row));
    writeResults(rows);
  }
}

interface Group {
  entries: Entry[];
  pace: Pace;
}

/** What a part measures; engines of one group take turns. */
function groupsOf(part: Part, { isFull, count }: { isFull: boolean; count: number }): Group[] {
  const entries = (pairs: readonly (readonly [string, string])[]): Entry[] =>
    pairs.map(([engine, backend]) => ({ workload: part, engine, backend }));
  // Interpreted and software backends take seconds for a step.
  const slow: Pace = { count, least: Math.min(3, count), limitMs: isFull ? 200_000 : 25_000 };
  switch (part) {
    case 'A':
      return [
        {
          entries: entries([
            ['cothink', 'simd'],
            ['cothink', 'wasm'],
            ['tfjs', 'wasm'],
            ['jax-js', 'wasm'],
            ['pytorch', 'native'],
          ]),
          pace: { count, least: count, limitMs: 0 },
        },
        { entries: entries([['tfjs', 'cpu'], ['gpt-tfjs', 'cpu'], ['nanogpt', 'cpu']]), pace: slow }, // prettier-ignore
        {
          entries: entries([
            ['cothink', 'webgpu'],
            ['tfjs', 'webgpu'],
            ...(isFull ? ([['gpt-tfjs', 'webgpu'], ['nanogpt', 'webgpu']] as const) : []), // prettier-ignore
          ]),
          pace: slow,
        },
      ];
    case 'B':
      return [
        {
          entries: entries([
            ['cothink', 'simd'],
            ['tfjs', 'wasm'],
            ['jax-js', 'wasm'],
            ['pytorch', 'native'],
          ]),
          pace: { count: Math.min(count, isFull ? 20 : 6), least: Math.min(5, count), limitMs: slow.limitMs },
        },
      ];
    case 'C':
      return [
        {
          entries: entries([
            ['cothink', 'simd'],
            ['cothink', 'wasm'],
          ]),
          pace: { count: Math.min(count, isFull ? 20 : 9), least: Math.min(5, count), limitMs: slow.limitMs },
        },
      ];
    case 'rollout':
      return (isFull ? ['simd', 'webgpu'] : ['simd']).map((backend) => ({
        entries: entries([
          ['cothink', backend],
          ['full forward', backend],
        ]),
        pace: { count, least: Math.min(5, count), limitMs: slow.limitMs },
      }));
    case 'growth': {
      const sizes = [
        [64, 16],
        [256, 16],
        [1024, 16],
        [64, 32],
        [64, 64],
      ] as const;
      return [
        {
          entries: sizes.map(([rows, length]) => ({
            workload: part,
            engine: 'cothink',
            backend: 'simd',
            rows,
            length,
          })),
          pace: { count, least: count, limitMs: 0 },
        },
      ];
    }
  }
}
