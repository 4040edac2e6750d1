// Tests runs on a third-party model: a frozen Llama with its own tokenizer. Every agent trains an adapter for this
// model.
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../src/config/schema.ts';
import { digestOf, givenOf, weightsIn, type LlamaModel } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { givenFile, sampleFiles, sampleShape } from '../src/formats/llama/testing/sample.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { withSettings } from '../src/config/parse.ts';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { runId } from '../src/records/ids.ts';
import type { Checkpoint, NamedArray, NetworkState } from '../src/records/stored/checkpoint.ts';
import { introduceModel, isHeldByName } from '../src/records/stored/foreignModel.ts';
import type { GivenModel } from '../src/records/stored/modelCard.ts';
import { viewRow } from '../src/rollout/view.ts';
import { asCheckpoint } from '../src/storage/validate.ts';
import { agentTakenAway } from '../src/training/history/takenAway.ts';
import { layRows } from '../src/training/rows/rows.ts';
import { rowLogprobs } from '../src/training/rows/oldFacts.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { heldTensors, microConfig, openGate, openRun } from '../src/training/testing/microRun.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';

onCpu();

/** A small Llama that supports longer texts, loaded in the same way as by the page and the command line. */
async function held(
  shape = { ...sampleShape(), maxPositions: 512 },
): Promise<{ name: string; model: LlamaModel; given: GivenModel }> {
  const model = await readLlama(sampleFiles({ shape }));
  const name = `model-${digestOf(model)}`;
  const given = givenOf(model, 'tiny');
  introduceModel(name, given.foreign as NonNullable<typeof given.foreign>, given.matrices);
  return { name, model, given };
}

const settings: ConfigInput = {
  agents: { inWords: false, parameters: 'lora', loraRank: 4, roundLimit: 2, metaWindow: 5, reasonWindow: 6 },
  learning: { learner: 'grpo', problemsPerIteration: 4, groupSize: 4, numMinibatches: 1, updateEpochs: 1 },
  optimiser: { learningRate: 1e-2 },
};

async function begun(more: ConfigInput = {}, shape?: LlamaModel['shape']): Promise<Checkpoint> {
  const { name, given } = await held(shape);
  const agents = { ...settings.agents, ...more.agents, start: name };
  const config = microConfig({ ...settings, ...more, agents, learning: { ...settings.learning, ...more.learning } });
  return startingCheckpoint({
    ...{ config, runId: runId('foreign'), backend: 'simd' },
    loadShipped: () => Promise.reject(new Error('nothing ships for it')),
    loadModel: (asked) => (asked === name ? given : undefined),
  });
}

const numbers = (arrays: readonly NamedArray[] = []) => arrays.map(({ name, values }) => [name, [...values]]);
const isSame = (one: NetworkState | undefined, other: NetworkState | undefined) =>
  JSON.stringify(numbers(one?.weights)) === JSON.stringify(numbers(other?.weights));

describe('a run on an external model', () => {
  it('has the shape and the tokens of the model, and reads the world in these tokens', async () => {
    const shape = { ...sampleShape(), maxPositions: 512 };
    const checkpoint = await begun({}, shape);
    const { session } = openRun(checkpoint);
    const { team } = session.trainState;
    expect(team.shape).toEqual({ ...shape, maxPositions: team.shape.maxPositions });
    expect(team.longestContext).toBeLessThanOrEqual(team.shape.maxPositions);
    const [problem] = team.world.heldOut(team.config.world.level, 1);
    const prompt = team.prompt(problem as NonNullable<typeof problem>, 0);
    expect(team.tokenizer.decode(prompt)).toBe(
      team.world.view(problem as NonNullable<typeof problem>, team.protocol.sees[0] ?? []),
    );
    // The tokens <s> and </s> have the ids 0 and 1.
    expect([prompt[0], prompt.at(-1)]).toEqual([0, 1]);
    expect(prompt.length).toBeGreaterThan(8);
    expect(team.tokens.headers.metaThinking.length).toBeGreaterThan(1);
  });

  it('changes only the adapters, equally for the same seed, and leaves the base unchanged bit for bit', async () => {
    const ran = async (more: ConfigInput = {}) => {
      const checkpoint = await begun(more);
      const run = openRun(checkpoint);
      await run.session.train(2);
      const after = await run.session.checkpoint();
      expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
      await run.session.dispose();
      return { checkpoint, after, said: run.collected() };
    };
    const { checkpoint, after, said } = await ran();
    const { model } = await held();
    expect(numbers(after.base)).toEqual(numbers([...weightsIn(model)]));
    expect(after.networks.map((network, n) => isSame(network, checkpoint.networks[n]))).toEqual([false, false]);
    expect(after.networks[0]?.weights.every(({ name }) => name.startsWith('lora.'))).toBe(true);
    const again = await ran();
    expect(again.said).toEqual(said);
    expect(again.after.networks).toEqual(after.networks);
    const frozen = await ran({ learning: { frozen: [0] } });
    expect(frozen.after.networks.map((network, n) => isSame(network, frozen.checkpoint.networks[n]))).toEqual([
      true,
      false,
    ]);
  });

  it.each(['ppo', 'happo', 'reinforcePlusPlus'] as const)('learns by %s and leaves no tensors', async (learner) => {
    const run = openRun(await begun({ learning: { learner } }));
    await run.session.train(1);
    const before = heldTensors(run);
    const { networks } = await run.session.checkpoint();
    await run.session.train(1);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    expect(heldTensors(run)).toBe(before);
    const after = await run.session.checkpoint();
    expect(after.networks.some((network, n) => !isSame(network, networks[n]))).toBe(true);
  });

  it('imitates demonstrations in its own tokens', async () => {
    const learning = { learner: 'sft', imitate: 'demonstrations', updateEpochs: 4 } as const;
    const run = openRun(await begun({ learning, agents: { metaWindow: 24, reasonWindow: 24 } }));
    await run.session.train(6);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    const losses = run.store.iterations.map(({ metrics }) => metrics.values['losses/policy_loss'] ?? NaN);
    expect(losses.at(-1)).toBeLessThan(0.9 * (losses[0] as number));
  });

  it('is on its own policy in its first minibatch: the ratio is 1 to rounding', async () => {
    const run = openRun(await begun());
    await run.session.train(1);
    const { metrics } = run.store.iterations[0] as (typeof run.store.iterations)[number];
    for (const name of ['losses/approx_kl', 'losses/clipfrac'])
      expect(Math.abs(metrics.values[name] ?? NaN)).toBeLessThan(1e-6);
    const fresh = openRun(await begun());
    const { team, networks } = fresh.session.trainState;
    const [trajectory] = run.collected()[0] ?? [];
    if (!trajectory) throw new Error('nothing was said');
    for (const agent of [0, 1]) {
      const batch = layRows([{ index: 0, agent, view: viewRow(trajectory, agent, team.tokens) }]);
      const network = networks[agent] as (typeof networks)[number];
      const found = await rowLogprobs(batch, { network, temperature: 1, gate: openGate() });
      const own = trajectory.turns
        .filter((turn) => (turn.agent as number) === agent)
        .flatMap(({ logprobs }) => logprobs);
      const there = [...found].filter((_, at) => batch.turnIds[at] !== -1);
      expect(there).toHaveLength(own.length);
      there.forEach((logprob, t) => expect(logprob).toBeCloseTo(own[t] as number, 4));
    }
  });

  it('continues from stored records as it would have continued, in any browser', async () => {
    const whole = openRun(await begun());
    await whole.session.train(1);
    const stored = asCheckpoint(structuredClone(await whole.session.checkpoint()), 'a checkpoint');
    expect(stored.foreign?.names).toEqual({ bos: '<s>', endOfTurn: '</s>', finish: '<|user|>' });
    await whole.session.train(1);
    const half = openRun(stored);
    await half.session.train(1);
    expect((await half.session.checkpoint()).networks).toEqual((await whole.session.checkpoint()).networks);
  });

  it('whose model is stored only by name finds it by this name, and a missing model is reported', async () => {
    const carried = await begun();
    const { base, ...named } = carried;
    expect(base).toBeDefined();
    const ran = async (checkpoint: Checkpoint) => {
      const run = openRun(asCheckpoint(structuredClone(checkpoint), 'a checkpoint'));
      await run.session.train(1);
      const after = await run.session.checkpoint();
      await run.session.dispose();
      return after;
    };
    const [with_, without] = [await ran(carried), await ran(named)];
    expect(without.base).toBeUndefined();
    expect(without.networks).toEqual(with_.networks);
    const start = 'model-0123456789abcdef';
    const elsewhere = { ...named, config: withSettings(named.config, { 'agents.start': start }) };
    introduceModel(start, named.foreign as NonNullable<typeof named.foreign>);
    expect(() => openRun(elsewhere)).toThrow(
      /needs tiny \(model-0123456789abcdef, .*\), which is not available; open the file/,
    );
  });

  it('stores a model of up to 16 million parameters, and only the name of a larger one', () => {
    const shape = { ...sampleShape(), vocabSize: 8000, hiddenSize: 256 };
    expect(isHeldByName({ shape })).toBe(false);
    expect(isHeldByName({ shape: { ...shape, vocabSize: 40_000 } })).toBe(true);
  });
});

describe('the export of a run on an external model', () => {
  it('uses the tokens of the model, and the merged form equals the adapter in PEFT’s layout on its base', async () => {
    const run = openRun(await begun());
    await run.session.train(2);
    const { source, models } = await agentTakenAway(run.session, 1);
    const files = unzipSync(weightsZip({ ...source, ...models[0] }));
    const text = (name: string) => new TextDecoder().decode(files[name]);
    const { model } = await held();
    expect(JSON.parse(text('tokenizer.json'))).toEqual(model.tokenizer);
    expect(JSON.parse(text('tokenizer_config.json'))).toMatchObject({ bos_token: '<s>', eos_token: '</s>' });
    expect(text('tokenizer_config.json')).not.toMatch(/<bos>|<eot>|<finish>/);
    expect(text('README.md')).not.toMatch(/<bos>|<eot>|<finish>/);
    expect(JSON.parse(text('config.json'))).toMatchObject({
      bos_token_id: 0,
      eos_token_id: [1, 2],
      max_position_embeddings: 512,
    });
    const again = await readLlama(
      Object.entries(files)
        .filter(([name]) => !name.includes('/'))
        .map(([name, bytes]) => givenFile(name, bytes)),
    );
    const [own] = await run.session.agentWeights(1);
    expect(numbers([...weightsIn(again)])).toEqual(numbers(own));
    expect(again.shape).toEqual(model.shape);
    const arraysIn = (name: string) =>
      new Map(readSafetensors(files[name] as Uint8Array).tensors.map((array) => [array.name, array]));
    const [adapter, base] = [arraysIn('adapter/adapter_model.safetensors'), arraysIn('base/model.safetensors')];
    expect(numbers([...base.values()])).toEqual(numbers([...weightsIn(model)]));
    const { r, lora_alpha: alpha } = JSON.parse(text('adapter/adapter_config.json')) as Record<string, number>;
    let moved = 0;
    for (const { name, shape, values } of own) {
      const [a, b] = ['A', 'B'].map(
        (part) => adapter.get(`base_model.model.${name.replace('.weight', '')}.lora_${part}.weight`)?.values,
      );
      const [rank, columns] = [r as number, shape[1] as number];
      values.forEach((value, at) => {
        let sum = base.get(name)?.values[at] ?? NaN;
        for (let i = 0; a && b && i < rank; i++)
          sum +=
            ((alpha as number) / rank) *
            (b[Math.floor(at / columns) * rank + i] as number) *
            (a[i * columns + (at % columns)] as number);
        if (Math.abs(sum - value) > 1e-6) throw new Error(`${name} ${at}: ${sum}, got ${value}`);
        moved = Math.max(moved, Math.abs(value - (base.get(name)?.values[at] ?? NaN)));
      });
    }
    expect(moved).toBeGreaterThan(1e-3);
  });
});

describe('an unsuitable model for a run', () => {
  it.each<[string, ConfigInput, RegExp]>([
    [
      'without adapters',
      { agents: { parameters: 'shared' } },
      /agents\.start: tiny and these agents use different tokens.* agents\.parameters = lora/,
    ],
    [
      'with more directions than it has',
      { agents: { loraRank: 32 } },
      /agents\.loraRank: a matrix of tiny has 16 directions, so the rank cannot be 32; use agents\.loraRank = 16/,
    ],
  ])('is refused %s', async (_, more, words) => {
    await expect(begun(more)).rejects.toThrow(words);
  });

  it('is refused if a dialogue may be longer than its window, with the number of rounds that fit', async () => {
    const agents = { roundLimit: 8, metaWindow: 20, reasonWindow: 20 };
    await expect(begun({ agents }, { ...sampleShape(), maxPositions: 256 })).rejects.toThrow(
      /agents\.start: tiny was made for texts of 256 tokens, but a dialogue may have \d+; .* use agents\.roundLimit = [1-7]\./,
    );
  });
});
