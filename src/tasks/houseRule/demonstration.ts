// Dialogues to imitate in the warm start. They teach the protocol and most of the arithmetic; how often the plan
// follows the rule is a knob (`goodPlans`), so that reinforcement learning has something left to find.
import type { Draws } from '../../base/random.ts';
import { protocolFacts } from '../../config/protocolFacts.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { terminated } from '../../text/chatTemplate.ts';
import type { Demonstrated, DemonstrationOptions } from '../world.ts';
import { demonstrateAnswers } from './demonstratedAnswers.ts';
import { levelOf } from './levels.ts';
import { solution, type Step } from './solution.ts';

/** Messages in speaking order, each with its terminator; they always fit the limits of the level. */
export function demonstrate(
  problem: Problem,
  draws: Draws,
  options: DemonstrationOptions,
  protocol: Protocol,
): Demonstrated[] {
  if (!protocolFacts[protocol.name].hasSteps) return demonstrateAnswers(problem, draws, options, protocol);
  const isGood = draws.next() < options.goodPlans;
  const { planLength, replyLength } = levelOf(problem.level);
  const fits = (steps: readonly Step[]) =>
    steps.every(({ plan, reply }) => plan.length <= planLength && reply.length <= replyLength);
  const messages = write(solution(problem, draws, { isGood, resultNoise: options.resultNoise, fits }), options);
  return messages.map((message, i) => ({ agent: i % 2, round: i >> 1, message }));
}

function write(steps: readonly Step[], { finishEnds }: DemonstrationOptions): string[] {
  const isAnswered = finishEnds === 'afterReply';
  const messages = steps.flatMap(({ plan, reply }, i) => [
    terminated({ text: plan, isFinish: isAnswered && i === steps.length - 1 }),
    terminated({ text: reply, isFinish: false }),
  ]);
  return isAnswered ? messages : [...messages, terminated({ text: '', isFinish: true })];
}
