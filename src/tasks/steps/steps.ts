// Solutions in steps, either as a dialogue of a planner and an executor, or as the text of a single agent.
import type { ShownMessage } from '../contract/worldModule.ts';
import type { DemonstrationOptions } from '../world.ts';

export interface Step {
  plan: string;
  reply: string;
}

/** A solution in one turn, such as `4*2=7+8;7+8=5`. */
export const soloText = (steps: readonly Step[]): string =>
  steps.map(({ plan, reply }) => `${plan}=${reply}`).join(';');

/** A solution as a dialogue between a planner, agent 0, and an executor, agent 1. The planner ends the dialogue. */
export function workedTrajectory(steps: readonly Step[], { finishEnds }: DemonstrationOptions): ShownMessage[] {
  const isAnswered = finishEnds === 'afterReply';
  const messages = steps.flatMap(({ plan, reply }, i) => [
    { text: plan, isFinish: isAnswered && i === steps.length - 1 },
    { text: reply, isFinish: false },
  ]);
  if (!isAnswered) messages.push({ text: '', isFinish: true });
  return messages.map((message, i) => ({ agent: i % 2, round: i >> 1, ...message }));
}
