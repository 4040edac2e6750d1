// Computes the numbers that the page shows about each token of a group. The probabilities come from one forward pass of
// the updated network over the group's rows. The ratio and the side that min() chose come from the loss function
// itself.
import * as tf from '@tensorflow/tfjs-core';
import { placesByKey } from '../../base/groups.ts';
import { picksRows } from '../../engine/ops/embed/embed.ts';
import { comparesWithReference } from '../../config/sections/imitation.ts';
import type { Config } from '../../config/schema.ts';
import type { GroupInspection, TurnInspection, Won } from '../../records/inspection.ts';
import { trunksOf } from '../../records/branch.ts';
import { problemEnds } from '../../records/problemEnds.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { viewRows, type ViewTokens } from '../../rollout/view.ts';
import { piecesOf } from '../../text/pieces.ts';
import { displayToken, type Tokenizer } from '../../text/tokenizer.ts';
import { boundedLogratios, advantageTerms, firstWeights, formulaOf, spanMeans, type UpdateInputs } from './formula.ts';
import { isDeadByReward, livingGroups } from './deadGroups.ts';
import { disposeRows, rowOutputs, rowTable, rowTopTokens, uploadRows } from '../rows/forward.ts';
import type { TermColumns } from '../learners/formula.ts';
import { learners } from '../learners/registry.ts';
import { klOf } from '../maths/kl.ts';
import { objectiveTerms } from './objectiveFormula.ts';
import { policyLoss } from '../maths/loss.ts';
import { scoringTokens } from '../rows/microbatches.ts';
import type { Network } from '../team/network.ts';
import { sharesBeginnings } from '../../model/network/beginnings.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import { selectRows, type RowBatch } from '../rows/rows.ts';
import { stage } from '../stages/stage.ts';
import { referenceOf } from '../team/reference.ts';
import { networkRows, type AgentRows } from '../rows/networkRows.ts';
import { sideTerms } from './sideTerms.ts';
import { shownTokenizer, type Team } from '../team/team.ts';
import { membersOf } from '../collect/trees.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The whole iteration. Its groups can be inspected until the weights change. */
    inspectable: Inspectable;
    shown: GroupInspection;
  }
}

/** An iteration whose groups can be inspected one at a time. */
export interface Inspectable {
  team: Team;
  config: Config;
  iteration: number;
  trajectories: readonly Trajectory[];
  /** All rows of the iteration and their advantages. */
  batch: RowBatch;
  advantages: Float32Array;
  networks: readonly Network[];
  /** The frozen reference of each network. */
  references: readonly WeightTree[];
  /** The inputs from which the advantages were computed. If these inputs are absent, no formula can be shown. */
  estimate?: UpdateInputs;
}

interface InspectRequest extends Inspectable {
  group: number;
}

const alternativesShown = 3;
const smallestShown = 0.005;
/**
 * Vocabularies below this size count as small. In a small vocabulary, the rank of a token shows little that its
 * probability does not show.
 */
const smallVocabulary = 1024;

/** The rollouts of a group with the numbers of every token. The rollout with the highest reward comes first. */
export async function inspectGroup(inspectable: Inspectable, group: number): Promise<GroupInspection> {
  const request: InspectRequest = { ...inspectable, group };
  const members = membersOf(request.trajectories, group);
  const turns = new Map<string, TurnInspection>();
  const formula = request.estimate && formulaOf(request.config, request.estimate.collected);
  for (const [n, network] of request.networks.entries()) await inspectRows(request, { network, n, turns });
  const rewards = trunksOf(members).map(({ reward }) => reward);
  const { loss, groups } = learners[request.config.learning.learner];
  const living = isLearnedFrom(request) ? livingGroups(request) : null;
  const isDead = living ? groups !== 'none' && !living.has(group) : isDeadByReward(rewards, request.config);
  const problems = problemEnds(request.trajectories);
  return {
    iteration: request.iteration,
    group,
    isDead: isDead ?? false,
    meanReward: rewards.reduce((a, b) => a + b, 0) / rewards.length,
    rollouts: members.map((trajectory) => ({
      trajectory,
      turns: trajectory.turns.map(({ index }) => turns.get(`${trajectory.index}/${index}`) ?? emptyTurn()),
      promptTexts: promptTextsOf(request.team, trajectory),
    })),
    ...(problems && {
      problems: {
        ...problems,
        ...(living && loss === 'policy' && { isStill: problems.group.map((one) => !living.has(one)) }),
      },
    }),
    ...(formula && { formula }),
  };
}

/**
 * The initial prompt of each agent. If agents talk in plain words, the prompt is the complete chat that each agent read
 * before its first turn, with the special tokens of the model.
 */
function promptTextsOf(team: Team, trajectory: Trajectory): string[] {
  const { tokens } = team;
  return trajectory.prompts.map((prompt, agent) => {
    const tokenizer = shownTokenizer(team, agent);
    if (!tokens.inWords) return tokenizer.decode(prompt);
    const [row] = viewRows(trajectory, agent, tokens);
    return tokenizer.decode(row ? row.ids.slice(0, row.isAction.indexOf(true)) : prompt);
  });
}

/** Whether the inputs of the update are known and the network learned from these dialogues. */
function isLearnedFrom({ estimate, config }: InspectRequest): boolean {
  if (!estimate || estimate.learned.length === 0) return false;
  return learners[config.learning.learner].loss === 'policy' || estimate.objective !== undefined;
}

interface Part {
  network: Network;
  n: number;
  turns: Map<string, TurnInspection>;
}

/**
 * For each turn of the group that was generated with this network, computes the numbers of its tokens and adds them to
 * `turns`.
 */
async function inspectRows(request: InspectRequest, { network, n, turns }: Part): Promise<void> {
  const { trajectories, team } = request;
  const { batch, own } = networkRows(n, team, request);
  // Messages in plain words are shown exactly as they are.
  const signs = team.tokens.inWords ? {} : team.world.signs;
  const tokenizer = team.tokenizers[team.agentsOf[n]?.[0] as number] as Tokenizer;
  const shown = new Set(membersOf(trajectories, request.group));
  const rows = own.filter((b) => shown.has(trajectories[batch.trajectoryIds[b] as number] as Trajectory));
  if (rows.length === 0) return;
  const cut = selectRows(batch, rows, { advantages: request.advantages });
  const numbers = await groupNumbers(request, { network, reference: request.references[n], cut });
  const { length } = cut.batch;
  const isClipped = learners[request.config.learning.learner].loss === 'policy';
  const logratios = new Float64Array(cut.batch.ids.length);
  const [logprobs, entropies] = [new Float64Array(cut.batch.ids.length), new Float64Array(cut.batch.ids.length)];
  // The values that a separate critic predicted before the update.
  const predicted = request.estimate?.collected.values;
  const placed: PlacedToken[] = [];
  for (let at = 0; at < cut.batch.ids.length; at++) {
    if (cut.batch.actionMask[at] === 0) continue;
    const trajectory = trajectories[cut.batch.trajectoryIds[Math.floor(at / length)] as number] as Trajectory;
    const key = `${trajectory.index}/${cut.batch.turnIds[at]}`;
    const turn = turns.get(key) ?? emptyTurn();
    turns.set(key, turn);
    const token = cut.batch.targets[at] as number;
    const [logprob, entropy] = [numbers.logprobs[at] as number, numbers.entropy[at] as number];
    const p = Math.exp(logprob);
    const before = cut.batch.oldLogprobs[at] as number;
    turn.tokens.push(displayToken(tokenizer.token(token), signs));
    turn.p.push(p);
    turn.pBefore.push(Math.exp(before));
    turn.tokenRatio.push(Math.exp(logprob - before));
    turn.ratio.push(numbers.ratio[at] as number);
    turn.advantage.push(cut.columns.advantages[at] as number);
    turn.entropy.push(entropy);
    turn.won.push(isClipped ? (numbers.won[at] as Won) : 0);
    const others = alternativesTo(token, { numbers, at, length: cut.batch.ids.length });
    turn.alternatives.push(
      others.map(({ id, p: share }) => ({ token: displayToken(tokenizer.token(id), signs), p: share })),
    );
    if (network.shape.vocabSize > smallVocabulary) (turn.rank ??= []).push(1 + (numbers.ranks[at] as number));
    if (numbers.reference) {
      const d = (numbers.reference[at] as number) - logprob;
      turn.kl.push(klOf(d, 'k3'));
    }
    const b = rows[Math.floor(at / length)] as number;
    const value = numbers.values?.[at] ?? predicted?.[b * batch.length + (at % length)];
    if (value !== undefined) turn.value.push(value);
    logprobs[at] = logprob;
    entropies[at] = entropy;
    logratios[at] = logprob - before;
    placed.push({ at, turn, token });
  }
  if (team.tokens.inWords) showAsText(placed, tokenizer, team.tokens);
  const onShow = { batch, own, rows, n, length, logprobs, reference: numbers.reference ?? null };
  const terms = await formulaTermsOf(request, onShow);
  if (!terms) return;
  if (isClipped) {
    terms.used = spanMeans(cut.columns.advantages, cut.batch, request.config);
    terms.logratio = spanMeans(boundedLogratios(logratios, terms.used, request.config), cut.batch, request.config);
    if (request.config.learning.surrogate === 'cispo') terms.logp = logprobs;
    const ids = { trajectoryIds: [...cut.batch.trajectoryIds], agentIds: [...cut.batch.agentIds] };
    const now = { ...onShow, ...cut.columns, ...ids, entropies, values: numbers.values ?? null };
    Object.assign(terms, sideTerms(request.config, now));
  }
  for (const { at, turn } of placed) {
    if (Number.isNaN(terms.weight?.[at])) continue; // the update did not learn from this token
    turn.terms ??= {};
    for (const [name, column] of Object.entries(terms) as [keyof TermColumns, Float64Array][])
      (turn.terms[name] ??= []).push(column[at] as number);
  }
}

/** A token of a turn, and its place in the rows. */
interface PlacedToken {
  at: number;
  turn: TurnInspection;
  token: number;
}

/**
 * Replaces the tokens of each turn by the text that they add to the turn, so that together they are the text of the turn.
 * The tokens that end a turn are shown as signs.
 */
function showAsText(
  placed: readonly PlacedToken[],
  tokenizer: Tokenizer,
  ends: Pick<ViewTokens, 'endOfTurn' | 'finish'>,
) {
  for (const turn of new Set(placed.map((one) => one.turn))) {
    const ids = placed.flatMap((one) => (one.turn === turn ? [one.token] : []));
    const last = ids.at(-1);
    const end = last === ends.endOfTurn || last === ends.finish ? [displayToken(tokenizer.token(last))] : [];
    turn.tokens = [...piecesOf(tokenizer, ids.slice(0, ids.length - end.length)), ...end];
  }
}

interface ShownRows extends AgentRows {
  /** The rows of the shown group that belong to network `n`. */
  rows: readonly number[];
  /** The index of the network to which the rows belong. */
  n: number;
  length: number;
  /** [B·T] the log-probabilities of the network and of its reference after the update. */
  logprobs: Float64Array;
  reference: Float32Array | null;
}

/**
 * The terms of the learner's formula for these rows; null if this network did not learn in the update, or if the
 * learner has no card.
 */
async function formulaTermsOf(
  { estimate, config, team, iteration, advantages }: InspectRequest,
  { batch, own, rows, n, length, logprobs, reference }: ShownRows,
): Promise<TermColumns | null> {
  if (!estimate?.learned.includes(n) || !formulaOf(config, estimate.collected)) return null;
  const at = { config, iteration: iteration - 1 };
  if (estimate.objective) {
    const against = comparesWithReference(config.learning) ? reference : null;
    const given = { batch, own, shown: rows, logprobs, reference: against, length };
    return objectiveTerms(estimate.objective, given, at);
  }
  const weights = firstWeights(batch, own, { team, iteration: at.iteration });
  const all = { ...advantageTerms(estimate, advantages), ...weights };
  const cut = (column: Float64Array) => {
    const out = new Float64Array(rows.length * length);
    rows.forEach((b, i) => out.set(column.subarray(b * batch.length, b * batch.length + length), i * length));
    return out;
  };
  return Object.fromEntries(Object.entries(all).map(([name, column]) => [name, cut(column)]));
}

interface RowNumbers {
  /**
   * [B·T] numbers computed with the current network. The numbers at positions without a sampled token have no meaning.
   */
  logprobs: Float32Array;
  entropy: Float32Array;
  /** [B·T] the rank of each token, where the likeliest has rank 0. */
  ranks: Float32Array;
  /** [B·T·k] the ids of the k likeliest tokens at each position. */
  topIds: Float32Array;
  topLogprobs: Float32Array;
  ratio: Float32Array;
  won: Float32Array;
  reference?: Float32Array;
  values?: Float32Array;
}

interface Asked {
  network: Network;
  reference: WeightTree | undefined;
  cut: { batch: RowBatch; columns: { advantages: Float32Array } };
}

/**
 * The numbers of all rows, computed in batches of as many trajectories as fit in memory. The rows of one trajectory
 * stay in the same batch, because they may have a common ratio.
 */
async function groupNumbers(request: InspectRequest, { network, reference, cut }: Asked): Promise<RowNumbers> {
  const { batch, columns } = cut;
  const { length } = batch;
  const size = Math.max(1, Math.floor(scoringTokens(network, length) / length));
  const parts: number[][] = [];
  for (const rows of placesByKey(batch.trajectoryIds).values()) {
    const newest = parts.at(-1);
    if (newest && newest.length + rows.length <= size) newest.push(...rows);
    else parts.push(rows);
  }
  if (parts.length === 1) return rowNumbers(request, { network, reference, cut });
  const all: Partial<Record<keyof RowNumbers, Float32Array>> = {};
  for (const rows of parts) {
    const part = selectRows(batch, rows, columns);
    const numbers = await rowNumbers(request, { network, reference, cut: part });
    for (const [name, values] of Object.entries(numbers) as [keyof RowNumbers, Float32Array][]) {
      const ofRow = values.length / rows.length; // the number of values in each row
      const width = (ofRow / part.batch.length) * length;
      const whole = (all[name] ??= new Float32Array(batch.rows * width));
      rows.forEach((b, i) => whole.set(values.subarray(i * ofRow, (i + 1) * ofRow), b * width));
    }
  }
  return all as RowNumbers;
}

async function rowNumbers({ config }: InspectRequest, given: Asked): Promise<RowNumbers> {
  const { network, reference, cut } = given;
  const { batch, columns } = cut;
  const isAsked = picksRows();
  const rows = uploadRows(batch, { isAsked, isShared: sharesBeginnings(network.shape) });
  const [B, T] = rows.shape;
  const { temperature } = config.agents;
  const forward = () => {
    const top = rowTopTokens(network, rows, { temperature, k: alternativesShown + 1 });
    const table = (x: tf.Tensor) => rowTable(tf.cast(x, 'float32'), rows);
    const logprobs = table(top.logprobs);
    const { ratio, won } = policyLoss(
      {
        logprobs,
        oldLogprobs: tf.tensor2d(batch.oldLogprobs, [B, T]),
        advantages: tf.tensor2d(columns.advantages, [B, T]),
        actionMask: batch.actionMask,
        turnIds: batch.turnIds,
        trajectoryIds: batch.trajectoryIds,
      },
      { ...config.learning, maxActionTokens: T },
    );
    const optional = {
      ...(reference && {
        reference: rowOutputs({ tree: reference, shape: network.shape }, rows, temperature).logprobs,
      }),
      ...(top.values && { values: table(top.values) }),
    };
    const tops = { topIds: tf.cast(top.topIds, 'float32'), topLogprobs: top.topLogprobs };
    const own = { logprobs, entropy: table(top.entropy), ranks: table(top.ranks) };
    return { ...own, ...tops, ratio, won, ...optional } as tf.NamedTensorMap;
  };
  let present: tf.NamedTensorMap = {};
  try {
    present = tf.tidy(forward) as tf.NamedTensorMap;
    const numbers: Record<string, Float32Array> = {};
    for (const [name, tensor] of Object.entries(present)) numbers[name] = (await tensor.data<'float32'>()).slice();
    if (isAsked)
      for (const name of ['topIds', 'topLogprobs'])
        numbers[name] = atPlaces(numbers[name] as Float32Array, batch.actionMask);
    return numbers as unknown as RowNumbers;
  } finally {
    tf.dispose(present);
    disposeRows(rows);
  }
}

/** Expands an array that contains numbers only for action tokens to an array with an entry for every token. */
function atPlaces(values: Float32Array, actionMask: Float32Array): Float32Array {
  const places = [...actionMask.keys()].filter((at) => actionMask[at] !== 0);
  const width = values.length / Math.max(1, places.length);
  const all = new Float32Array(width * actionMask.length);
  places.forEach((at, i) => all.set(values.subarray(i * width, (i + 1) * width), at * width));
  return all;
}

/**
 * The most probable of the tokens that were not sampled at a position, in descending order of probability. Very
 * improbable tokens are left out.
 */
function alternativesTo(chosen: number, { numbers, at, length }: { numbers: RowNumbers; at: number; length: number }) {
  const k = numbers.topIds.length / length;
  const tops = Array.from(numbers.topIds.subarray(at * k, (at + 1) * k), (id, i) => ({
    ...{ id, p: Math.exp(numbers.topLogprobs[at * k + i] as number) },
  }));
  return tops.filter(({ id, p }) => id !== chosen && p >= smallestShown).slice(0, alternativesShown);
}

function emptyTurn(): TurnInspection {
  return {
    tokens: [],
    p: [],
    pBefore: [],
    tokenRatio: [],
    ratio: [],
    advantage: [],
    kl: [],
    entropy: [],
    won: [],
    value: [],
    alternatives: [],
  };
}

export const inspectStage = stage({
  name: 'inspection',
  phase: 'count',
  reads: ['paid', 'batch', 'used', 'collected', 'estimate', 'learned', 'shownGroup'],
  run: async (context) => {
    const { team, config, iteration, paid, batch, used, networks, collected, estimate, learned, shownGroup } = context;
    const { advantages: raw, objective, returns } = estimate;
    const inspectable: Inspectable = {
      team,
      config,
      iteration: iteration + 1,
      trajectories: paid.trajectories,
      batch,
      advantages: used,
      networks,
      references: networks.map((_, n) => referenceOf(context, n) as WeightTree),
      estimate: { collected, raw, learned, objective, ...(returns && { returns }) },
    };
    return { inspectable, shown: await inspectGroup(inspectable, shownGroup) };
  },
});
