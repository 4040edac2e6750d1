// Runs small trial iterations on the networks of a run, with the same code as training. There are as many problems as
// are needed for one minibatch of the run, or for two microbatches if a minibatch has more than two. The time and the
// memory of each part of the iteration are measured. Afterwards, the weights, moments and step counts of the networks
// are the same as before.
import * as tf from '@tensorflow/tfjs-core';
import { counters, restartPeak } from '../../engine/counters.ts';
import { copyInto, peek } from '../../engine/ops/inPlace/inPlace.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { ProfilePart } from '../../records/profile.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { criticMemory } from '../critics/criticMemory.ts';
import { replayLimits } from '../critics/mixingLearning.ts';
import { mixingReplay } from '../critics/mixingRows.ts';
import { networksOf } from '../rows/memory.ts';
import { runIteration } from '../run/iteration.ts';
import type { TrainState } from '../run/trainState.ts';
import { variables } from '../team/network.ts';
import { roomsOf, assembleTeam, type Team } from '../team/team.ts';
import { briefMs, isOnDevice, type Cost } from './trial.ts';

export interface Rehearsal {
  /** The cost of each part, measured after the first runs. The memory that the rollout keeps consists of its caches. */
  costs: Record<Part, Cost>;
  /** The training state that the trial used. This state has separate memories for critics and verifier. */
  trial: TrainState;
  trajectories: Trajectory[];
  /**
   * The memory in use after the trial, without caches. This memory includes the tensors of the run and all tensors and
   * buffers that the trial allocated permanently.
   */
  boundBytes: number;
  /** Whether the trial took so long on the CPU that it was run only once. */
  isLong: boolean;
}

/** The size of a small iteration. */
export interface Portion {
  problems: number;
  /** The number of dialogues about each problem. */
  groupSize: number;
  minibatches: number;
}

export const trajectoriesHeld = ({ problems, groupSize }: Portion): number => problems * groupSize;

type Part = 'rollout' | 'scoring' | 'update';
const parts = ['rollout', 'scoring', 'update'] as const;

/** Measures the time and the peak memory of each part of an iteration. */
class Meter {
  readonly ms: Record<Part, number> = { rollout: 0, scoring: 0, update: 0 };
  readonly peakBytes: Record<Part, number> = { rollout: 0, scoring: 0, update: 0 };
  #part: Part | null = null;
  #sinceMs = 0;

  enter(part: ProfilePart | null): void {
    const now = performance.now();
    if (this.#part) {
      this.ms[this.#part] += now - this.#sinceMs;
      this.peakBytes[this.#part] = Math.max(this.peakBytes[this.#part], counters().peakBytes);
    }
    this.#part = parts.find((own) => own === part) ?? null;
    this.#sinceMs = now;
    restartPeak();
  }

  count(): void {
    // Tokens are not counted in a trial.
  }
}

/**
 * Measures the cost of a small iteration. The first run compiles the programs and, if steps are recorded, the second
 * run records the steps. In training, both happen for every new shape of rows, so both runs are included in the peak
 * memory. The iteration is run two to four times, or only once on the CPU if that takes longer than `patienceMs`.
 */
export async function rehearse(learning: TrainState, portion: Portion, patienceMs: number): Promise<Rehearsal> {
  const team = smallTeam(learning.team, portion);
  // All caches are kept, so that their memory is measured.
  const rooms = roomsOf(team, Infinity);
  const trial: TrainState = { ...learning, ...emptyMemories(learning), team, rooms };
  // Existing recordings are deleted, so that only the recordings of this trial are counted.
  for (const { replays } of networksOf(learning)) replays.dispose();
  try {
    const meters: Meter[] = [];
    let trajectories: Trajectory[] = [];
    const once = async () => {
      const ledger = new Meter();
      meters.push(ledger);
      ({ trajectories } = await runIteration({ ...trial, ledger }, 0, () => Promise.resolve()));
      ledger.enter(null);
      return parts.reduce((sum, part) => sum + ledger.ms[part], 0);
    };
    const isLong = (await once()) > patienceMs && !isOnDevice();
    if (isOnDevice()) await once();
    if (!isLong && (await once()) < briefMs) await once();
    const { usedBytes } = counters();
    rooms.dispose();
    const boundBytes = counters().usedBytes;
    const cold = isOnDevice() ? 2 : isLong ? 0 : 1;
    const cost = (part: Part): Cost => ({
      ms: Math.min(...meters.slice(cold).map(({ ms }) => ms[part])),
      keptBytes: part === 'rollout' ? usedBytes - boundBytes : 0,
      transientBytes: Math.max(
        0,
        ...meters.slice(isOnDevice() ? 0 : cold).map(({ peakBytes }) => peakBytes[part] - usedBytes),
      ),
    });
    const costs = { rollout: cost('rollout'), scoring: cost('scoring'), update: cost('update') };
    return { costs, trial, trajectories, boundBytes, isLong };
  } finally {
    rooms.dispose();
  }
}

/**
 * The team for an iteration with fewer problems. Separate critics and verifiers take only one step each, and all
 * learning rates are 0, so that nothing is learned.
 */
function smallTeam({ config }: Team, { problems, groupSize, minibatches }: Portion): Team {
  const { learning, kl, optimiser, verifier } = config;
  return assembleTeam({
    ...config,
    learning: {
      ...learning,
      ...{ problemsPerIteration: problems, groupSize, numMinibatches: minibatches },
      ...{ mixingSteps: 1, criticSteps: 1, teamRewardIterations: 0 },
      // With these settings, rows of dead groups are not left out, because the forecast must also be valid for
      // iterations without dead groups.
      ...{ entCoef: learning.entCoef || Number.MIN_VALUE, livingEntropy: false },
    },
    verifier: { ...verifier, steps: 1 },
    kl: { ...kl, refreshEvery: 0 },
    optimiser: { ...optimiser, learningRate: 0, muonRate: 0 },
  });
}

/**
 * The state of the run, but with empty memories for critics and verifier. Only the longest imported pairs are used,
 * because these pairs will be drawn in some iteration and need the most memory.
 */
function emptyMemories({ team, critics = [], mixing, verifier, pairs, references }: TrainState): Partial<TrainState> {
  const { learning } = team.config;
  return {
    references: [...references],
    critics: critics.map((critic) => ({ ...critic, memory: criticMemory(learning.criticMemory) })),
    ...(mixing && { mixing: { ...mixing, replay: mixingReplay(replayLimits(team)) } }),
    ...(verifier && { verifier: { ...verifier, answers: [] } }),
    ...(pairs && { pairs: longestPairs(pairs, (learning.problemsPerIteration * learning.groupSize) / 2) }),
  };
}

export function longestPairs(pairs: readonly PreferenceText[], count: number): PreferenceText[] {
  const length = ({ prompt, chosen, rejected }: PreferenceText) =>
    prompt.length + Math.max(chosen.length, rejected.length);
  return pairs.toSorted((a, b) => length(b) - length(a)).slice(0, Math.max(1, count));
}

/** Runs `work` and then restores the networks, even if `work` fails. */
export async function undone<T>(learning: TrainState, work: () => Promise<T>): Promise<T> {
  const networks = [...networksOf(learning), ...(learning.mixing ? [learning.mixing.target] : [])];
  const held = networks.flatMap((network) => [...variables(network), ...network.m, ...network.v]);
  const values = await Promise.all(held.map(async (variable) => (await variable.data<'float32'>()).slice()));
  const updates = networks.map((network) => network.updates);
  try {
    return await work();
  } finally {
    held.forEach((variable, i) => overwrite(variable, values[i] as Float32Array));
    networks.forEach((network, i) => {
      network.updates = updates[i] as number;
      network.replays.dispose();
      tf.dispose(network.sums ?? []);
      delete network.sums;
    });
  }
}

function overwrite(variable: tf.Variable, values: Float32Array): void {
  const live = peek(variable);
  if (live) live.set(values);
  else tf.tidy(() => copyInto(variable, tf.tensor(values, variable.shape)));
}
