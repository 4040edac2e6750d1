// SHA-256 (FIPS 180-4), which is used to identify files and weights by their content. The browser's own implementation
// is not used, because it is missing on a page served over plain http, and cannot return its result synchronously.

const blockBytes = 64;

/** The first 32 bits of the fractional parts of square or cube roots of the first primes. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= n; factor++) if (n % factor === 0) isPrime = false;
    if (isPrime) found.push((root(n) % 1) * 2 ** 32);
  }
  return Uint32Array.from(found, Math.floor);
}
// The words are signed, because JavaScript engines compute with signed 32-bit integers directly, which makes this
// several times as fast.
const roundConstants = Int32Array.from(fractions(64, Math.cbrt));
const firstState = Int32Array.from(fractions(8, Math.sqrt));

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export class Sha256 {
  readonly #state = firstState.slice();
  readonly #words = new Int32Array(64);
  readonly #block = new Uint8Array(blockBytes);
  #filled = 0;
  #length = 0;

  /** Adds more bytes. */
  add(bytes: Uint8Array): this {
    this.#length += bytes.length;
    this.#fill(bytes);
    return this;
  }

  /** The digest as 64 hexadecimal digits. After this call, no more bytes may be added. */
  hex(): string {
    const bits = this.#length * 8;
    const gap = (blockBytes + 55 - this.#filled) % blockBytes;
    const end = new DataView(new ArrayBuffer(1 + gap + 8));
    end.setUint8(0, 0x80);
    end.setUint32(1 + gap, Math.floor(bits / 2 ** 32));
    end.setUint32(5 + gap, bits >>> 0);
    this.#fill(new Uint8Array(end.buffer));
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#filled === 0 && at + blockBytes <= bytes.length) {
        this.#mix(bytes, at);
        at += blockBytes;
        continue;
      }
      const piece = bytes.subarray(at, at + blockBytes - this.#filled);
      this.#block.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < blockBytes) return;
      this.#mix(this.#block, 0);
      this.#filled = 0;
    }
  }

  /** Processes 64 bytes. */
  #mix(bytes: Uint8Array, from: number): void {
    const [w, state] = [this.#words, this.#state];
    for (let i = 0, at = from; i < 16; i++, at += 4)
      w[i] =
        ((bytes[at] as number) << 24) |
        ((bytes[at + 1] as number) << 16) |
        ((bytes[at + 2] as number) << 8) |
        (bytes[at + 3] as number);
    for (let i = 16; i < 64; i++) {
      const near = w[i - 2] as number;
      const far = w[i - 15] as number;
      const s0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      const s1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
    }
    let [a, b, c, d] = [state[0] as number, state[1] as number, state[2] as number, state[3] as number];
    let [e, f, g, h] = [state[4] as number, state[5] as number, state[6] as number, state[7] as number];
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[i] as number) + (w[i] as number)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] = (state[0] as number) + a;
    state[1] = (state[1] as number) + b;
    state[2] = (state[2] as number) + c;
    state[3] = (state[3] as number) + d;
    state[4] = (state[4] as number) + e;
    state[5] = (state[5] as number) + f;
    state[6] = (state[6] as number) + g;
    state[7] = (state[7] as number) + h;
  }
}

/** SHA-256 of a text in UTF-8. */
export const sha256 = (text: string): string => new Sha256().add(new TextEncoder().encode(text)).hex();
