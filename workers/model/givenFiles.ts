// Gives access to the files of a model, which are on the visitor's disk or in the storage of this browser. Parts of the
// files are read when they are needed.
import type { GivenFile } from '../../src/formats/givenFile.ts';

export const givenFiles = (files: readonly File[]): GivenFile[] =>
  files.map((file) => ({
    // If a folder was selected, the path of a file includes the name of this folder.
    name: file.webkitRelativePath || file.name,
    size: file.size,
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    range: async (from: number, to: number) => new Uint8Array(await file.slice(from, to).arrayBuffer()),
  }));

const baseOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** The files that belong to a model. Files in other folders and other files in the same folder are left out. */
export function filesOfModel(files: readonly File[]): File[] {
  const nameOf = (file: File) => file.webkitRelativePath || file.name;
  const folderOf = (name: string) => name.slice(0, name.length - baseOf(name).length);
  const configs = files.map(nameOf).filter((name) => baseOf(name) === 'config.json');
  const [config] = configs.sort((a, b) => a.split('/').length - b.split('/').length);
  const own = files.filter((file) =>
    config === undefined
      ? /\.(?:gguf|zip)$/i.test(file.name)
      : folderOf(nameOf(file)) === folderOf(config) &&
        /^(?!adapter_|optimizer\.).*\.(?:json|safetensors|jinja)$|^README\.md$/i.test(file.name),
  );
  return own.length > 0 ? own : [...files];
}

/** The label of the model: the name of its file or folder. */
export function labelOf(files: readonly GivenFile[]): string {
  const [first] = files;
  const [folder = ''] = (first?.name ?? '').split('/');
  const isNamed = files.length === 1 || first?.name.includes('/');
  return (isNamed && folder.replace(/\.(?:zip|gguf)$/i, '')) || 'model';
}
