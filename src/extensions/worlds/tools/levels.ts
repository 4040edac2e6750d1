// Determines for each level how many calls the answer needs, which tools there are in addition to `search` and `read`,
// and how long texts may be.
import type { ToolName } from './form.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits } from '../../../tasks/world.ts';

interface Level {
  /** Number of calls that the answer needs. */
  calls: number;
  /** Sets of tools that agents have in addition to `search` and `read`. One of these sets is drawn for each problem. */
  others: readonly (readonly ToolName[])[];
  /** Maximum lengths of the question, a plan and a call, in tokens. */
  questionLength: number;
  planLength: number;
  callLength: number;
}

const table: readonly Level[] = [
  { calls: 1, others: [[]], questionLength: 6, planLength: 3, callLength: 3 },
  { calls: 2, others: [[]], questionLength: 10, planLength: 3, callLength: 3 },
  { calls: 2, others: [['calc'], ['js']], questionLength: 11, planLength: 4, callLength: 5 },
  { calls: 3, others: [['write', 'js']], questionLength: 13, planLength: 4, callLength: 5 },
];

export const levelOf = (level: number): Level => levelIn(table, level);

/** The maximum number of calls for a problem, which is one more than the answer needs. */
export const budgetOf = (level: number) => levelOf(level).calls + 1;

/**
 * The maximum number of tokens of a call's result. A result consists of a mark, then two facts or a file of three
 * numbers, then the number of calls that are left.
 */
const observationWindow = 14;

export function limits(level: number, { isOneRound, roles }: Protocol): WorldLimits {
  const { others, questionLength, planLength, callLength } = levelOf(level);
  const toolsLength = 5 + Math.max(...others.map(({ length }) => length)); // search, three digits, read
  return {
    observationWindow,
    promptWindow: 1 + questionLength + toolsLength + 3, // <bos>, the calls, <eot>
    roundLimit: isOneRound ? 1 : budgetOf(level) + 1,
    windows: roles.map((role) => 1 + (role === 'metaThinking' ? planLength : callLength)),
  };
}
