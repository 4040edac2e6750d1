// A model's files as they lie on the visitor's disk or in the store of this browser, read as they are needed.
import type { GivenFile } from '../../src/formats/givenFile.ts';

export const givenFiles = (files: readonly File[]): GivenFile[] =>
  files.map((file) => ({
    // Of a folder that was chosen, with the folder.
    name: file.webkitRelativePath || file.name,
    size: file.size,
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    range: async (from: number, to: number) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
  }));

/** What their model is called: after its file or folder. */
export function labelOf(files: readonly GivenFile[]): string {
  const [first] = files;
  const [folder = ''] = (first?.name ?? '').split('/');
  const isNamed = files.length === 1 || first?.name.includes('/');
  return (isNamed && folder.replace(/\.(?:zip|gguf)$/i, '')) || 'model';
}
