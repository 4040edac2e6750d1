// Tests the codebook of the warm start that is shipped with the page.
import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { parseConfig } from '../../../config/parse.ts';
import { shippedFor } from '../../../config/warmStarts.ts';
import { readSafetensors } from '../../../formats/safetensors.ts';
import { runId } from '../../../records/ids.ts';
import { startingCheckpoint } from '../../../training/run/start.ts';
import { inspectableOf, microCheckpoint, microConfig, openRun } from '../../../training/testing/microRun.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { groupCodebook } from './answers.ts';

onCpu();

async function after(session: ReturnType<typeof openRun>['session']) {
  await session.train(1);
  return inspectableOf(session);
}

it('the first message of the shipped planner does not reveal the rule, nor with random weights', async () => {
  const few = { learning: { problemsPerIteration: 4 }, evaluation: { problems: 8 } };
  const config = parseConfig({ ...few, run: { seed: 11 } });
  const weights = readSafetensors(readFileSync(`public/warmstart/${shippedFor(config).name}.safetensors`)).tensors;
  const loadShipped = () => Promise.resolve(weights);
  const learned = openRun(await startingCheckpoint({ config, runId: runId('test'), backend: 'simd', loadShipped }));
  const inspectable = await after(learned.session);
  const taught = [];
  for (const group of [0, 1, 2, 3]) taught.push(await groupCodebook(inspectable, { group, draws: 64 }));
  // In the demonstrations for the warm start, plans depend on the rule no more than by chance, so the agents must learn
  // in training to let their plans depend on the rule.
  expect(taught.filter(({ bits, chance }) => bits > chance).length).toBeLessThanOrEqual(1);
  for (const { bits, most, messages, hidden } of taught) {
    expect(hidden).toEqual(['leftToRight', 'precedence', 'rightToLeft']);
    expect(bits).toBeLessThan(most + 0.2);
    for (const { counts } of messages) expect(counts).toHaveLength(hidden.length);
  }
  const random = openRun(await microCheckpoint(microConfig(few)));
  const babble = await groupCodebook(await after(random.session), { group: 0, draws: 16 });
  expect(babble.bits).toBeLessThan(Math.max(0.5, babble.chance * 1.5));
});
