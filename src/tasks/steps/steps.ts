// Solutions in steps, as a dialogue of a planner and an executor, or as written by one agent.
import { terminated } from '../../text/chatTemplate.ts';
import type { Demonstrated, DemonstrationOptions } from '../world.ts';

export interface Step {
  plan: string;
  reply: string;
}

/** A solution in one turn: `4*2=7+8;7+8=5`. */
export const soloText = (steps: readonly Step[]): string =>
  steps.map(({ plan, reply }) => `${plan}=${reply}`).join(';');

/** The same as a dialogue of a planner, agent 0, and an executor, agent 1; the planner ends it. */
export function workedTrajectory(steps: readonly Step[], { finishEnds }: DemonstrationOptions): Demonstrated[] {
  const isAnswered = finishEnds === 'afterReply';
  const messages = steps.flatMap(({ plan, reply }, i) => [
    terminated({ text: plan, isFinish: isAnswered && i === steps.length - 1 }),
    terminated({ text: reply, isFinish: false }),
  ]);
  if (!isAnswered) messages.push(terminated({ text: '', isFinish: true }));
  return messages.map((message, i) => ({ agent: i % 2, round: i >> 1, message }));
}
