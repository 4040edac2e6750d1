// Decides how a run continues after the loss of its device: on which engine, from which checkpoint, and how many
// attempts are made.
import { DeviceLostError } from '../../base/errors.ts';
import { difference, isSameValue } from '../../config/parse.ts';
import { valueAt } from '../../config/schema.ts';
import type { SettingValue } from '../../config/field.ts';
import type { Checkpoint, RunRecord } from '../../records/stored/checkpoint.ts';
import type { EngineNotes } from '../../records/events.ts';
import type { SettingChange } from '../../records/stored/history.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';

export interface Revived {
  /**
   * The engine on which the run continues. The field `reason` of the engine explains why this engine replaced the
   * previous one.
   */
  engine: EngineNotes;
  /** The newest stored checkpoint; null if the run has not stored a checkpoint yet. */
  checkpoint: Checkpoint | null;
}

/**
 * Starts another engine for a run and loads the checkpoint from which the run continues. The tensors of the run have
 * been freed before. If `isToCpu` is true, the CPU engine is started, because the run also failed on another device.
 */
export type Revive = (run: RunRecord, isToCpu: boolean) => Promise<Revived>;

/** If a device fails before it has finished this many iterations, the CPU replaces it. */
export const trialIterations = 10;

/**
 * The kind of engine to try after a device failure. `revivedAt` is the iteration of the last recovery, or null if there
 * was none. If a run fails on the CPU soon after a recovery, it would fail on any engine, so in this case the result is
 * `none`.
 */
export function nextEngine(
  { iteration, backend }: Pick<RunRecord, 'iteration' | 'backend'>,
  revivedAt: number | null,
): 'device' | 'cpu' | 'none' {
  if (revivedAt === null || iteration >= revivedAt + trialIterations) return 'device';
  return backend === 'webgpu' ? 'cpu' : 'none';
}

/** Whether an error means that the device is lost or unreliable. */
export const isDeviceFault = ({ name }: Error): boolean => name === DeviceLostError.name;

/**
 * The changes of a run that had already taken effect when a checkpoint was stored. All other changes must be applied
 * again when the run continues from the checkpoint.
 */
export function heldChanges(
  changes: readonly SettingChange[],
  { iteration, config }: Pick<Checkpoint, 'iteration' | 'config'>,
): SettingChange[] {
  return changes.filter(
    (change) =>
      change.iteration < iteration ||
      (change.iteration === iteration && isSameValue(valueAt(config, change.path), change.value)),
  );
}

/**
 * Returns a run to a checkpoint. Changes and imports that were made after the checkpoint are kept. These changes now
 * take effect immediately after the checkpoint, and are recorded with the iteration of the checkpoint.
 */
export function rewound(
  run: RunRecord,
  checkpoint: Checkpoint,
  pairs: readonly PreferenceText[] | undefined,
): { run: RunRecord; checkpoint: Checkpoint; isChanged: boolean } {
  const { iteration } = checkpoint;
  const { config } = run;
  const late = difference(config, checkpoint.config).map(({ field, value }) => ({
    iteration,
    path: field.path,
    value: value as SettingValue,
  }));
  const hasCoef = late.some(({ path }) => path === 'kl.coef');
  return {
    run: { ...run, iteration, changes: [...heldChanges(run.changes, checkpoint), ...late] },
    checkpoint: {
      ...checkpoint,
      config,
      klCoef: hasCoef ? config.kl.coef : checkpoint.klCoef,
      ...(pairs && { pairs: [...pairs] }),
    },
    isChanged: late.length > 0 || pairs !== checkpoint.pairs,
  };
}
