// CORY (2410.06101): a pioneer answers, an observer sees question and answer and answers too; both are paid for both,
// and now and then they change places, so that each learns to do without the other's hint and with it.
import { ConfigError } from '../../base/errors.ts';

/** Exchanges done when iteration `iteration` (from 0) begins; `swapEvery` iterations lie between two. 0: never. */
export function exchangesBefore(iteration: number, swapEvery: number): number {
  if (!Number.isInteger(swapEvery) || swapEvery < 0)
    throw new ConfigError(`swapEvery: expected a whole number of iterations, 0 for never, got ${swapEvery}; use 5.`);
  return swapEvery === 0 ? 0 : Math.floor(iteration / swapEvery);
}

/**
 * The network that speaks for each agent in an iteration (from 0): agent a is played by network
 * (a + exchanges) mod agents. Networks stay where they are, with their optimiser state; only who plays whom changes,
 * and it follows from the iteration alone, so a resumed run stands where it stood. Throws as `exchangesBefore`.
 */
export function networkOfAgents(
  iteration: number,
  { agents, swapEvery }: { agents: number; swapEvery: number },
): number[] {
  const exchanges = exchangesBefore(iteration, swapEvery);
  return Array.from({ length: agents }, (_, agent) => (agent + exchanges) % agents);
}
