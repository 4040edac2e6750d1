// The attention of a Llama network in float64, directly from the formula. Every head is computed separately at every
// position. The weights have Hugging Face's names. The code is deliberately slow, and has no code in common with the
// network that it is used to check.
import type { ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { Matrix } from './policy.ts';

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
const silu = (x: number) => x / (1 + Math.exp(-x));

/** [layers · heads · T] the attention weights of the last token, with which it attends to all tokens. */
export function rowAttentionReference(
  shape: ModelShape,
  weights: readonly NamedArray[],
  ids: readonly number[],
): number[] {
  const matrix = (name: string): Matrix => {
    const { shape: [rows = 0, columns = 1] = [], values } = weights.find(
      (one) => one.name === `${name}.weight`,
    ) as NamedArray;
    return Array.from({ length: rows }, (_, r) => Array.from(values.slice(r * columns, (r + 1) * columns)));
  };
  const gain = (name: string) => matrix(name).flat();
  const times = (x: Matrix, m: Matrix): Matrix => x.map((row) => m.map((column) => dot(row, column)));
  const plus = (a: Matrix, b: Matrix): Matrix => a.map((row, i) => row.map((x, j) => x + (b[i]?.[j] as number)));
  const normed = (x: Matrix, g: number[]): Matrix =>
    x.map((row) => {
      const scale = 1 / Math.sqrt(dot(row, row) / row.length + shape.normEps);
      return row.map((value, i) => value * scale * (g[i] as number));
    });
  const { headSize: size, numHeads, numKvHeads } = shape;
  /** `head` returns the numbers of head `h` at position `p`. `turned` applies the rotary position encoding to them. */
  const head = (x: Matrix, p: number, h: number) => (x[p] as number[]).slice(h * size, (h + 1) * size);
  const turned = (row: number[], p: number) =>
    row.map((value, i) => {
      const pair = i < size / 2 ? i : i - size / 2;
      const angle = p / shape.ropeTheta ** ((2 * pair) / size);
      const other = (i < size / 2 ? -1 : 1) * (row[(i + size / 2) % size] as number);
      return value * Math.cos(angle) + other * Math.sin(angle);
    });

  const embedded = matrix('model.embed_tokens');
  let x: Matrix = ids.map((id) => embedded[id] as number[]);
  const attended: number[] = [];
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const at = `model.layers.${layer}`;
    const input = normed(x, gain(`${at}.input_layernorm`));
    const [q, k, v] = ['q', 'k', 'v'].map((name) => times(input, matrix(`${at}.self_attn.${name}_proj`))) as [
      Matrix,
      Matrix,
      Matrix,
    ];
    const mixed: Matrix = ids.map(() => []);
    for (let h = 0; h < numHeads; h++) {
      const of = Math.floor(h / (numHeads / numKvHeads));
      ids.forEach((_, p) => {
        const query = turned(head(q, p, h), p);
        const powers = ids
          .slice(0, p + 1)
          .map((__, past) => Math.exp(dot(query, turned(head(k, past, of), past)) / Math.sqrt(size)));
        const shares = powers.map((power) => power / powers.reduce((a, b) => a + b, 0));
        mixed[p]?.push(
          ...Array.from({ length: size }, (__, d) =>
            dot(
              shares,
              shares.map((___, past) => head(v, past, of)[d] as number),
            ),
          ),
        );
        if (p === ids.length - 1) attended.push(...shares);
      });
    }
    x = plus(x, times(mixed, matrix(`${at}.self_attn.o_proj`)));
    const middle = normed(x, gain(`${at}.post_attention_layernorm`));
    const gate = times(middle, matrix(`${at}.mlp.gate_proj`));
    const up = times(middle, matrix(`${at}.mlp.up_proj`));
    x = plus(
      x,
      times(
        gate.map((row, p) => row.map((value, i) => silu(value) * (up[p]?.[i] as number))),
        matrix(`${at}.mlp.down_proj`),
      ),
    );
  }
  return attended;
}
