// Runs a dialogue whose messages are typed by the visitor or drawn at random, without a trained network. The turn loop
// is the same as in training. The loop stops when the next message has not been typed yet. After the visitor has typed
// this message, the dialogue is run again from its start.
import { FormatError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import { spoken } from '../base/spoken.ts';
import type { Config } from '../config/schema.ts';
import { protocolOf, type Protocol } from '../records/protocol.ts';
import type { DecodeSession, Policy, SampledTurns } from '../records/policy.ts';
import type { Problem } from '../records/problem.ts';
import type { Trajectory, TrialMessage, TrialView } from '../records/trajectory.ts';
import { endOfTurn, finish, terminated } from '../text/chatTemplate.ts';
import { tokenizerOf, type Tokenizer } from '../text/tokenizer.ts';
import { seated } from '../tasks/steps/seats.ts';
import type { World } from '../tasks/world.ts';
import { runTrajectories } from './runTrajectories.ts';
import { turnAddress } from './request.ts';
import { rolloutSettings } from './settings.ts';
import { viewTokens } from './view.ts';

export interface Trial {
  world: World;
  config: Config;
  problem: Problem;
  /**
   * The typed messages of each agent, in the order of its turns. With `seed`, messages consist of random words instead.
   */
  said: readonly (readonly TrialMessage[])[] | { seed: number };
}

/** Thrown if the next message has not been typed yet. This error is not a failure; it ends the turn loop. */
export class Awaited extends Error {
  readonly agent: number;
  /** The token ids of all messages and observations that the agent has received. */
  readonly heard: readonly number[];

  constructor(agent: number, heard: readonly number[]) {
    super('a message is awaited');
    this.agent = agent;
    this.heard = heard;
  }
}

/**
 * Runs the dialogue up to the last typed message. Throws FormatError for a word that the world does not have. Errors of
 * the world are passed on.
 */
export async function playTrial({ world: asked, config, problem, said }: Trial): Promise<TrialView> {
  const protocol = protocolOf(config.agents, asked);
  const world = seated(asked, protocol);
  const tokenizer = tokenizerOf(Object.values(world.tokenizers)[0] as object);
  const prompt = (asked: Problem, agent: number) => tokenizer.encode(world.view(asked, protocol.sees[agent] ?? []));
  const draws = 'seed' in said ? new Draws(said.seed, streams.control, problem.level) : null;
  const words = draws && drawnWords(tokenizer);
  const tokensOf = (agent: number, turn: number, window: number): number[] | null => {
    if (draws && words) {
      const length = 1 + draws.below(Math.max(1, window - 1));
      const end = draws.next() < 0.2 && agent === protocol.finisher ? finish : endOfTurn;
      return [...Array.from({ length }, () => draws.pick(words)), tokenizer.id(end)];
    }
    const typed = (said as readonly (readonly TrialMessage[])[])[agent]?.[turn];
    return typed ? encoded(tokenizer, typed, 'text') : null;
  };
  let trajectory: Trajectory | null = null;
  let awaited: Awaited | null = null;
  try {
    [trajectory = null] = await runTrajectories({
      ...{ problems: [problem], groups: [0], protocol, world, prompt },
      settings: rolloutSettings(config, world, protocol),
      policies: protocol.roles.map((_, agent) => typingPolicy(agent, (...of) => tokensOf(agent, ...of))),
      tokens: viewTokens(protocol, [tokenizer]),
      decode: (ids) => tokenizer.decode(ids),
      address: (...turn) => turnAddress({ seed: 0, stream: streams.control, iteration: 0 }, ...turn),
      judge: (all) => Promise.all(all.map((one) => world.judge(one.trajectory.problem, one.turn))),
      maskDraw: () => 1,
      onTurn: (all) => Promise.resolve(void ([trajectory = null] = all)),
    });
  } catch (thrown) {
    if (!(thrown instanceof Awaited)) throw thrown;
    awaited = thrown;
  }
  return viewOf({ world, protocol, tokenizer, problem }, trajectory, awaited);
}

type Of = Pick<Trial, 'world' | 'problem'> & { protocol: Protocol; tokenizer: Tokenizer };

async function viewOf(of: Of, trajectory: Trajectory | null, awaited: Awaited | null): Promise<TrialView> {
  const { world, protocol, tokenizer, problem } = of;
  const turns = trajectory?.turns ?? [];
  const found = await world.assess(problem, turns, protocol, awaited === null);
  return {
    problem,
    seats: protocol.roles.map((role, agent) => ({ role, prompt: world.view(problem, protocol.sees[agent] ?? []) })),
    ...(trajectory?.opening?.observation && { opening: trajectory.opening.observation }),
    turns: turns.map((turn, i) => {
      const { parts, reason, isRight, score } = found.perTurn[i] ?? { parts: {}, reason: [] };
      const { agent, role, text, isFinish, isTruncated, reaction } = turn;
      return {
        ...{ agent, role, text, isFinish, isTruncated, parts, reason },
        ...(isRight !== undefined && { isRight }),
        ...(score !== undefined && { score }),
        ...(reaction?.observation && { observation: reaction.observation }),
      };
    }),
    awaited: awaited && {
      agent: awaited.agent,
      heard: tokenizer.decode(awaited.heard),
      mayFinish: awaited.agent === protocol.finisher,
    },
    ...{ answer: found.answer, isRight: found.isRight },
  };
}

/** Puts a space before each word of a text, because the words in the vocabularies of worlds begin with a space. */
export const spaced = (text: string) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => ` ${word}`)
    .join('');

/**
 * Encodes a typed text. If the text is not in the vocabulary, a space is put before each word, because the words of
 * some vocabularies begin with a space. Throws FormatError with a word of the text that is not in the vocabulary.
 */
export function encoded(tokenizer: Tokenizer, { text, isFinish }: TrialMessage, what: string): number[] {
  for (const written of [text, spaced(text)]) {
    try {
      return tokenizer.encode(terminated({ text: written, isFinish }));
    } catch (thrown) {
      if (!(thrown instanceof FormatError)) throw thrown;
    }
  }
  const isKnown = (sign: string) => {
    try {
      return tokenizer.encode(sign).length > 0;
    } catch {
      return false;
    }
  };
  const pieces = /\s/.test(text.trim()) ? text.split(/\s+/).filter(Boolean) : [...text];
  const unknown = pieces.find((piece) => !isKnown(piece) && !isKnown(` ${piece}`)) ?? text;
  throw new FormatError(
    spoken`${what}: “${unknown}” is not in the vocabulary of this agent; use only words and symbols that occur in its messages.`,
  );
}

/** The ids of the tokens that are words. */
function drawnWords({ vocabSize, token }: Tokenizer): number[] {
  const ids = Array.from({ length: vocabSize }, (_, id) => id);
  return ids.filter((id) => !/^<.*>$/.test(token(id)));
}

/**
 * A policy that returns the typed messages. If the next message has not been typed yet, the policy stops the dialogue.
 * Messages that are longer than the maximum are truncated, as in training.
 */
export function typingPolicy(agent: number, tokensOf: (turn: number, window: number) => number[] | null): Policy {
  return {
    ...{ maxPositions: Infinity, mostRows: 1 },
    open: (): DecodeSession => {
      const heard: number[] = [];
      return {
        append: ([chunk]) => void heard.push(...(chunk?.tokens ?? [])),
        sample: ({ window, turn = 0 }): Promise<SampledTurns> => {
          const ids = tokensOf(turn, window)?.slice(0, window);
          if (!ids) return Promise.reject(new Awaited(agent, [...heard]));
          heard.push(...ids);
          const all = new Int32Array(window);
          all.set(ids);
          return Promise.resolve({ ids: all, logprobs: new Float32Array(window), lengths: Int32Array.of(ids.length) });
        },
        takeRows: () => undefined,
        dispose: () => undefined,
      };
    },
  };
}
