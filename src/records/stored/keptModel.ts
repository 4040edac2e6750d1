// A model that is stored in the browser. The model is described by the facts that the page shows without reading the
// model's files.

export interface KeptModel {
  /** `model-` followed by 16 digits of a hash of everything that determines the model's outputs. */
  name: string;
  label: string;
  /** The name of the model's architecture in its files. */
  family: string;
  /** The licence that the model's files state; absent if they state none. */
  licence?: string;
  parameters: number;
  bytes: number;
  keptMs: number;
  files: readonly { name: string; bytes: number; sha256: string }[];
}

/** The facts about a model that is to be stored. */
export type KeptFacts = Omit<KeptModel, 'bytes' | 'keptMs' | 'files'>;

/** Called with the number of bytes stored so far. Returns whether copying should continue. */
export type TellKept = (bytes: number) => boolean | Promise<boolean>;

const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Whether a card has all its fields. This is checked without a schema, so that the code of the schema need not be
 * loaded when the page looks for stored models on a first visit.
 */
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
