// The dialogues a mixing critic learns from again and again (QMIX 1803.11485): a ring of the newest ones. Old ones were
// said by older policies; the values learned are of what was said, so they stay true of it. What they earned is what was
// paid then: where weights of the reward change on the way, old dialogues teach the old ones until they are overwritten.
import { StorageError } from '../../base/errors.ts';
import type { Draws } from '../../base/random.ts';
import { replayFault, type ReplayLimits, type ReplayState } from '../../records/mixing.ts';
import type { Episode, Message, Round } from './mixingRows.ts';

export class MixingReplay {
  readonly #size: number;
  readonly #episodes: Episode[] = [];
  #stored = 0;

  /** @param size dialogues at most */
  constructor(size: number) {
    this.#size = size;
  }

  /** Dialogues at hand. */
  get count(): number {
    return this.#episodes.length;
  }

  /** What the numbers of all dialogues take. */
  get bytes(): number {
    const { facts, rewards } = this.state();
    return facts.byteLength + rewards.byteLength;
  }

  /** Stores dialogues, in order, over the oldest ones where there is no more room. */
  add(episodes: readonly Episode[]): void {
    for (const episode of episodes) this.#episodes[this.#stored++ % this.#size] = episode;
  }

  /** Draws dialogues with replacement; none where there are none. */
  sample(count: number, draws: Draws): Episode[] {
    if (this.count === 0) return [];
    return Array.from({ length: count }, () => this.#episodes[draws.below(this.count)] as Episode);
  }

  /** A copy as plain data. */
  state(): ReplayState {
    const facts: number[] = [];
    const rewards: number[] = [];
    for (const { ids, rounds } of this.#episodes) {
      facts.push(ids.length, ...ids, rounds.length);
      for (const { stateAt, reward, messages } of rounds) {
        rewards.push(reward);
        facts.push(
          stateAt,
          messages.length,
          ...messages.flatMap(({ agent, turn, from, to }) => [agent, turn, from, to]),
        );
      }
    }
    return { stored: this.#stored, facts: Uint16Array.from(facts), rewards: Float64Array.from(rewards) };
  }

  /** The ring that gave this state. Throws StorageError when the numbers do not add up. */
  static of(state: ReplayState, limits: ReplayLimits): MixingReplay {
    const fault = replayFault(state, limits);
    if (fault) throw new StorageError(`mixing.replay: expected ${fault}; start a new run with its settings.`);
    const { stored, facts, rewards } = state;
    const replay = new MixingReplay(limits.size);
    let [at, paid] = [0, 0];
    const next = () => facts[at++] as number;
    const message = (): Message => ({ agent: next(), turn: next(), from: next(), to: next() });
    const round = (): Round => {
      const [stateAt, count] = [next(), next()];
      return { stateAt, reward: rewards[paid++] as number, messages: Array.from({ length: count }, message) };
    };
    while (at < facts.length) {
      const length = next();
      const ids = facts.slice(at, at + length);
      at += length;
      replay.#episodes.push({ ids, rounds: Array.from({ length: next() }, round) });
    }
    replay.#stored = stored;
    return replay;
  }
}
