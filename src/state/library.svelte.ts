// The runs stored on this machine, newest first, and the one that a reload can go on with.
import type { RunRecord } from '../records/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import { listCheckpoints, listRuns, loadMetrics, loadShownOf } from '../storage/reading.ts';
import { MetricLog } from './metricLog.ts';
import type { Notices } from './notices.svelte.ts';
import type { RunView } from './runView.ts';

export interface StoredRun {
  run: RunRecord;
  /** The newest evaluation; null when there was none. */
  evaluation: Evaluation | null;
}

/**
 * What the page shows of a stored run before the worker has said anything: all of it, or, with `untilCheckpoint`, what lies
 * before its newest checkpoint, where a resumed run goes on. Throws StorageError.
 */
export async function storedView(run: RunRecord, untilCheckpoint = false): Promise<Partial<RunView>> {
  const [{ metrics, evaluations }, checkpoints] = await Promise.all([loadMetrics(run.id), listCheckpoints(run.id)]);
  const log = new MetricLog();
  const end = untilCheckpoint ? (checkpoints.at(-1) ?? 0) : Infinity;
  for (const row of metrics) if (row.iteration <= end) log.append(row);
  const iteration = log.rows.at(-1)?.iteration ?? run.iteration;
  const shown = iteration > 0 ? await loadShownOf(run, iteration) : null;
  return {
    run: { ...run, iteration },
    metrics: log,
    evaluations: evaluations.filter((evaluation) => evaluation.iteration <= end),
    checkpoints,
    iteration,
    shown,
  };
}

/** What the page shows of the run that another tab trains: the newest one; empty when there is none. Throws StorageError. */
export async function watchedView(): Promise<Partial<RunView>> {
  const newest = (await listRuns()).runs[0];
  if (!newest) return {};
  const reason = 'Chosen by the tab that trains.';
  const engine = { backend: newest.backend, adapter: 'in the other tab', reason, isSoftware: false };
  return { ...(await storedView(newest)), engine };
}

export class Library {
  readonly #notices: Notices;
  #runs = $state.raw<readonly StoredRun[]>([]);
  #isLoading = $state(false);

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  get runs(): readonly StoredRun[] {
    return this.#runs;
  }
  get isLoading(): boolean {
    return this.#isLoading;
  }
  /** The newest run that stopped before its last iteration and has a checkpoint to go on from; null when there is none. */
  async unfinished(): Promise<RunRecord | null> {
    const run = this.#runs.find(({ run }) => !run.isDone && run.iteration > 0)?.run;
    if (!run) return null;
    try {
      const newest = (await listCheckpoints(run.id)).at(-1) ?? 0;
      return newest > 0 ? { ...run, iteration: newest } : null;
    } catch (thrown) {
      this.#notices.problem(thrown);
      return null;
    }
  }

  /** Reads the store again. What cannot be read becomes a notice; the rest stands. */
  async refresh(): Promise<void> {
    this.#isLoading = true;
    try {
      const { runs, errors } = await listRuns();
      for (const error of errors) this.#notices.problem(error);
      this.#runs = await Promise.all(runs.map((run) => this.#withEvaluation(run)));
    } catch (thrown) {
      this.#notices.problem(thrown);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Takes a run from the list at once; the worker deletes it from the store. */
  forget(id: RunId): void {
    this.#runs = this.#runs.filter(({ run }) => run.id !== id);
  }

  async #withEvaluation(run: RunRecord): Promise<StoredRun> {
    try {
      const { evaluations } = await loadMetrics(run.id);
      return { run, evaluation: evaluations.at(-1) ?? null };
    } catch (thrown) {
      this.#notices.problem(thrown);
      return { run, evaluation: null };
    }
  }
}
