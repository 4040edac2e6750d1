// The world's observations, which are requested turn by turn: before any agent speaks, and after each message. The
// state after each of the world's answers is stored with the turn, so a dialogue can be continued, edited and replayed
// from any turn.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Reaction, Trajectory, Turn } from '../records/trajectory.ts';
import type { World } from '../tasks/world.ts';
import type { ViewTokens } from './view.ts';

/** The world that answers, and the length up to which agents read its answers. */
export interface Answering {
  world: Pick<World, 'open' | 'react'>;
  tokens: ViewTokens;
  /** The maximum number of tokens of an observation. */
  observationWindow: number;
}

type TrajectorySoFar = Pick<Trajectory, 'problem' | 'opening' | 'turns'>;

/** Records what the world shows before any agent speaks. */
export async function openWorld(how: Answering, trajectory: TrajectorySoFar): Promise<void> {
  if (how.world.open) trajectory.opening = cut(await how.world.open(trajectory.problem), how);
}

/**
 * Records on a turn how the world answers it, after the earlier turns of the dialogue and the turns `before` it in its
 * set.
 */
export async function react(
  how: Answering,
  trajectory: TrajectorySoFar,
  before: readonly Turn[],
  turn: Turn,
): Promise<void> {
  const { world } = how;
  if (!world.react) return;
  const newest = [...trajectory.turns, ...before].findLast(({ reaction }) => reaction)?.reaction ?? trajectory.opening;
  // The state is copied, because a world may change it, and the turn that stores it must not change.
  turn.reaction = cut(await world.react(trajectory.problem, structuredClone(newest?.state ?? null), turn), how);
}

/**
 * Requests the world's answers again after every turn of a dialogue; used for a dialogue that was written or edited
 * instead of sampled.
 */
export async function replayReactions(how: Answering, trajectory: TrajectorySoFar): Promise<void> {
  await openWorld(how, trajectory);
  for (const turn of trajectory.turns)
    await react(how, { ...trajectory, turns: trajectory.turns.slice(0, turn.index) }, [], turn);
}

/** The world's answer, truncated to its window in the vocabulary of every agent. */
function cut(reaction: Reaction, { tokens, observationWindow }: Answering): Reaction {
  const { observation } = reaction;
  if (!observation) return reaction;
  let { text } = observation;
  for (const { tokenizer } of tokens.ofAgents ?? [tokens]) {
    const ids = tokenizer.encode(text);
    if (ids.length > observationWindow) text = tokenizer.decode(ids.slice(0, observationWindow));
  }
  if (text === observation.text) return reaction;
  if (observationWindow === 0)
    throw new ConfigError(
      spoken`world: it shows an observation, but its limits reserve no tokens for one; set observationWindow there.`,
    );
  return { ...reaction, observation: { ...observation, text, isTruncated: true } };
}
