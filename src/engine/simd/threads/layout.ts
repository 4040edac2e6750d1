// The memory block through which threads divide a call into parts. The caller writes the arguments of the first part,
// and the change of each argument from row to row. Then it writes the ticket. A thread that increases the ticket by 1
// receives the number of the part that it has to process, so a helper that wakes late finds that no part is left. Words
// that are written by different threads are in separate cache lines.

/**
 * Offsets in 32-bit words, except for `args` and `moves`. The helpers receive these offsets in a message, because they
 * cannot import anything.
 */
export const layout = {
  /** The number of parts in the upper 16 bits, and the next free part in the lower 16 bits. */
  ticket: 0,
  /** The number of finished parts. */
  done: 16,
  /** The number of calls so far; helpers wait for it to change. */
  generation: 32,
  /** The number of helpers that sleep and need to be notified. */
  sleepers: 48,
  /** 1 while the caller sleeps on `done`. */
  isCallerAsleep: 64,
  /** The first row that a part has refused; `noRow` if there is none. */
  badRow: 80,
  /** 1 when helpers must end. */
  isClosing: 96,
  /** Index of the kernel. */
  kernel: 97,
  /**
   * The index of the argument that is the number of rows, the number of all rows, and the number of rows in one part.
   */
  count: 98,
  rows: 99,
  rowsPerPart: 100,
  /** The index of the argument that is scratch memory, of which each thread has its own; −1 if there is none. */
  scratchAt: 101,
  /** 1 if the kernel returns the first row that it refused (−1 if there is none), otherwise 0. */
  namesBadRow: 102,
  /** The address of each thread's scratch memory. */
  scratch: 104,
  /** The characters of the error message of a part that threw an error, and the length of this message. */
  fault: 136,
  faultLength: 119,
  /** Offsets in 64-bit floats: the arguments of the first part, and the change of each argument from row to row. */
  args: 128,
  moves: 152,
} as const;

export type Layout = typeof layout;

/** The maximum number of arguments of a kernel. */
export const argumentLimit = layout.moves - layout.args;
export const controlBytes = 8 * (layout.moves + argumentLimit);
/** The maximum number of threads; there is room for the scratch address of each. */
export const maxThreads = layout.fault - layout.scratch;
/** The ticket has 15 bits for the number of parts, and 16 bits for the next part. */
export const maxParts = 32_000;
export const noRow = 0x7fffffff;
