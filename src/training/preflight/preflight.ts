// How long an iteration takes and how much memory it needs, foretold from small trials without changing the run: a
// few dialogues, a few rows through reference and critic, and a few rows of an update on a copy of one network.
// What is left out: storage, and that a policy may learn to say more or less than it says now.
import * as tf from '@tensorflow/tfjs-core';
import { withSettings } from '../../config/parse.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { mostKeptBytes } from '../../model/decoding/decodingRooms.ts';
import { hasTurnAdapters } from '../../config/turnAdapters.ts';
import type { ProfilePart } from '../../records/profile.ts';
import { trunksOf } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { counters } from '../../engine/counters.ts';
import { bucketOf } from '../rows/buckets.ts';
import { collectRollouts } from '../collect/collect.ts';
import { tryDemonstrations } from './demonstrationTrial.ts';
import { measureInfluence, watchInfluence } from '../collect/influencePass.ts';
import { dialoguesAtOnce } from '../collect/holdDialogues.ts';
import { inspectGroup } from '../inspect/inspect.ts';
import { agentPolicies, learningNetworks } from '../run/iteration.ts';
import type { Learning } from '../run/learning.ts';
import { tryJoint } from './jointTrial.ts';
import { learners } from '../learners/registry.ts';
import { referenceOf, usesReference, watchedRows } from '../run/lookBack.ts';
import { refuseTooLarge, refuseWithoutRoom, restingBytes } from '../rows/memory.ts';
import { scoringTokens, updateTokens } from '../rows/microbatchTokens.ts';
import { tryMixing } from './mixingTrial.ts';
import { disposeNetwork, type Network } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { tryPairs } from './pairTrial.ts';
import { bucketed, recordedBytes, recordedShapes } from './recordedMemory.ts';
import { roomsOf } from '../team/rooms.ts';
import { buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { saidBy } from '../rows/saidBy.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { costLine, costOf, noCost, tryTwice, type Cost } from './trial.ts';
import { freshCopy, isOnDevice, sizeOf } from './trialNetwork.ts';
import { updateNetwork } from '../update/update.ts';
import { verifierWork } from './verifierWork.ts';

export interface IterationCost {
  /** Milliseconds by part; evaluations are spread over the iterations between them. */
  parts: Partial<Record<ProfilePart, number>>;
  iterationMs: number;
  /** The most in use at once, the replay included. */
  memoryBytes: number;
  /** Of them the dialogues that a mixing or a joint critic will keep, which lie beside the device's memory. */
  replayBytes: number;
  /** One dialogue of the trial. */
  example: Trajectory;
}

/** Share of an iteration's problems that is tried, and how many dialogues at least: the longest sets the length of rows. */
const tried = { share: 1 / 8, dialogues: 32 };

/** Tries small parts of an iteration and says what the whole will take. */
export async function measureIteration(learning: Learning): Promise<IterationCost> {
  const { team } = learning;
  refuseWithoutRoom(learning);
  const { line: dialogues, trajectories, trialTeam } = await tryDialogues(learning);
  // Networks are alike but for the length of their rows; of unequal ones the largest stands for all.
  const batches = team.agentsOf.map((agents, n) => {
    const said = saidBy(n, team, { batch: buildRows(trajectories, agents, team.tokens), trajectories });
    return longestFirst(selectRows(said.batch, said.own, {}).batch);
  });
  // Of networks of single turns the later ones have longer rows, and fewer: most is done by those with most tokens.
  const isByTurn = hasTurnAdapters(team.config.agents);
  const sizes = batches.map(({ length, rows }) => (isByTurn ? length * rows : length));
  const costs = sizes.map((size, n) => parameterCount(team.shapes[n] as ModelShape) * size);
  const dearest = costs.indexOf(Math.max(...costs));
  const batch = batches[dearest] as RowBatch;
  const worth = (networks: readonly number[]) =>
    isByTurn ? sum(networks.map((n) => costs[n] as number)) / (costs[dearest] as number) : networks.length;
  const work = workOf(learning, { batch, tries: trunksOf(trajectories).length, worth, of: learning.networks[dearest] as Network }); // prettier-ignore
  // What does not fit at once is held in parts, one after another.
  const partsOf = (count: number) => inParts(count, work.dialoguesAtOnce);
  const msOf = (count: number) => sum(partsOf(count).map((size) => dialogues(size).ms));
  const judged = verifierWork(learning, trunksOf(trajectories), { dialogues: work.dialogues, rowLength: batch.length });
  const mixed = await tryMixing(learning, trajectories, work);
  const joint = await tryJoint(learning, trunksOf(trajectories), work.dialogues);
  const replayBytes = (mixed?.replayBytes ?? 0) + (joint?.memoryBytes ?? 0);
  const elsewhere = (await tryPairs(learning)) ?? (await tryDemonstrations(learning));
  const copy = await freshCopy(learning, dearest);
  try {
    const pick = trialRows(batch, work);
    const scoring = await tryTwice(pick, rowsOf, (rows) => score(learning, { copy, n: dearest }, rows));
    // Where something else is learned from, nothing is from what was said.
    const update = elsewhere
      ? () => noCost
      : await tryTwice(pick, rowsOf, (rows) => learn(learning, { copy, team: trialTeam }, rows));
    const inspection = await costOf(() => inspect(learning, trajectories));
    const influence = await tryInfluence(learning, trunksOf(trajectories));
    const further = [mixed?.cost ?? noCost, joint?.cost ?? noCost, elsewhere ?? noCost];
    const sumBytes = work.microbatches > 1 && !elsewhere ? 4 * sizeOf(copy) * learning.networks.length : 0;
    const parts = {
      rollout: msOf(work.dialogues),
      scoring: scoring(work.scoredRows + judged.scoredRows).ms + inspection.ms + influence(work.dialogues).ms,
      update:
        work.steps * update(work.minibatchRows).ms +
        judged.steps * update(judged.stepRows).ms +
        sum(further.map(({ ms }) => ms)),
      evaluation: (work.evaluations * msOf(work.heldOut)) / team.config.evaluation.every,
    };
    const talks = [...new Set([work.dialogues, work.heldOut].flatMap(partsOf))].map(dialogues);
    const waitingBytes = waitingOf(talks, isByTurn ? learning.networks.length : team.networkOf.length);
    const steps = [scoring(work.scoredAtOnce), update(work.microbatchRows), inspection, influence(trajectories.length)];
    const peaks = [
      ...talks.map(({ transientBytes, keptBytes }) => transientBytes + Math.max(0, keptBytes - waitingBytes)),
      ...[...steps, ...further].map(({ transientBytes }) => transientBytes),
    ];
    const keptBytes = sum(further.map((cost) => cost.keptBytes));
    const recorded = isOnDevice() ? recordedOf(learning, { copy, batch, work, pick }) : null;
    const resting = recorded ?? restingBytes(learning) + sum(steps.map((cost) => cost.keptBytes));
    const engineBytes = sumBytes + waitingBytes + keptBytes + resting + Math.max(...peaks);
    refuseTooLarge(learning, engineBytes);
    return {
      parts,
      iterationMs: sum(Object.values(parts)),
      memoryBytes: engineBytes + replayBytes,
      replayBytes,
      example: trajectories[0] as Trajectory,
    };
  } finally {
    disposeNetwork(copy);
  }
}

/** What stays on the device: all that is there now but the copy, and the steps that will have been recorded. */
function recordedOf(
  { team, networks, critics = [] }: Learning,
  trial: { copy: Network; batch: RowBatch; work: ReturnType<typeof workOf>; pick: readonly RowBatch[] },
): number {
  const { copy, batch, work, pick } = trial;
  const { bytes } = copy.replays;
  const bucket = bucketOf(tf.getBackend());
  const { run } = team.config;
  const updates = (work.steps * run.iterations) / networks.length;
  const trajectories = work.dialogues / team.config.learning.numMinibatches;
  const shapes = recordedShapes(batch, { seed: run.seed, bucket, updates, trajectories, ...work });
  const tried = pick.map(({ rows, length }) => bucketed({ rows, columns: length }, bucket));
  const fixedBytes = 4 * sizeOf(copy);
  const ofOne = recordedBytes(shapes, { tried, bytes, fixedBytes, copies: work.microbatches > 1 ? 2 : 1 });
  return counters().usedBytes - bytes - 12 * sizeOf(copy) + (networks.length + critics.length) * ofOne;
}

/** How much of everything an iteration holds, going by the rows that so many dialogues gave. */
function workOf(
  { team, networks, critics = [] }: Learning,
  { batch, tries, worth, of }: { batch: RowBatch; tries: number; /** In networks like the dearest. */ worth: (networks: readonly number[]) => number; /** The dearest. */ of: Network }, // prettier-ignore
) {
  const { learning, kl, evaluation } = team.config;
  const dialogues = learning.problemsPerIteration * learning.groupSize;
  const agents = (team.agentsOf[0] as number[]).length;
  // An agent that never came to speak has no row.
  const rows = (dialogues * batch.rows) / tries;
  const isAllScored = kl.place !== 'off' || usesReference(team.config) || networks[0]?.head !== null;
  const watched = isAllScored ? rows : Math.min(rows, watchedRows);
  const minibatchRows = rows / learning.numMinibatches;
  // Whole trajectories.
  const fitting = (tokensOf: typeof updateTokens) =>
    agents * Math.max(1, Math.floor(tokensOf(of, batch.length) / batch.length / agents));
  const microbatchRows = Math.min(minibatchRows, fitting(updateTokens));
  const learningNow = worth(learningNetworks(team, 0));
  const scored = isAllScored ? worth([...networks.keys()]) : networks.length;
  // Agents that learn one after another look again at what those before them have become.
  const lookedAgain = learners[learning.learner].isSequential ? worth([...networks.keys()]) - 1 : 0;
  return {
    dialogues,
    /** In the lanes of one dialogue of training as many are measured as there are candidates. */
    heldOut: evaluation.problems / team.config.agents.candidates,
    /** Heard, and unheard where there are messages to withhold. */
    evaluations: team.protocol.messengers.length > 0 ? 2 : 1,
    /** Of a joint critic there is one row a dialogue, about as long as the others. */
    scoredRows: scored * watched + critics.length * dialogues + lookedAgain * rows,
    scoredAtOnce: Math.min(watched, fitting(scoringTokens)),
    /** Of as many lanes as there are candidates. */
    dialoguesAtOnce: dialoguesAtOnce(agentPolicies({ team, networks }), team.config.agents.candidates),
    minibatchRows,
    microbatchTrajectories: microbatchRows / agents,
    microbatchRows,
    fittingRows: fitting(updateTokens),
    microbatches: Math.ceil(minibatchRows / microbatchRows),
    /** Optimiser steps of all networks. */
    steps: learningNow * learning.updateEpochs * learning.numMinibatches,
  };
}

/** Lets the team talk about one problem, then about a share of them. */
async function tryDialogues(learning: Learning) {
  const { config } = learning.team;
  const { problemsPerIteration, groupSize } = config.learning;
  // Of a trial the update is one step over all it holds.
  const single = withSettings(config, { 'learning.numMinibatches': 1, 'learning.updateEpochs': 1 });
  // All that is left is kept, so that it is counted.
  const rooms = roomsOf(learning.team, Infinity);
  const policies = agentPolicies({ ...learning, rooms });
  const teamOf = (problems: number) =>
    assembleTeam(withSettings(single, { 'learning.problemsPerIteration': problems }));
  const share = Math.max(Math.round(problemsPerIteration * tried.share), Math.ceil(tried.dialogues / groupSize));
  const attempt = async (problems: number) => {
    const team = teamOf(problems);
    let trajectories: Trajectory[] = [];
    const cost = await costOf(async () => ({ trajectories } = await collectRollouts(team, { policies, iteration: 0 })));
    const turns = Math.max(1, ...trajectories.map((trajectory) => trajectory.turns.length));
    return { cost, rows: problems * groupSize, turns, trajectories, team };
  };
  let small, large;
  try {
    small = await attempt(1);
    large = await attempt(Math.min(problemsPerIteration, share));
  } finally {
    rooms.dispose();
  }
  // All dialogues of a batch go on until the longest has ended, and few have none that is long.
  const ms = (small.cost.ms * large.turns) / small.turns;
  const line = costLine({ ...small.cost, ms, rows: small.rows }, { ...large.cost, rows: large.rows });
  return { line, trajectories: large.trajectories, trialTeam: large.team };
}

/**
 * Rows of whole trajectories, some again where there are too few: half a microbatch and a whole one, or a quarter and
 * a half where one may be large. Powers of two apart, as blocks of memory are rounded up in steps that repeat with
 * each doubling.
 */
function trialRows(batch: RowBatch, { microbatchTrajectories }: { microbatchTrajectories: number }) {
  const ids = [...new Set(batch.trajectoryIds)];
  const few = Math.max(1, Math.round(microbatchTrajectories / (isOnDevice() ? 4 : 2)));
  const first = (count: number) => {
    const rowsOf = (i: number) => [...batch.trajectoryIds.keys()].filter((b) => batch.trajectoryIds[b] === ids[i % ids.length]); // prettier-ignore
    const rows = Array.from({ length: count }, (_, i) => rowsOf(i).map((b) => ({ b, id: i }))).flat();
    const cut = selectRows(batch, rows.map(({ b }) => b), {}).batch; // prettier-ignore
    return { ...cut, trajectoryIds: Int32Array.from(rows, ({ id }) => id) };
  };
  return [first(few), first(Math.max(1, Math.min(2 * few, Math.floor(microbatchTrajectories))))] as const;
}

function score({ team, references, gate }: Learning, { copy, n }: { copy: Network; n: number }, rows: RowBatch) {
  const { temperature } = team.config.agents;
  return oldFacts(rows, { network: copy, reference: referenceOf({ references }, n), temperature, gate });
}

function learn({ gate, klCoef }: Learning, { copy, team }: { copy: Network; team: Team }, rows: RowBatch) {
  const { config, maxActionTokens } = team;
  const zeros = () => new Float32Array(rows.ids.length);
  const none = new Float32Array(0);
  const facts = {
    advantages: zeros(),
    returns: copy.head ? zeros() : none,
    oldValues: copy.head ? zeros() : none,
    refLogprobs: config.kl.place === 'loss' ? rows.oldLogprobs : none,
  };
  return updateNetwork(copy, rows, facts, { config, iteration: 0, gate, klCoef, maxActionTokens });
}

/** The numbers of one group, as the page shows them. */
function inspect({ team, networks, references }: Learning, trajectories: readonly Trajectory[]) {
  const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
  const advantages = new Float32Array(batch.ids.length);
  const group = trajectories[0]?.group ?? 0;
  const { config } = team;
  return inspectGroup({ team, config, iteration: 0, group, trajectories, batch, advantages, networks, references });
}

/** The influence of turns on what was said after them: of a few dialogues, or of all where somebody is paid for it. */
async function tryInfluence(learning: Learning, trajectories: readonly Trajectory[]) {
  const copies = structuredClone(trajectories) as Trajectory[];
  if (learning.team.config.reward.causal === 0) {
    const cost = await costOf(() => watchInfluence(learning, copies, copies[0]?.group ?? 0));
    return () => cost;
  }
  const half = copies.slice(0, Math.ceil(copies.length / 2));
  const countOf = ({ length }: Trajectory[]) => length;
  return tryTwice([half, copies], countOf, (some) => measureInfluence(learning, some));
}

/** The rows of the trajectory with the longest row first, so that every part of them is as long as the whole. */
function longestFirst(batch: RowBatch): RowBatch {
  const lastAction = (b: number) => batch.actionMask.lastIndexOf(1, (b + 1) * batch.length - 1) - b * batch.length;
  const rows = [...batch.trajectoryIds.keys()];
  if (rows.length === 0) return batch; // nobody came to speak
  const longest = rows.reduce((a, b) => (lastAction(b) > lastAction(a) ? b : a));
  const isFirst = (b: number) => (batch.trajectoryIds[b] === batch.trajectoryIds[longest] ? 0 : 1);
  return selectRows(batch, rows.toSorted((a, b) => isFirst(a) - isFirst(b)), {}).batch; // prettier-ignore
}

/** Sizes of the parts that so many dialogues are held in, so many at once at most; the last one may be smaller. */
function inParts(count: number, atOnce: number): number[] {
  if (count <= atOnce) return [count];
  const size = Math.ceil(count / Math.ceil(count / atOnce));
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => Math.min(size, count - i * size));
}

/** Bytes of the caches that wait for the next dialogues of as many rows, the newest first, as far as there is room. */
function waitingOf(talks: readonly Cost[], sessions: number): number {
  const states = talks.flatMap(({ keptBytes }) => Array.from({ length: sessions }, () => keptBytes / sessions));
  let kept = 0;
  for (const bytes of states.reverse()) {
    if (kept + bytes > mostKeptBytes) break;
    kept += bytes;
  }
  return kept;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const rowsOf = ({ rows }: RowBatch) => rows;
