// Claims about language models that learn to talk to each other, judged from the rows of `npm run words`. The rule was
// written before the runs: a claim is shown if the mean difference over the seeds is at least `least` and the 95 %
// t-interval of the differences does not contain 0.
import { tInterval } from '../../src/base/intervals.ts';
import { spread, table } from '../shared/table.ts';
import { rungs, type RungName, type Stage } from './rungs.ts';
import type { WordsRow } from './table.ts';

interface WordsClaim {
  says: string;
  /** The smallest difference of accuracies that counts. */
  least: number;
  /** The accuracies that are compared, for each seed: the first is claimed to be higher. */
  arms: readonly [Arm, Arm];
}

type Arm = readonly [stage: Stage, when: 'before' | 'after'];

const wordsClaims: readonly WordsClaim[] = [
  {
    ...{ says: 'reinforcement learning improves what imitation has taught', least: 0.15 },
    arms: [
      ['sftRl', 'after'],
      ['sftRl', 'before'],
    ],
  },
  {
    ...{ says: 'reinforcement learning alone improves the untrained model', least: 0.15 },
    arms: [
      ['rlAlone', 'after'],
      ['rlAlone', 'before'],
    ],
  },
  {
    ...{ says: 'the message is what was learned: a team that nobody hears stays below', least: 0.15 },
    arms: [
      ['sftRl', 'after'],
      ['unheard', 'after'],
    ],
  },
];

/** A claim about one rung with its measured values, by seed. */
export interface JudgedClaim {
  rung: RungName;
  says: string;
  seeds: number[];
  higher: number[];
  lower: number[];
  difference: ReturnType<typeof tInterval>;
  isShown: boolean;
}

/** Judges all claims whose two arms were measured with the same seeds, at least two of them. */
export function judgedClaims(rows: readonly WordsRow[]): JudgedClaim[] {
  return (Object.keys(rungs) as RungName[]).flatMap((rung) =>
    wordsClaims.flatMap(({ says, least, arms }): JudgedClaim[] => {
      const [first, second] = arms.map(([stage, when]) => {
        const found = rows.find((row) => row.rung === rung && row.stage === stage);
        return new Map(found?.runs.map(({ seed, result }) => [seed, result[when]]));
      }) as [Map<number, number | null>, Map<number, number | null>];
      const seeds = [...first.keys()].filter((seed) => first.get(seed) != null && second.get(seed) != null);
      if (seeds.length < 2) return [];
      const values = (arm: ReadonlyMap<number, number | null>) => seeds.map((seed) => arm.get(seed) as number);
      const [higher, lower] = [values(first), values(second)];
      const difference = tInterval(higher.map((value, i) => value - (lower[i] as number)));
      return [
        { rung, says, seeds, higher, lower, difference, isShown: difference.mean >= least && difference.low > 0 },
      ];
    }),
  );
}

export function wordsClaimsTable(rows: readonly WordsRow[]): string {
  const each = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');
  return table<JudgedClaim>(
    [
      ['Rung', ({ rung }) => rungs[rung].label],
      ['Claim', ({ says }) => says],
      ['Seeds', ({ seeds }) => seeds.join(', ')],
      ['Higher', ({ higher }) => each(higher)],
      ['Lower', ({ lower }) => each(lower)],
      ['Difference', ({ difference }) => spread(difference)],
      ['Verdict', ({ isShown }) => (isShown ? 'shown' : 'not shown')],
    ],
    judgedClaims(rows),
  );
}
