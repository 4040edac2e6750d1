// Measures a language model of real size on WebGPU, frozen in a file format, with adapters that learn.
import * as tf from '@tensorflow/tfjs-core';
import { median } from '../../src/base/stats.ts';
import { counters } from '../../src/engine/counters.ts';
import { lossAndGradients } from '../../src/engine/gradients.ts';
import { frozenLinear } from '../../src/engine/ops/frozen/frozenLinear.ts';
import { linear } from '../../src/engine/ops/linear/linear.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { DecodingStates } from '../../src/model/decoding/decodingStates.ts';
import { type BaseFormat, disposeLesson, isStored, learner, type Learner, lessonOf, loss, Teacher } from './learner.ts';
import { chanceBytes, heardTokens, noise, tokensFrom } from './work.ts';

interface Gone {
  ms: number;
  dispatches: number;
}

/** Returns the milliseconds until the result of `work` is ready, and the number of dispatches. */
async function timed(work: () => tf.Tensor[]): Promise<Gone> {
  const [start, { dispatches }] = [performance.now(), counters()];
  const left = work();
  await (left[0] as tf.Tensor).data();
  tf.dispose(left);
  return { ms: performance.now() - start, dispatches: counters().dispatches - dispatches };
}

/** Returns the shortest time of a forward and backward pass of one SmolLM2 block with a small vocabulary. */
export async function block(format: BaseFormat, { tokens, rounds }: { tokens: number; rounds: number }): Promise<Gone> {
  const one = learner(format, { numLayers: 1, vocabSize: 64 });
  const lesson = lessonOf(chanceRows(one, 1, tokens));
  const pass = () => {
    const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(one, lesson)), one.variables);
    return [Object.values(grads)[0] as tf.Tensor, value, ...Object.values(grads).slice(1)];
  };
  await timed(pass);
  const gone: Gone[] = [];
  for (let round = 0; round < rounds; round++) gone.push(await timed(pass));
  disposeLesson(lesson);
  one.free();
  return gone.reduce((best, other) => (other.ms < best.ms ? other : best));
}

/** Returns the TFLOP/s of [rows × 576]·[1536 × 576]ᵀ, repeated so often that the final read is negligible. */
export async function product(format: BaseFormat, { rows, count }: { rows: number; count: number }): Promise<number> {
  const [lines, columns] = [1536, 576];
  const x = tf.tensor2d(noise(rows * columns, 1), [rows, columns]);
  const w = isStored(format)
    ? {
        words: tf.tensor1d(new Int32Array(chanceBytes(format, lines, columns).buffer), 'int32'),
        format,
        rows: lines,
        columns,
      }
    : tf.tensor2d(noise(lines * columns, 1), [lines, columns]);
  const once = () => ('words' in w ? frozenLinear(x, w) : linear(x, w, true));
  const take = async (times: number) => {
    const { ms } = await timed(() => {
      for (let i = 1; i < times; i++) once().dispose();
      return [tf.tidy(() => tf.slice(once(), [0, 0], [1, 1]))];
    });
    return ms;
  };
  await take(2);
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) rounds.push((await take(count + 1)) - (await take(1)));
  tf.dispose([x, 'words' in w ? w.words : w]);
  return (2 * rows * lines * columns * count) / (median(rounds) / 1000) / 1e12;
}

/** Returns the seconds in which this many rows generate tokens after reading a prompt, sampled as in a rollout. */
export async function spoken(one: Learner, { rows, heard, said }: { rows: number; heard: number; said: number }) {
  const rooms = new DecodingStates(true);
  const policy = decodingPolicy(one.tree, one.shape, rooms);
  const talk = async () => {
    const session = policy.open(rows);
    session.append(
      Array.from({ length: rows }, (_, row) => ({
        tokens: heardTokens(heard + row)
          .slice(row)
          .map((id) => id % one.shape.vocabSize),
      })),
    );
    const start = performance.now();
    await session.sample({
      window: said,
      isActive: Array.from({ length: rows }, () => true),
      addresses: Uint32Array.from({ length: rows }, (_, row) => row),
      ...{ temperature: 1, endIds: [] },
    });
    session.dispose();
    return (performance.now() - start) / 1000;
  };
  await talk(); // compiles and records
  const { readbacks } = counters();
  const seconds = await talk();
  const reads = counters().readbacks - readbacks;
  rooms.dispose();
  return { seconds, reads };
}

/** Returns the seconds of one update of all adapters on this many rows, a few of them at a time. */
export async function updated(
  one: Learner,
  { rows, length, perPass }: { rows: number; length: number; perPass: number },
) {
  const teacher = new Teacher(one);
  const passes = Array.from(
    { length: Math.ceil(rows / perPass) },
    () => () => lessonOf(chanceRows(one, perPass, length)),
  );
  const update = () => [teacher.step(passes)];
  await timed(update); // compiles
  const { ms } = await timed(update);
  teacher.free();
  return ms / 1000;
}

/** Rows of random tokens from this network's vocabulary. */
const chanceRows = ({ shape }: Learner, rows: number, length: number): number[][] =>
  Array.from({ length: rows }, (_, row) => tokensFrom(row * length, length + 1).map((id) => id % shape.vocabSize));
