import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { readRunArchive, writeRunArchive } from './runArchive.ts';

const isEntry = (name: string) => /^[a-z/]+\.record$/.test(name);

async function archiveOf(files: Record<string, Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  async function* entries() {
    for (const [name, bytes] of Object.entries(files)) yield await Promise.resolve({ name, bytes });
  }
  await writeRunArchive(entries(), (piece) => pieces.push(piece));
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

describe('a run archive', () => {
  it('contains its files unchanged, and the same files give the same bytes', async () => {
    const names = fc.stringMatching(/^[a-z]{1,6}(\/[a-z]{1,6})?\.record$/);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(names, fc.uint8Array({ maxLength: 99 }), { noNullPrototype: true }),
        async (files) => {
          const bytes = await archiveOf(files);
          expect(Object.fromEntries(readRunArchive(bytes, isEntry))).toEqual(files);
          expect(await archiveOf(files)).toEqual(bytes);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('that was packed again, compressed and with folders, can be read', () => {
    const files = { 'run.record': new Uint8Array(5000), 'checkpoints/': new Uint8Array(0) };
    expect([...readRunArchive(zipSync(files, { level: 9 }), isEntry).keys()]).toEqual(['run.record']);
  });

  it.each(['../run.record', '/etc/passwd', 'C:\\run.record', 'notes.txt'])(
    'with a file called %s is refused before anything is unpacked',
    (name) => {
      const bytes = zipSync({ 'run.record': new Uint8Array(3), [name]: new Uint8Array(3) });
      expect(() => readRunArchive(bytes, isEntry)).toThrow(FormatError);
    },
  );

  it('that declares more bytes than any run has is refused before anything is unpacked', () => {
    const bytes = zipSync({ 'run.record': new Uint8Array(9) }, { level: 9 });
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const directory = view.getUint32(bytes.length - 6, true);
    view.setUint32(directory + 24, 2_000_000_000, true);
    expect(() => readRunArchive(bytes, isEntry)).toThrow('at most 1000 MB');
  });

  it('with changed or missing bytes gives files or a FormatError', async () => {
    const whole = await archiveOf({ 'run.record': Uint8Array.of(1, 2, 3), 'a/b.record': new Uint8Array(40) });
    const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), end: fc.nat(whole.length) });
    fc.assert(
      fc.property(change, ({ at, byte, end }) => {
        const bytes = whole.slice(0, Math.max(end, at + 1));
        bytes[at] = byte;
        try {
          readRunArchive(bytes, isEntry);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
