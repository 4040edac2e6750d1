// How the time of an iteration was spent, how much work the engine did for it, and how much memory it used. Every
// millisecond belongs to exactly one part, and the parts sum to the duration of the iteration. Waiting for the device
// is a separate part, and is not included in the part during which the waiting occurred.
import * as v from 'valibot';

export interface PartNotes {
  label: string;
  /** One or two sentences that explain the label to a newcomer. */
  meaning: string;
}

/** The parts of an iteration, in the order in which the page draws them. */
export const profileParts = {
  rollout: { label: 'Rollout', meaning: 'Sampling the dialogues of the iteration.' },
  world: {
    label: 'World',
    meaning:
      'Running the code of the world: drawing problems, building the view of each agent, running tools and a sandbox, and verifying answers.',
  },
  scoring: {
    label: 'Scoring',
    meaning:
      'Forward passes without learning: for the critic and the frozen reference before the update, and for the displayed group after the update.',
  },
  update: {
    label: 'Update',
    meaning:
      'Computing the advantages, then forward and backward passes and optimiser steps, over all epochs and minibatches.',
  },
  evaluation: {
    label: 'Evaluation',
    meaning:
      'Running the evaluations that are due in this iteration: measuring accuracy on the held-out problems, and the worth of messages.',
  },
  readback: {
    label: 'Readback',
    meaning:
      'Waiting until the device has finished and its results have arrived. While the page waits, the device does the work of one of the other parts.',
  },
  storage: {
    label: 'Storage',
    meaning: 'Storing the previous iteration, and a checkpoint when one is due, in this browser.',
  },
  idle: {
    label: 'Yielding',
    meaning:
      'Handling the page’s commands between two steps of work, so that Pause takes effect immediately. All work that belongs to no other part is also counted here.',
  },
} as const satisfies Record<string, PartNotes>;

export type ProfilePart = keyof typeof profileParts;
export const profilePartNames = Object.keys(profileParts) as ProfilePart[];

/** A finite number. */
export const amount = v.pipe(v.number(), v.finite());

/** The engine's counters. */
const engineWork = v.object({
  /** The number of programs that were started on the device. */
  dispatches: amount,
  /** The number of command buffers that were submitted to the device. */
  submits: amount,
  uploadedBytes: amount,
  readBytes: amount,
  readbacks: amount,
  /** The milliseconds during which the device was busy; null if the device cannot measure this time. */
  gpuMs: v.nullable(amount),
});
export type EngineWork = v.InferOutput<typeof engineWork>;

/** The milliseconds of all parts; a part that is missing in a record of an earlier version counts as 0. */
const partsSchema = v.object(
  Object.fromEntries(profilePartNames.map((part) => [part, v.optional(amount, 0)])) as Record<
    ProfilePart,
    v.OptionalSchema<typeof amount, 0>
  >,
);

export const profileSchema = v.object({
  ...engineWork.entries,
  /** The milliseconds of each part. */
  parts: partsSchema,
  /** For each part, the milliseconds of `parts.readback` that were spent during this part. */
  waits: v.optional(v.partial(partsSchema), {}),
  /**
   * The milliseconds during which the iteration was paused, either by the visitor or for measurements that the visitor
   * started. These milliseconds are not included in any part.
   */
  pausedMs: amount,
  /**
   * The number of sampled tokens, including the tokens of dropped groups, and the number of tokens per second of
   * sampling, including waits.
   */
  sampledTokens: amount,
  sampledPerSecond: amount,
  /**
   * The number of sampled tokens that the updates learned from, counted once for each epoch, and this number per second
   * of updating.
   */
  trainedTokens: amount,
  trainedPerSecond: amount,
  /** The device memory in use at the end of the iteration, and the maximum during the iteration. */
  usedBytes: amount,
  peakBytes: amount,
});
export type IterationProfile = v.InferOutput<typeof profileSchema>;

export type ProfileUnit = 'ms' | 'bytes' | 'count' | 'perSecond';

/** A number of a profile other than the time of a part. */
export interface ProfileRow {
  name: Exclude<keyof IterationProfile, 'parts' | 'waits'>;
  label: string;
  unit: ProfileUnit;
  meaning: string;
}

/** All numbers of a profile other than the times of its parts, in the order in which the page shows them. */
export const profileTable: readonly ProfileRow[] = [
  {
    name: 'sampledPerSecond',
    label: 'Sampled tokens',
    unit: 'perSecond',
    meaning:
      'Number of sampled tokens divided by the seconds of sampling. These seconds include waiting for the device, but not pauses.',
  },
  {
    name: 'trainedPerSecond',
    label: 'Trained tokens',
    unit: 'perSecond',
    meaning:
      'Number of sampled tokens that the update learned from, divided by the seconds of updating. Each token counts once per epoch.',
  },
  {
    name: 'dispatches',
    label: 'Dispatches',
    unit: 'count',
    meaning:
      'Number of programs started on the GPU. Each start costs a few microseconds, even if the program is small.',
  },
  {
    name: 'submits',
    label: 'Submissions',
    unit: 'count',
    meaning: 'Number of batches of dispatches submitted to the GPU; 0 on the CPU.',
  },
  {
    name: 'gpuMs',
    label: 'GPU busy',
    unit: 'ms',
    meaning: 'Computing time measured by the GPU itself, with timestamp queries.',
  },
  {
    name: 'uploadedBytes',
    label: 'Uploaded',
    unit: 'bytes',
    meaning: 'Numbers copied into the memory of the device: token ids, masks, advantages.',
  },
  {
    name: 'readBytes',
    label: 'Read back',
    unit: 'bytes',
    meaning: 'Numbers copied from the device: sampled tokens, log-probabilities, metrics.',
  },
  { name: 'readbacks', label: 'Readbacks', unit: 'count', meaning: 'How often data was copied from the device.' },
  {
    name: 'usedBytes',
    label: 'Memory in use',
    unit: 'bytes',
    meaning: 'Tensors that are kept from one iteration to the next: weights, optimiser moments and reference.',
  },
  {
    name: 'peakBytes',
    label: 'Peak memory',
    unit: 'bytes',
    meaning:
      'The largest amount of memory in use during the iteration: the tensors that are kept between iterations, plus the activations.',
  },
  {
    name: 'pausedMs',
    label: 'Paused',
    unit: 'ms',
    meaning:
      'Waiting because the run was paused or a measurement was started; this time is not counted in any part or rate.',
  },
];

/** The milliseconds of an iteration without its pauses, which is the sum of all parts. */
export function profileMs({ parts }: IterationProfile): number {
  return profilePartNames.reduce((sum, part) => sum + parts[part], 0);
}
