// Which engine won the start-up probe on an adapter: measured once, remembered on this machine.
import { openDatabase, storageError } from './database.ts';

export type ProbeWinner = 'webgpu' | 'cpu';

const keyOf = (adapter: string) => `probe ${adapter}`;

/** The winner remembered for an adapter; null when none is, or nothing can be read here. */
export async function recallWinner(adapter: string): Promise<ProbeWinner | null> {
  try {
    const record = await (await openDatabase()).get('preferences', keyOf(adapter));
    const winner = record && 'winner' in record ? record.winner : null;
    return winner === 'webgpu' || winner === 'cpu' ? winner : null;
  } catch {
    // Without storage the probe runs again: slower, never wrong.
    return null;
  }
}

/** Remembers a winner. Throws StorageError. */
export async function rememberWinner(adapter: string, winner: ProbeWinner): Promise<void> {
  try {
    await (await openDatabase()).put('preferences', { winner }, keyOf(adapter));
  } catch (error) {
    throw storageError(`probe of ${adapter}`, error);
  }
}
