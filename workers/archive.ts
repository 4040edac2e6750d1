// Answers requests about stored runs while training continues: writes a run to an archive and reads archives, lists all
// trajectories with a few facts about each trajectory, and lists the problems of an iteration. All requests except
// writing an archive are also possible for an archive that is only viewed and not stored.
import type { ArchiveApi, TrajectoryAt, RunArchiving } from '../src/api/archiveConnection.ts';
import { hold, modelLock } from '../src/api/writerLock.ts';
import { StorageError } from '../src/base/errors.ts';
import { reasonInEnglish, spoken } from '../src/base/spoken.ts';
import { mean, std } from '../src/base/stats.ts';
import type { Config } from '../src/config/schema.ts';
import { isOwn } from '../src/config/worlds/own.ts';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { readRunArchive, refuseAbove, writeRunArchive } from '../src/formats/runArchive.ts';
import { trunksOf } from '../src/records/branch.ts';
import type { TrajectoryRow, GroupSummary } from '../src/records/trajectoryRow.ts';
import { isOpened, type RunId } from '../src/records/ids.ts';
import type { GroupInspection } from '../src/records/inspection.ts';
import { problemEnds } from '../src/records/problemEnds.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { addRun } from '../src/storage/archive/addRun.ts';
import {
  archivedRun,
  isArchiveEntry,
  isModelEntry,
  modelEntries,
  modelIn,
} from '../src/storage/archive/archivedRun.ts';
import { entriesOf } from '../src/storage/archive/fromStore.ts';
import { openedSource, storedSource, type OpenedSource, type RunSource } from '../src/storage/archive/runSource.ts';
import { keepModel } from '../src/storage/keepModel.ts';
import { deleteModel, keptFiles } from '../src/storage/keptModels.ts';
import { openDatabase } from '../src/storage/database.ts';
import { loadMetrics, loadRun, loadShownOf, loadWorld } from '../src/storage/reading.ts';
import { membersOf } from '../src/training/collect/trees.ts';
import { isDeadByReward } from '../src/training/inspect/deadGroups.ts';

export const archive: ArchiveApi & RunArchiving = {
  async groups(run, iteration) {
    const source = await sourceOf(run);
    const trajectories = await source.trajectories(iteration);
    return [...new Set(trajectories.map(({ group }) => group))]
      .sort((a, b) => a - b)
      .map((group) => summaryOf(membersOf(trajectories, group), source.run.config));
  },

  async group(run, iteration, group) {
    const source = await sourceOf(run);
    const shown = await source.shown(iteration);
    if (shown?.iteration === iteration && shown.group === group) return shown;
    const dialogues = await source.trajectories(iteration);
    const members = membersOf(dialogues, group);
    if (members.length === 0) return null;
    const problems = problemEnds(dialogues);
    const { isDead, meanReward } = summaryOf(members, source.run.config);
    const rollouts = members.map((trajectory) => ({ trajectory, turns: [], promptTexts: [] }));
    return { iteration, group, isDead: isDead ?? false, meanReward, rollouts, ...(problems && { problems }) };
  },

  async readTrajectories(run, tell) {
    const source = await sourceOf(run);
    const { iterations } = source;
    for (const [done, iteration] of iterations.entries()) {
      const shown = await source.shown(iteration);
      const known = shown?.iteration === iteration ? clippedIn(shown) : new Map<number, number>();
      const rows = (await source.trajectories(iteration)).map((one) => rowOf(one, iteration, known));
      await tell(rows, (done + 1) / iterations.length);
    }
    if (iterations.length === 0) await tell([], 1);
  },

  async trajectories(run, asked) {
    const source = await sourceOf(run);
    const wanted = asked.map(({ iteration }) => iteration);
    const found = new Map<string, Trajectory>();
    for (const iteration of new Set(wanted))
      for (const one of await source.trajectories(iteration)) found.set(`${iteration}/${one.index}`, one);
    return asked.flatMap(({ iteration, index }) => found.get(`${iteration}/${index}`) ?? []);
  },

  async lines(run, asked) {
    const parts: Blob[] = [];
    // The requested rows are converted to text one iteration at a time.
    for (const stretch of stretchesOf(asked)) {
      const [{ iteration = 0 } = {}] = stretch;
      parts.push(new Blob([writeJsonl(iteration, await archive.trajectories(run, stretch))]));
    }
    return new Blob(parts, { type: 'application/jsonl' });
  },

  async pack(run, hasModel = false) {
    const [parts, leftOut]: [Blob[], string[]] = [[], []];
    const model = hasModel ? await keptModelOf(run) : null;
    async function* entries() {
      yield* entriesOf(run, ({ message }) => leftOut.push(message));
      if (model)
        yield* modelEntries(
          model.card,
          model.files.map((file) => async () => new Uint8Array(await file.arrayBuffer())),
        );
    }
    await writeRunArchive(entries(), (piece) => parts.push(new Blob([piece])));
    return { file: new Blob(parts, { type: 'application/zip' }), leftOut };
  },

  async unpack(file) {
    const entries = await entriesIn(file);
    const archived = archivedRun(entries);
    const run = await archived.run();
    const { name } = run;
    const model = modelIn(entries, run);
    const shut = await openDatabase().then(
      () => null,
      (thrown: Error) => thrown,
    );
    if (shut) return { name, trouble: shut.message };
    try {
      await addRun(archived);
    } catch (thrown) {
      if (thrown instanceof StorageError && thrown.reason !== 'other') return { name, trouble: thrown.message };
      throw thrown;
    }
    if (model) await keepCarried(model);
    return { name, trouble: '', ...(model && { model: model.card.name }) };
  },

  async look(file) {
    const entries = await entriesIn(file);
    const names = [...entries.keys()].filter((name) => !isModelEntry(name));
    // Weights, which take most of the space of an archive, are not needed for viewing the archive, so they are not kept
    // in memory.
    for (const name of names) if (name.startsWith('checkpoints/') || isModelEntry(name)) entries.delete(name);
    opened = await openedSource({ names, read: (name) => Promise.resolve(entries.get(name) as Uint8Array) });
    const { run, metrics, evaluations, world } = opened;
    return { run, metrics, evaluations, world, shown: await opened.shown(metrics.at(-1)?.iteration ?? run.iteration) };
  },

  async lookStored(id) {
    const run = await loadRun(id);
    const { name } = run.config.world;
    const [{ metrics, evaluations }, shown, world] = await Promise.all([
      loadMetrics(id),
      loadShownOf(run, run.iteration),
      isOwn(name) ? loadWorld(name) : null,
    ]);
    return { run, metrics, evaluations, world, shown };
  },

  shown: async (run, iteration) => (await sourceOf(run)).shown(iteration),
};

/** The archive that is being viewed. At most one archive is viewed at a time. */
let opened: OpenedSource | null = null;

/**
 * The source of a run's data: the viewed archive or the store. Throws StorageError if the archive is no longer in
 * memory, for example because the worker was restarted.
 */
async function sourceOf(run: RunId): Promise<RunSource> {
  if (opened?.run.id === run) return opened;
  if (isOpened(run)) throw new StorageError(spoken`the archive is no longer in memory; open the archive again.`);
  return storedSource(run);
}

/** The entries of an archive by name. Throws FormatError if the file is not an archive. */
async function entriesIn(file: Blob): Promise<Map<string, Uint8Array>> {
  refuseAbove(file.size);
  return readRunArchive(new Uint8Array(await file.arrayBuffer()), isArchiveEntry);
}

/**
 * The model on which a run is based, from the storage of this browser. Throws StorageError if the model is not stored.
 */
async function keptModelOf(id: RunId) {
  const { config, name } = await loadRun(id);
  const kept = await keptFiles(config.agents.start);
  if (kept) return kept;
  throw new StorageError(
    spoken`the archive of ${name}: the model of the run is not stored in this browser; store the model under Models first, or save the archive without the model.`,
  );
}

/**
 * Stores a model from an archive, and checks that the files are those of the model that the card in the archive
 * describes. If StorageError is thrown, no part of the model remains stored.
 */
async function keepCarried({ card, files }: NonNullable<ReturnType<typeof modelIn>>): Promise<void> {
  const release = await hold(modelLock(card.name));
  try {
    if (await keptFiles(card.name)) return;
    const { files: told, ...facts } = card;
    const kept = await keepModel(
      facts,
      files.map(({ name, content }) => new File([content], name)),
    );
    const isSame = kept?.files.every(({ sha256 }, i) => sha256 === told[i]?.sha256);
    if (isSame) return;
    await deleteModel(card.name);
    throw new StorageError(
      spoken`the model of the archive: the files do not match the recorded checksums; save the archive again.`,
    );
  } finally {
    await release?.();
  }
}

/** Divides the requested rows into sequences of successive rows from the same iteration. */
function stretchesOf(asked: readonly TrajectoryAt[]): TrajectoryAt[][] {
  const stretches: TrajectoryAt[][] = [];
  for (const one of asked) {
    const last = stretches.at(-1);
    if (last?.[0]?.iteration === one.iteration) last.push(one);
    else stretches.push([one]);
  }
  return stretches;
}

function summaryOf(members: readonly Trajectory[], config: Config): GroupSummary {
  const ended = trunksOf(members);
  const rewards = ended.map(({ reward }) => reward);
  const [{ group = 0, problem } = {}] = ended;
  return {
    group,
    ...{ world: problem?.world ?? '', shown: problem?.shown ?? '' },
    ends: ended.map(({ isRight, finishCode, reward }) => ({ isRight, finishCode, reward })),
    meanReward: mean(rewards),
    spread: rewards.length > 1 ? std(rewards) : 0,
    isDead: isDeadByReward(rewards, config),
  };
}

/** The number of clipped tokens in each inspected dialogue. */
function clippedIn({ rollouts }: GroupInspection): Map<number, number> {
  return new Map(
    rollouts.map(({ trajectory, turns }) => [
      trajectory.index,
      turns.flatMap(({ won }) => won).filter((side) => side !== 0).length,
    ]),
  );
}

function rowOf(trajectory: Trajectory, iteration: number, known: ReadonlyMap<number, number>): TrajectoryRow {
  const { index, group, problem, turns, reward, isRight, finishCode, branch, answer } = trajectory;
  const reasons = new Map(turns.map(({ reason }) => [reasonInEnglish(reason), reason]));
  reasons.delete('');
  return {
    ...{ iteration, index, group, reward, isRight, finishCode, answer },
    ...{ world: problem.world, slice: problem.slice, shown: problem.shown },
    isBranch: branch !== undefined,
    isTruncated: turns.some((turn) => turn.isTruncated),
    clipped: known.get(index) ?? null,
    tokens: turns.reduce((sum, turn) => sum + turn.tokens.length, 0),
    said: turns.flatMap(({ text }) => text || []).join(' · '),
    reasons: [...reasons.values()],
  };
}
