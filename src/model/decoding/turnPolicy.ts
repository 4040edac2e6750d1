// A policy with a different network at every turn. A network cannot use the cache of another network. Therefore, for
// each turn, a session with the network of this turn is opened, everything that each row has received and generated so
// far is appended, the turn is sampled, and the session is closed.
import { ShapeError } from '../../base/errors.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns, SampleRequest } from '../../records/policy.ts';
import { expectRows, expectSources } from './rowContexts.ts';

/**
 * Combines policies: the first is used for the first turn, the second for the second turn, and so on. All policies must
 * have the same maximum context length.
 */
export function turnPolicy(turns: readonly [Policy, ...Policy[]]): Policy {
  const mostRows = Math.min(...turns.map((turn) => turn.mostRows));
  return {
    maxPositions: turns[0].maxPositions,
    mostRows,
    open: (rows) => new TurnSession(turns, rows),
  };
}

interface History {
  tokens: number[];
  visible: boolean[];
}

class TurnSession implements DecodeSession {
  readonly #turns: readonly Policy[];
  #rows: History[];

  constructor(turns: readonly Policy[], rows: number) {
    this.#turns = turns;
    this.#rows = Array.from({ length: rows }, () => ({ tokens: [], visible: [] }));
  }

  append(chunks: readonly ContextChunk[]): void {
    expectRows('append', chunks.length, this.#rows.length);
    chunks.forEach(({ tokens, visible }, b) => this.#extend(b, tokens, visible));
  }

  /** Throws ShapeError for more turns than there are policies. */
  async sample(request: SampleRequest): Promise<SampledTurns> {
    const policy = this.#turns[request.turn ?? 0];
    if (!policy)
      throw new ShapeError(
        `sample: there are policies for only ${this.#turns.length} turns; give a policy for each turn.`,
      );
    const session = policy.open(this.#rows.length);
    try {
      // For a row whose agent does not speak in this turn, only the first token is processed.
      session.append(this.#rows.map((row, b) => (request.isActive[b] ? row : firstOf(row))));
      const said = await session.sample(request);
      this.#rows.forEach((_, b) => {
        const start = b * request.window;
        this.#extend(b, said.ids.subarray(start, start + (said.lengths[b] as number)));
      });
      return said;
    } finally {
      session.dispose();
    }
  }

  takeRows(from: readonly number[]): void {
    expectSources(from, this.#rows.length);
    this.#rows = from.map((source) => structuredClone(this.#rows[source] as History));
  }

  /** Deletes all rows. There is no session to close, because no session is open between turns. */
  dispose(): void {
    this.#rows = [];
  }

  #extend(b: number, tokens: ArrayLike<number>, visible?: readonly boolean[]): void {
    const row = this.#rows[b] as History;
    for (let t = 0; t < tokens.length; t++) {
      row.tokens.push(tokens[t] as number);
      row.visible.push(visible?.[t] !== false);
    }
  }
}

/** A chunk with only the first token of a row. The chunk is not empty, because attention needs at least one token. */
const firstOf = ({ tokens, visible }: History): ContextChunk => ({
  tokens: tokens.slice(0, 1),
  visible: visible.slice(0, 1),
});
