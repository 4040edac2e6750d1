// Opens runs: from settings or a history, from a stored checkpoint, or as a fork of the open run.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import { StorageError } from '../../src/base/errors.ts';
import { inWords, spoken } from '../../src/base/spoken.ts';
import { forkName } from '../../src/config/runName.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { imitatesChats, trainsWarmStart } from '../../src/config/warmStarts.ts';
import { weightsDigest } from '../../src/records/stored/checkpoint.ts';
import type { RunState } from '../../src/records/events.ts';
import type { EnduringStore } from '../../src/storage/enduringStore.ts';
import { loadMetrics, loadRun, uniqueStoredName, resumePoint } from '../../src/storage/reading.ts';
import { WarmStarts } from '../../src/storage/warmStarts.ts';
import type { ChosenEngine } from '../../src/engine/choice.ts';
import { forkCheckpoint, forkedRun } from '../../src/training/run/fork.ts';
import { beginning, resumedHistory, idOf, type Beginning } from '../../src/training/history/replay.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { measureIteration } from '../../src/training/preflight/preflight.ts';
import { forecastWarmStart } from '../../src/training/preflight/warmStartForecast.ts';
import { loadShipped, readyWorld } from '../assets.ts';
import type { HeldModels } from '../model/heldModels.ts';
import type { News } from './news.ts';
import type { Tenure } from './tenure.ts';
import type { Imports } from './imports.ts';
import { repeatNote, type OpenRun } from './openRun.ts';
import type { TrainerTab } from './trainerTab.ts';

interface OpeningParts {
  run: OpenRun;
  tab: TrainerTab;
  tenure: Tenure;
  news: News;
  store: EnduringStore;
  models: HeldModels;
  imports: Imports;
}

/**
 * If the forecast training time of a warm start is less than this number of milliseconds, the warm start is trained
 * without asking the visitor first.
 */
const briefMs = 10_000;

export function openings(parts: OpeningParts): Pick<TrainerApi, 'open' | 'resumeRun' | 'fork' | 'abandon'> {
  const { run: openRun, tab, tenure, news, store, models, imports: files } = parts;
  const warmStarts = new WarmStarts();

  /** Stores a fork with its first checkpoint, and opens it. */
  async function enterFork({ run, checkpoint, evaluation }: Beginning, engine: ChosenEngine): Promise<RunState> {
    const { iteration } = checkpoint;
    await store.saveRun(run);
    const kept = await store.saveCheckpoint(checkpoint, null);
    openRun.begin(run, checkpoint, engine);
    news.emit({ kind: 'checkpoint', iteration, kept });
    // The fork begins with the same policies and problems as its parent, so the evaluation of the parent at this
    // iteration is also valid for the fork.
    if (evaluation) {
      await store.saveEvaluation(run.id, evaluation);
      news.emit({ kind: 'evaluation', evaluation });
    }
    return iteration < run.config.run.iterations ? 'paused' : 'done';
  }

  return {
    async open(request) {
      const { preset, changes = [], imports, fork, asksFirst = false } = request;
      await readyWorld(request.config);
      const config = parseConfig(request.config);
      let isBusy = false;
      const isOpen = await openRun.prepare(async (gate) => {
        await models.ready(config);
        const engine = await openRun.engines.start(config.run.backend);
        news.emit({ kind: 'engine', engine });
        const start = { backend: engine.backend, warmStarts, gate };
        // A fork uses the warm start of its parent, so no warm start has to be trained and forecast.
        const rest = asksFirst && !fork ? await forecastWarmStart({ ...start, config }) : null;
        gate.throwFault();
        if (rest && (rest.msLeft ?? Infinity) > briefMs) {
          news.emit({ kind: 'warmStart', rest });
          return 'idle';
        }
        const isTrained = trainsWarmStart(config) || fork !== undefined;
        isBusy = isTrained && !(await tenure.train());
        if (isBusy) return 'idle';
        if (isTrained) tab.tellTraining();
        const given = imports ?? files.last();
        if (imitatesChats(config)) files.tell(given);
        const asked = { preset, config, changes, imports: given, ...(fork && { fork }) };
        const begun = await beginning(asked, {
          backend: engine.backend,
          // The time is only used for the names of runs and for their order in lists. No result depends on the time.
          createdMs: Date.now(),
          files: files.files,
          gate,
          emit: news.emit,
          start: (config, runId, contents) =>
            startingCheckpoint({
              ...start,
              ...{ config, runId, loadShipped, loadModel: (name) => models.get(name) },
              ...contents,
              onProgress: (progress) => news.emit({ kind: 'progress', label: spoken`Warm start`, ...progress }),
              onGlimpse: (glimpse) => news.emit({ kind: 'glimpse', glimpse }),
            }),
          unique: uniqueStoredName,
        });
        if (begun.note) news.emit({ kind: 'note', text: begun.note });
        if (fork) return enterFork(begun, engine);
        openRun.begin(begun.run, begun.checkpoint, engine);
        news.emit({ kind: 'state', state: 'preparing', message: spoken`measuring an iteration` });
        const { example, ...preflight } = await measureIteration(openRun.current().trainState);
        news.emit({ kind: 'preflight', preflight });
        news.emit({ kind: 'turn', iteration: begun.run.iteration, trajectory: example });
        return 'idle';
      });
      return isBusy ? 'busy' : isOpen;
    },

    async resumeRun(id, back) {
      const stored = await loadRun(id);
      await readyWorld(stored.config);
      const way = await resumePoint(id, back?.to);
      if (!way)
        throw new StorageError(
          spoken`run ${stored.name}: this run has no checkpoint from which it can be resumed; start a new run with the same settings.`,
        );
      const { checkpoint, damaged } = way;
      // If the model of the new run is missing, an error is thrown before the open run is closed, because the new run
      // cannot be opened without this model.
      await models.expectBase(stored.name, checkpoint);
      await openRun.prepare(async () => {
        const engine = await openRun.engines.start(checkpoint.config.run.backend);
        const { resumed = 0, plan: _, imports: __, ...kept } = stored;
        const { iteration, config } = checkpoint;
        const went = resumedHistory(stored, checkpoint, files.files);
        const isDone = iteration >= config.run.iterations;
        const taken = { iteration, config, backend: engine.backend, isDone, resumed: resumed + 1 };
        const goneBack = back && { goneBack: [...(stored.goneBack ?? []), { ...back, to: iteration }] };
        openRun.begin({ ...kept, ...went, ...taken, ...goneBack }, checkpoint, engine);
        tenure.begin(resumed);
        if (damaged[0]) news.emit({ kind: 'note', text: inWords(repeatNote(iteration, damaged[0])) });
        return isDone ? 'done' : 'paused';
      });
    },

    async fork(mode) {
      const parent = openRun.current();
      const name = await uniqueStoredName(forkName(parent.run.name, { mode }));
      const createdMs = Date.now();
      const left = await tenure.during(parent.run, () => parent.leave());
      const checkpoint = forkCheckpoint(left, { mode, runId: idOf(name, createdMs) });
      await openRun.prepare(async () => {
        const engine = await openRun.engines.start(checkpoint.config.run.backend);
        const run = forkedRun(parent.run, checkpoint, { name, createdMs, mode, digest: weightsDigest(left) });
        const { evaluations } = store.isUnstored ? { evaluations: [] } : await loadMetrics(parent.run.id);
        const evaluation = evaluations.find(({ iteration }) => iteration === checkpoint.iteration) ?? null;
        return enterFork({ run, checkpoint, evaluation, note: '' }, engine);
      });
    },

    abandon: async () => openRun.abandon(),
  };
}
