// The agents of a batch of dialogues. Each agent has a decoding session with one row for each dialogue. The messages
// that an agent receives are collected until its next turn, in which the network processes all of them. If a new
// context is built for each turn, each turn has its own session, which processes the whole context.
import { ShapeError } from '../base/errors.ts';
import type { AgentId } from '../records/ids.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns } from '../records/policy.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { RolloutRequest, GivenTurn } from './request.ts';
import { saysFinish } from '../text/chatTemplate.ts';
import { freshContext, headerOf, openingContext, setContext, vocabularyAt } from './view.ts';

export interface Speaker {
  /** The session; null if each turn has a session of its own. */
  session: DecodeSession | null;
  /** For each row, the part of the context that has not been passed to the session yet. */
  pending: { tokens: number[]; visible: boolean[] }[];
  /** The number of tokens of each row so far, including pending ones. */
  lengths: number[];
}

/** Creates an agent before its first turn. Its pending context consists of its prompts. */
export function openSpeaker(request: RolloutRequest, agent: number, trajectories: readonly Trajectory[]): Speaker {
  const policy = request.policies[agent] as Policy;
  const prompts = trajectories.map((trajectory) =>
    request.tokens.context
      ? freshContext(trajectory, agent, request.tokens).flatMap(({ ids }) => ids)
      : openingContext(trajectory, agent, request.tokens),
  );
  return {
    session: request.tokens.context ? null : policy.open(trajectories.length),
    pending: prompts.map((prompt) => ({ tokens: [...prompt], visible: prompt.map(() => true) })),
    lengths: prompts.map((prompt) => prompt.length),
  };
}

/**
 * Whether an agent's context in a row might exceed its maximum length in the next turn, if this turn has the maximum
 * length.
 */
export function lacksRoom(request: RolloutRequest, speaker: Speaker, at: { agent: number; row: number }): boolean {
  const role = request.protocol.roles[at.agent] as Turn['role'];
  const needed = headerOf(request.tokens, at.agent, role).length + request.settings.windows[role];
  return (speaker.lengths[at.row] as number) + needed > (request.policies[at.agent] as Policy).maxPositions;
}

export interface SpeakerMoment {
  agent: number;
  /** The index of the agent in the set of agents that speak simultaneously. */
  place: number;
  round: number;
  trajectories: readonly Trajectory[];
  isActive: readonly boolean[];
}

/**
 * Samples one turn of one agent in every unfinished dialogue. Returns the turns, with null for finished dialogues.
 * These turns have no index yet, and have not been passed to other agents.
 */
export async function speak(
  request: RolloutRequest,
  speaker: Speaker,
  moment: SpeakerMoment,
): Promise<(Turn | null)[]> {
  const { agent, place, trajectories, isActive } = moment;
  const given = trajectories.map(({ turns: { length } }, row) =>
    isActive[row] ? givenTurn(request, moment, request.given?.[row]?.[length + place]) : null,
  );
  given.forEach((turn, row) => {
    if (!turn || !speaker.session) return;
    const own = [...headerOf(request.tokens, agent, turn.role), ...turn.tokens];
    const pending = speaker.pending[row] as Speaker['pending'][number];
    pending.tokens.push(...own);
    pending.visible.push(...own.map(() => true));
    speaker.lengths[row] = (speaker.lengths[row] as number) + own.length;
  });
  const samples = isActive.map((is, row) => is && !given[row]);
  if (!samples.some(Boolean)) return given;
  const said = await sampleTurns(request, speaker, { ...moment, samples });
  return said.map((turn, row) => turn ?? given[row] ?? null);
}

/**
 * Converts a given turn to the form of a sampled one. Throws ShapeError if the turn belongs to another agent, or
 * exceeds the agent's maximum length.
 */
function givenTurn(
  { protocol, settings }: RolloutRequest,
  { agent, round }: SpeakerMoment,
  given: GivenTurn | undefined,
): Turn | null {
  if (!given) return null;
  const role = protocol.roles[agent] as Turn['role'];
  const { tokens, logprobs, text, isTruncated, isFinish, heardAs } = given;
  if ((given.agent as number) !== agent)
    throw new ShapeError(
      `given turns: expected a turn of agent ${agent}, got a turn of agent ${given.agent}; include all earlier turns.`,
    );
  if (tokens.length === 0 || tokens.length > settings.windows[role])
    throw new ShapeError(
      `given turns: expected 1 to ${settings.windows[role]} tokens, got ${tokens.length}; shorten the turn.`,
    );
  const said = {
    tokens: [...tokens],
    logprobs: [...logprobs],
    text,
    isTruncated,
    isFinish,
    ...(heardAs && { heardAs }),
  };
  return { index: 0, round, agent: agent as AgentId, role, ...said, parts: {}, reason: [], reward: 0 };
}

async function sampleTurns(
  request: RolloutRequest,
  speaker: Speaker,
  { agent, place, round, trajectories, isActive, samples }: SpeakerMoment & { samples: readonly boolean[] },
): Promise<(Turn | null)[]> {
  const { protocol, settings } = request;
  const tokens = vocabularyAt(request.tokens, agent);
  const role = protocol.roles[agent] as Turn['role'];
  const header = headerOf(request.tokens, agent, role);
  const window = settings.windows[role];
  const session = speaker.session ?? (request.policies[agent] as Policy).open(trajectories.length);
  const addresses = Uint32Array.from(trajectories, ({ turns: { length } }, row) =>
    request.address(row, length + place, window),
  );
  const { temperature } = settings;
  const endIds = [tokens.endOfTurn, tokens.finish];
  const turnOf = (ids: number[], logprobs: number[] = []): Turn => {
    const last = ids.at(-1) as number;
    const isTruncated = !endIds.includes(last);
    const text = request.decode(isTruncated ? ids : ids.slice(0, -1), agent);
    const isFinish = last === tokens.finish || (request.tokens.inWords !== undefined && saysFinish(text));
    const said = { tokens: ids, logprobs, text, isTruncated, isFinish };
    return { index: 0, round, agent: agent as AgentId, role, ...said, parts: {}, reason: [], reward: 0 };
  };
  let sampled: SampledTurns;
  try {
    session.append(
      speaker.pending.map((pending, row): ContextChunk => {
        if (samples[row])
          return { tokens: [...pending.tokens, ...header], visible: [...pending.visible, ...header.map(() => true)] };
        if (isActive[row] && speaker.session) return pending;
        // Rows in which the agent does not speak get only one token, because attention needs at least one token.
        return { tokens: speaker.session ? [] : pending.tokens.slice(0, 1) };
      }),
    );
    const onWord = samples[0] ? request.onWord : undefined;
    const overhear = (tokensOf: (row: number) => number[]) =>
      onWord?.(() => withUnfinished(trajectories, turnOf(tokensOf(0))));
    const asked = { window, isActive: samples, addresses, temperature, endIds, turn: round };
    sampled = await session.sample({ ...asked, ...(onWord && { overhear }) });
  } finally {
    if (!speaker.session) session.dispose();
  }
  if (speaker.session) isActive.forEach((is, row) => is && (speaker.pending[row] = { tokens: [], visible: [] }));
  return trajectories.map((_, row) => {
    if (!samples[row]) return null;
    const length = sampled.lengths[row] as number;
    speaker.lengths[row] = (speaker.lengths[row] as number) + header.length + length;
    const own = <T>(column: ArrayLike<T> & { subarray: (from: number, to: number) => Iterable<T> }) =>
      Array.from(column.subarray(row * window, row * window + length));
    return turnOf(own(sampled.ids), own(sampled.logprobs));
  });
}

/**
 * The first dialogue with the unfinished turn at its end. This turn is not marked as truncated, because it has not
 * ended.
 */
function withUnfinished([first]: readonly Trajectory[], turn: Turn): Trajectory {
  const { turns } = first as Trajectory;
  return { ...(first as Trajectory), turns: [...turns, { ...turn, index: turns.length, isTruncated: false }] };
}

/**
 * Makes the agent continue in row b as if it had sampled the message of row `from[b]` in row b. Must be called directly
 * after a turn.
 */
export function takeRows(speaker: Speaker, from: readonly number[]): void {
  speaker.session?.takeRows(from);
  const { lengths } = speaker;
  speaker.lengths = from.map((source) => lengths[source] as number);
}

/**
 * Appends the newest set of simultaneous turns of one dialogue to the pending contexts of all agents that hear these
 * turns.
 */
export function hear(
  { tokens, isHidden }: RolloutRequest,
  speakers: readonly Speaker[],
  { trajectory, row, set }: { trajectory: Trajectory; row: number; set: readonly Turn[] },
): void {
  speakers.forEach((speaker, agent) => {
    if (!speaker.session) {
      speaker.pending[row] = { tokens: [], visible: [] };
      speaker.lengths[row] = 0;
    }
    const pending = speaker.pending[row] as Speaker['pending'][number];
    const heard = speaker.session ? setContext(set, agent, tokens) : freshContext(trajectory, agent, tokens);
    for (const { turn, ids } of heard) {
      const isOwn = (turn?.agent as number | undefined) === agent;
      const isVisible = turn === null || isOwn || isHidden?.(turn, row) !== true;
      pending.tokens.push(...ids);
      pending.visible.push(...ids.map(() => isVisible));
      speaker.lengths[row] = (speaker.lengths[row] as number) + ids.length;
    }
  });
}
