// What each part of the step bench measures. Engines of one group take turns; groups follow each other.
import type { Entry } from './stepProcess.ts';
import type { Pace } from './stepRounds.ts';

/** `chromium` is workload A in a browser; it runs with `--full` or by name. */
export const parts = ['A', 'B', 'C', 'rollout', 'growth', 'chromium'] as const;
export type Part = (typeof parts)[number];

export interface Effort {
  /** Takes the time for every peer and for all samples of slow ones. */
  isFull: boolean;
  /** Samples of each engine. */
  count: number;
}

interface Group {
  entries: Entry[];
  pace: Pace;
}

/** Rows and lengths of workload A at 1, 4, 16 times the batch and 1, 2, 4 times the length. */
const sizes = [
  [64, 16],
  [256, 16],
  [1024, 16],
  [64, 32],
  [64, 64],
] as const;

/** For interpreted and software backends, which take seconds for a step. */
export function slowPace({ isFull, count }: Effort): Pace {
  return { count, least: Math.min(3, count), limitMs: isFull ? 200_000 : 40_000 };
}

/** The groups of a part. */
export function groupsOf(part: Part, effort: Effort): Group[] {
  const { isFull, count } = effort;
  const entries = (...pairs: readonly string[]): Entry[] =>
    pairs.map((pair) => {
      const [engine, backend] = pair.split(' on ') as [string, string];
      return { workload: part as Entry['workload'], engine, backend };
    });
  const whole: Pace = { count, least: count, limitMs: 0 };
  const slow = slowPace(effort);
  const few: Pace = { ...slow, count: isFull ? count : Math.min(count, 9), least: Math.min(5, count) };
  switch (part) {
    case 'A':
      return [
        {
          entries: entries('cothink on simd', 'cothink on wasm', 'tfjs on wasm', 'jax-js on wasm', 'pytorch on native'),
          pace: whole,
        },
        { entries: entries('tfjs on cpu', 'gpt-tfjs on cpu', 'nanogpt on cpu'), pace: slow },
        {
          entries: entries(
            'cothink on webgpu',
            'tfjs on webgpu',
            ...(isFull ? ['gpt-tfjs on webgpu', 'nanogpt on webgpu'] : []),
          ),
          pace: slow,
        },
      ];
    case 'B':
      return [
        { entries: entries('cothink on simd', 'tfjs on wasm', 'jax-js on wasm', 'pytorch on native'), pace: few },
      ];
    case 'C':
      return [{ entries: entries('cothink on simd', 'cothink on wasm'), pace: few }];
    case 'rollout':
      return (isFull ? ['simd', 'webgpu'] : ['simd']).flatMap((backend) =>
        [{}, { length: 64 }].map((long) => ({
          entries: ['cothink', 'full forward'].map((engine) => ({ workload: part, engine, backend, ...long })),
          pace: few,
        })),
      );
    case 'chromium':
      return []; // a browser of its own for each: stepBrowser.ts
    case 'growth':
      return [
        {
          entries: sizes.map(([rows, length]) => ({
            ...{ workload: part, engine: 'cothink', backend: 'simd' },
            rows,
            length,
          })),
          pace: whole,
        },
      ];
  }
}
