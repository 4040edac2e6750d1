// A policy for more rows than a device can bind at once: they decode in parts, one session each. Draws have an address
// a row, so the tokens are those of one session.
import { ShapeError } from '../base/errors.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns, SampleRequest } from '../records/policy.ts';
import { expectRows } from './sampledTurns.ts';

/** Rows that go on as one another lie side by side, a few of them; parts end where most groups of such end. */
const multiples = [840, 120, 24];

/** Rows of a part, of so many at most. */
export function partSize(most: number): number {
  const multiple = multiples.find((of) => of <= most) ?? 1;
  return Math.max(1, Math.floor(most / multiple) * multiple);
}

/** @param most rows that one session of the policy may have */
export function splitPolicy(policy: Policy, most: number): Policy {
  const size = partSize(most);
  return {
    maxPositions: policy.maxPositions,
    open: (rows) => (rows <= most ? policy.open(rows) : new SplitSession(policy, rows, size)),
  };
}

interface Part {
  session: DecodeSession;
  /** First row, and the row after the last. */
  from: number;
  to: number;
}

class SplitSession implements DecodeSession {
  readonly #rows: number;
  readonly #parts: readonly Part[];

  constructor(policy: Policy, rows: number, size: number) {
    this.#rows = rows;
    this.#parts = Array.from({ length: Math.ceil(rows / size) }, (_, n) => {
      const [from, to] = [n * size, Math.min(rows, (n + 1) * size)];
      return { session: policy.open(to - from), from, to };
    });
  }

  append(chunks: readonly ContextChunk[]): void {
    expectRows('append', chunks.length, this.#rows);
    for (const { session, from, to } of this.#parts) session.append(chunks.slice(from, to));
  }

  async sample(request: SampleRequest): Promise<SampledTurns> {
    const { window, isActive, addresses } = request;
    expectRows('sample', isActive.length, this.#rows);
    const said = {
      ids: new Int32Array(this.#rows * window),
      logprobs: new Float32Array(this.#rows * window),
      lengths: new Int32Array(this.#rows),
    };
    for (const { session, from, to } of this.#parts) {
      const isOurs = isActive.slice(from, to);
      if (!isOurs.includes(true)) continue;
      const part = await session.sample({ ...request, isActive: isOurs, addresses: addresses.slice(from, to) });
      said.ids.set(part.ids, from * window);
      said.logprobs.set(part.logprobs, from * window);
      said.lengths.set(part.lengths, from);
    }
    return said;
  }

  takeRows(from: readonly number[]): void {
    expectRows('takeRows', from.length, this.#rows);
    for (const part of this.#parts) {
      const sources = from.slice(part.from, part.to);
      const far = sources.findIndex((source) => source < part.from || source >= part.to);
      if (far >= 0)
        throw new ShapeError(
          `takeRows: row ${part.from + far} must go on as a row of its own part, ${part.from} to ${part.to - 1}, ` +
            `got row ${String(sources[far])}; use fewer learning.problemsPerIteration.`,
        );
      part.session.takeRows(sources.map((source) => source - part.from));
    }
  }

  dispose(): void {
    for (const { session } of this.#parts) session.dispose();
  }
}
