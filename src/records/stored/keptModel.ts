// A model stored in the browser: the facts shown before its files are read.

export interface KeptModel {
  /** `model-` and 16 digits of a hash of what decides what it says. */
  name: string;
  label: string;
  /** Its architecture, in the words of its files. */
  family: string;
  /** As its files say it; absent: they say none. */
  licence?: string;
  parameters: number;
  bytes: number;
  keptMs: number;
  files: readonly { name: string; bytes: number; sha256: string }[];
}

/** Facts of one that is to be kept. */
export type KeptFacts = Omit<KeptModel, 'bytes' | 'keptMs' | 'files'>;

/** Gets the bytes stored so far, and answers whether to continue the copy. */
export type TellKept = (bytes: number) => boolean | Promise<boolean>;

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether a card is whole. By hand: a first visit looks for models, and loads no schema for it. */
export function isKept(card: unknown): card is KeptModel {
  const { name, label, family, licence = '', parameters, bytes, keptMs, files } = (card ?? {}) as Partial<KeptModel>;
  return (
    /^model-[0-9a-f]{16}$/.test(String(name)) &&
    [label, family, licence].every(isText) &&
    [parameters, bytes, keptMs].every(isCount) &&
    Array.isArray(files) &&
    files.every((file: Partial<KeptModel['files'][number]> | null) =>
      [isText(file?.name), isCount(file?.bytes), isText(file?.sha256)].every(Boolean),
    )
  );
}
