// What the page knows of the open run, as one immutable value, and how news changes it. Pure: the session feeds it
// batches of events and the components read the result.
import type { Settings } from '../base/errors.ts';
import { changeWords } from '../config/runName.ts';
import type { RunRecord } from '../records/checkpoint.ts';
import type { EngineNotes, Preflight, RunState, TrainerEvent, WarmStartRest } from '../records/events.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { MetricLog } from './metricLog.ts';

export interface RunView {
  state: RunState;
  /** What the worker says of its state, in words. */
  message: string;
  /** A preparation under way. */
  progress: { label: string; share: number; loss: number | null; msLeft: number | null } | null;
  /** Of a warm start that waits to be asked for, or was stopped; no run is open then. */
  warmStart: WarmStartRest | null;
  run: RunRecord | null;
  engine: EngineNotes | null;
  /** What computes on a slower path than it could; empty where nothing does. */
  engineNote: string;
  preflight: Preflight | null;
  /** The dialogue being sampled, after its newest turn, and its iteration. */
  live: { iteration: number; trajectory: Trajectory } | null;
  /** A dialogue of the warm start, sampled while it was measured. */
  opening: Trajectory | null;
  /** Imported preference pairs that it learns from. */
  pairs: number;
  /** The newest inspected group. */
  shown: GroupInspection | null;
  /** Grows in place: read it again whenever the view changes. */
  metrics: MetricLog;
  /** In order of iteration. */
  evaluations: readonly Evaluation[];
  /** Iterations at which a checkpoint lies in the store. */
  checkpoints: readonly number[];
  /** Iterations done. */
  iteration: number;
  /** Milliseconds to the last iteration; null before it can be known. */
  msLeft: number | null;
  failure: Failure | null;
}

export interface Failure {
  name: string;
  message: string;
  iteration: number;
  /** Settings with which it would not have failed, nearest first. */
  remedies: readonly Settings[];
}

/** A run of which nothing is known yet. */
export function emptyView(state: RunState = 'preparing', message = ''): RunView {
  return {
    state,
    message,
    progress: null,
    warmStart: null,
    run: null,
    engine: null,
    engineNote: '',
    preflight: null,
    live: null,
    opening: null,
    pairs: 0,
    shown: null,
    metrics: new MetricLog(),
    evaluations: [],
    checkpoints: [],
    iteration: 0,
    msLeft: null,
    failure: null,
  };
}

/** The view after a batch of news. Costs the length of the batch, not of the run. */
export function applyEvents(view: RunView, events: readonly TrainerEvent[]): RunView {
  const next = { ...view };
  for (const event of events) apply(next, event);
  return next;
}

function apply(view: RunView, event: TrainerEvent): void {
  switch (event.kind) {
    case 'state':
      view.state = event.state;
      if (event.message !== '' || event.state !== 'preparing') view.message = event.message;
      if (event.state === 'idle' && !view.run && view.progress?.msLeft != null) {
        view.warmStart = { share: view.progress.share, msLeft: view.progress.msLeft };
      }
      if (event.state !== 'preparing') view.progress = null;
      if (event.state === 'done') view.msLeft = 0;
      if (event.state === 'training') view.failure = null;
      if (event.state === 'failed') {
        const { message, remedies = view.failure?.remedies ?? [] } = event;
        view.failure = { name: 'Error', message, iteration: view.iteration, ...view.failure, remedies };
      }
      return;
    case 'progress':
      view.progress = {
        label: event.label,
        share: Math.min(1, Math.max(0, event.share)),
        loss: event.loss,
        msLeft: event.msLeft ?? null,
      };
      return;
    case 'engine':
      view.engine = event.engine;
      return;
    case 'warmStart':
      view.warmStart = event.rest;
      return;
    case 'run':
    case 'revived':
      view.run = event.run;
      view.engine = event.engine;
      view.warmStart = null;
      goTo(view, event.run.iteration);
      return;
    case 'engineNote':
      view.engineNote = event.note;
      return;
    case 'pairs':
      view.pairs = event.count;
      return;
    case 'note':
    case 'unstored':
      return; // the page says it, and the run is as it was
    case 'preflight':
      view.preflight = event.preflight;
      return;
    case 'turn':
      view.live = { iteration: event.iteration, trajectory: event.trajectory };
      if (event.iteration === 0) view.opening = event.trajectory;
      return;
    case 'iteration':
      view.metrics.append(event.metrics);
      view.iteration = event.metrics.iteration;
      view.msLeft = event.msLeft;
      if (event.shown) view.shown = event.shown;
      if (view.run) view.run = { ...view.run, iteration: event.metrics.iteration };
      return;
    case 'profile':
      view.metrics.attach(event.iteration, event.profile);
      return;
    case 'evaluation':
      view.evaluations = withEvaluation(view.evaluations, event.evaluation);
      return;
    case 'config':
      if (view.run) {
        const { config, changes, imports, plan } = event;
        view.run = { ...view.run, config, changes, imports, plan };
      }
      return;
    case 'checkpoint':
      view.checkpoints = event.kept;
      return;
    case 'failed': {
      const { name, message, iteration, remedies = [] } = event;
      view.state = 'failed';
      view.progress = null;
      view.failure = { name, message, iteration, remedies };
      return;
    }
  }
}

/** What was known of later iterations does not count any more: a run may go on from before them. */
function goTo(view: RunView, iteration: number): void {
  view.iteration = iteration;
  view.metrics.cut(iteration);
  view.evaluations = view.evaluations.filter((evaluation) => evaluation.iteration <= iteration);
  view.checkpoints = view.checkpoints.filter((checkpoint) => checkpoint <= iteration);
}

/** One evaluation for each iteration, in order; a newer one of the same iteration replaces the older. */
export function withEvaluation(evaluations: readonly Evaluation[], evaluation: Evaluation): readonly Evaluation[] {
  const others = evaluations.filter((other) => other.iteration !== evaluation.iteration);
  const place = others.findIndex((other) => other.iteration > evaluation.iteration);
  return place < 0 ? [...others, evaluation] : others.toSpliced(place, 0, evaluation);
}

/** Whether settings that are not live belong to a run that has begun. */
export function isUnderWay(view: RunView): boolean {
  return view.state === 'training' || view.state === 'paused' || view.state === 'done' || view.iteration > 0;
}

/** What happened to a run on its way: where it was forked, changed, or given other pairs. */
export interface Mark {
  iteration: number;
  /** `After iteration 15: learning rate 0.001.` */
  words: string;
}

/** By rising iteration, one for each at which something happened. */
export function marksOf({ changes, imports = [], forkedFrom }: RunRecord): Mark[] {
  const happened = new Map<number, string[]>();
  const note = (iteration: number, words: string) =>
    happened.set(iteration, [...(happened.get(iteration) ?? []), words]);
  if (forkedFrom) note(forkedFrom.iteration, `forked from ${forkedFrom.name}`);
  for (const { iteration, path, value } of changes) note(iteration, changeWords(path, value));
  for (const { iteration, name } of imports) if (iteration > 0) note(iteration, `pairs of ${name}`);
  return [...happened]
    .sort(([one], [other]) => one - other)
    .map(([iteration, words]) => ({ iteration, words: `After iteration ${iteration}: ${words.join('; ')}.` }));
}
