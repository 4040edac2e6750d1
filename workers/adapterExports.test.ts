// Tests exports of agents with adapters. If the adapter files are applied to the frozen model, the result must be the
// merged model.
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readTensors } from '../src/formats/reference/safetensors.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { startRun } from '../src/training/testing/microRun.ts';
import { agentZip } from './exports.ts';

onCpu();

it.each(['role', 'turn'] as const)(
  'the merged matrix is W + (α/r)·B·A, for an adapter for each %s',
  async (adapterPer) => {
    const { session } = await startRun({
      agents: { parameters: 'lora', adapterPer, loraRank: 4, loraAlpha: 8 },
      learning: { problemsPerIteration: 2, groupSize: 2 },
    });
    await session.train(1);
    const files = unzipSync(await agentZip(session, 1, false));
    const folder = adapterPer === 'turn' ? 'reasoning-turn-2/' : '';
    const tensors = (name: string) =>
      new Map(readTensors(files[`${folder}${name}`] as Uint8Array).map((tensor) => [tensor.name, tensor]));
    const {
      r,
      lora_alpha: alpha,
      target_modules: targets,
    } = JSON.parse(strFromU8(files[`${folder}adapter/adapter_config.json`] as Uint8Array)) as {
      r: number;
      lora_alpha: number;
      target_modules: string[];
    };
    const [merged, base, pairs] = ['model', 'base/model', 'adapter/adapter_model'].map((name) =>
      tensors(`${name}.safetensors`),
    ) as [ReturnType<typeof tensors>, ReturnType<typeof tensors>, ReturnType<typeof tensors>];
    expect([r, alpha]).toEqual([4, 8]);
    let moved = 0;
    for (const [name, { shape, values }] of merged) {
      const frozen = base.get(name)?.values as number[];
      const at = `base_model.model.${name.replace('.weight', '')}`;
      const [a, b] = [pairs.get(`${at}.lora_A.weight`), pairs.get(`${at}.lora_B.weight`)];
      expect(targets.includes(name.split('.').at(-2) as string)).toBe(a !== undefined);
      const [rows = 0, columns = 1] = shape;
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          let added = 0;
          for (let k = 0; a && b && k < r; k++)
            added += (b.values[row * r + k] as number) * (a.values[k * columns + column] as number);
          const wanted = (frozen[row * columns + column] as number) + (alpha / r) * added;
          expect(Math.abs((values[row * columns + column] as number) - wanted)).toBeLessThan(1e-6);
          moved = Math.max(moved, Math.abs(added));
        }
      }
    }
    expect(moved).toBeGreaterThan(0);
  },
);
