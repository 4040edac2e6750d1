// Provides the weights of a warm start that is trained in this program. If the weights are stored, they are loaded.
// Otherwise, the weights are trained. If the training was interrupted before, it is continued.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { imitatesChats } from '../../config/warmStarts.ts';
import type { AdapterBase } from '../../model/network/adapter.ts';
import { initialWeights, type WeightTree } from '../../model/network/parameters.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import type { Glimpse, WarmStartRest } from '../../records/events.ts';
import type { ChatFile } from '../../records/stored/chatFile.ts';
import type { KeptWarmStart, WarmStartStore } from '../../records/stored/warmStart.ts';
import type { World } from '../../tasks/world.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import { examinedTrajectories } from '../evaluation/evaluate.ts';
import { Gate } from '../team/gate.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import {
  lastStep,
  modelSchedule,
  trainWarmStart,
  warmStartSchedule,
  type ImitationSchedule,
  type StepRows,
} from './warmStart.ts';
import { answered, demonstrate } from './demonstrations.ts';
import { refuseWithoutChats } from './wantedChats.ts';
import { adapterStartKey, warmStartBasis, warmStartKey } from './warmStartBasis.ts';

/** The progress of a warm start. */
export interface WarmStartProgress extends WarmStartRest {
  /** The supervised loss at the newest step whose loss was read; null if there was no such step yet. */
  loss: number | null;
}

export interface WarmStartRequest {
  config: Config;
  /** The world whose demonstrations are used. If absent, the world in the settings is used. */
  world?: World;
  backend: string;
  /** The file of chats, which is used only if the adapters imitate chats. */
  chats?: ChatFile;
  warmStarts?: WarmStartStore;
  /** The gate that can interrupt the warm start. */
  gate?: Gate;
  /** Returns true if training should stop after the current step and save its state. */
  isLeft?: () => boolean;
  onProgress?: (progress: WarmStartProgress) => void;
  /**
   * Called with an example dialogue at first, and then with an attempt every few seconds. Adapters of a language model
   * make no attempts, because one attempt would take several seconds.
   */
  onGlimpse?: (glimpse: Glimpse) => void;
}

/**
 * The time between two intermediate saves, in milliseconds. If training is interrupted, at most about this much
 * training time is lost.
 */
const saveEveryMs = 5000;
/** The maximum share of the time that is spent on saving. */
const savingShare = 0.05;
/** Time between two progress reports, in milliseconds. */
const tellEveryMs = 200;
/** The minimum time between two attempts, in milliseconds, and the maximum share of the time that they take. */
const attemptEveryMs = 2500;
const attemptShare = 0.05;

/**
 * The trained weights of each network. Throws NumericsError if a loss is not finite, and ConfigError if `isLeft`
 * stopped the training. If the gate is aborted, the error with which it was aborted is thrown.
 */
export async function trainedHere(request: WarmStartRequest): Promise<NamedArray[][]> {
  const { config, backend, world } = request;
  const team = assembleTeam(warmStartBasis(config), world);
  const states = await trained({
    ...{ team, request, schedule: warmStartSchedule(team.config), key: warmStartKey(config, backend, world) },
    upload: (kept) => startingNetworks(team, kept),
  });
  return states.map(({ weights }) => weights);
}

/**
 * The adapters of each network after they have imitated demonstrations or chats. `from` contains the untrained adapters.
 * Throws the same errors as `trainedHere`, ConfigError if chats are to be imitated but are missing, and FormatError for a
 * chat that the team cannot imitate.
 */
export async function adaptersTaughtHere(
  request: WarmStartRequest,
  { from, on }: { from: readonly NetworkState[]; on: AdapterBase },
): Promise<NetworkState[]> {
  const { config, backend, world } = request;
  const team = assembleTeam(config, world);
  const imitated = await imitatedChats(team, request.chats);
  const untaught = from.map((state) => ({ ...freshState(state.weights, team.shape, false) }));
  const states = await trained({
    ...{ team, request, schedule: modelSchedule(config), base: on.base },
    key: adapterStartKey(config, backend, { ...(world && { world }), ...(imitated && { lessons: imitated.lessons }) }),
    ...(imitated && { rows: imitated.rows }),
    upload: (kept) =>
      untaught.map((state, n) =>
        uploadNetwork(kept?.networks[n] ?? state, team.shapes[n] ?? team.shape, config.run.capture, on),
      ),
  });
  return states.map(({ weights }, n) => ({ ...(from[n] as NetworkState), weights }));
}

/** The chats that the adapters imitate, and their rows; null if the adapters imitate demonstrations. */
async function imitatedChats(team: Team, file: ChatFile | undefined) {
  refuseWithoutChats(team.config, file);
  if (!file || !imitatesChats(team.config)) return null;
  const { chatRows, lessonsFrom } = await import('./importedChats.ts');
  const lessons = await lessonsFrom(team, file);
  return { lessons, rows: chatRows(lessons, team.config) };
}

interface Wanted {
  team: Team;
  request: WarmStartRequest;
  schedule: ImitationSchedule;
  /** The key under which the result is stored. */
  key: string;
  /** The frozen base, if the networks are adapters. */
  base?: WeightTree;
  /** The rows of each step, if they are not demonstrations. */
  rows?: StepRows;
  /** The networks at the beginning, or as they were stored. */
  upload: (kept: KeptWarmStart | null) => Network[];
}

/** Loads the stored states of the networks, or trains them and stores them without the moments of the optimiser. */
async function trained(wanted: Wanted): Promise<Pick<NetworkState, 'weights'>[]> {
  const { request, key, upload } = wanted;
  const { warmStarts } = request;
  const kept = (await warmStarts?.load(key)) ?? null;
  const schedule = { ...wanted.schedule, masteredAt: kept?.masteredAt };
  if (kept?.step === lastStep(schedule)) return kept.networks;
  const networks = upload(kept);
  try {
    const ended = await trainFrom(kept?.step ?? 0, { ...wanted, schedule, networks });
    const states = await Promise.all(networks.map(downloadNetwork));
    await warmStarts?.save({
      ...{ key, step: lastStep(ended), networks: states.map((state) => ({ ...state, m: [], v: [] })) },
      ...(ended.masteredAt !== undefined && { masteredAt: ended.masteredAt }),
    });
    return states;
  } finally {
    for (const network of networks) disposeNetwork(network);
  }
}

/** The networks of a warm start on the device, with stored or random weights. The caller disposes of them. */
export function startingNetworks(team: Team, kept: KeptWarmStart | null): Network[] {
  const { seed } = team.config.run;
  return team.shapes.map((shape, n) =>
    uploadNetwork(kept?.networks[n] ?? freshState(initialWeights(shape, seed, n), shape, false), shape),
  );
}

/** Returns the dialogue of the agents about the first held-out problem, with their current weights. */
async function attemptOf(team: Team, networks: readonly Network[]): Promise<Trajectory | undefined> {
  const problems = team.world.heldOut(team.config.world.level, 1);
  const [trajectory] = await examinedTrajectories(team, problems, { policies: agentPolicies({ team, networks }) });
  return trajectory;
}

/**
 * The clock only determines when the state is saved, when progress is reported and when an attempt is shown. The
 * weights do not depend on the clock.
 */
async function trainFrom(
  from: number,
  { team, networks, key, request, schedule, base, rows }: Wanted & { networks: readonly Network[] },
): Promise<ImitationSchedule> {
  const { gate = new Gate(), warmStarts, onProgress, onGlimpse, isLeft = () => false } = request;
  let steps = lastStep(schedule);
  const startedMs = performance.now();
  let saved = { step: from, ms: startedMs, tookMs: 0 };
  let toldMs = -Infinity;
  let done = from;
  let loss: number | null = null;
  const tell = (step: number) => {
    toldMs = performance.now();
    const stepMs = (toldMs - startedMs) / Math.max(1, done - from);
    onProgress?.({ share: step / steps, loss, msLeft: stepMs * (steps - step) });
  };
  const isDue = () => performance.now() - saved.ms >= Math.max(saveEveryMs, saved.tookMs / savingShare);
  const save = async (step: number, { masteredAt }: ImitationSchedule) => {
    const began = performance.now();
    if (!warmStarts) return;
    const states = await Promise.all(networks.map(downloadNetwork));
    await warmStarts.save({ key, step, networks: states, ...(masteredAt !== undefined && { masteredAt }) });
    const ms = performance.now();
    saved = { step, ms, tookMs: ms - began };
  };
  let attempt = { ms: startedMs, tookMs: 0 };
  const lookIn = async (step: number) => {
    const began = performance.now();
    if (began - attempt.ms < Math.max(attemptEveryMs, attempt.tookMs / attemptShare)) return;
    const trajectory = await attemptOf(team, networks);
    if (trajectory) onGlimpse?.({ after: step, trajectory });
    const ms = performance.now();
    attempt = { ms, tookMs: ms - began };
  };
  const [example] = onGlimpse && !rows ? await answered(team, demonstrate(team, from, 1)) : [];
  if (example) onGlimpse?.({ after: null, trajectory: example });
  try {
    return await trainWarmStart(team, networks, {
      ...{ gate, from, schedule },
      ...(base && { base }),
      ...(rows && { rows }),
      onStep: (step, newest) => {
        loss = newest;
        done = step;
        tell(step);
      },
      afterStep: async (step, ending) => {
        done = step;
        steps = lastStep(ending);
        if (performance.now() - toldMs >= tellEveryMs) tell(step);
        if (onGlimpse && !base) await lookIn(step);
        const isOver = isLeft();
        if (isOver || isDue()) await save(step, ending);
        if (isOver) throw new ConfigError(spoken`warm start: the training was stopped after step ${step} of ${steps}.`);
      },
    });
  } catch (error) {
    // A restarted warm start continues from the saved step, so this step is reported.
    tell(saved.step);
    throw error;
  }
}
