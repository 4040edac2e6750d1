// Named errors. comlink keeps only `name`, `message` and `stack` of an error, so the
// name is its code; every message tells what was expected, what came and how to mend it.

class NamedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Settings by `section.name`. */
export type Settings = Readonly<Record<string, number | boolean | string | object>>;

/** Settings that are fine alone and impossible together. */
export interface Refusal {
  /** The setting that it is about. */
  path: string;
  /** Where in its value, where that has parts; absent: all of it. */
  within?: readonly (string | number)[];
  /** The problem, without a full stop. */
  says: string;
  /** Ways out, nearest first: settings to set together. */
  remedies: readonly Settings[];
}

/** A setting, link or YAML field that cannot be used. */
export class ConfigError extends NamedError {
  /** Where settings refuse each other; it does not cross to another thread. */
  readonly refusal: Refusal | null;

  constructor(message: string, refusal: Refusal | null = null) {
    super(message);
    this.refusal = refusal;
  }
}

/** The ways out that an error names as settings, nearest first; none where it names none. */
export const remediesOf = (error: unknown): readonly Settings[] =>
  error instanceof ConfigError ? (error.refusal?.remedies ?? []) : [];

/** Arrays or tensors whose sizes do not fit together. */
export class ShapeError extends NamedError {}
/** NaN or Inf where a finite number was needed. */
export class NumericsError extends NamedError {}
/** The GPU device went away. */
export class DeviceLostError extends NamedError {}
/** Stored records that are absent, foreign or damaged, or a store that refuses to write. */
export class StorageError extends NamedError {
  /** `full`: there is no room. `silent`: the store does not answer. `refused`: it answers that it cannot. */
  readonly reason: 'full' | 'silent' | 'refused' | 'other';

  constructor(message: string, reason: StorageError['reason'] = 'other') {
    super(message);
    this.reason = reason;
  }
}
/** The worker that trains could not be loaded, or has ended. */
export class TrainerLostError extends NamedError {}
/** A run on a model whose file is missing: everything but its weights can be viewed. */
export class MissingModelError extends NamedError {}
/** A file or stream that does not follow its format. */
export class FormatError extends NamedError {}
/** A program in the sandbox that threw, or took more than it was given. */
export class SandboxError extends NamedError {
  /** Line of the program, from 1; null where it is not known. It does not cross to another thread. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/** A world whose own code threw. */
export class WorldError extends NamedError {}

/** Whether an error is one of these: it says by itself what to do. */
export const isNamedError = (error: unknown): error is Error => error instanceof NamedError;

export type ErrorName =
  | 'ConfigError'
  | 'ShapeError'
  | 'NumericsError'
  | 'DeviceLostError'
  | 'StorageError'
  | 'TrainerLostError'
  | 'MissingModelError'
  | 'FormatError'
  | 'SandboxError'
  | 'WorldError';

// Minifiers rename classes; the names are part of the public contract.
for (const [name, type] of Object.entries({
  ConfigError,
  ShapeError,
  NumericsError,
  DeviceLostError,
  StorageError,
  TrainerLostError,
  MissingModelError,
  FormatError,
  SandboxError,
  WorldError,
}))
  Object.defineProperty(type, 'name', { value: name });
