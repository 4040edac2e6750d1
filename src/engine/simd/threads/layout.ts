// The memory block through which threads share the parts of a call. The caller writes the arguments of the first part
// and the change of each argument from row to row. Then it publishes the ticket. A thread that adds 1 to the ticket
// processes the part whose number it has read, so a helper that wakes late finds no work left. Words that different
// threads write are in separate cache lines.

/** Offsets in 32-bit words, except for the last two. They are passed to the helpers, which cannot import anything. */
export const layout = {
  /** The number of parts in the upper 16 bits, and the next free part in the lower 16 bits. */
  ticket: 0,
  /** The number of finished parts. */
  done: 16,
  /** Counts the calls; helpers wait here for the next one. */
  generation: 32,
  /** The number of helpers that sleep and need to be notified. */
  sleepers: 48,
  /** 1 while the caller sleeps on `done`. */
  isCallerAsleep: 64,
  /** The smallest row that a part refused; `noRow` if there is none. */
  badRow: 80,
  /** 1 when helpers must end. */
  isClosing: 96,
  /** Index of the kernel. */
  kernel: 97,
  /** Index of the argument that counts rows, the number of all rows, and the number of rows of one part. */
  count: 98,
  rows: 99,
  rowsPerPart: 100,
  /** Index of the argument that is the thread's own scratch memory, or −1. */
  scratchAt: 101,
  /** 1 if the kernel returns the row that it refused (−1 if there is none); otherwise 0. */
  namesBadRow: 102,
  /** The address of each thread's scratch memory. */
  scratch: 104,
  /** Length of the error message of a part that threw, followed by its characters. */
  fault: 136,
  faultLength: 119,
  /** Offsets in 64-bit floats: the arguments of the first part, and how much each argument changes with every row. */
  args: 128,
  moves: 152,
} as const;

export type Layout = typeof layout;

/** The maximum number of arguments of a kernel. */
export const argumentLimit = layout.moves - layout.args;
export const controlBytes = 8 * (layout.moves + argumentLimit);
/** The maximum number of threads for which there is room for a scratch address. */
export const maxThreads = layout.fault - layout.scratch;
/** The ticket has 15 bits for the number of parts, and 16 for the next part. */
export const maxParts = 32_000;
export const noRow = 0x7fffffff;
