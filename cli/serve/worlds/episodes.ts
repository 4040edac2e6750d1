// Episodes: dialogues in which clients write the messages of the agents. Everything else is done by the function that
// runs the turns during training, so observations, end and reward are the same as in a run with these settings. An
// episode stores only the seed and level of its problem, and its messages. Each step replays the dialogue up to that
// point, so nothing else has to be kept. The name of an episode cannot be guessed, and any client that has it can
// continue the episode.
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../../../src/base/errors.ts';
import { Draws, streams } from '../../../src/base/random.ts';
import { reasonInEnglish } from '../../../src/base/spoken.ts';
import type { Trajectory, TrialMessage } from '../../../src/records/trajectory.ts';
import { Awaited, encoded, typingPolicy } from '../../../src/rollout/trial.ts';
import type { Split } from '../../../src/tasks/world.ts';
import { readTerminated } from '../../../src/text/chatTemplate.ts';
import type { Tokenizer } from '../../../src/text/tokenizer.ts';

import { rollOut } from '../../../src/training/collect/collect.ts';
import type { Team } from '../../../src/training/team/team.ts';
import { BusyError, RequestError } from '../http.ts';

/**
 * The limits on active episodes, in total and per client, on finished episodes that can still be read, and on
 * characters per message.
 */
const most = { episodes: 16_384, ofClient: 1_024, over: 4_096, signs: 2_000 };
/** If there is no room, an episode that has not been used for this long is dropped. */
const idleMs = 60_000;
type Most = Readonly<Record<'episodes' | 'ofClient' | 'over', number>>;

export interface Begun {
  /**
   * Selects the problem: the same seed always gives the same problem. If no seed is given, the next unused seed is
   * used.
   */
  seed?: number;
  /** If no level is given, the level in the settings is used. */
  level?: number;
  split?: Split;
}

/** The state of an episode. */
export interface EpisodeState {
  episode: string;
  /** The seed that selected the problem. */
  seed: number;
  /** Number of turns so far. */
  turns: number;
  /** The agent that speaks next; null once the episode is over. */
  agent: number | null;
  role: string;
  /** Everything that this agent has read: its view of the problem, the messages and the world's feedback. */
  heard: string;
  /** Whether the next message may end the dialogue. */
  mayFinish: boolean;
  isDone: boolean;
  /** The reward of the trajectory as a mean over agents; 0 until the episode is over. */
  reward: number;
  /** The reward of each turn, once the episode has ended. */
  rewards: number[];
  /** The reasons for the rewards, turn by turn, once the episode has ended. */
  reasons: string[];
  /** The team's final answer; null if it gives none. */
  answer: string | null;
  isRight: boolean;
}

/** Thrown if an episode was never started, or was dropped after a long time without use. */
export class UnknownEpisodeError extends RequestError {
  constructor(which: string) {
    super(404, `${which} does not exist; start an episode with reset.`);
  }
}

/** The stored part of a state. */
type Mark = Pick<EpisodeState, 'turns' | 'agent' | 'reward'>;

interface Episode {
  id: string;
  client: string;
  drawn: Required<Begun>;
  /** The messages of each agent, in the order of its turns. */
  said: TrialMessage[][];
  mark: Mark;
  askedAt: number;
  /** A queue, so that messages to one episode are processed one after the other. */
  line: Promise<void>;
}

export class Episodes {
  readonly team: Team;
  readonly #now: () => number;
  readonly #most: Most;
  /** Active episodes, in order of last use. */
  readonly #episodes = new Map<string, Episode>();
  /** The results of finished episodes, in the order in which they ended. */
  readonly #over = new Map<string, Mark>();
  readonly #ofClient = new Map<string, number>();
  /** The seed of the next problem for which the client gives no seed. */
  #next = 0;

  /** `now` returns the time in milliseconds, which only determines how long an episode is kept. */
  constructor(team: Team, now: () => number, mostOf: Most = most) {
    this.team = team;
    this.#now = now;
    this.#most = mostOf;
  }

  get count(): number {
    return this.#episodes.size;
  }

  /**
   * Starts an episode for a client. If the client is at its limit, its least recently used episode is dropped. Throws
   * ConfigError for a problem that the world does not have, and BusyError if there are too many episodes.
   */
  async reset(
    client: string,
    { seed = this.#next++ % 2 ** 32, level = this.team.config.world.level, split = 'training' }: Begun,
  ): Promise<EpisodeState> {
    const { world, protocol } = this.team;
    if (!world.levels.some((one) => one.level === level))
      throw new ConfigError(
        `level: expected a level from 1 to ${world.levels.length} of the world ${world.name}, got ${level}.`,
      );
    if (!world.splits.includes(split))
      throw new ConfigError(`split: expected one of ${world.splits.join(', ')}, got ${split}.`);
    this.#makeRoom(client);
    const draft = { id: unguessed(), drawn: { seed, level, split }, said: protocol.roles.map(() => []) };
    const standing = await this.#play(draft);
    const kept = { ...draft, client, mark: markOf(standing), askedAt: this.#now(), line: Promise.resolve() };
    this.#episodes.set(draft.id, kept);
    this.#ofClient.set(client, (this.#ofClient.get(client) ?? 0) + 1);
    return standing;
  }

  /**
   * Adds the next message of an episode. Throws UnknownEpisodeError, and ConfigError or FormatError for an invalid
   * message.
   */
  async step(id: string, message: { text: string; isFinish: boolean }): Promise<EpisodeState> {
    if (this.#over.has(id)) throw isOver(id);
    const episode = this.#of(id);
    const turn = async (): Promise<EpisodeState> => {
      const { agent } = episode.mark;
      if (agent === null) throw isOver(id);
      if (message.text.length > most.signs)
        throw new ConfigError(`text: expected at most ${most.signs} characters, got ${message.text.length}.`);
      const read = readTerminated(message.text);
      const isFinish = message.isFinish || read.isFinish;
      const { protocol } = this.team;
      if (isFinish && agent !== protocol.finisher)
        throw new ConfigError(`finish: the ${protocol.roles[agent]} agent cannot end a dialogue; leave out finish.`);
      const said = episode.said.map((own, at) => (at === agent ? [...own, { text: read.text, isFinish }] : own));
      const standing = await this.#play({ ...episode, said });
      episode.mark = markOf(standing);
      episode.said = said;
      if (standing.isDone) this.#end(episode);
      return standing;
    };
    const done = episode.line.then(turn);
    // The promise in the queue must not refer to objects of the replay, because they would then be kept as long as the
    // episode.
    episode.line = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** The current state of an episode. Throws UnknownEpisodeError. */
  state(id: string): Mark & { episode: string } {
    return { episode: id, ...(this.#over.get(id) ?? this.#of(id).mark) };
  }

  /** Whether an episode with this name is active, or has ended and can still be read. */
  knows(id: string): boolean {
    return this.#episodes.has(id) || this.#over.has(id);
  }

  /** Deletes an episode if it exists. */
  close(id: string): void {
    const episode = this.#episodes.get(id);
    if (episode) this.#forget(episode);
    this.#over.delete(id);
  }

  #of(id: string): Episode {
    const episode = this.#episodes.get(id);
    if (!episode) throw new UnknownEpisodeError(`the episode ${id.slice(0, 40)}`);
    episode.askedAt = this.#now();
    this.#episodes.delete(id);
    this.#episodes.set(id, episode);
    return episode;
  }

  #makeRoom(client: string): void {
    if ((this.#ofClient.get(client) ?? 0) >= this.#most.ofClient) {
      const own = this.#oldest((one) => one.client === client);
      if (own) this.#forget(own);
    }
    if (this.#episodes.size < this.#most.episodes) return;
    const left = this.#oldest(({ askedAt }) => this.#now() - askedAt > idleMs);
    if (!left)
      throw new BusyError(`the maximum of ${this.#most.episodes} active episodes is reached; try again in a moment.`);
    this.#forget(left);
  }

  #oldest(isMeant: (episode: Episode) => boolean): Episode | null {
    for (const episode of this.#episodes.values()) if (isMeant(episode)) return episode;
    return null;
  }

  #end(episode: Episode): void {
    // The episode may have been closed during the replay.
    if (!this.#episodes.has(episode.id)) return;
    this.#forget(episode);
    this.#over.set(episode.id, episode.mark);
    const [oldest] = this.#over.keys();
    if (this.#over.size > this.#most.over && oldest !== undefined) this.#over.delete(oldest);
  }

  #forget({ id, client }: Episode): void {
    this.#episodes.delete(id);
    const left = (this.#ofClient.get(client) ?? 1) - 1;
    if (left > 0) this.#ofClient.set(client, left);
    else this.#ofClient.delete(client);
  }

  async #play({ id, drawn, said }: Pick<Episode, 'id' | 'drawn' | 'said'>): Promise<EpisodeState> {
    const { team } = this;
    const { protocol, tokenizers } = team;
    const { seed, level, split } = drawn;
    const problem = team.world.draw(level, new Draws(seed, streams.problems, level), split);
    const policies = protocol.roles.map((_, agent) =>
      typingPolicy(agent, (turn) => {
        const typed = said[agent]?.[turn];
        return typed ? encoded(tokenizers[agent] as Tokenizer, typed, 'text') : null;
      }),
    );
    const turns = said.reduce((sum, { length }) => sum + length, 0);
    const draws = { stream: streams.control, iteration: 0, offset: seed };
    try {
      const { trajectories } = await rollOut(team, { problems: [problem], groups: [0], policies, draws });
      const { turns: over, answer, isRight, reward } = trajectories[0] as Trajectory;
      return {
        ...{ episode: id, seed, turns, agent: null, role: '', heard: '', mayFinish: false, isDone: true, reward },
        ...{
          rewards: over.map((turn) => turn.reward),
          reasons: over.map(({ reason }) => reasonInEnglish(reason)),
          answer,
          isRight,
        },
      };
    } catch (thrown) {
      if (!(thrown instanceof Awaited)) throw thrown;
      const { agent, heard } = thrown;
      return {
        ...{ episode: id, seed, turns, agent, role: protocol.roles[agent] ?? '' },
        ...{ heard: (tokenizers[agent] as Tokenizer).decode(heard), mayFinish: agent === protocol.finisher },
        ...{ isDone: false, reward: 0, rewards: [], reasons: [], answer: null, isRight: false },
      };
    }
  }
}

const isOver = (id: string) => new ConfigError(`episode ${id}: this episode has ended; start another one with reset.`);

const markOf = ({ turns, agent, reward }: EpisodeState): Mark => ({ turns, agent, reward });

/**
 * A random name for an episode as a single flat string. The string that randomUUID returns consists of twenty pieces,
 * which need eight times the memory.
 */
const unguessed = () => randomBytes(16).toString('hex');
