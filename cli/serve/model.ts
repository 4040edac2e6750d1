// The agents of a stored run as models that go on with a text. One request speaks at a time, the others wait in line.
import { ConfigError } from '../../src/base/errors.ts';
import { addressOf, streams } from '../../src/base/random.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { Policy } from '../../src/records/policy.ts';
import { chatTemplate, endOfTurn, finish, heardRoles } from '../../src/text/chatTemplate.ts';
import type { Tokenizer } from '../../src/text/tokenizer.ts';
import { seatTogether } from '../../src/training/run/crossPlay.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { BusyError } from './http.ts';

export interface Model {
  id: string;
  /** Jinja, as an exported model has it. */
  template: string;
  tokenizer: Tokenizer;
  policy: Policy;
}

export interface Said {
  tokens: string[];
  /** Of each token, under the temperature it was sampled with. */
  logprobs: number[];
  /** Whether it ended its turn by itself. */
  isEnded: boolean;
}

export interface Wish {
  prompt: string;
  /** Tokens at most; fewer where the context is full. */
  tokens: number;
  temperature: number;
  seed: number;
  /** How many texts. */
  count: number;
}

/** Requests that may wait. */
const mostWaiting = 64;
/** For a temperature of 0: the likeliest token, but where others are as likely to the fourth digit. */
const coldest = 1e-4;

export class Models {
  readonly list: readonly Model[];
  readonly #dispose: () => void;
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  private constructor(list: readonly Model[], dispose: () => void) {
    this.list = list;
    this.#dispose = dispose;
  }

  /** Uploads the agents of a checkpoint; its world and engine are ready. */
  static open(run: RunRecord, checkpoint: Checkpoint): Models {
    const { roles } = assembleTeam(checkpoint.config).protocol;
    const { team, policies, dispose } = seatTogether(roles.map(() => ({ checkpoint, name: run.name })));
    const { protocol, tokenizers, tokenizer } = team;
    const list = roles.map((role, agent): Model => {
      const others = roles.filter((other) => other === role).length > 1;
      return {
        id: `${run.name}/${role}${others ? `-${agent + 1}` : ''}`,
        template: chatTemplate(role, heardRoles(protocol, agent)),
        tokenizer: tokenizers[agent] ?? tokenizer,
        policy: policies[agent] as Policy,
      };
    });
    return new Models(list, dispose);
  }

  /** Goes on with a text. Throws BusyError, ConfigError for a text that leaves no room, FormatError for signs unknown. */
  async speak(model: Model, wish: Wish): Promise<Said[]> {
    const { tokenizer, policy } = model;
    const context = tokenizer.encode(wish.prompt);
    const room = policy.maxPositions - context.length;
    if (context.length === 0) throw new ConfigError('prompt: expected a text, got nothing.');
    if (room < 1)
      throw new ConfigError(`prompt: expected fewer than ${policy.maxPositions} tokens, got ${context.length}.`);
    if (this.#waiting >= mostWaiting) throw new BusyError('too many requests wait; try again in a moment.');
    const window = Math.min(wish.tokens, room);
    const turn = async (): Promise<Said[]> => {
      const session = policy.open(wish.count);
      try {
        session.append(Array.from({ length: wish.count }, () => ({ tokens: context })));
        const { ids, logprobs, lengths } = await session.sample({
          window,
          isActive: Array.from({ length: wish.count }, () => true),
          addresses: Uint32Array.from({ length: wish.count }, (_, row) =>
            addressOf(wish.seed, streams.control, row, 0),
          ),
          temperature: Math.max(coldest, wish.temperature),
          endIds: [endOfTurn, finish].map((token) => tokenizer.id(token)),
        });
        return Array.from({ length: wish.count }, (_, row) => {
          const [from, to] = [row * window, row * window + (lengths[row] as number)];
          const tokens = Array.from(ids.subarray(from, to), (id) => tokenizer.token(id));
          const isEnded = [endOfTurn, finish].includes(tokens.at(-1) ?? '');
          return { tokens, logprobs: [...logprobs.subarray(from, to)], isEnded };
        });
      } finally {
        session.dispose();
      }
    };
    this.#waiting++;
    const said = this.#line.then(turn).finally(() => this.#waiting--);
    this.#line = said.catch(() => undefined);
    return said;
  }

  dispose(): void {
    this.#dispose();
  }
}
