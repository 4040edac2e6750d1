// Tests the mixing critic on real dialogues. The critic's loss is compared with a float64 computation from the hidden
// states, and the gradient with central differences. The tests also cover the effects of silent agents and of the slow
// copy.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { fakePolicy } from '../../rollout/testing/fakePolicy.ts';
import { Draws, streams } from '../../base/random.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { rowHiddenStates } from '../../model/network/llama.ts';
import { collectRollouts } from '../collect/collect.ts';
import { rotationOf } from '../rows/forward.ts';
import { mixingLoss } from '../maths/mixing.ts';
import { mixedValues, mixingKind, mixingUploads } from './mixingCritic.ts';
import { freshMixing, restoreMixing, type Mixing } from './mixingLearning.ts';
import { beginningsColumn, transcriptOf, poolRows, type Transcript } from './mixingRows.ts';
import { lookMixed, mixingStep } from './mixingStep.ts';
import { disposeNetwork, speakingVariables, variables } from '../team/network.ts';
import { referenceMixer, referenceQmix } from '../reference/team.ts';
import type { Matrix } from '../reference/policy.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';

onCpu();

const gate = openGate();
const exact = { rows: 1, columns: 1, count: (needed: number) => needed };
const gamma = 0.95;

interface Given {
  team: Team;
  mixing: Mixing;
  transcripts: Transcript[];
  kind: ReturnType<typeof mixingKind>;
}

/** A critic with random parameters, a slow copy with different parameters, and dialogues with intermediate rewards. */
async function given(
  learner: 'vdn' | 'qmix',
  use: (given: Given) => Promise<void>,
  agents: ConfigInput['agents'] = {},
) {
  const team = assembleTeam(microConfig({ learning: { learner, mixerHidden: 5 }, agents: { ...agents } }));
  const mixing = restoreMixing(freshMixing(team, initialWeights(team.shape, 3)), team);
  const draws = new Draws(5, streams.control, 1);
  for (const further of [mixing.critic.further, mixing.target.further])
    for (const variable of further?.values() ?? [])
      tf.tidy(() =>
        variable.assign(
          tf.tensor(
            Float32Array.from({ length: variable.size }, () => 0.4 * draws.normal()),
            variable.shape,
          ),
        ),
      );
  const policies = team.networkOf.map(() =>
    fakePolicy((row, turn) => [10 + ((row * 3 + turn) % 7), 20 + (row % 3), row % 3 === turn ? 3 : 2]),
  );
  const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
  const transcripts = trajectories.slice(0, 6).map((trajectory, i) =>
    transcriptOf(
      trajectory,
      trajectory.turns.map(({ index }) => trajectory.prompts.map(() => ((i + index) % 4) / 2)),
      { witness: 0, tokens: team.tokens },
    ),
  );
  try {
    await use({ team, mixing, transcripts, kind: mixingKind(team.config, team.protocol.roles.length) });
  } finally {
    [mixing.critic, mixing.target].forEach(disposeNetwork);
  }
}

/** The hidden states of the trunk at every column of a transcript. */
function hiddenOf({ tree, shape }: Mixing['target'] | Mixing['critic'], { ids }: Transcript): Matrix {
  return tf.tidy(() => {
    const rows = tf.tensor2d(Int32Array.from(ids), [1, ids.length], 'int32');
    return rowHiddenStates(rows, { tree, shape, rotation: rotationOf(shape, ids.length) }).arraySync() as Matrix;
  });
}

/** The parameters by name, as matrices [out][in]. */
function parametersOf({ further }: Mixing['target'] | Mixing['critic']): Map<string, Matrix> {
  const rows = (x: tf.Variable) => tf.tidy(() => tf.reshape(x, [x.shape[0] as number, -1]).arraySync() as Matrix);
  return new Map([...(further ?? [])].map(([name, variable]) => [name, rows(variable)]));
}

/**
 * Q_tot of each prefix of each round, computed in float64 directly from the formula. The indices are the round and the
 * number of messages in the prefix minus one.
 */
function reference(hidden: Matrix, parameters: Map<string, Matrix>, { rounds }: Transcript, kind: Given['kind']) {
  const matrix = (name: string) => parameters.get(name) as Matrix;
  const dot = (w: number[], x: number[]) => w.reduce((sum, weight, i) => sum + weight * (x[i] as number), 0);
  return rounds.map(({ stateAt, messages }) => {
    const state = hidden[stateAt] as number[];
    const q = new Array<number>(kind.agents).fill(0);
    return messages.map(({ agent, from, to }) => {
      const said = state.map((_, c) => {
        let sum = 0;
        for (let t = from; t < to; t++) sum += hidden[t]?.[c] as number;
        return sum / (to - from);
      });
      const units = matrix('head.state.weight').map((w, u) =>
        Math.max(
          0,
          dot(w, state) +
            dot(matrix('head.message.weight')[u] as number[], said) +
            (matrix('head.bias')[u]?.[0] as number),
        ),
      );
      q[agent] = dot(matrix('head.value.weight')[0] as number[], units) + (matrix('head.value.bias')[0]?.[0] as number);
      if (!kind.isMixed) return q.reduce((sum, x) => sum + x, 0);
      const layer = (name: string) => ({ weight: matrix(`${name}.weight`), bias: matrix(`${name}.bias`).flat() });
      return referenceQmix(q, referenceMixer(state, layer, kind.agents)).total;
    });
  });
}

/** The complete loss, computed in float64 with targets from the slow copy. */
function referenceLoss(
  { mixing, transcripts, kind }: Given,
  parameters: Map<string, Matrix>,
  hidden: Matrix[],
): number {
  const errors = transcripts.flatMap((transcript, i) => {
    const slow = reference(hiddenOf(mixing.target, transcript), parametersOf(mixing.target), transcript, kind);
    return reference(hidden[i] as Matrix, parameters, transcript, kind).flatMap((totals, r) => {
      const next = slow[r + 1]?.at(-1) ?? 0;
      return totals.map((total) => (total - (transcript.rounds[r]?.reward as number) - gamma * next) ** 2);
    });
  });
  return errors.reduce((a, b) => a + b, 0) / errors.length / 2;
}

describe.each(['vdn', 'qmix'] as const)('a step of %s', (learner) => {
  it('starts from the loss that float64 finds, with targets by the whole slow copy', async () => {
    await given(learner, async (all) => {
      const { mixing, transcripts, team, kind } = all;
      const hidden = transcripts.map((transcript) => hiddenOf(mixing.critic, transcript));
      const expected = referenceLoss(all, parametersOf(mixing.critic), hidden);
      const before = [...parametersOf(mixing.target)];
      const metrics = await mixingStep(mixing, transcripts, { config: team.config, kind, gate });
      const [loss] = await metrics.data();
      metrics.dispose();
      expect(expected).toBeGreaterThan(0.01);
      expect(Math.abs((loss as number) - expected) / expected).toBeLessThan(1e-4);
      const online = parametersOf(mixing.critic);
      const rate = team.config.learning.targetRate;
      for (const [name, rows] of before) {
        const now = parametersOf(mixing.target).get(name) as Matrix;
        rows.forEach((row, i) =>
          row.forEach((x, j) =>
            expect(now[i]?.[j]).toBeCloseTo(x + rate * ((online.get(name)?.[i]?.[j] as number) - x), 5),
          ),
        );
      }
    });
  });

  it('has targets that change with every part of the slow copy', async () => {
    await given(learner, async ({ mixing, transcripts, team, kind }) => {
      const names = [...(mixing.target.further?.keys() ?? []), 'model.embed_tokens.weight'];
      const totals = async () =>
        (await lookMixed(mixing, 'target', transcripts, { kind, gate })).totals.flatMap((x) => [...x]);
      const before = await totals();
      for (const name of names) {
        const variable = (mixing.target.further?.get(name) ?? mixing.target.tree.get(name)) as tf.Variable;
        tf.tidy(() => variable.assign(tf.add(tf.mul(variable, 1.3), 0.1)));
        expect(await totals(), name).not.toEqual(before);
        tf.tidy(() => variable.assign(tf.div(tf.sub(variable, 0.1), 1.3)));
      }
      expect(team.config.learning.learner).toBe(learner);
    });
  });

  it('has the gradient of head, mixer and trunk that central differences find', async () => {
    await given(learner, async (all) => {
      const { mixing, transcripts, kind } = all;
      const hidden = transcripts.map((transcript) => hiddenOf(mixing.critic, transcript));
      const parameters = parametersOf(mixing.critic);
      const look = await lookMixed(mixing, 'target', transcripts, { kind, gate });
      const pooled = poolRows(transcripts, kind.agents, exact);
      const count = transcripts.flatMap(({ rounds }) => rounds.flatMap(({ messages }) => messages)).length;
      const aims = beginningsColumn(
        pooled,
        transcripts,
        (b, r) => (transcripts[b]?.rounds[r]?.reward as number) + gamma * (look.totals[b]?.[r + 1] ?? 0),
      );
      const weights = beginningsColumn(pooled, transcripts, () => 1 / count);
      const inputs = Object.fromEntries(
        Object.entries(mixingUploads(pooled)).map(([name, { values, shape }]) => [
          name,
          tf.tensor(values, [...shape], name === 'ids' ? 'int32' : 'float32'),
        ]),
      );
      const model = { ...mixing.critic, further: mixing.critic.further ?? new Map<string, tf.Variable>() };
      const loss = () =>
        tf.tidy(() =>
          mixingLoss(
            tf.reshape(mixedValues(model, inputs, kind).totals, [-1]),
            tf.tensor1d(aims),
            tf.tensor1d(weights),
          ),
        );
      const { grads, value } = tf.variableGrads(loss, variables(mixing.critic));
      for (const [name, rows] of parameters) {
        const gradient = (await grads[model.further.get(name)?.name as string]?.data()) as Float32Array;
        const [i, j] = [rows.length - 1, (rows[0]?.length as number) >> 1];
        const at = (x: number) => {
          const changed = rows.map((row, r) => row.map((own, c) => own + (r === i && c === j ? x : 0)));
          return referenceLoss(all, new Map([...parameters, [name, changed]]), hidden);
        };
        const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
        expect(Math.abs((gradient[i * (rows[0]?.length as number) + j] as number) - slope), name).toBeLessThan(
          1e-4 * Math.max(1, Math.abs(slope)),
        );
      }
      // The trunk is in float32, so the derivative is tested only in the direction of the gradient. In this direction,
      // the derivative must be the squared norm of the gradient.
      const trunk = speakingVariables(mixing.critic);
      const squares = trunk.reduce(
        (sum, x) => sum + (tf.tidy(() => tf.sum(tf.square(grads[x.name] as tf.Tensor)).dataSync()[0]) as number),
        0,
      );
      const move = (by: number) =>
        trunk.forEach((x) => tf.tidy(() => x.assign(tf.add(x, tf.mul(grads[x.name] as tf.Tensor, by)))));
      const step = 3e-3 / Math.sqrt(squares);
      move(step);
      const [above] = await loss().data();
      move(-2 * step);
      const [below] = await loss().data();
      const slope = ((above as number) - (below as number)) / (2 * step);
      expect(Math.abs(slope / squares - 1)).toBeLessThan(0.03);
      tf.dispose([value, grads, inputs]);
    });
  });

  it('never says that the team is worse off for what is better for one, and hears nothing of the silent', async () => {
    await given(learner, async ({ mixing, transcripts, kind }) => {
      const look = await lookMixed(mixing, 'critic', transcripts, { kind, gate });
      transcripts.forEach(({ rounds }, i) =>
        rounds.forEach(({ messages }, r) => {
          const q = look.q[i]?.[r] as Float64Array;
          q.forEach((x, agent) => expect(x === 0).toBe(!messages.some((message) => message.agent === agent)));
          if (learner === 'vdn')
            expect(look.totals[i]?.[r]).toBeCloseTo(
              q.reduce((a, b) => a + b, 0),
              4,
            );
        }),
      );
      expect(transcripts.some(({ rounds }) => rounds.some(({ messages }) => messages.length === 1))).toBe(true);
      const pooled = poolRows(transcripts, kind.agents, exact);
      const slopes = tf.tidy(() => {
        const inputs = Object.fromEntries(
          Object.entries(mixingUploads(pooled)).map(([name, { values, shape }]) => [
            name,
            tf.tensor(values, [...shape], name === 'ids' ? 'int32' : 'float32'),
          ]),
        );
        // All Q_i are set to 1. The derivative with respect to Q_i then equals the derivative with respect to the mask
        // of the agents that have spoken.
        const further = new Map<string, tf.Tensor>(mixing.critic.further);
        further.set('head.value.weight', tf.zerosLike(further.get('head.value.weight') as tf.Tensor));
        further.set('head.value.bias', tf.ones([1]));
        const of = (heard: tf.Tensor) =>
          tf.sum(mixedValues({ ...mixing.critic, further }, { ...inputs, heard }, kind).totals);
        return tf
          .grad(of)(inputs['heard'] as tf.Tensor)
          .dataSync();
      });
      expect(Math.min(...slopes)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...slopes)).toBeGreaterThan(0.01);
    });
  });
});
