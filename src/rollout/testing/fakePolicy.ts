// A policy without a network, for tests. It returns given messages, and records the tokens that it receives.
import type { DecodeSession, Policy, SampleRequest } from '../../records/policy.ts';

/** All tokens of a row in order: the context, and the tokens that the agent sampled. */
export interface HeardRow {
  ids: number[];
  isVisible: boolean[];
  isSampled: boolean[];
  /** The log-probability of each sampled token; 0 for tokens of the context. */
  logprobs: number[];
}

export interface FakeSession extends DecodeSession {
  rows: HeardRow[];
  requests: SampleRequest[];
  disposals: number;
}

export interface FakePolicy extends Policy {
  sessions: FakeSession[];
}

interface FakeOptions {
  maxPositions?: number;
  /** Called before every turn. It may throw an error. */
  onSample?: () => void;
}

/**
 * `say` returns the message of a row in the n-th turn of this agent; a message that is longer than the maximum is
 * truncated.
 */
export function fakePolicy(
  say: (row: number, turn: number) => readonly number[],
  options: FakeOptions = {},
): FakePolicy {
  const sessions: FakeSession[] = [];
  const open = (count: number): FakeSession => {
    const rows = Array.from({ length: count }, (): HeardRow => ({
      ids: [],
      isVisible: [],
      isSampled: [],
      logprobs: [],
    }));
    let sampled = 0;
    const session: FakeSession = {
      rows,
      requests: [],
      disposals: 0,
      append: (chunks) => {
        chunks.forEach(({ tokens, visible }, b) => {
          const row = rows[b] as HeardRow;
          row.ids.push(...tokens);
          row.isVisible.push(...tokens.map((_, t) => visible?.[t] !== false));
          row.isSampled.push(...tokens.map(() => false));
          row.logprobs.push(...tokens.map(() => 0));
        });
      },
      sample: async ({ overhear, ...request }) => {
        session.requests.push(structuredClone(request));
        options.onSample?.();
        const { window, isActive, turn = 0 } = request;
        const said = {
          ids: new Int32Array(count * window),
          logprobs: new Float32Array(count * window),
          lengths: new Int32Array(count),
        };
        rows.forEach((row, b) => {
          if (!isActive[b]) return;
          const ids = say(b, turn).slice(0, window);
          said.lengths[b] = ids.length;
          ids.forEach((id, t) => {
            const logprob = -++sampled / 1024; // all differ, and float32 holds them exactly
            said.ids[b * window + t] = id;
            said.logprobs[b * window + t] = logprob;
            row.ids.push(id);
            row.isVisible.push(true);
            row.isSampled.push(true);
            row.logprobs.push(logprob);
          });
        });
        for (let t = 0; t < Math.max(...said.lengths); t++)
          await overhear?.((b) => [
            ...said.ids.subarray(b * window, b * window + Math.min(t + 1, said.lengths[b] as number)),
          ]);
        return said;
      },
      takeRows: (from) => {
        const before = structuredClone(rows);
        from.forEach((source, b) => Object.assign(rows[b] as HeardRow, structuredClone(before[source])));
      },
      dispose: () => {
        session.disposals++;
      },
    };
    sessions.push(session);
    return session;
  };
  return { maxPositions: options.maxPositions ?? 96, mostRows: Infinity, open, sessions };
}
