// Dialogues to imitate in the warm start. They teach the protocol and most of the arithmetic; how often the plan
// follows the rule is a knob (`goodPlans`), so that reinforcement learning has something left to find.
import type { Draws } from '../../base/random.ts';
import type { ProtocolName } from '../../config/names.ts';
import type { Problem } from '../../records/problem.ts';
import { terminated } from '../../text/chatTemplate.ts';
import type { DemonstrationOptions } from '../world.ts';
import { parseExpression, placesOf, printExpression, printOperation, type Expression } from './expression.ts';
import { largestNumber, levelOf } from './levels.ts';
import { nextOperation, replaceOperation, resultOf, type Modulus } from './rules.ts';

interface Step {
  plan: string;
  reply: string;
}

/** Tries before a noisy dialogue that outgrows its level gives way to a clean one. */
const attempts = 20;

/** Messages in speaking order, each with its terminator; they always fit the limits of the level. */
export function demonstrate(
  problem: Problem,
  draws: Draws,
  options: DemonstrationOptions,
  protocol: ProtocolName,
): string[] {
  const isGood = draws.next() < options.goodPlans;
  const { soloLength, planLength, replyLength } = levelOf(problem.level);
  const fits = (steps: Step[]) =>
    protocol === 'single'
      ? soloText(steps).length <= soloLength
      : steps.every(({ plan, reply }) => plan.length <= planLength && reply.length <= replyLength);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const steps = solve(problem, draws, { isGood, resultNoise: options.resultNoise });
    if (steps && fits(steps)) return write(steps, options, protocol);
  }
  return write(solve(problem, draws, { isGood: true, resultNoise: 0 }) ?? [], options, protocol);
}

/** The steps of one dialogue; null when a number outgrows the level. */
function solve(
  problem: Problem,
  draws: Draws,
  { isGood, resultNoise }: { isGood: boolean; resultNoise: number },
): Step[] | null {
  const { modulus } = levelOf(problem.level);
  const steps: Step[] = [];
  let working = parseExpression(problem.expression) as Expression;
  while (working.operators.length > 0) {
    const chosen = isGood ? nextOperation(working, problem.rule) : draws.below(working.operators.length);
    const plan = printOperation(working, chosen);
    // The reasoner knows the text only: where it stands twice, the first place is rewritten.
    const place = placesOf(parseExpression(plan) as Expression, working)[0] as number;
    const right = resultOf(working, place, modulus);
    const result = draws.next() < resultNoise ? wrongResult(right, draws, modulus) : right;
    if (Math.abs(result) > largestNumber) return null;
    working = replaceOperation(working, place, result);
    steps.push({ plan, reply: printExpression(working) });
  }
  return steps;
}

function wrongResult(right: number, draws: Draws, modulus: Modulus): number {
  if (modulus !== null) return (right + 1 + draws.below(modulus - 1)) % modulus;
  const size = 1 + draws.below(9);
  return right + (draws.below(2) === 0 ? size : -size);
}

function soloText(steps: readonly Step[]): string {
  return steps.map(({ plan, reply }) => `${plan}=${reply}`).join(';');
}

function write(steps: readonly Step[], { finishEnds }: DemonstrationOptions, protocol: ProtocolName): string[] {
  if (protocol === 'single') return [terminated({ text: soloText(steps), isFinish: false })];
  const isAnswered = finishEnds === 'afterReply';
  const messages = steps.flatMap(({ plan, reply }, i) => [
    terminated({ text: plan, isFinish: isAnswered && i === steps.length - 1 }),
    terminated({ text: reply, isFinish: false }),
  ]);
  return isAnswered ? messages : [...messages, terminated({ text: '', isFinish: true })];
}
