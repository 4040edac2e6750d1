// A turn that can be observed while it is sampled. For each token, the logits are read back to the host, which draws
// the token and appends this token in the same way as context. A row may end before others; the turn ends when all rows
// have ended.
import { uniformAt } from '../../base/random.ts';
import type { ContextChunk, SampledTurns, SampleRequest, Stepwise } from '../../records/policy.ts';
import { drawToken } from './drawToken.ts';
import type { RowContexts } from './rowContexts.ts';

/** The functions of a session that are needed to sample such a turn. */
interface Session {
  contexts: RowContexts;
  /** [B · V]: the logits after the newest token of each row. */
  logits: () => Promise<Float32Array>;
  append: (chunks: readonly ContextChunk[]) => void;
}

/**
 * Samples one turn for all active rows. Throws ShapeError in the same cases as `RowContexts.open`. Errors of `hear` are
 * passed on.
 */
export async function sampleStepwise(
  { contexts, logits, append }: Session,
  { window, isActive, addresses, temperature, endIds }: SampleRequest,
  { limits, hear }: Stepwise,
): Promise<SampledTurns> {
  contexts.open(isActive);
  const rows = isActive.length;
  const said = {
    ids: new Int32Array(rows * window),
    logprobs: new Float32Array(rows * window),
    lengths: new Int32Array(rows),
  };
  let speaks = isActive;
  for (let t = 0; ; t++) {
    const all = await logits();
    const vocabulary = all.length / rows;
    const drawn = speaks.map((is, b) => {
      if (!is) return null;
      const own = all.subarray(b * vocabulary, (b + 1) * vocabulary);
      const token = drawToken(own, uniformAt(addresses[b] as number, t), { ...limits, temperature });
      said.ids[b * window + t] = token.id;
      said.logprobs[b * window + t] = token.logprob;
      said.lengths[b] = t + 1;
      return token;
    });
    const goesOn = await hear(drawn);
    speaks = drawn.map((token, b) => token !== null && !endIds.includes(token.id) && goesOn[b] === true);
    if (t === window - 1 || !speaks.includes(true)) {
      contexts.rest(drawn.map((token) => token?.id ?? -1));
      return said;
    }
    append(drawn.map((token) => ({ tokens: token ? [token.id] : [] })));
  }
}
