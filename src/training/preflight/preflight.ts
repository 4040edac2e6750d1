// Forecasts the time and memory of an iteration from two small trial iterations, which do not change the run
// (rehearsal.ts). The time for storage is not included. The forecast assumes that messages keep their length during
// training.
import * as tf from '@tensorflow/tfjs-core';
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import { criticOf } from '../../config/learners/registry.ts';
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import { parameterCount } from '../../config/sizes.ts';
import { mostKeptBytes } from '../../model/decoding/decodingStates.ts';
import { adapterVariables } from '../../model/network/adapter.ts';
import { sharesBeginnings } from '../../model/network/beginnings.ts';
import type { Preflight } from '../../records/events.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { trajectoriesAtOnce } from '../collect/holdTrajectories.ts';
import { watchedTrajectories } from '../collect/influencePass.ts';
import { updateCritic } from '../critics/critic.ts';
import { mixingKind } from '../critics/mixingCritic.ts';
import { mixingStep } from '../critics/mixingStep.ts';
import { demonstratedRows, learnsFromDemonstrations } from '../imitation/imitatedDemonstrations.ts';
import { learnsFromSelfPlay, selfPlayLessons } from '../imitation/selfPlay.ts';
import { learnsFromImports, rowsOfPairs } from '../imitation/importedPairs.ts';
import { bucketOf, scoringTokens, updateTokens } from '../rows/microbatches.ts';
import { networksOf, refuseTooLarge, refuseWithoutRoom } from '../rows/memory.ts';
import { buildRows } from '../rows/rows.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import type { TrainState } from '../run/trainState.ts';
import { scoresAll, watchedRows } from '../run/collectionFacts.ts';
import type { World } from '../../tasks/world.ts';
import type { Network } from '../team/network.ts';
import { verifierStep } from '../verifier/verifier.ts';
import { trajectoriesHeld, longestPairs, rehearse, undone, type Portion, type Rehearsal } from './rehearsal.ts';
import { costLine, costOf, longMs, recordedBytes, type Cost } from './trial.ts';
import { allDistinct, rowsOfTrajectories, wholeUpdate } from './wholeUpdate.ts';

/** The forecast cost of an iteration. `memoryBytes` is the peak memory, including the replay memory of critics. */
export interface IterationCost extends Preflight {
  /** The size in bytes of the dialogues that critics will keep in memory outside the device. */
  replayBytes: number;
  /** A dialogue of the trial that shows what the team has to learn. */
  example: Trajectory;
}

/**
 * The share of an iteration's problems that the trial uses, and the minimum number of dialogues. Many dialogues are
 * needed because the longest dialogue determines the length of all rows.
 */
const tried = { share: 1 / 8, dialogues: 32 };

/**
 * Runs small trial iterations and forecasts the cost of a whole iteration. If the first trial takes longer than
 * `patienceMs` on the CPU, no second trial is run.
 */
export async function measureIteration(learning: TrainState, patienceMs = longMs): Promise<IterationCost> {
  refuseWithoutRoom(learning);
  return undone(learning, () => forecast(learning, patienceMs));
}

async function forecast(learning: TrainState, patienceMs: number): Promise<IterationCost> {
  const { team, networks } = learning;
  const { config } = team;
  const { problemsPerIteration, groupSize } = config.learning;
  const first = firstPortion(learning);
  const one = await rehearse(learning, first, patienceMs);
  // If the first trial took long, its result is used, and no larger trial is run, because a larger trial would take as
  // long as the iteration itself.
  const wanted = one.isLong ? first : await portionOf(learning, one.trajectories);
  const portion = trajectoriesHeld(wanted) > trajectoriesHeld(first) ? wanted : first;
  const some = portion === first ? one : await rehearse(learning, portion, patienceMs);
  const lineOf = (part: 'rollout' | 'scoring', grown = 1) => {
    const small = { ...one.costs[part], ms: one.costs[part].ms * grown, rows: trajectoriesHeld(first) };
    return costLine(small, { ...some.costs[part], rows: trajectoriesHeld(portion) });
  };
  // All dialogues of a batch run until the longest has ended. The few dialogues of the first trial may not include a
  // long one, so the time of the first trial is multiplied by the ratio of the numbers of turns in the two trials.
  const rolloutCost = lineOf('rollout', turnsOf(some) / turnsOf(one));
  const all = problemsPerIteration * groupSize;
  // A training dialogue needs one cache row for each candidate. An evaluation dialogue needs only one cache row.
  const heldOut = config.evaluation.problems / config.agents.candidates;
  // Each evaluation runs once with messages. If the protocol has messages that can be hidden, it also runs once without
  // them.
  const evaluations = team.protocol.messengers.length > 0 ? 2 : 1;
  // If the dialogues do not fit in memory together, they run in several parts, one after another.
  const atOnce = trajectoriesAtOnce(agentPolicies({ team, networks }), config.agents.candidates);
  const msOf = (count: number) => sum(inParts(count, atOnce).map((size) => rolloutCost(size).ms));
  const parts = {
    rollout: msOf(all),
    scoring:
      scoresAll(config, networks) || learning.critics?.[0]
        ? lineOf('scoring')(all).ms
        : some.costs.scoring.ms * (lookedAt(all, groupSize) / lookedAt(trajectoriesHeld(portion), portion.groupSize)),
    update: await updateMs(some, all / trajectoriesHeld(portion), config),
    evaluation: (evaluations * msOf(heldOut)) / config.evaluation.every,
  };
  const rolloutCosts = [...new Set([all, heldOut].flatMap((count) => inParts(count, atOnce)))].map(rolloutCost);
  const waitingBytes = waitingOf(
    rolloutCosts,
    hasTurnAdapters(config.agents) ? networks.length : team.networkOf.length,
  );
  const update = one.isLong ? await wholeUpdateOf(learning, some) : { ...some.costs.update, sumsBytes: 0 };
  const peaks = [
    ...rolloutCosts.map(({ transientBytes, keptBytes }) => transientBytes + Math.max(0, keptBytes - waitingBytes)),
    ...[some.costs.scoring, update].map(({ transientBytes }) => transientBytes),
  ];
  const bucket = bucketOf(tf.getBackend());
  const comingBytes = networksOf(learning).map(
    ({ replays }) => recordedBytes(replays.recordings, bucket) - replays.bytes,
  );
  const engineBytes = some.boundBytes + sum(comingBytes) + update.sumsBytes + waitingBytes + Math.max(...peaks);
  refuseTooLarge(learning, engineBytes);
  const replayBytes = rememberedBytes(some, config.run.iterations * all);
  return {
    parts,
    iterationMs: sum(Object.values(parts)),
    memoryBytes: engineBytes + replayBytes,
    parameters: parametersOf(learning),
    replayBytes,
    example: exampleOf(some.trajectories, team.world) as Trajectory,
  };
}

/**
 * The number of dialogues that are scored if not all dialogues of the iteration must be scored. Some are scored for the
 * distance from the reference, some and a part of the shown group for influence, and the whole shown group for display.
 */
const lookedAt = (all: number, groupSize: number): number =>
  Math.min(all, watchedRows / 2) +
  Math.min(all, watchedTrajectories) +
  Math.min(groupSize, watchedTrajectories) +
  groupSize;

/**
 * The first dialogue with a wrong answer, preferably about a problem that needs no explanation. If no answer is wrong,
 * another dialogue is chosen.
 */
export function exampleOf(all: readonly Trajectory[], { isPlain }: Pick<World, 'isPlain'>): Trajectory | undefined {
  const said = all.filter(({ branch }) => !branch);
  const plain = said.filter(({ problem }) => isPlain?.(problem) ?? true);
  const wrong = (some: readonly Trajectory[]) => some.find(({ isRight, answer }) => !isRight && answer !== null);
  return wrong(plain) ?? plain[0] ?? wrong(said) ?? said[0];
}

/**
 * The number of parameters of the team's networks. With adapters, the parameters of all adapters are added, and those
 * of their common base are counted once.
 */
function parametersOf({ team, base, networks }: TrainState): number {
  const adapters = networks.flatMap(({ adapter }) => (adapter ? adapterVariables(adapter) : []));
  return sum([...(base ? [team.shape] : team.shapes).map(parameterCount), ...adapters.map(({ size }) => size)]);
}

/**
 * Chooses the part of an iteration that the trial runs: whole minibatches with enough dialogues. If whole minibatches
 * are too large, the part is one smaller minibatch that has enough rows for two microbatches of an update and one
 * microbatch of scoring. `said` contains the dialogues of the first trial.
 */
async function portionOf(learning: TrainState, said: readonly Trajectory[]): Promise<Portion> {
  const { problemsPerIteration: problems, groupSize, numMinibatches } = learning.team.config.learning;
  const { length, perDialogue } = await learnedRows(learning, said);
  const network = learning.networks[0] as Network;
  const tokens = Math.max(2 * updateTokens(network, length), scoringTokens(network, length));
  const wanted =
    Math.max(tried.dialogues, problems * groupSize * tried.share, tokens / (length * perDialogue)) / groupSize;
  const minibatches = Math.min(numMinibatches, Math.ceil((wanted * numMinibatches) / problems));
  const isWhole = problems / numMinibatches <= wanted;
  return {
    problems: Math.min(problems, Math.ceil(isWhole ? (minibatches * problems) / numMinibatches : wanted)),
    ...{ groupSize, minibatches },
  };
}

/** The minimum number of dialogues about each problem. At least two are needed for a comparison. */
const fewestCompared = 2;

/**
 * The number of dialogues in the first trial equals the group size. If shared prefixes of rows are computed only once,
 * the dialogues cover as many different problems as possible, because a full microbatch contains rows of many problems,
 * and these have shorter prefixes in common than rows of one problem.
 */
function firstPortion({ team, networks }: TrainState): Portion {
  const { problemsPerIteration, groupSize } = team.config.learning;
  const mixed = Math.min(problemsPerIteration, Math.floor(groupSize / fewestCompared));
  const problems = networks.some(({ shape }) => sharesBeginnings(shape)) ? Math.max(1, mixed) : 1;
  return { problems, groupSize: Math.floor(groupSize / problems), minibatches: 1 };
}

/** The memory that a full microbatch of an update needs, estimated from the trial. */
async function wholeUpdateOf(learning: TrainState, { costs, trajectories: said }: Rehearsal) {
  const { team } = learning;
  const isOfOthers = learnsFromImports(team) || learnsFromDemonstrations(team) || learnsFromSelfPlay(team);
  const others = isOfOthers && (await learnedRows(learning, said));
  const rows = others
    ? [{ ...others, shares: allDistinct(others.perDialogue * others.length) }]
    : rowsOfTrajectories(learning, said);
  return wholeUpdate(learning, rows, { said, triedBytes: costs.update.transientBytes });
}

/** The length of the rows from which a network learns, and the number of these rows per dialogue. */
async function learnedRows(
  { team, pairs = [] }: TrainState,
  said: readonly Trajectory[],
): Promise<{ length: number; perDialogue: number }> {
  const agents = team.agentsOf[0] as number[];
  // If contexts grow from turn to turn, each agent has one row per dialogue. One row per dialogue is also assumed for
  // agents that did not speak in the few dialogues of the trial.
  const perDialogue = (rows: number) => Math.max(agents.length, rows / said.length);
  if (learnsFromImports(team) && pairs.length > 0)
    return { length: rowsOfPairs(longestPairs(pairs, 1), team, 0).batch.length, perDialogue: 1 };
  if (learnsFromDemonstrations(team)) {
    const shown = (await demonstratedRows(team, 0, said.length))(0);
    return { length: shown.length, perDialogue: perDialogue(shown.rows) };
  }
  if (learnsFromSelfPlay(team)) {
    const { batch } = (await selfPlayLessons(team, 0, said))(0);
    return { length: batch.length, perDialogue: Math.max(2 * agents.length, batch.rows / said.length) };
  }
  const { length, rows } = buildRows(said, agents, team.tokens);
  return { length, perDialogue: perDialogue(rows) };
}

/**
 * The milliseconds of all updates in an iteration that is `times` as large as the trial. This time includes the steps
 * of critics and verifiers that are separate networks.
 */
async function updateMs({ costs, trial }: Rehearsal, times: number, config: Config): Promise<number> {
  const beside = [];
  for (const { steps, step } of besides(trial, config)) beside.push({ steps, ms: (await costOf(step)).ms });
  const ofAgents = Math.max(0, costs.update.ms - sum(beside.map(({ ms }) => ms)));
  return times * ofAgents + sum(beside.map(({ steps, ms }) => steps * ms));
}

/** One step of each separate critic and verifier, and the number of their steps in an iteration. */
function besides(
  { team, mixing, critics = [], verifier, gate }: TrainState,
  { learning, verifier: { batch, steps } }: Config,
) {
  const { config, protocol } = team;
  const context = { config, kind: mixingKind(config, protocol.roles.length), gate };
  const drawn = () => new Draws(0, streams.control, 0);
  return [
    ...(mixing
      ? [
          {
            steps: learning.mixingSteps,
            step: async () =>
              (await mixingStep(mixing, mixing.replay.sample(learning.mixingBatch, drawn()), context)).dispose(),
          },
        ]
      : []),
    ...critics.map((critic, n) => ({
      steps: learning.criticSteps,
      step: () => updateCritic(critic, { team, gate, iteration: 0, n }),
    })),
    ...(verifier && verifier.answers.length > 0
      ? [
          {
            steps,
            step: async () =>
              (await verifierStep(verifier.network, verifier.answers.slice(0, batch), context)).dispose(),
          },
        ]
      : []),
  ];
}

/** The predicted size of the critics' memories in bytes after this many dialogues. */
function rememberedBytes({ trial: { mixing, critics = [], team } }: Rehearsal, trajectories: number): number {
  const { replaySize, criticMemory: criticSize } = team.config.learning;
  const of = (memory: { bytes: number; count: number } | undefined, size: number, parts = 1) =>
    memory && memory.count > 0 ? Math.min(size, trajectories * parts) * (memory.bytes / memory.count) : 0;
  // If all agents share one critic, it stores each agent's part of a dialogue as a separate track.
  const parts = criticOf(team.config) === 'network' && critics.length === 1 ? team.networkOf.length : 1;
  return of(mixing?.replay, replaySize) + sum(critics.map(({ memory }) => of(memory, criticSize, parts)));
}

/**
 * The sizes of the parts in which `count` dialogues are run, at most `atOnce` at a time. The last part may be smaller.
 */
function inParts(count: number, atOnce: number): number[] {
  if (count <= atOnce) return [count];
  const size = Math.ceil(count / Math.ceil(count / atOnce));
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => Math.min(size, count - i * size));
}

/**
 * The bytes of the caches that are kept for later dialogues with the same number of rows. If all caches together need
 * too much memory, only the newest caches are kept.
 */
function waitingOf(costs: readonly Cost[], sessions: number): number {
  const states = costs.flatMap(({ keptBytes }) => Array.from({ length: sessions }, () => keptBytes / sessions));
  let kept = 0;
  for (const bytes of states.reverse()) {
    if (kept + bytes > mostKeptBytes) break;
    kept += bytes;
  }
  return kept;
}

const turnsOf = ({ trajectories }: Rehearsal) => Math.max(1, ...trajectories.map(({ turns }) => turns.length));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
