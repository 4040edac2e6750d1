// Runs an agent's program in the sandbox, on the two lists of the examples and on lists that no agent sees (the hidden
// tests).
import type { Problem } from '../../../records/problem.ts';
import { runProgram, type SandboxLimits } from '../../../sandbox/sandbox.ts';
import { givenOf } from './problems.ts';
import { errorNames, marks } from './vocabulary.ts';
import { programCalled } from './solver.ts';
import { valueOf, type CodeProgram } from './programs.ts';

/**
 * The lists of the hidden tests. For any two functions for which problems can ask, the results differ on at least one
 * of these lists.
 */
export const hiddenLists: readonly (readonly number[])[] = [
  [9, 1, 8, 2, 7, 3, 6, 4, 5],
  [1, 9, 2, 8, 3, 7],
  [2, 4, 6, 8],
  [5, 3, 7, 1, 9],
  [12, 0, 5, 10, -3],
];

const limits: SandboxLimits = { steps: 5, timeMs: 2_000, resultLength: 5_000 };

/** The result of running a program. */
export interface ProgramRun {
  /** Whether the text is syntactically a program. */
  isRead: boolean;
  /** Whether the program finished on every list without an error. */
  isWhole: boolean;
  /** Share of hidden tests passed. */
  share: number;
  passesExamples: boolean;
  /**
   * The feedback on the program: it passes the examples; it fails an example, and the first such example follows; or it
   * has an error.
   */
  said: string;
}

const nothing: ProgramRun = {
  isRead: false,
  isWhole: false,
  share: 0,
  passesExamples: false,
  said: `${marks.error}SyntaxError`,
};

/** The value that the program returned for a list, as JSON, or the name of an error. */
interface Given {
  value?: unknown;
  error?: string;
}

const known = new Map<string, Promise<ProgramRun>>();
/** Maximum number of programs whose results are kept. */
const mostKnown = 5_000;

/** Runs a text as a program for a problem. If the text was run before, the result is reused. */
export function run(problem: Problem, text: string): Promise<ProgramRun> {
  const key = `${problem.answer} ${JSON.stringify(givenOf(problem).examples)} ${text}`;
  const before = known.get(key);
  if (before) return before;
  const found = runAnew(problem, text).catch((error: unknown) => {
    known.delete(key);
    throw error;
  });
  if (known.size >= mostKnown) known.clear();
  known.set(key, found);
  return found;
}

async function runAnew(problem: Problem, text: string): Promise<ProgramRun> {
  const { examples } = givenOf(problem);
  const lists = [...examples, ...hiddenLists];
  const outcome = await runProgram(
    `const f = (xs) => (\n${text}\n);
     ${JSON.stringify(lists)}.map((xs) => { try { return { value: f(xs) }; } catch (error) { return { error: \`\${error?.name}\` }; } })`,
    limits,
  );
  if (outcome.fault) {
    const { name } = outcome.fault;
    return { ...nothing, isRead: name !== 'SyntaxError', said: error(name) };
  }
  // A text with unbalanced brackets may change the code around it, so the result may be anything.
  const outcomes = Array.isArray(outcome.value) ? (outcome.value as (Given | null)[]) : [];
  const given = lists.map((_, i) => outcomes[i] ?? {});
  const right = programCalled(problem, problem.answer) as CodeProgram;
  const isPassed = given.map(
    ({ value }, i) => JSON.stringify(value) === JSON.stringify(valueOf(right, lists[i] as number[])),
  );
  const [seen, hidden] = [isPassed.slice(0, examples.length), isPassed.slice(examples.length)];
  const failing = seen.indexOf(false);
  return {
    ...{ isRead: true, isWhole: given.every((one) => one.error === undefined), passesExamples: failing < 0 },
    share: hidden.filter(Boolean).length / hidden.length,
    said: failing < 0 ? marks.passed : fault(examples[failing] as number[], given[failing] as Given),
  };
}

const error = (name: string) => `${marks.error}${errorNames.find((known) => known === name) ?? ''}`;

/**
 * Feedback with the first example that fails and the actual result. The result is left out if the vocabulary cannot
 * express it.
 */
function fault(xs: readonly number[], given: Given): string {
  if (given.error !== undefined) return error(given.error);
  const value = JSON.stringify(given.value ?? null);
  return `${marks.failed}${JSON.stringify(xs)}=${/^[-\d.,[\]]*$/.test(value) ? value : ''}`;
}
