// The workloads of each part of the step bench. The engines of one group alternate, and the groups follow each other.
// All usual parts together take about 13 minutes on two quiet cores. A pace limits the time of a slow engine.
import type { Entry } from './process.ts';
import type { Pace } from './rounds.ts';

/** `chromium` is workload A in a browser; it runs with `--full` or by name. */
export const parts = ['A', 'B', 'C', 'rollout', 'growth', 'chromium'] as const;
export type Part = (typeof parts)[number];

export interface Effort {
  /** Whether to take the time for every other project, and for workloads that take minutes on a software adapter. */
  isFull: boolean;
  /** Number of samples of each engine. */
  count: number;
  /**
   * Measures only these backends, with all their workloads. If empty, measures all backends, each with the workloads
   * that are worth the time.
   */
  backends: readonly string[];
}

interface Group {
  pace: Pace;
  entries: Entry[];
}

/**
 * Engines are written as `engine on backend` or `engine on backend, variant`. Those in `later` run only with `--full`
 * or if their backend is named.
 */
interface Draft {
  pace: Pace;
  usual?: string[];
  later?: string[];
  /** Further fields of the entries: the group is repeated for each. */
  forms?: Partial<Entry>[];
  /** The variants are measured side by side. */
  isOneGroup?: boolean;
}

/** Workload A at 1, 4, 16 times the batch and 1, 2, 4 times the length. */
const sizes = [
  { rows: 64, length: 16 },
  { rows: 256, length: 16 },
  { rows: 1024, length: 16 },
  { rows: 64, length: 32 },
  { rows: 64, length: 64 },
];

/** Number of samples of engines that take ten seconds per step. */
const fewest = 5;

/** Returns the pace for interpreted and software backends, which take seconds per step. */
export function slowPace({ isFull, count }: Effort): Pace {
  return { count, least: Math.min(fewest, count), limitMs: isFull ? 300_000 : 40_000 };
}

/** The groups of a part. */
export function groupsOf(part: Part, effort: Effort): Group[] {
  return draftsOf(part, effort).flatMap(({ pace, usual = [], later = [], forms = [{}], isOneGroup = false }) => {
    const { isFull, backends } = effort;
    const isNamed = (text: string) => backends.includes(entryOf(part, text).backend);
    const isMeant = (text: string) => (backends.length > 0 ? isNamed(text) : isFull || usual.includes(text));
    const entries = [...usual, ...later].filter(isMeant).map((text) => entryOf(part, text));
    const groups = forms.map((form) => entries.map((entry) => ({ ...entry, ...form })));
    return (isOneGroup ? [groups.flat()] : groups).flatMap((of) => (of.length > 0 ? [{ pace, entries: of }] : []));
  });
}

function draftsOf(part: Part, effort: Effort): Draft[] {
  const whole: Pace = { count: effort.count, least: effort.count, limitMs: 0 };
  const slow = slowPace(effort);
  const patient = { ...slow, limitMs: 2.4 * slow.limitMs };
  switch (part) {
    case 'A':
      return [
        {
          pace: whole,
          usual: [
            ...['cothink on simd', 'cothink on simd-threads', 'cothink on wasm'],
            ...['tfjs on wasm', 'jax-js on wasm', 'pytorch on native'],
          ],
        },
        { pace: slow, usual: ['tfjs on cpu', 'gpt-tfjs on cpu', 'nanogpt on cpu'] },
        {
          pace: patient,
          usual: ['cothink on webgpu', 'cothink on webgpu, capture off', 'tfjs on webgpu', 'jax-js on webgpu'],
          later: ['cothink on webgpu, one read for 20 updates', 'nanogpt on webgpu', 'gpt-tfjs on webgpu'],
        },
      ];
    case 'B':
      return [
        {
          pace: slow,
          usual: [
            ...['cothink on simd', 'cothink on simd-threads'],
            ...['tfjs on wasm', 'jax-js on wasm', 'pytorch on native'],
          ],
        },
        { pace: slow, later: ['cothink on webgpu', 'cothink on webgpu, capture off', 'tfjs on webgpu'] },
      ];
    case 'C':
      return [
        { pace: patient, usual: ['cothink on simd', 'cothink on simd-threads', 'cothink on wasm'] },
        { pace: patient, later: ['cothink on webgpu'] },
      ];
    case 'rollout':
      return [
        { pace: patient, forms: [{}, { length: 64 }], usual: ['cothink on simd', 'full forward on simd'] },
        { pace: patient, forms: [{}, { length: 64 }], later: ['cothink on webgpu', 'full forward on webgpu'] },
      ];
    case 'growth':
      return [
        { pace: whole, forms: sizes, isOneGroup: true, usual: ['cothink on simd'] },
        { pace: slow, forms: sizes, isOneGroup: true, later: ['cothink on webgpu'] },
      ];
    case 'chromium':
      return []; // browser.ts measures these, each in its own browser
  }
}

function entryOf(part: Part, text: string): Entry {
  const [engine, place] = text.split(' on ') as [string, string];
  const [backend, variant] = place.split(', ') as [string, string?];
  return { workload: part as Entry['workload'], engine, backend, ...(variant !== undefined && { variant }) };
}
