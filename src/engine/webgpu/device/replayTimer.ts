// Measures how long the device was busy with replays, by the device's own clock. Two timestamps are recorded, before
// and after a pass, and are read later without waiting. A timestamp query takes a tenth of the processor time of a
// replay. Therefore, of eight replays of each capture only one is timed, and the others are assumed to take as long as
// the last timed one.
import { tally } from '../../counters.ts';

const passesTogether = 32;
const batchCount = 4;
const bytesTogether = passesTogether * 16;
/** The number of replays of which one is timed. */
const timedEvery = 8;

/** Timing of the replays of one capture. */
export interface ReplayTime {
  /** The time in milliseconds that the device needs for the list of dispatches once; null before the first result. */
  ms: number | null;
  /** The number of replays since the last timed one. */
  untimed: number;
}

interface Batch {
  queries: GPUQuerySet;
  resolved: GPUBuffer;
  staging: GPUBuffer;
  /** The times of the captures to which the passes belong, and how often each pass ran the list of dispatches. */
  passes: { time: ReplayTime; times: number }[];
}

export class ReplayTimer {
  readonly #device: GPUDevice;
  readonly #free: Batch[] = [];
  #made = 0;
  #open: Batch | null = null;

  /** The device must have the feature `timestamp-query`. */
  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /**
   * The descriptor for the pass of a replay that runs its list `times` times; undefined if this replay is not timed.
   */
  nextPass(time: ReplayTime, times: number): GPUComputePassDescriptor | undefined {
    if (time.ms !== null && ++time.untimed < timedEvery) {
      tally.gpuMs += time.ms * times;
      return undefined;
    }
    const batch = (this.#open ??= this.#free.pop() ?? this.#make());
    if (!batch || batch.passes.length === passesTogether) return undefined;
    time.untimed = 0;
    const at = (batch.passes.push({ time, times }) - 1) * 2;
    const { queries } = batch;
    return {
      timestampWrites: { querySet: queries, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 },
    };
  }

  /**
   * Adds commands that write the timestamps to a buffer. The returned function must be called after these commands are
   * submitted; it reads the timestamps.
   */
  resolve(encoder: GPUCommandEncoder): (() => void) | null {
    const batch = this.#open;
    if (!batch) return null;
    this.#open = null;
    encoder.resolveQuerySet(batch.queries, 0, batch.passes.length * 2, batch.resolved, 0);
    encoder.copyBufferToBuffer(batch.resolved, 0, batch.staging, 0, bytesTogether);
    return () => {
      // If this reading fails, the device is lost. The loss of the device is reported elsewhere.
      this.#read(batch).catch(() => undefined);
    };
  }

  async #read(batch: Batch): Promise<void> {
    await batch.staging.mapAsync(GPUMapMode.READ);
    const times = new BigUint64Array(batch.staging.getMappedRange());
    batch.passes.forEach((pass, i) => {
      const ms = Math.max(0, Number((times[i * 2 + 1] as bigint) - (times[i * 2] as bigint))) / 1e6;
      tally.gpuMs += ms;
      pass.time.ms = ms / pass.times;
    });
    batch.staging.unmap();
    batch.passes = [];
    this.#free.push(batch);
  }

  #make(): Batch | null {
    if (this.#made === batchCount) return null;
    this.#made++;
    const { COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE } = GPUBufferUsage;
    return {
      queries: this.#device.createQuerySet({ type: 'timestamp', count: passesTogether * 2 }),
      resolved: this.#device.createBuffer({ size: bytesTogether, usage: QUERY_RESOLVE | COPY_SRC }),
      staging: this.#device.createBuffer({ size: bytesTogether, usage: COPY_DST | MAP_READ }),
      passes: [],
    };
  }
}
