// The table of `npm run bench:curriculum`: one row for each way to the last level, with all seeds.
import { mean } from '../../src/base/stats.ts';
import { presets } from '../../src/config/presets.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { worldForms, type WorldName } from '../../src/config/worlds/registry.ts';
import { factLine, table, type Column } from '../shared/table.ts';

/** The measured levels; the last one is the goal of all ways. */
export const levels = [1, 2, 3];

interface Start {
  world: WorldName;
  /** Number of sampled tokens of every way. */
  tokens: number;
  settings: ConfigInput;
}

/** The start: the shipped warm start of a world, trained on its first level. */
const starts: readonly Start[] = [
  { world: 'houseRule', tokens: 500_000, settings: presets.default.settings },
  { world: 'entailment', tokens: 300_000, settings: presets.entailment.settings },
];

export interface Way extends Start {
  way: string;
}

export const ways: readonly Way[] = starts.flatMap((start) => {
  const { world: name, settings } = start;
  const to = (way: string, world: NonNullable<ConfigInput['world']>): Way => ({
    ...{ ...start, way },
    settings: { ...settings, world: { name, ...world } },
  });
  return [
    to('level 3 from the start', { level: 3 }),
    to('raised at 0.8, a fifth easier', { level: 1, raiseAt: 0.8, easier: 0.2 }),
    to('levels 1 to 3 mixed', { level: 3, also: [1, 2].map((level) => ({ name, level })) }),
  ];
});

export interface CurriculumResult {
  /** Accuracy on each level, before and after. */
  before: number[];
  after: number[];
  /** Number of sampled tokens when level 2 was reached, and level 3. */
  raised: number[];
  sampledTokens: number;
  iterations: number;
  /** Processor time in seconds. */
  seconds: number;
}

export interface CurriculumResults {
  machine: string;
  backend: string;
  problems: number;
  rows: (Pick<Way, 'world' | 'way' | 'tokens'> & { seeds: (CurriculumResult & { seed: number })[] })[];
}

type Row = CurriculumResults['rows'][number];

const thousands = (tokens: number | undefined) => (tokens === undefined ? '–' : `${Math.round(tokens / 1000)}k`);

const columns: Column<Row>[] = [
  ['World', ({ world }) => worldForms[world].label],
  ['Tokens', ({ tokens }) => thousands(tokens)],
  ['Way', ({ way }) => way],
  ...levels.map((level, l): Column<Row> => [
    `Level ${level}`,
    ({ seeds }) => seeds.map(({ before, after }) => `${before[l]?.toFixed(2)} → ${after[l]?.toFixed(2)}`).join(', '),
  ]),
  [
    'Levels 2 and 3 reached',
    ({ seeds }) => seeds.map(({ raised }) => raised.map(thousands).join(' ') || '–').join(', '),
  ],
  ['Seconds', ({ seeds }) => Math.round(mean(seeds.map(({ seconds }) => seconds)))],
];

export function curriculumTable({ rows, ...facts }: CurriculumResults): string {
  const measured = rows.filter(({ seeds }) => seeds.length > 0);
  return measured.length === 0 ? '' : [factLine(facts), table(columns, measured)].join('\n\n');
}
