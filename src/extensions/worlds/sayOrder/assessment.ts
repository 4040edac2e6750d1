// Finds the runners in a message, and computes the rewards. An answer must name exactly three runners. Any text is
// accepted.
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessTold, judgeNamed } from '../../../tasks/answers/toldAnswers.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';
import { runners, type Runner } from './form.ts';

/** The runners that a text names, each once, in the order in which they first occur. */
export function runnersIn(text: string): Runner[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const found = words.flatMap((word) => runners.find((runner) => runner.toLowerCase() === word) ?? []);
  return [...new Set(found)];
}

/** The order that a text states, if it names three runners. */
const ordersIn = (text: string): string[] => {
  const named = runnersIn(text);
  return named.length === 3 ? [named.join(' ')] : [];
};

/** The answer of a message, which names three runners. */
export const judge = (problem: Problem, message: Pick<Utterance, 'text'>): Answer =>
  judgeNamed(problem, message, ordersIn);

/** Returns the reward parts, reasons, answer and potentials of a dialogue. A message tells an order by naming it. */
export const assess = (
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment =>
  assessTold(problem, messages, protocol, {
    namedIn: ordersIn,
    tells: ({ answer }, text) => {
      const [order] = ordersIn(text);
      return { isFormed: order !== undefined, isTold: order === answer };
    },
    ...{ isOver, kind: 'order' },
  });
