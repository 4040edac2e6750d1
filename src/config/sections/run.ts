// KL, optimiser, evaluation and the run itself.
import * as v from 'valibot';
import { choice, flag, real, type Condition, whole } from '../field.ts';
import { backendChoices, klEstimators, klPlaces } from '../names.ts';
import { clipped, joint } from './conditions.ts';

const adaptive: Condition = { 'kl.isAdaptive': [true] };

export const kl = v.object({
  place: choice(klPlaces, 'off', {
    label: 'KL to the warm start',
    help: 'Where the distance to the frozen warm start is charged.',
    source: 'GRPO 2402.03300, PPO 1707.06347',
    matters: [clipped],
    labels: { off: 'off', loss: 'in the loss', reward: 'in the reward' },
  }),
  coef: real(0.002, {
    matters: [{ 'kl.place': { not: ['off'] } }],
    label: 'KL weight',
    help: 'β, the weight of the KL.',
    source: 'GRPO',
    min: 0,
    max: 1,
    step: 'log',
    isLive: true,
  }),
  estimator: choice(klEstimators, 'k3', {
    label: 'KL estimator',
    help: 'For the loss: |k1|, half its square, or k3; k1 is refused there, as its expected gradient is zero. On what the agents say themselves k3 pulls towards KL(ref‖π), all that the warm start would say, and mse (k2) towards KL(π‖ref). In the reward it is always k1.',
    source: 'joschu.net/blog/kl-approx',
    matters: [{ 'kl.place': ['loss'] }],
    labels: { k1: 'k1', abs: 'abs', mse: 'mse (k2)', k3: 'k3' },
  }),
  isAdaptive: flag(false, {
    label: 'Adaptive weight',
    help: 'β follows a target KL (in the reward).',
    source: 'Ziegler et al. 1909.08593',
    matters: [{ 'kl.place': ['reward'] }],
  }),
  target: real(0.05, {
    label: 'Adaptive target',
    help: 'KL to the warm start that the adaptive weight aims at.',
    source: 'Ziegler et al.',
    matters: [adaptive],
    min: 1e-4,
    max: 10,
    step: 'log',
  }),
  horizon: whole(10000, {
    label: 'KL horizon',
    help: 'Trajectories over which β adapts.',
    source: 'Ziegler et al.',
    matters: [adaptive],
    min: 1,
    max: 1000000,
    step: 100,
  }),
  refreshEvery: whole(0, {
    label: 'Renew the reference every',
    help: 'After this many iterations the frozen reference of each network becomes a copy of the network as it is then. 0: it stays the warm start.',
    source: 'ReMA 2503.09501, ProRL 2505.24864',
    unit: 'iterations',
    min: 0,
    max: 1000,
    isLive: true,
  }),
  targetKl: real(0, {
    label: 'Stop the epochs at KL',
    help: 'Leaves the update epochs when the approximate KL of new and old policy passes this. 0: off.',
    source: 'PPO',
    min: 0,
    max: 1,
    step: 'log',
    isLive: true,
  }),
});

export const optimiser = v.object({
  learningRate: real(3e-4, {
    label: 'Learning rate',
    help: 'AdamW step size. With whole networks, 1e-3 learns less than 3e-4 here (docs/results.md).',
    source: 'Cothink',
    min: 1e-6,
    max: 1e-2,
    step: 'log',
    isBasic: true,
    isLive: true,
  }),
  criticRate: real(3e-3, {
    label: 'Learning rate of a joint critic',
    help: 'AdamW step size of a critic that is a network of its own. It starts without any knowledge of right and wrong, so the rate is that of a warm start. 0: the learning rate of the agents.',
    source: 'MAPPO 2103.01955',
    matters: [joint],
    min: 0,
    max: 1e-2,
    step: 'log',
    isLive: true,
  }),
  warmupUpdates: whole(10, {
    label: 'Warm-up',
    help: 'Updates over which the learning rate rises to its value.',
    source: 'Cothink',
    unit: 'updates',
    min: 0,
    max: 10000,
  }),
  weightDecay: real(0, {
    label: 'Weight decay',
    help: 'Decoupled decay of matrices.',
    source: 'AdamW 1711.05101',
    min: 0,
    max: 1,
    step: 0.01,
    isLive: true,
  }),
  beta1: real(0.9, {
    label: 'β₁',
    help: 'Decay rate of the mean gradient.',
    source: 'Adam',
    min: 0,
    max: 0.999,
    step: 0.01,
  }),
  beta2: real(0.95, {
    label: 'β₂',
    help: 'Decay rate of the mean squared gradient. Must be above the square of β₁, or steps have no bound.',
    source: 'Adam',
    min: 0,
    max: 0.9999,
    step: 0.001,
  }),
  maxGradNorm: real(1, {
    label: 'Largest gradient norm',
    help: 'The gradient of all parameters together is scaled down to this.',
    source: 'PPO',
    min: 0.01,
    max: 100,
    step: 'log',
    isLive: true,
  }),
});

export const evaluation = v.object({
  problems: whole(512, {
    label: 'Held-out problems',
    help: 'Fixed problems on which accuracy is measured.',
    source: 'Cothink',
    min: 8,
    max: 4096,
    step: 8,
  }),
  every: whole(10, {
    label: 'Evaluate every',
    help: 'Iterations from one evaluation to the next.',
    source: 'Cothink',
    unit: 'iterations',
    min: 1,
    max: 1000,
    isLive: true,
  }),
  everywhere: whole(0, {
    label: 'Everywhere, every',
    help: 'With every so many evaluations all levels are measured too, and problems that are harder than those of training. 0: only when asked.',
    source: 'Cothink',
    unit: 'evaluations',
    min: 0,
    max: 100,
    isLive: true,
  }),
});

export const run = v.object({
  seed: whole(1, {
    label: 'Seed',
    help: 'Fixes every draw of the run.',
    source: 'Cothink',
    min: 0,
    max: 4294967295,
  }),
  iterations: whole(100, {
    label: 'Iterations',
    help: 'How often to collect dialogues and update.',
    source: 'Cothink',
    min: 1,
    max: 100000,
    step: 10,
    isBasic: true,
    isLive: true,
  }),
  backend: choice(backendChoices, 'auto', {
    label: 'Runs on',
    help: 'Automatic takes WebGPU when it is there and faster, else the CPU.',
    source: 'Cothink',
    labels: { auto: 'automatic', webgpu: 'WebGPU', cpu: 'CPU' },
  }),
  capture: flag(true, {
    label: 'Capture and replay',
    help: 'Records the GPU’s work once and replays it, so that the processor hardly takes part; the results are the same.',
    source: 'Cothink',
  }),
  checkpointEvery: whole(10, {
    label: 'Checkpoint every',
    help: 'Iterations from one stored checkpoint to the next.',
    source: 'Cothink',
    unit: 'iterations',
    min: 1,
    max: 1000,
    isLive: true,
  }),
});
