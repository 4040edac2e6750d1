// The checkpoints that speak for the agents of a team, each read from the store once.
import type { StoredSeat } from '../src/api/trainerApi.ts';
import type { Config } from '../src/config/schema.ts';
import { loadCheckpoint, loadRun } from '../src/storage/reading.ts';
import type { Seat } from '../src/training/run/crossPlay.ts';

/** By agent; `ready` makes the world of each ready. Throws StorageError for a run or checkpoint that cannot be read. */
export async function loadSeats(
  seats: readonly StoredSeat[],
  ready: (world: Config['world']) => Promise<void>,
): Promise<Seat[]> {
  const loaded = new Map<string, Seat>();
  const keyOf = ({ run, iteration }: StoredSeat) => `${iteration} ${run}`;
  for (const seat of seats) {
    if (loaded.has(keyOf(seat))) continue;
    const checkpoint = await loadCheckpoint(seat.run, seat.iteration);
    await ready(checkpoint.config.world);
    loaded.set(keyOf(seat), { checkpoint, name: (await loadRun(seat.run)).name });
  }
  return seats.map((seat) => loaded.get(keyOf(seat)) as Seat);
}
