import * as tf from '@tensorflow/tfjs-core';
import { openEngine, type EngineName } from './stepEngine.ts';
import { stepWork } from './stepWork.ts';
const [name, backend] = process.argv.slice(2);
const engine = await openEngine(name as EngineName, stepWork('A'), backend as string);
for (let i = 0; i < 4; i++) await engine.step();
const sum = new Map<string, [number, number]>();
for (let i = 0; i < 5; i++) {
  const info = await tf.profile(async () => { await engine.step(); return tf.scalar(0); });
  for (const k of info.kernels) {
    const t = await k.kernelTimeMs as number;
    const key = k.name === 'BatchMatMul' ? k.name + JSON.stringify(k.inputShapes) : k.name; const e = sum.get(key) ?? [0, 0]; e[0] += t / 5; e[1] += 1 / 5; sum.set(key, e);
  }
}
for (const [k, [t, c]] of [...sum].sort((a, b) => b[1][0] - a[1][0]).slice(0, 25)) console.log(k.padEnd(24), t.toFixed(2), 'ms', c.toFixed(0));
console.log('total', [...sum.values()].reduce((a, [t]) => a + t, 0), [...sum.values()].reduce((a, [, c]) => a + c, 0));
process.exit(0);
