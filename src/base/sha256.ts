// SHA-256 (FIPS 180-4): names a file or weights by what is in them. Not the browser's, which a page served over plain
// http does not have, and which cannot answer at once.

const blockBytes = 64;

/** First 32 bits of the fractional parts of a root of the first primes. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= n; factor++) if (n % factor === 0) isPrime = false;
    if (isPrime) found.push((root(n) % 1) * 2 ** 32);
  }
  return Uint32Array.from(found, Math.floor);
}
const roundConstants = fractions(64, Math.cbrt);
const firstState = fractions(8, Math.sqrt);

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export class Sha256 {
  readonly #state = firstState.slice();
  readonly #words = new Uint32Array(64);
  readonly #block = new Uint8Array(blockBytes);
  #filled = 0;
  #length = 0;

  /** Takes more bytes. */
  add(bytes: Uint8Array): this {
    this.#length += bytes.length;
    this.#fill(bytes);
    return this;
  }

  /** 64 hexadecimal digits. Nothing may be added after. */
  hex(): string {
    const bits = this.#length * 8;
    const gap = (blockBytes + 55 - this.#filled) % blockBytes;
    const end = new DataView(new ArrayBuffer(1 + gap + 8));
    end.setUint8(0, 0x80);
    end.setUint32(1 + gap, Math.floor(bits / 2 ** 32));
    end.setUint32(5 + gap, bits >>> 0);
    this.#fill(new Uint8Array(end.buffer));
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + blockBytes - this.#filled);
      this.#block.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < blockBytes) return;
      this.#mix();
      this.#filled = 0;
    }
  }

  #mix(): void {
    const w = this.#words;
    const view = new DataView(this.#block.buffer);
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(4 * i);
    for (let i = 16; i < 64; i++) {
      const near = w[i - 2] as number;
      const far = w[i - 15] as number;
      const s0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      const s1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      w[i] = (w[i - 16] as number) + s0 + (w[i - 7] as number) + s1;
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [
      ...[number, number, number, number],
      ...[number, number, number, number],
    ];
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[i] as number) + (w[i] as number)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (this.#state[i] = (this.#state[i] as number) + word));
  }
}

/** SHA-256 of a text in UTF-8. */
export const sha256 = (text: string): string => new Sha256().add(new TextEncoder().encode(text)).hex();
