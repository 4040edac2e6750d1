// Functions for tests that select events of a run.
import type { TrainerEvent } from '../../records/events.ts';
import type { MicroRun } from './microRun.ts';

/** The states of a run, in order. */
export const states = (events: readonly TrainerEvent[]) =>
  events.flatMap((event) => (event.kind === 'state' ? [event.state] : []));

/** The kinds of a run's events, in order, without live turns. */
export const kinds = (events: readonly TrainerEvent[]) =>
  events.map(({ kind }) => kind).filter((kind) => kind !== 'turn');

/** The evaluations of a run. */
export const evaluated = (events: readonly TrainerEvent[]) =>
  events.flatMap((event) => (event.kind === 'evaluation' ? [event.evaluation] : []));

/**
 * Whether an event is counted. Turns of the first evaluation, which takes place before the first iteration, are not
 * counted.
 */
const isCounted = (event: TrainerEvent) => event.kind !== 'turn' || event.iteration > 0;

/** Resolves after `count` events of a kind; throws if the run fails first. */
export async function until({ events }: MicroRun, kind: TrainerEvent['kind'], count = 1): Promise<void> {
  while (events.filter((event) => event.kind === kind && isCounted(event)).length < count) {
    const failure = events.find((event) => event.kind === 'failed');
    if (failure) throw new Error(`${kind} was waited for, and the run failed: ${failure.message}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
