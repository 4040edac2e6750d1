// Whether a stored record is what it should be. A damaged or foreign one gives a StorageError with the field, what was
// expected and what came; it is never mended in silence and never deleted.
import * as v from 'valibot';
import { ConfigError, StorageError } from '../base/errors.ts';
import { factsOf } from '../config/learnerFacts.ts';
import { agentCount } from '../config/protocolFacts.ts';
import { parseStored } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import {
  type Checkpoint,
  type NamedArray,
  type NetworkState,
  type RunRecord,
  spoiltPart,
} from '../records/checkpoint.ts';
import { memoryFault, replayFault } from '../records/criticMemory.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import { whole } from '../records/problem.ts';
import { profilePartNames, type ProfilePart } from '../records/profile.ts';
import type { RunSummary } from '../records/runSummary.ts';
import { anyNumber, trajectorySchema, type Trajectory } from '../records/trajectory.ts';
import type { StoredWarmStart } from '../records/warmStart.ts';
import type { IterationRow } from './database.ts';
import { groupSchema } from './groupSchema.ts';
import { changesSchema, importsSchema, originSchema, planSchema, readHistory } from './historySchema.ts';
import { migrateCheckpoint, migrateRun, presentEvaluation } from './migrate.ts';

const floats = v.instance(Float32Array);
const namedArray = v.object({ name: v.string(), shape: v.array(whole), values: floats });

/** The latest moment that a date can name. */
const latestMs = 8.64e15;

const runSchema = v.object({
  format: whole,
  id: v.string(),
  name: v.string(),
  preset: v.string(),
  config: v.unknown(),
  begun: v.optional(v.unknown()),
  changes: changesSchema,
  imports: v.exactOptional(importsSchema),
  plan: v.exactOptional(planSchema),
  backend: v.string(),
  createdMs: v.pipe(v.number(), v.minValue(0), v.maxValue(latestMs)),
  iteration: whole,
  isDone: v.boolean(),
  forkedFrom: v.exactOptional(originSchema),
  resumed: v.exactOptional(whole),
});

const networkSchema = v.object({
  weights: v.array(namedArray),
  critic: v.array(namedArray),
  m: v.array(floats),
  v: v.array(floats),
  updates: whole,
});

const rememberedAnswer = v.object({
  iteration: whole,
  question: v.string(),
  tokens: v.array(whole),
  start: whole,
  isRight: v.boolean(),
});

const replaySchema = v.object({ stored: whole, facts: v.instance(Uint16Array), rewards: v.instance(Float64Array) });
const memorySchema = v.object({ stored: whole, facts: v.instance(Uint16Array), returns: v.instance(Float64Array) });
const mixingSchema = v.object({ critic: networkSchema, target: v.array(namedArray), replay: replaySchema });

const spans = v.exactOptional(v.array(v.tuple([whole, whole])));
const pairSchema = v.object({
  ...{ prompt: v.string(), chosen: v.string(), rejected: v.string() },
  ...{ chosenSpans: spans, rejectedSpans: spans },
});

const checkpointSchema = v.object({
  format: whole,
  runId: v.string(),
  iteration: whole,
  config: v.unknown(),
  backend: v.string(),
  networks: v.pipe(v.array(networkSchema), v.minLength(1)),
  base: v.optional(v.array(namedArray)),
  critics: v.optional(v.array(networkSchema)),
  criticMemory: v.optional(memorySchema),
  mixing: v.optional(mixingSchema),
  verifier: v.optional(v.object({ network: networkSchema, answers: v.array(rememberedAnswer) })),
  reference: v.array(v.array(namedArray)),
  pairs: v.optional(v.array(pairSchema)),
  klCoef: v.pipe(v.number(), v.finite()),
  sampledTokens: whole,
});

const amount = v.pipe(v.number(), v.finite());
/** A part that an earlier version did not know has taken no time. */
const partSchema = v.object(
  Object.fromEntries(profilePartNames.map((part) => [part, v.optional(amount, 0)])) as Record<
    ProfilePart,
    v.OptionalSchema<typeof amount, 0>
  >,
);
const profileSchema = v.object({
  parts: partSchema,
  waits: v.optional(v.partial(partSchema), {}),
  pausedMs: amount,
  dispatches: amount,
  submits: amount,
  uploadedBytes: amount,
  readBytes: amount,
  readbacks: amount,
  gpuMs: v.nullable(amount),
  sampledTokens: amount,
  sampledPerSecond: amount,
  trainedTokens: amount,
  trainedPerSecond: amount,
  usedBytes: amount,
  peakBytes: amount,
});
const reliabilitySchema = v.object({
  bins: v.array(v.object({ count: whole, right: whole, meanScore: amount })),
  oneSided: whole,
  questions: whole,
});
const metricsSchema = v.object({
  iteration: whole,
  values: v.record(v.string(), anyNumber),
  profile: v.optional(profileSchema),
  reliability: v.optional(reliabilitySchema),
});
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const evaluationSchema = v.pipe(
  v.unknown(),
  v.transform(presentEvaluation),
  v.object({
    iteration: whole,
    accuracy: share,
    low: share,
    high: share,
    problems: whole,
    bySlice: v.record(v.string(), v.number()),
    maskedMessage: v.optional(share),
    ceiling: share,
  }),
);
const summarySchema = v.object({
  id: v.string(),
  order: whole,
  evaluation: v.nullable(evaluationSchema),
  bytes: whole,
  checkpoints: v.array(v.object({ iteration: whole, bytes: whole })),
});
const warmStartSchema = v.object({
  key: v.string(),
  step: whole,
  networks: v.pipe(v.array(networkSchema), v.minLength(1)),
  savedMs: v.number(),
  bytes: whole,
});
const rowSchema = v.object({ iteration: whole, count: whole, right: whole, meanReward: anyNumber, bytes: whole });
const packedSchema = v.object({ packed: v.instance(Uint8Array) });
const shownSchema = v.object({ group: groupSchema });

/** A stored run. Throws StorageError. */
export function asRun(record: unknown, what: string): RunRecord {
  const { begun, forkedFrom, ...run } = check(runSchema, migrateRun(record, what), what);
  const { parent, ...origin } = forkedFrom ?? {};
  const read = (config: unknown) => asConfig(config, what);
  return {
    ...run,
    config: read(run.config),
    ...(begun !== undefined && { begun: read(begun) }),
    ...(forkedFrom && { forkedFrom: { ...origin, ...(parent && { parent: readHistory(parent, read) }) } }),
  } as RunRecord;
}

/** A stored checkpoint, whose arrays fit their shapes and each other. Throws StorageError. */
export function asCheckpoint(record: unknown, what: string): Checkpoint {
  const found = check(checkpointSchema, migrateCheckpoint(record, what), what);
  const checkpoint = { ...found, config: asConfig(found.config, what) } as Checkpoint;
  checkpoint.networks.forEach((network, i) => checkNetwork(network, `${what}: networks.${i}`));
  checkpoint.critics?.forEach((network, i) => checkNetwork(network, `${what}: critics.${i}`));
  if (checkpoint.criticMemory) checkMemory(checkpoint, `${what}: criticMemory`);
  if (checkpoint.mixing) {
    checkNetwork(checkpoint.mixing.critic, `${what}: mixing.critic`);
    checkArrays(checkpoint.mixing.target, `${what}: mixing.target`);
    checkReplay(checkpoint, `${what}: mixing.replay`);
  }
  if (checkpoint.verifier) checkNetwork(checkpoint.verifier.network, `${what}: verifier.network`);
  if (checkpoint.base) checkArrays(checkpoint.base, `${what}: base`);
  checkpoint.reference.forEach((arrays, i) => checkArrays(arrays, `${what}: reference.${i}`));
  checkPresence(checkpoint, what);
  const spoilt = spoiltPart(checkpoint);
  if (spoilt) throw new StorageError(`${what}: ${spoilt}: expected finite numbers, got others.`);
  return checkpoint;
}

/** A kept warm start, whose arrays fit their shapes; one that is whole has no moments. Throws StorageError. */
export function asWarmStart(record: unknown, what: string): StoredWarmStart {
  const found = check(warmStartSchema, record, what);
  found.networks.forEach((network, i) => {
    if (network.m.length > 0) checkNetwork(network, `${what}: networks.${i}`);
    else checkArrays(network.weights, `${what}: networks.${i}`);
  });
  return found;
}

/** What a joint critic remembers, by what its settings allow. */
function checkMemory({ criticMemory, config: { learning } }: Checkpoint, where: string): void {
  const fault = criticMemory && memoryFault(criticMemory, learning.criticMemory);
  if (fault) throw new StorageError(`${where}: expected ${fault}; start a new run with its settings.`);
}

/** The replay of a mixing critic, by what its settings allow. */
function checkReplay({ mixing, config: { agents, learning } }: Checkpoint, where: string): void {
  const fault = mixing && replayFault(mixing.replay, { size: learning.replaySize, agents: agentCount(agents) });
  if (fault) throw new StorageError(`${where}: expected ${fault}; start a new run with its settings.`);
}

/** What these settings cannot go on without; earlier versions stored none of it, and had no such settings. */
function checkPresence({ config, base, mixing, verifier, reference }: Checkpoint, what: string): void {
  const { agents } = config;
  const needed = [
    ['base', base !== undefined || agents.parameters !== 'lora'],
    ['mixing', mixing !== undefined || factsOf(config).critic !== 'mixing'],
    ['verifier', verifier !== undefined || !config.verifier.isTrained],
    ['reference', reference.length > 0 || base !== undefined],
  ] as const;
  const absent = needed.find(([, isThere]) => !isThere);
  if (absent) throw new StorageError(`${what}: ${absent[0]}: expected a value with these settings, got nothing.`);
}

export function asMetrics(record: unknown, what: string): IterationMetrics {
  const { profile, reliability, ...metrics } = check(metricsSchema, record, what);
  return { ...metrics, ...(profile && { profile }), ...(reliability && { reliability }) };
}

export function asEvaluation(record: unknown, what: string): Evaluation {
  const { maskedMessage, ...evaluation } = check(evaluationSchema, record, what);
  return maskedMessage === undefined ? evaluation : { ...evaluation, maskedMessage };
}

/** A stored summary; null for one that is absent or damaged, as it can be made again. */
export function asSummary(record: unknown): RunSummary | null {
  const result = v.safeParse(summarySchema, record);
  return result.success ? (result.output as unknown as RunSummary) : null;
}

export const asRow = (record: unknown, what: string): IterationRow => check(rowSchema, record, what);

export const asPacked = (record: unknown, what: string): Uint8Array => check(packedSchema, record, what).packed;

/** Unpacked trajectories. Throws StorageError. */
export const asTrajectories = (rows: unknown, what: string): Trajectory[] =>
  check(v.array(trajectorySchema), rows, what);

export const asShown = (record: unknown, what: string): GroupInspection =>
  check(shownSchema, record, what).group as unknown as GroupInspection;

function check<T>(schema: v.GenericSchema<unknown, T>, record: unknown, what: string): T {
  const result = v.safeParse(schema, record);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue) ?? 'the record';
  // For an absent key valibot expects the key's own name.
  if (issue.received === 'undefined') throw new StorageError(`${what}: ${field}: expected a value, got nothing.`);
  throw new StorageError(`${what}: ${field}: expected ${issue.expected ?? 'another form'}, got ${issue.received}.`);
}

function asConfig(config: unknown, what: string): Config {
  try {
    return parseStored(config);
  } catch (error) {
    if (error instanceof ConfigError) throw new StorageError(`${what}: config.${error.message}`);
    throw error;
  }
}

function checkNetwork({ weights, critic, m, v: squares }: NetworkState, where: string): void {
  const parameters = [...weights, ...critic];
  checkArrays(weights, `${where}.weights`);
  checkArrays(critic, `${where}.critic`);
  checkLengths(m, parameters, `${where}.m`);
  checkLengths(squares, parameters, `${where}.v`);
}

function checkArrays(arrays: readonly NamedArray[], where: string): void {
  for (const { name, shape, values } of arrays) {
    const size = shape.reduce((product, n) => product * n, 1);
    if (values.length === size) continue;
    throw new StorageError(
      `${where}: ${name}: expected ${size} numbers for [${shape.join(', ')}], got ${values.length}.`,
    );
  }
}

function checkLengths(moments: readonly Float32Array[], parameters: readonly NamedArray[], where: string): void {
  if (moments.length !== parameters.length) {
    throw new StorageError(`${where}: expected ${parameters.length} arrays, one a parameter, got ${moments.length}.`);
  }
  moments.forEach((moment, i) => {
    const size = parameters[i]?.values.length;
    if (moment.length !== size) {
      throw new StorageError(
        `${where}.${i}: expected ${size} numbers as in ${parameters[i]?.name}, got ${moment.length}.`,
      );
    }
  });
}
