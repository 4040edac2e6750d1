// Requests the world's observations: one before any agent speaks, and one after each message. The state of the world
// after a message is stored with the turn, so a dialogue can be continued or edited from any turn on.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Reaction, Trajectory, Turn } from '../records/trajectory.ts';
import type { World } from '../tasks/world.ts';
import type { ViewTokens } from './view.ts';

/** The world that answers messages, and the maximum length of its observations. */
export interface Answering {
  world: Pick<World, 'open' | 'react'>;
  tokens: ViewTokens;
  /** The maximum number of tokens of an observation. */
  observationWindow: number;
}

type TrajectorySoFar = Pick<Trajectory, 'problem' | 'opening' | 'turns'>;

/** Stores the observation that the world makes before any agent speaks. */
export async function openWorld(how: Answering, trajectory: TrajectorySoFar): Promise<void> {
  if (how.world.open) trajectory.opening = cut(await how.world.open(trajectory.problem), how);
}

/**
 * Requests the world's answer to a turn and stores it with the turn. `before` contains the turns of the same set that
 * come before it.
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
  // The state is copied, because the world may modify it, but the state stored with the earlier turn must stay
  // unchanged.
  turn.reaction = cut(await world.react(trajectory.problem, structuredClone(newest?.state ?? null), turn), how);
}

/** Requests the world's answers to all turns of a dialogue again. Used for dialogues that were written or edited. */
export async function replayReactions(how: Answering, trajectory: TrajectorySoFar): Promise<void> {
  await openWorld(how, trajectory);
  for (const turn of trajectory.turns)
    await react(how, { ...trajectory, turns: trajectory.turns.slice(0, turn.index) }, [], turn);
}

/**
 * The world's answer, truncated so that its observation is within the maximum number of tokens in the vocabulary of
 * every agent.
 */
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
      spoken`world: an observation is shown, but the limits of the world reserve no tokens for observations; set observationWindow in these limits.`,
    );
  return { ...reaction, observation: { ...observation, text, isTruncated: true } };
}
