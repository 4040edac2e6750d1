// The only source of randomness: a counter-based generator without hidden state. Any number can be recomputed from its
// address (seed, stream, iteration, index), in any order and by any code. It uses the output permutation of
// PCG-RXS-M-XS-32, chained over the four words of the address (Jarzynski & Olano 2020, "Hash Functions for GPU
// Rendering", section on nested PCG).

/**
 * A separate stream of random numbers for each purpose. Stored runs can only be reproduced if these values never
 * change.
 */
export const streams = {
  weights: 0,
  problems: 1,
  heldOut: 2,
  sampling: 3,
  evaluation: 4,
  minibatches: 5,
  demonstrations: 6,
  /** Random numbers that are only used for comparisons and tests, never for training. */
  control: 7,
  /** The choice of the stored dialogues from which a mixing critic learns. */
  replay: 8,
  /** The order in which agents are updated, if they are updated one after another. */
  updateOrder: 9,
  /** The choice of the messages of a debate that some agents do not receive. */
  masks: 10,
  /** The choice of the answers from which a verifier learns. */
  verifier: 11,
  /** The initial values of adapters. */
  adapters: 12,
  /** The choice of the imported pairs from which an iteration learns. */
  pairs: 13,
  /** The choice of the stored dialogues from which a critic learns. */
  criticMemory: 14,
  /** The choice of the demonstrations that an iteration imitates. */
  imitation: 15,
  /** The facts in knowledge bases, which are the same in every run. */
  knowledge: 16,
  /**
   * Random numbers for counterfactual continuations after a message, which are used for measurements, not for training.
   */
  credit: 17,
  /** The order in which the chats of a file are imitated. */
  chats: 18,
} as const;
export type Stream = (typeof streams)[keyof typeof streams];

/** One PCG permutation of a 32-bit word. */
export function pcg(word: number): number {
  const state = (Math.imul(word, 747796405) + 2891336453) >>> 0;
  const mixed = Math.imul(((state >>> ((state >>> 28) + 4)) ^ state) >>> 0, 277803737) >>> 0;
  return ((mixed >>> 22) ^ mixed) >>> 0;
}

/** The address (seed, stream, iteration, index) as one 32-bit word. If the index increases by 1, so does this word. */
export function addressOf(seed: number, stream: number, iteration: number, index: number): number {
  return (index + pcg((iteration + pcg((stream + pcg(seed >>> 0)) >>> 0)) >>> 0)) >>> 0;
}

/** 32 random bits at an address; each part of the address is taken modulo 2³². */
export function bits(seed: number, stream: number, iteration: number, index: number): number {
  return pcg(addressOf(seed, stream, iteration, index));
}

/**
 * The number in [0, 1) that is `place` positions after an address. The number has 24 random bits, so float32 represents
 * it exactly.
 */
export function uniformAt(address: number, place = 0): number {
  return (pcg((address + place) >>> 0) >>> 8) / 16777216;
}

/** The number in [0, 1) at an address that is given by its four parts. */
export function uniform(seed: number, stream: number, iteration: number, index: number): number {
  return uniformAt(addressOf(seed, stream, iteration, index));
}

/** A sequence of random numbers, for code that needs no addresses. */
export interface RandomNumbers {
  /** Next number in [0, 1). */
  next(): number;
  /** Next integer in [0, bound). */
  below(bound: number): number;
  /** A random element of the items. */
  pick<T>(items: readonly T[]): T;
  /** Fisher–Yates shuffle, in place. */
  shuffle<T extends unknown[] | Int32Array>(items: T): T;
}

/** Random numbers for the code of a world. `random()` is the same as `random.next()`. */
export interface Random extends RandomNumbers {
  (): number;
}

/** Random numbers with addresses, so that other code, such as a program in the sandbox, can continue the sequence. */
export interface AddressedRandom extends Random {
  /** The address of the next number. */
  address: () => number;
  /** Skips numbers that other code has used. */
  advance: (count: number) => void;
}

function shuffled<T extends unknown[] | Int32Array>(items: T, below: (bound: number) => number): T {
  for (let i = items.length - 1; i > 0; i--) {
    const j = below(i + 1);
    const held = items[i];
    items[i] = items[j];
    items[j] = held as never;
  }
  return items;
}

type Line = Pick<AddressedRandom, 'next' | 'address' | 'advance'>;

/** Adds the functions of `random` to a sequence of numbers. The sandbox has the same functions (sandbox/prelude.ts). */
function randomOf({ next, address, advance }: Line): AddressedRandom {
  const below = (bound: number) => Math.floor(next() * bound);
  return Object.assign(() => next(), {
    ...{ next, below, address, advance },
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    shuffle: <T extends unknown[] | Int32Array>(items: T) => shuffled(items, below),
  });
}

/** Random numbers that start at an address. */
export function randomAt(from: number): AddressedRandom {
  let place = 0;
  return randomOf({
    next: () => uniformAt(from, place++),
    address: () => (from + place) >>> 0,
    advance: (count) => void (place += count),
  });
}

/** Random numbers that continue those of `draws`. */
export const randomFrom = (draws: Draws): AddressedRandom =>
  randomOf({
    next: () => draws.next(),
    address: () => draws.address(),
    advance: (count) => draws.advance(count),
  });

/** Reads the numbers of one (seed, stream, iteration) in sequence. */
export class Draws implements RandomNumbers {
  readonly #seed: number;
  readonly #stream: Stream;
  readonly #iteration: number;
  #index = 0;
  constructor(seed: number, stream: Stream, iteration: number) {
    this.#seed = seed;
    this.#stream = stream;
    this.#iteration = iteration;
  }
  /** The address of the next number. */
  address(): number {
    return addressOf(this.#seed, this.#stream, this.#iteration, this.#index);
  }
  /** Skips numbers that other code has used. */
  advance(count: number): void {
    this.#index += count;
  }
  /** Next number in [0, 1). */
  next(): number {
    return uniform(this.#seed, this.#stream, this.#iteration, this.#index++);
  }
  /** Next integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }
  /** A random element of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
  /** The next standard normal number, computed by the Box–Muller method from two random numbers. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }
  /** Fisher–Yates shuffle, in place. */
  shuffle<T extends unknown[] | Int32Array>(items: T): T {
    return shuffled(items, (bound) => this.below(bound));
  }
}
