// What the page may ask of the worker that reads a visitor's data: a file in, a world and a report out.
import type { Example, Rejection, RowUnit } from '../config/worlds/imported.ts';
import type { OwnWorld } from '../config/worlds/own.ts';

export interface ImportRequest {
  file: File;
  /** Tokens of the vocabulary that is learned, at most. */
  vocabulary: number;
  /** Tokens of a prompt at most; longer rows are left out. */
  prompt: number;
}

export interface ImportReport {
  /** Null where too few rows can be asked; then `fault` says why. */
  world: OwnWorld | null;
  fault: string;
  /** The data set whose columns the file has. */
  shape: string;
  unit: RowUnit;
  /** Rows that were looked at; there are more where the file is cut. */
  rows: number;
  isCut: boolean;
  kept: number;
  rejections: readonly Rejection[];
  /** The first few problems. */
  first: readonly Example[];
}

/** How far it has come: bytes read, or null where what is done has no measure. */
export interface ImportProgress {
  words: string;
  readBytes: number | null;
}

export interface ImportApi {
  /** Throws FormatError for a file that cannot be read, or is of no known shape. */
  importFile(request: ImportRequest, tell: (progress: ImportProgress) => void): Promise<ImportReport>;
}
