// The view, which is one immutable value with all data that the page has about the open run, and the pure functions
// that compute the next view from events of the worker. The components of the page read the view.
import type { LookedAt } from '../../api/archiveConnection.ts';
import type { Settings } from '../../base/errors.ts';
import { changeWords } from '../../config/describe.ts';
import { valueAt } from '../../config/schema.ts';
import { movesOf, placePaths } from '../../records/collapse.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { EngineNotes, Preflight, RunState, TrainerEvent, WarmStartRest } from '../../records/events.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { surplus } from '../../storage/retention.ts';
import { MetricLog } from './metricLog.ts';
import { say } from '../visitor/language.svelte.ts';

export interface RunView {
  state: RunState;
  /** The worker's message about its state. */
  message: string;
  /** The progress of the preparation of a run; null if no run is being prepared. */
  progress: PreparationProgress | null;
  /**
   * The progress of a warm start that was stopped, or that the visitor must start. While this field is present, no run
   * is open.
   */
  warmStart: WarmStartRest | null;
  run: RunRecord | null;
  /**
   * The archive of the displayed run, if no part of the run is stored. All data about the run is then read from this
   * archive.
   */
  archive: LookedAt | null;
  engine: EngineNotes | null;
  /** A sentence that describes a computation that runs slower than it could; empty if there is no such computation. */
  engineNote: string;
  preflight: Preflight | null;
  /** The dialogue that is being sampled, up to its newest turn, and the iteration to which it belongs. */
  live: { iteration: number; trajectory: Trajectory } | null;
  /** A dialogue of the warm start: sampled by the trained weights or, while they are trained, the newest glimpse. */
  opening: Trajectory | null;
  /** The number of supervised steps before the displayed glimpse; null for an example. Absent after the warm start. */
  glimpseAfter?: number | null;
  /** The number of imported preference pairs on which the run is trained. */
  pairs: number;
  /** The number of imported chats that adapters imitate before the first iteration. */
  chats: number;
  /** The newest inspected group. */
  shown: GroupInspection | null;
  /** The log is changed in place, so it must be read again whenever the view changes. */
  metrics: MetricLog;
  /** The evaluations in the order of iterations. If the run is long, the view contains only some of them. */
  evaluations: readonly Evaluation[];
  /** The iterations of which a checkpoint is stored. */
  checkpoints: readonly number[];
  /** Completed iterations. */
  iteration: number;
  /** The estimated time in milliseconds until the last iteration; null while it is unknown. */
  msLeft: number | null;
  failure: Failure | null;
}

export interface PreparationProgress {
  label: string;
  share: number;
  loss: number | null;
  msLeft: number | null;
  /** The losses so far, each with the share at which it was measured. */
  curve: readonly { share: number; loss: number }[];
}

export interface Failure {
  name: string;
  message: string;
  iteration: number;
  /**
   * Changes of settings. Each of them alone would have avoided the failure. The smallest change is the first in the
   * list.
   */
  remedies: readonly Settings[];
}

/** The initial view, before a run is open. */
export function emptyView(state: RunState = 'preparing', message = ''): RunView {
  return {
    state,
    message,
    progress: null,
    warmStart: null,
    run: null,
    archive: null,
    engine: null,
    engineNote: '',
    preflight: null,
    live: null,
    opening: null,
    pairs: 0,
    chats: 0,
    shown: null,
    metrics: new MetricLog(),
    evaluations: [],
    checkpoints: [],
    iteration: 0,
    msLeft: null,
    failure: null,
  };
}

/** The view of a stored run up to an iteration. */
export function viewOf(
  run: RunRecord,
  stored: { metrics: readonly IterationMetrics[]; evaluations: readonly Evaluation[]; checkpoints: readonly number[] },
  end = Infinity,
) {
  const metrics = new MetricLog();
  for (const row of stored.metrics) if (row.iteration <= end) metrics.append(row);
  const iteration = metrics.iteration || run.iteration;
  const evaluations = fewEvaluations(stored.evaluations.filter((evaluation) => evaluation.iteration <= end));
  return { run: { ...run, iteration }, metrics, evaluations, checkpoints: stored.checkpoints, iteration };
}

/**
 * The view after a batch of events. The time that this takes depends on the length of the batch and not on the length
 * of the run.
 */
export function applyEvents(view: RunView, events: readonly TrainerEvent[]): RunView {
  return events.reduce((now, event) => ({ ...now, ...changeBy(event, now) }), view);
}

type Kind = TrainerEvent['kind'];
type Of<K extends Kind> = Extract<TrainerEvent, { kind: K }>;

/** For each kind of event, the function that applies it to the view. */
const changes: { [K in Kind]: (event: Of<K>, view: RunView) => Partial<RunView> } = {
  state: ({ state, message, remedies }, { run, progress, iteration, failure }) => ({
    state,
    ...((message !== '' || state !== 'preparing') && { message }),
    ...(state === 'idle' &&
      !run &&
      progress?.msLeft != null && { warmStart: { share: progress.share, msLeft: progress.msLeft } }),
    ...(state !== 'preparing' && { progress: null }),
    ...(state === 'done' && { msLeft: 0 }),
    ...(state === 'training' && { failure: null }),
    ...(state === 'failed' && {
      failure: { name: 'Error', message, iteration, ...failure, remedies: remedies ?? failure?.remedies ?? [] },
    }),
  }),
  progress: ({ label, share: told, loss, msLeft = null }, { progress }) => {
    const share = Math.min(1, Math.max(0, told));
    const before = progress?.label === label ? progress.curve : [];
    // A loss is told again until there is a newer one.
    const isNew = loss !== null && loss !== before.at(-1)?.loss;
    return { progress: { label, share, loss, msLeft, curve: isNew ? [...before, { share, loss }] : before } };
  },
  glimpse: ({ glimpse: { after, trajectory } }) => ({ glimpseAfter: after, opening: trajectory }),
  engine: ({ engine }) => ({ engine }),
  warmStart: ({ rest }) => ({ warmStart: rest }),
  run: ({ run, engine }, { glimpseAfter, ...view }) => ({
    ...{ run, engine, warmStart: null, ...pastUntil(run.iteration, view) },
    ...(glimpseAfter !== undefined && { glimpseAfter: undefined, opening: null }),
  }),
  revived: ({ run, engine }, view) => ({ run, engine, warmStart: null, ...pastUntil(run.iteration, view) }),
  renamed: ({ name }, { run }) => (run ? { run: { ...run, name } } : {}),
  engineNote: ({ note }) => ({ engineNote: note }),
  pairs: ({ count }) => ({ pairs: count }),
  chats: ({ count }) => ({ chats: count }),
  // These three kinds of events do not change the view. These events are displayed by other code.
  note: () => ({}),
  thinned: () => ({}),
  unstored: () => ({}),
  preflight: ({ preflight }) => ({ preflight }),
  turn: ({ iteration, trajectory }) => ({
    live: { iteration, trajectory },
    ...(iteration === 0 && { opening: trajectory }),
  }),
  iteration({ metrics, shown, msLeft }, view) {
    const { iteration } = metrics;
    view.metrics.append(metrics);
    return { iteration, msLeft, ...(shown && { shown }), ...(view.run && { run: { ...view.run, iteration } }) };
  },
  profile({ iteration, profile }, { metrics }) {
    metrics.attach(iteration, profile);
    return {};
  },
  evaluation: ({ evaluation }, { evaluations }) => ({ evaluations: withEvaluation(evaluations, evaluation) }),
  config: ({ config, changes, imports, plan }, { run }) =>
    run ? { run: { ...run, config, changes, imports, plan } } : {},
  checkpoint: ({ kept }) => ({ checkpoints: kept }),
  failed: ({ name, message, iteration, remedies = [] }) => ({
    state: 'failed',
    progress: null,
    failure: { name, message, iteration, remedies },
  }),
};

const changeBy = <K extends Kind>(event: Of<K>, view: RunView) => changes[event.kind as K](event, view);

/** Rows of later iterations are removed, because the run may have been rewound to an earlier iteration. */
function pastUntil(end: number, { metrics, evaluations, checkpoints }: RunView): Partial<RunView> {
  metrics.cut(end);
  return {
    iteration: end,
    evaluations: evaluations.filter(({ iteration }) => iteration <= end),
    checkpoints: checkpoints.filter((checkpoint) => checkpoint <= end),
  };
}

/**
 * The maximum number of evaluations in the view. For a long run, these are the first evaluation, the newest
 * evaluations, and evenly spaced evaluations between them.
 */
const [newestKept, othersKept] = [50, 750];

/** The evaluations in the view, in order of iteration. All evaluations are in the store. */
export function fewEvaluations(evaluations: readonly Evaluation[]): readonly Evaluation[] {
  if (evaluations.length <= newestKept + othersKept) return evaluations;
  const older = evaluations.slice(0, -newestKept).map(({ iteration }) => ({ iteration, bytes: 0 }));
  const gone = new Set(surplus(older, { count: othersKept, bytes: Infinity }).map(({ iteration }) => iteration));
  return evaluations.filter(({ iteration }) => !gone.has(iteration));
}

/**
 * Evaluations in the order of iterations, with one evaluation per iteration. If an iteration has several evaluations,
 * only the newest is returned.
 */
export function withEvaluation(evaluations: readonly Evaluation[], evaluation: Evaluation): readonly Evaluation[] {
  const others = evaluations.filter((other) => other.iteration !== evaluation.iteration);
  const place = others.findIndex((other) => other.iteration > evaluation.iteration);
  return fewEvaluations(place < 0 ? [...others, evaluation] : others.toSpliced(place, 0, evaluation));
}

/** Whether training has started. If so, only the settings that can be changed during a run can be edited. */
export function isUnderWay(view: RunView): boolean {
  return view.state === 'training' || view.state === 'paused' || view.state === 'done' || view.iteration > 0;
}

/** An event in the history of a run: the run was forked, a setting was changed, or preference pairs were imported. */
export interface RunMark {
  iteration: number;
  /** The event in words, such as `After iteration 15: learning rate 0.001.` */
  words: string;
  /** Whether the chart shows a vertical line. Values before and after this line should not be compared. */
  isParting?: true;
}

/**
 * The world and level of the evaluation at an iteration; null if unknown. In runs of earlier versions, the world and
 * the level are unknown before the first change of either. They are also unknown at the iteration of such a change,
 * because the visitor may have repeated the evaluation after the change.
 */
export function placeAt(run: Pick<RunRecord, 'begun' | 'config' | 'changes'>, iteration: number): string | null {
  const moves = movesOf(run);
  if (moves.some((move) => move.iteration === iteration)) return null;
  const values = placePaths.map((path) => {
    const own = moves.filter((move) => move.path === path);
    const last = own.findLast((move) => move.iteration < iteration);
    const begun = run.begun ?? (own.length === 0 ? run.config : null);
    return last?.value ?? (begun && valueAt(begun, path));
  });
  return values.includes(null) ? null : values.join(' ');
}

/** The events in ascending order of iteration, with one entry per iteration. */
export function marksOf({ changes, imports = [], forkedFrom, goneBack = [] }: RunRecord): RunMark[] {
  const happened = new Map<number, string[]>();
  const note = (iteration: number, words: string) =>
    happened.set(iteration, [...(happened.get(iteration) ?? []), words]);
  if (forkedFrom) note(forkedFrom.iteration, say('forked from {name}', { name: forkedFrom.name }));
  for (const { from, to, why } of goneBack)
    note(to, say('rewound from iteration {from} to this iteration ({why})', { from, why }));
  for (const { iteration, path, value } of changes) note(iteration, changeWords(path, value));
  for (const { iteration, name } of imports) if (iteration > 0) note(iteration, say('pairs of {name}', { name }));
  return [...happened]
    .sort(([one], [other]) => one - other)
    .map(([iteration, words]) => ({
      iteration,
      words: say('After iteration {iteration}: {words}.', { iteration, words: words.join('; ') }),
    }));
}
