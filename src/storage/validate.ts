// Checks whether a stored record is valid. If the record is damaged, or is not a record of Cothink, StorageError is
// thrown. The error contains the field, the expected value and the actual value. Such a record is never repaired
// silently, and never deleted.
import * as v from 'valibot';
import { ConfigError, StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { criticCount, criticOf, factsOf } from '../config/learners/registry.ts';
import { agentCount } from '../config/protocols/registry.ts';
import { parseStored } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { ownFormSchema, ownWorldSchema, type OwnForm, type OwnWorld } from '../config/worlds/own.ts';
import {
  type Checkpoint,
  checkpointSchema,
  networkParts,
  type NamedArray,
  type NetworkState,
  type RunRecord,
  runSchema,
  spoiltPart,
} from '../records/stored/checkpoint.ts';
import { introduceModel } from '../records/stored/foreignModel.ts';
import { memoryFault, replayFault } from '../records/stored/criticMemory.ts';
import { resultSchema, type ClaimResult } from '../records/claims/result.ts';
import { readHistory } from '../records/stored/history.ts';
import { groupSchema, type GroupInspection } from '../records/inspection.ts';
import { type Evaluation, evaluationSchema, type IterationMetrics, metricsSchema } from '../records/metrics.ts';
import { labelSchema, type RunLabel } from '../records/stored/runLabel.ts';
import { type RunSummary, summarySchema } from '../records/stored/runSummary.ts';
import { keptBranchSchema, type KeptBranch } from '../records/stored/keptBranch.ts';
import { trajectorySchema, type Trajectory } from '../records/trajectory.ts';
import { type StoredWarmStart, warmStartSchema } from '../records/stored/warmStart.ts';
import { refuseChanged } from './checksum.ts';
import { rowSchema, type IterationRow } from './database.ts';
import { migrateCheckpoint, migrateRun, presentEvaluation } from '../migrations/records.ts';

/** An evaluation in its stored form, including evaluations of earlier versions. */
const storedEvaluation = v.pipe(v.unknown(), v.transform(presentEvaluation), evaluationSchema);
const storedSummary = v.object({ ...summarySchema.entries, evaluation: v.nullable(storedEvaluation) });
const packedSchema = v.object({ packed: v.instance(Uint8Array) });
const shownSchema = v.object({ group: groupSchema });

/** Checks a stored run and returns it. Throws StorageError if the run is invalid. */
export function asRun(record: unknown, what: string): RunRecord {
  const { begun, forkedFrom, ...run } = check(runSchema, migrateRun(record, what), what);
  const { parent } = forkedFrom ?? {};
  if (forkedFrom?.id === run.id)
    throw new StorageError(spoken`${what}: forkedFrom.id: expected another run, got the run itself.`);
  const read = (config: unknown) => asConfig(config, what);
  return {
    ...run,
    config: read(run.config),
    ...(begun !== undefined && { begun: read(begun) }),
    ...(forkedFrom && { forkedFrom: { ...forkedFrom, ...(parent && { parent: readHistory(parent, read) }) } }),
  };
}

/**
 * Checks a stored checkpoint. Its arrays must have the right shapes and belong to the same networks. Throws
 * StorageError if it is invalid.
 */
export function asCheckpoint(record: unknown, what: string): Checkpoint {
  refuseChanged(record, what);
  const found = check(checkpointSchema, migrateCheckpoint(record, what), what);
  const checkpoint: Checkpoint = { ...found, config: asConfig(found.config, what) };
  for (const [where, network] of networkParts(checkpoint)) checkNetwork(network, `${what}: ${where}`);
  checkMemories(checkpoint, what);
  checkArrays(checkpoint.mixing?.target ?? [], `${what}: mixing.target`);
  checkArrays(checkpoint.base ?? [], `${what}: base`);
  checkpoint.reference.forEach((arrays, i) => checkArrays(arrays, `${what}: reference.${i}`));
  checkPresence(checkpoint, what);
  const spoilt = spoiltPart(checkpoint);
  if (spoilt) throw new StorageError(spoken`${what}: ${spoilt}: expected finite numbers, but some are not finite.`);
  // The settings of a checkpoint refer to its model by name, so the model must be registered before these settings are
  // used.
  if (checkpoint.foreign) introduceModel(checkpoint.config.agents.start, checkpoint.foreign);
  return checkpoint;
}

/**
 * Checks a stored warm start. Its arrays must have the right shapes; a complete warm start has no moments. Throws
 * StorageError if it is invalid.
 */
export function asWarmStart(record: unknown, what: string): StoredWarmStart {
  refuseChanged(record, what);
  const found = check(warmStartSchema, record, what);
  found.networks.forEach((network, i) => {
    if (network.m.length > 0) checkNetwork(network, `${what}: networks.${i}`);
    else checkArrays(network.weights, `${what}: networks.${i}`);
  });
  return found;
}

/** Checks that the memories of critics, and the dialogues of a mixing critic, are within the limits in the settings. */
function checkMemories({ criticStates, mixing, config: { agents, learning } }: Checkpoint, what: string): void {
  const limits = { size: learning.replaySize, agents: agentCount(agents) };
  const faults = [
    ...(criticStates ?? []).map(
      ({ memory }, n) => [`criticStates.${n}.memory`, memoryFault(memory, learning.criticMemory)] as const,
    ),
    ['mixing.replay', mixing && replayFault(mixing.replay, limits)] as const,
  ];
  for (const [where, fault] of faults)
    if (fault)
      throw new StorageError(spoken`${what}: ${where}: expected ${fault}; start a new run with the same settings.`);
}

/**
 * Checks that a checkpoint has all parts that its settings require. Some of these parts and settings did not exist in
 * earlier versions.
 */
function checkPresence(checkpoint: Checkpoint, what: string): void {
  const { config, base, foreign, critics, mixing, verifier, reference } = checkpoint;
  // If the model is large, the checkpoint contains only its name and no base weights.
  const hasBase = base !== undefined || foreign !== undefined;
  const needed = [
    ['critics', critics?.length === criticCount(config) || criticOf(config) !== 'network'],
    ['base', hasBase || config.agents.parameters !== 'lora'],
    ['mixing', mixing !== undefined || factsOf(config).critic !== 'mixing'],
    ['verifier', verifier !== undefined || !config.verifier.isTrained],
    ['reference', reference.length > 0 || hasBase],
  ] as const;
  const absent = needed.find(([, isThere]) => !isThere);
  if (absent)
    throw new StorageError(spoken`${what}: ${absent[0]}: a value is required with these settings, but there is none.`);
}

export const asMetrics = (record: unknown, what: string): IterationMetrics => check(metricsSchema, record, what);

export const asEvaluation = (record: unknown, what: string): Evaluation => check(storedEvaluation, record, what);

export const asResult = (record: unknown, what: string): ClaimResult => check(resultSchema, record, what);

export const asOwnForm = (record: unknown, what: string): OwnForm => check(ownFormSchema, record, what);

export const asOwnWorld = (record: unknown, what: string): OwnWorld => check(ownWorldSchema, record, what);

/** Checks a stored summary. Returns null if it is absent or damaged, because a new summary can be made. */
export function asSummary(record: unknown): RunSummary | null {
  const result = v.safeParse(storedSummary, record);
  return result.success ? result.output : null;
}

/**
 * Checks the label of a run. Returns null if it is absent or damaged; the run is then listed and opened without a
 * label.
 */
export function asLabel(record: unknown, schema: v.GenericSchema<unknown, RunLabel> = labelSchema): RunLabel | null {
  const result = v.safeParse(schema, record);
  return result.success ? result.output : null;
}

export const asRow = (record: unknown, what: string): IterationRow => check(rowSchema, record, what);

export function asPacked(record: unknown, what: string): Uint8Array {
  refuseChanged(record, what);
  return check(packedSchema, record, what).packed;
}

/** Checks unpacked trajectories. Throws StorageError if one of the trajectories is invalid. */
export const asTrajectories = (rows: unknown, what: string): Trajectory[] =>
  check(v.array(trajectorySchema), rows, what);

export const asBranch = (record: unknown, what: string): KeptBranch => check(keptBranchSchema, record, what);

export const asShown = (record: unknown, what: string): GroupInspection => check(shownSchema, record, what).group;

function check<T>(schema: v.GenericSchema<unknown, T>, record: unknown, what: string): T {
  const result = v.safeParse(schema, record);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue) ?? spoken`the record`;
  // If a field is missing, valibot's expected value is the name of the field, so this case needs another error text.
  if (issue.received === 'undefined')
    throw new StorageError(spoken`${what}: ${field}: expected a value, but there is none.`);
  throw new StorageError(
    spoken`${what}: ${field}: expected ${issue.expected ?? spoken`another form`}, got ${issue.received}.`,
  );
}

function asConfig(config: unknown, what: string): Config {
  try {
    return parseStored(config);
  } catch (error) {
    if (error instanceof ConfigError) throw new StorageError(spoken`${what}: config.${error.message}`);
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
      spoken`${where}: ${name}: expected ${size} numbers for [${shape.join(', ')}], got ${values.length}.`,
    );
  }
}

function checkLengths(moments: readonly Float32Array[], parameters: readonly NamedArray[], where: string): void {
  if (moments.length !== parameters.length) {
    throw new StorageError(
      spoken`${where}: expected ${parameters.length} arrays, one per parameter, got ${moments.length}.`,
    );
  }
  moments.forEach((moment, i) => {
    const size = parameters[i]?.values.length;
    if (moment.length !== size) {
      throw new StorageError(
        spoken`${where}.${i}: expected ${`${size}`} numbers, as many as in ${parameters[i]?.name ?? ''}, got ${moment.length}.`,
      );
    }
  });
}
