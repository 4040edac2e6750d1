// What is asked of the store beside training: a run as one file and back; dialogues for lists, what each is in a few words, the problems of an iteration, and some of them whole. A run
// that went on from another has the other's dialogues before its start.
import type { ArchiveApi, DialogueAt, RunArchiving } from '../src/api/archiveConnection.ts';
import { mean, std } from '../src/base/stats.ts';
import { factsOf } from '../src/config/learnerFacts.ts';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { readRunArchive, refuseAbove, writeRunArchive } from '../src/formats/runArchive.ts';
import { trunksOf } from '../src/records/branch.ts';
import type { DialogueRow, GroupSummary } from '../src/records/dialogueRow.ts';
import type { RunId } from '../src/records/ids.ts';
import type { GroupInspection } from '../src/records/inspection.ts';
import { problemEnds } from '../src/records/problemEnds.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { archivedRun, isEntryName } from '../src/storage/archive/archivedRun.ts';
import { entriesOf } from '../src/storage/archive/fromStore.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { listIterations, loadIteration, loadRun, loadShown, ownerOf } from '../src/storage/reading.ts';
import { membersOf } from '../src/training/collect/trees.ts';

export const archive: ArchiveApi & RunArchiving = {
  async groups(run, iteration) {
    const trajectories = await dialoguesOf(run, iteration);
    const { config } = await loadRun(run);
    const comparesGroups = factsOf(config).groups !== 'none';
    return [...new Set(trajectories.map(({ group }) => group))]
      .sort((a, b) => a - b)
      .map((group) => summaryOf(membersOf(trajectories, group), comparesGroups));
  },

  async group(run, iteration, group) {
    const record = await loadRun(run);
    const owner = await ownerOf(record, iteration);
    const shown = owner && (await loadShown(owner, iteration));
    if (shown?.iteration === iteration && shown.group === group) return shown;
    const dialogues = await dialoguesOf(run, iteration);
    const members = membersOf(dialogues, group);
    if (members.length === 0) return null;
    const problems = problemEnds(dialogues);
    const { isDead, meanReward } = summaryOf(members, factsOf(record.config).groups !== 'none');
    const rollouts = members.map((trajectory) => ({ trajectory, turns: [], promptTexts: [] }));
    return { iteration, group, isDead, meanReward, rollouts, ...(problems && { problems }) };
  },

  async dialogues(run, tell) {
    const lineage = await iterationsOf(run);
    for (const [done, { owner, iteration }] of lineage.entries()) {
      const shown = await loadShown(owner, iteration);
      const known = shown?.iteration === iteration ? clippedIn(shown) : new Map<number, number>();
      const rows = (await loadIteration(owner, iteration)).map((one) => rowOf(one, iteration, known));
      await tell(rows, (done + 1) / lineage.length);
    }
    if (lineage.length === 0) await tell([], 1);
  },

  async trajectories(run, asked) {
    const wanted = asked.map(({ iteration }) => iteration);
    const found = new Map<string, Trajectory>();
    for (const iteration of new Set(wanted))
      for (const one of await dialoguesOf(run, iteration)) found.set(`${iteration}/${one.index}`, one);
    return asked.flatMap(({ iteration, index }) => found.get(`${iteration}/${index}`) ?? []);
  },

  async lines(run, asked) {
    const parts: Blob[] = [];
    // Only one stretch of an iteration is text at a time.
    for (const stretch of stretchesOf(asked)) {
      const [{ iteration = 0 } = {}] = stretch;
      parts.push(new Blob([writeJsonl(iteration, await archive.trajectories(run, stretch))]));
    }
    return new Blob(parts, { type: 'application/jsonl' });
  },

  async pack(run) {
    const parts: Blob[] = [];
    await writeRunArchive(entriesOf(run), (piece) => parts.push(new Blob([piece])));
    return new Blob(parts, { type: 'application/zip' });
  },

  async unpack(file) {
    refuseAbove(file.size);
    const entries = readRunArchive(new Uint8Array(await file.arrayBuffer()), isEntryName);
    const archived = archivedRun(entries);
    await new IndexedDbStore().addRun(archived);
    return (await archived.run()).name;
  },
};

/** Those asked for, cut where the iteration changes. */
function stretchesOf(asked: readonly DialogueAt[]): DialogueAt[][] {
  const stretches: DialogueAt[][] = [];
  for (const one of asked) {
    const last = stretches.at(-1);
    if (last?.[0]?.iteration === one.iteration) last.push(one);
    else stretches.push([one]);
  }
  return stretches;
}

/** The dialogues of an iteration; none where they are not kept. */
async function dialoguesOf(run: RunId, iteration: number): Promise<Trajectory[]> {
  const owner = await ownerOf(await loadRun(run), iteration);
  const isKept = owner !== null && (await listIterations(owner)).some((row) => row.iteration === iteration);
  return isKept ? loadIteration(owner, iteration) : [];
}

/** Where the stored iterations of a run lie, its own and those of the runs that it went on from, newest first. */
async function iterationsOf(id: RunId): Promise<{ owner: RunId; iteration: number }[]> {
  const { forkedFrom } = await loadRun(id);
  const own = (await listIterations(id)).map(({ iteration }) => ({ owner: id, iteration })).reverse();
  const isThere = forkedFrom && (await ownerOf({ id, forkedFrom }, forkedFrom.iteration)) !== null;
  if (!isThere) return own;
  const before = (await iterationsOf(forkedFrom.id)).filter(({ iteration }) => iteration <= forkedFrom.iteration);
  return [...own, ...before];
}

function summaryOf(members: readonly Trajectory[], comparesGroups: boolean): GroupSummary {
  const ended = trunksOf(members);
  const rewards = ended.map(({ reward }) => reward);
  const [{ group = 0, problem } = {}] = ended;
  const isStill = Math.max(...rewards) - Math.min(...rewards) < 1e-9;
  return {
    group,
    ...{ world: problem?.world ?? '', shown: problem?.shown ?? '' },
    ends: ended.map(({ isRight, finishCode, reward }) => ({ isRight, finishCode, reward })),
    meanReward: mean(rewards),
    spread: rewards.length > 1 ? std(rewards) : 0,
    // Candidates of single turns are compared with one another, whatever their dialogues earned.
    isDead: comparesGroups && isStill && members.length === ended.length,
  };
}

/** How many tokens of each inspected dialogue were clipped. */
function clippedIn({ rollouts }: GroupInspection): Map<number, number> {
  return new Map(
    rollouts.map(({ trajectory, turns }) => [
      trajectory.index,
      turns.flatMap(({ won }) => won).filter((side) => side !== 0).length,
    ]),
  );
}

function rowOf(trajectory: Trajectory, iteration: number, known: ReadonlyMap<number, number>): DialogueRow {
  const { index, group, problem, turns, reward, isRight, finishCode, branch, answer } = trajectory;
  const reasons = [...new Set(turns.map(({ reason }) => reason))].filter((reason) => reason !== '');
  return {
    ...{ iteration, index, group, reward, isRight, finishCode, answer },
    ...{ world: problem.world, slice: problem.slice, shown: problem.shown },
    isBranch: branch !== undefined,
    isTruncated: turns.some((turn) => turn.isTruncated),
    clipped: known.get(index) ?? null,
    tokens: turns.reduce((sum, turn) => sum + turn.tokens.length, 0),
    said: turns.flatMap(({ text }) => text || []).join(' · '),
    reasons: reasons.join(' · '),
  };
}
