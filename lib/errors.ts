// The errors that every part of the library throws. Each message says what was expected, what was given and what to do.
export {
  ConfigError,
  DeviceLostError,
  FormatError,
  MissingModelError,
  NumericsError,
  SandboxError,
  ShapeError,
  StorageError,
  WorldError,
} from '../src/base/errors.ts';
