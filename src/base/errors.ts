// Named errors. comlink keeps only `name`, `message` and `stack` of an error, so errors are told apart by their names.
// Every message states what was expected, what was received and how to fix it.

class NamedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Values of settings by their paths, `section.name`. */
export type Settings = Readonly<Record<string, number | boolean | string | object>>;

/** Describes why settings that are valid individually cannot be combined. */
export interface Refusal {
  /** The setting to which the refusal applies. */
  path: string;
  /**
   * The part of the setting's value to which the refusal applies, if the value has parts; absent if it applies to the
   * whole value.
   */
  within?: readonly (string | number)[];
  /** The problem, without a full stop. */
  says: string;
  /** Possible solutions, the closest one first; all settings of a solution have to be changed together. */
  remedies: readonly Settings[];
}

/** Thrown for a setting, link or YAML field that cannot be used. */
export class ConfigError extends NamedError {
  /**
   * The contradiction between settings that caused the error, if there is one. This field is lost when the error is
   * passed to another thread.
   */
  readonly refusal: Refusal | null;

  constructor(message: string, refusal: Refusal | null = null) {
    super(message);
    this.refusal = refusal;
  }
}

/** The solutions that an error offers as settings, the closest one first; empty if it offers none. */
export const remediesOf = (error: unknown): readonly Settings[] =>
  error instanceof ConfigError ? (error.refusal?.remedies ?? []) : [];

/** Thrown if the sizes of arrays or tensors do not fit together. */
export class ShapeError extends NamedError {}
/** Thrown if a number is NaN or infinite where a finite number is needed. */
export class NumericsError extends NamedError {}
/** The GPU device was lost. */
export class DeviceLostError extends NamedError {}
/** Thrown if stored records are absent, damaged or of another version, or if they cannot be written. */
export class StorageError extends NamedError {
  /**
   * `full`: the store has no space left; `silent`: the store does not respond; `refused`: the store reports that it
   * cannot write.
   */
  readonly reason: 'full' | 'silent' | 'refused' | 'other';

  constructor(message: string, reason: StorageError['reason'] = 'other') {
    super(message);
    this.reason = reason;
  }
}
/** Thrown if the worker that trains could not be loaded, or has ended. */
export class TrainerLostError extends NamedError {}
/**
 * Thrown if the file of the model on which a run is based is missing. Everything in the run except the weights can
 * still be viewed.
 */
export class MissingModelError extends NamedError {}
/** Thrown for a file or stream that does not follow its format. */
export class FormatError extends NamedError {}
/** Thrown if a program in the sandbox throws an error, or exceeds its limit of time or memory. */
export class SandboxError extends NamedError {
  /**
   * The line number in the program, starting at 1; null if it is not known. This field is lost when the error is passed
   * to another thread.
   */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/** Thrown if the code of a world throws an error. */
export class WorldError extends NamedError {}

/** Whether an error is one of the named errors, whose messages already explain what to do. */
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

// The names are set explicitly, because minifiers rename classes and other programs rely on the names.
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
