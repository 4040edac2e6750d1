// For tests. Starts the trainer in Node with the real engine, session and store, and calls it in the same way as the
// page does. In Node there is no server and no browser store, so `fetch` reads files, and IndexedDB is replaced by
// fake-indexeddb.
import { readFile } from 'node:fs/promises';
import { beforeAll } from 'vitest';
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { RunState, TrainerEvent } from '../../src/records/events.ts';
import { emptyDatabase } from '../../src/storage/testing/emptyDatabase.ts';
import { newTrainer } from '../trainer.ts';

/** Replaces `fetch` and the store during the tests of a file. Each test starts with an empty store. */
export function standIn(): void {
  emptyDatabase();
  const realFetch = globalThis.fetch;
  beforeAll(() => {
    globalThis.fetch = async (input) => new Response(new Uint8Array(await readFile(new URL(input as string))));
    return () => (globalThis.fetch = realFetch);
  });
}

/** Commands that change the state of a run. */
const commands = ['open', 'resumeRun', 'fork', 'train', 'step', 'pause', 'stop'] as const;

/**
 * The time to wait before a command, so that all earlier events have arrived. This delay is needed because events are
 * sent in batches.
 */
const batchMs = 60;

/**
 * A trainer and its events. `state` waits until a state has been reported after the newest command, even if other
 * states were reported after it.
 */
export async function heardTrainer() {
  const trainer = newTrainer();
  const events: TrainerEvent[] = [];
  await trainer.listen((news) => events.push(...news));
  const heard = <K extends TrainerEvent['kind']>(kind: K) =>
    events.filter((event): event is Extract<TrainerEvent, { kind: K }> => event.kind === kind);
  /** The number of states that were reported before the newest command. */
  let before = 0;
  for (const name of commands) {
    const command = trainer[name].bind(trainer) as (...given: unknown[]) => Promise<void>;
    const marked = async (...given: unknown[]) => {
      // Before most commands, the test waits until all earlier events have been reported. `pause` and `stop` must run
      // without delay.
      if (name !== 'pause' && name !== 'stop') await new Promise((resolve) => setTimeout(resolve, batchMs));
      before = heard('state').length;
      return command(...given);
    };
    Object.assign(trainer, { [name]: marked });
  }
  const state = async (wanted: RunState) => {
    const told = () => heard('state').slice(before);
    while (!told().some((event) => event.state === wanted)) {
      const failed = told().find((event) => event.state === 'failed');
      if (failed) throw new Error(`${wanted} was waited for, and the run failed: ${failed.message}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const run = (): RunRecord => heard('run').at(-1)?.run as RunRecord;
  return { trainer, events, heard, state, run };
}
