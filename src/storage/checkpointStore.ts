// Writes to the browser's store. No other code writes runs, and only the worker uses it. Each call is one transaction,
// which is stored completely or not at all. Every method throws StorageError if it fails; if storage is full, the error
// explains how to free some.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { OwnName, OwnWorld } from '../config/worlds/own.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../records/stored/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { RunLabel } from '../records/stored/runLabel.ts';
import type { Evaluation } from '../records/metrics.ts';
import { ancestorsOf } from './ancestors.ts';
import { withChecksum } from './checksum.ts';
import { iterationStores, runRange } from './database.ts';
import { labelsIn, putLabel } from './labels.ts';
import { packIteration } from './pack.ts';
import { checkpointAllowance, flagged, surplus, tidyEvery, trajectoryAllowance } from './retention.ts';
import { bytesOf, owned } from './room.ts';
import { emptySummary, highestOrder, iterationBytes, namedBase, summarisedStores, summaryOf } from './summary.ts';
import { together, writing, type StoreName, type Transaction } from './writing.ts';

/** The methods with which the worker writes to the store. */
export class IndexedDbStore implements CheckpointStore {
  /** The id of the run that was written last. If another run is written next, that run becomes the newest one. */
  #newest: RunId | null = null;

  /** Adds a run, or replaces it. */
  async saveRun(run: RunRecord): Promise<void> {
    const { id } = run;
    const isNewest = this.#newest === id;
    const stores: StoreName[] = isNewest ? ['runs'] : ['runs', ...summarisedStores];
    await writing(`run ${id}`, stores, async (transaction) => {
      await transaction.objectStore('runs').put(run);
      if (isNewest) return;
      const summaries = transaction.objectStore('summaries');
      const summary = (await summaries.get(id)) ?? (await summaryOf(transaction, id));
      await summaries.put({ ...summary, order: (await highestOrder(transaction)) + 1 });
    });
    this.#newest = id;
  }

  /**
   * Stores a run again if it is missing, because the visitor may have cleared the browser's store. Returns whether it
   * was missing.
   */
  async renewRun(run: RunRecord): Promise<boolean> {
    const { id } = run;
    let count = 0;
    await writing(`run ${id}`, ['runs'], async (transaction) => {
      count = await transaction.objectStore('runs').count(id);
    });
    if (count > 0) return false;
    this.#newest = null; // its summary is gone as well
    await this.saveRun(run);
    return true;
  }

  /**
   * Adds a checkpoint. If the run then has more checkpoints than its allowance, some are deleted, but never the first
   * or the newest one.
   */
  async saveCheckpoint(checkpoint: Checkpoint, replaced: number | null = null): Promise<number[]> {
    const { runId, iteration } = checkpoint;
    const stored = withChecksum(owned(checkpoint));
    let kept: number[] = [];
    await writing(`checkpoint ${iteration} of run ${runId}`, ['checkpoints', 'summaries'], async (transaction) => {
      const store = transaction.objectStore('checkpoints');
      await store.put(stored);
      if (replaced !== null) await store.delete([runId, replaced]);
      const summaries = transaction.objectStore('summaries');
      const summary = (await summaries.get(runId)) ?? emptySummary(runId);
      const bytes = bytesOf(stored);
      const sizes = new Map([
        ...summary.checkpoints.map((one) => [one.iteration, one.bytes] as const),
        [iteration, bytes],
      ]);
      const keys = await store.getAllKeys(runRange(runId));
      const sized = keys.map(([, at]) => ({ iteration: at, bytes: sizes.get(at) ?? bytes }));
      const gone = surplus(sized, checkpointAllowance);
      await together(gone.map((one) => () => store.delete([runId, one.iteration])));
      const checkpoints = sized.filter((one) => !gone.includes(one));
      await summaries.put({ ...summary, checkpoints, ...namedBase(checkpoint) });
      kept = checkpoints.map((one) => one.iteration);
    });
    return kept;
  }

  /**
   * Stores the records of an iteration: the metrics, the evaluation if there was one, the packed trajectories with
   * their summary, and the displayed group.
   */
  saveIteration(runId: RunId, stored: StoredIteration): Promise<void> {
    const { metrics, evaluation, shown } = stored;
    const { iteration } = metrics;
    const isTidied = iteration % tidyEvery === 0 || evaluation !== null;
    const stores: StoreName[] = ['metrics', 'evaluations', 'iterations', 'iterationRows', 'shown'];
    if (isTidied) stores.push('runs', 'summaries');
    return writing(`iteration ${iteration} of run ${runId}`, stores, async (transaction) => {
      const { packed, row } = packIteration(stored);
      await together([
        () => transaction.objectStore('metrics').put({ ...metrics, runId }),
        () => packed && transaction.objectStore('iterations').put(withChecksum({ packed, runId, iteration })),
        () => row && transaction.objectStore('iterationRows').put({ ...row, runId }),
        () => evaluation && transaction.objectStore('evaluations').put({ ...evaluation, runId }),
        () => shown && transaction.objectStore('shown').put({ group: shown, runId, iteration }),
      ]);
      if (isTidied) await tidy(transaction, runId, evaluation);
    });
  }

  /**
   * Stores an evaluation that was not made as part of an iteration: that of the warm start, or one that the visitor
   * requested.
   */
  saveEvaluation(runId: RunId, evaluation: Evaluation): Promise<void> {
    const what = `evaluation at iteration ${evaluation.iteration} of run ${runId}`;
    return writing(what, ['evaluations', 'summaries'], async (transaction) => {
      await transaction.objectStore('evaluations').put({ ...evaluation, runId });
      const summaries = transaction.objectStore('summaries');
      const summary = (await summaries.get(runId)) ?? emptySummary(runId);
      if ((summary.evaluation?.iteration ?? 0) <= evaluation.iteration) await summaries.put({ ...summary, evaluation });
    });
  }

  /**
   * Deletes everything that a run stored after an iteration, because the run continues from this iteration and will
   * store later ones again.
   */
  async forgetAfter(runId: RunId, iteration: number): Promise<void> {
    const stores: StoreName[] = [...iterationStores, 'summaries'];
    await writing(`run ${runId} after iteration ${iteration}`, stores, async (transaction) => {
      await together(
        iterationStores.map((name) => () => transaction.objectStore(name).delete(runRange(runId, iteration + 1))),
      );
      const summaries = transaction.objectStore('summaries');
      await summaries.put(await summaryOf(transaction, runId, await summaries.get(runId)));
    });
    this.#newest = null; // it is about to be written
  }

  /** Deletes a run with everything that belongs to it. Throws StorageError if another run was forked from it. */
  async deleteRun(runId: RunId): Promise<void> {
    const stores: StoreName[] = ['runs', 'summaries', 'labels', 'branches', ...iterationStores];
    await writing(`run ${runId}`, stores, async (transaction) => {
      const runs = await transaction.objectStore('runs').getAll();
      const past = ancestorsOf(runId, runs);
      const fork = runs.find(({ id, forkedFrom }) => forkedFrom?.id === runId && !past.has(id));
      if (fork) {
        const name = labelsIn([await transaction.objectStore('labels').get(fork.id)]).get(fork.id)?.name ?? fork.name;
        throw new StorageError(
          spoken`run ${runId}: the run ${name} continues this run and shows the history of both runs; delete the other run first.`,
        );
      }
      await together([
        () => transaction.objectStore('branches').delete(runRange(runId)),
        ...(['runs', 'summaries', 'labels'] as const).map((name) => () => transaction.objectStore(name).delete(runId)),
        ...iterationStores.map((name) => () => transaction.objectStore(name).delete(runRange(runId))),
      ]);
    });
    if (this.#newest === runId) this.#newest = null;
  }

  /**
   * Stores the visitor's label of a run, and returns it as it was stored: if another run has the same name, a number is
   * appended.
   */
  async saveLabel(label: RunLabel): Promise<RunLabel> {
    let stored = label;
    await writing(`label of run ${label.runId}`, ['runs', 'labels'], async (transaction) => {
      stored = await putLabel(transaction, label);
    });
    return stored;
  }

  /**
   * Stores a changed dialogue together with its run, which must already be stored. Returns the number of the stored
   * dialogue.
   */
  async saveBranch(branch: Omit<KeptBranch, 'number'>): Promise<number> {
    const { runId, name } = branch;
    let number = 0;
    await writing(`branch ${name}`, ['runs', 'branches'], async (transaction) => {
      if ((await transaction.objectStore('runs').count(runId)) === 0)
        throw new StorageError(
          spoken`branch ${name}: the run of this branch is not stored yet. Train the run for one iteration, then store the branch.`,
        );
      const store = transaction.objectStore('branches');
      number = ((await store.getAllKeys(runRange(runId))).at(-1)?.[1] ?? 0) + 1;
      await store.put({ ...branch, number });
    });
    return number;
  }

  deleteBranch = (runId: RunId, number: number): Promise<void> =>
    writing(`branch ${number} of run ${runId}`, ['branches'], (transaction) =>
      transaction.objectStore('branches').delete([runId, number]),
    );

  /** Adds a visitor's own world, or changes its label. */
  saveWorld({ form, content }: OwnWorld): Promise<void> {
    return writing(`world ${form.label}`, ['worldForms', 'worlds'], (transaction) =>
      together([
        () => transaction.objectStore('worldForms').put(form),
        () => transaction.objectStore('worlds').put(content, form.name),
      ]),
    );
  }

  deleteWorld(name: OwnName): Promise<void> {
    return writing(`world ${name}`, ['worldForms', 'worlds'], (transaction) =>
      together([
        () => transaction.objectStore('worldForms').delete(name),
        () => transaction.objectStore('worlds').delete(name),
      ]),
    );
  }

  /** Deletes all warm starts that were trained here. Returns whether there were any. */
  async spareWarmStarts(): Promise<boolean> {
    let count = 0;
    await writing('warm starts', ['warmStarts'], async (transaction) => {
      count = await transaction.objectStore('warmStarts').count();
      await transaction.objectStore('warmStarts').clear();
    });
    return count > 0;
  }

  /**
   * Deletes records of one kind when storage is full: all except the first and the newest. Returns whether anything was
   * deleted. The summary of the run is updated later by `summariseAgain`, because nothing can be written while storage
   * is full.
   */
  async spare(runId: RunId, kind: 'checkpoints' | 'trajectories'): Promise<boolean> {
    const names = kind === 'checkpoints' ? (['checkpoints'] as const) : trajectoryStores;
    let count = 0;
    await writing(`run ${runId}`, [...names], async (transaction) => {
      const inner = (await transaction.objectStore(names[0]).getAllKeys(runRange(runId))).slice(1, -1);
      count = inner.length;
      await together(names.flatMap((name) => inner.map((key) => () => transaction.objectStore(name).delete(key))));
    });
    return count > 0;
  }

  /** Rebuilds the summary of a run from its stored records. */
  summariseAgain(runId: RunId): Promise<void> {
    return writing(`run ${runId}`, [...summarisedStores], async (transaction) => {
      const summaries = transaction.objectStore('summaries');
      await summaries.put(await summaryOf(transaction, runId, await summaries.get(runId)));
    });
  }

  /** Creates the summaries that runs of earlier versions do not have. */
  async summarise(): Promise<void> {
    const stores: StoreName[] = ['runs', ...summarisedStores];
    await writing('summaries', stores, async (transaction) => {
      const summaries = transaction.objectStore('summaries');
      const known = new Set(await summaries.getAllKeys());
      const unknown = (await transaction.objectStore('runs').getAllKeys()).filter((id) => !known.has(id));
      for (const id of unknown) await summaries.put(await summaryOf(transaction, id as RunId));
    });
  }
}

const trajectoryStores = ['iterations', 'iterationRows', 'shown'] as const;

/** Deletes trajectories if the run has stored more than its allowance, and updates the summary. */
async function tidy(transaction: Transaction, runId: RunId, evaluation: Evaluation | null): Promise<void> {
  const summaries = transaction.objectStore('summaries');
  const summary = (await summaries.get(runId)) ?? emptySummary(runId);
  const run = await transaction.objectStore('runs').get(runId);
  const at = summary.checkpoints.map(({ iteration }) => iteration);
  const staying = flagged(run ?? { changes: [] }, at);
  const rows = await transaction.objectStore('iterationRows').getAll(runRange(runId));
  const gone = surplus(
    rows.filter(({ iteration }) => !staying.has(iteration)),
    trajectoryAllowance,
  );
  const keys = gone.map(({ iteration }): [string, number] => [runId, iteration]);
  await together(
    trajectoryStores.flatMap((name) => keys.map((key) => () => transaction.objectStore(name).delete(key))),
  );
  const bytes = await iterationBytes(transaction, runId);
  await summaries.put({ ...summary, bytes, evaluation: evaluation ?? summary.evaluation });
}
