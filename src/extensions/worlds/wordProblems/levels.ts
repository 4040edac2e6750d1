// The three levels, in the order in which the form lists them. A level determines how many steps and how many sentences
// with irrelevant numbers a story has, and how long texts may be.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

/** All numbers, including intermediate ones, stay between 1 and this value. */
export const largestNumber = 99;

interface Level {
  steps: number;
  /** Number of sentences with irrelevant numbers. */
  distractors: number;
  /** Whether the first step converts dozens, pairs or weeks into single things. */
  hasUnit: boolean;
  /**
   * The maximum length of a story with its question, in tokens. Stories of the harder split do not exceed this length
   * either.
   */
  storyLength: number;
}

const table: readonly Level[] = [
  { steps: 1, distractors: 0, hasUnit: false, storyLength: 36 },
  { steps: 2, distractors: 1, hasUnit: false, storyLength: 51 },
  { steps: 3, distractors: 1, hasUnit: true, storyLength: 56 },
];

/** Maximum lengths of a plan, such as `45+12`, and of a reply, without the token that ends a turn. */
const planLength = 5;
const replyLength = 2;

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/** The parameters of a level. Stories of the harder split have one more step and one more irrelevant sentence. */
export function askedAt(level: number, split: Split): Level {
  const usual = levelOf(level);
  if (split !== 'harder') return usual;
  return { ...usual, steps: usual.steps + 1, distractors: usual.distractors + 1 };
}

/**
 * The limits of a level. There is one round more than training problems need, because problems of the harder split have
 * one more step.
 */
export function limits(level: number, { roles, hasSteps, rounds }: Protocol): WorldLimits {
  const { storyLength } = levelOf(level);
  const { steps } = askedAt(level, 'harder');
  const promptWindow = storyLength + 2; // <bos>, <eot>
  if (hasSteps) return { roundLimit: steps + 1, windows: [planLength + 1, replyLength + 1], promptWindow };
  const soloLength = steps * (planLength + replyLength + 2) - 1; // 7*3=21;21+4=25
  return { roundLimit: rounds, windows: roles.map(() => soloLength + 1), promptWindow };
}
