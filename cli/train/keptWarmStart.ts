// The warm start of a run, stored in the run's folder until the run has a checkpoint, so that an interrupted run can be
// resumed without training the warm start again.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { isNamedError } from '../../src/base/errors.ts';
import { warmStartSchema, type KeptWarmStart, type WarmStartStore } from '../../src/records/stored/warmStart.ts';
import { readRecord, writeRecord } from '../../src/storage/archive/recordBytes.ts';
import { readBytes, writeWhole } from '../files.ts';

const form = v.omit(warmStartSchema, ['savedMs', 'bytes']);

export class FolderWarmStart implements WarmStartStore {
  readonly #file: string;
  readonly #before: () => Promise<void>;

  /** `before` stores the record of the run. Nothing else is stored until it resolves. */
  constructor(folder: string, before: () => Promise<void>) {
    this.#file = path.join(folder, 'warmStart.record');
    this.#before = before;
  }

  async load(key: string): Promise<KeptWarmStart | null> {
    try {
      const kept = v.parse(form, readRecord(await readBytes(this.#file), this.#file));
      return kept.key === key ? kept : null;
    } catch (error) {
      if (isNamedError(error) || error instanceof v.ValiError) return null; // trained again it is the same
      throw error;
    }
  }

  async save(kept: KeptWarmStart): Promise<void> {
    try {
      await this.#before();
      await writeWhole(this.#file, writeRecord(kept));
    } catch (error) {
      if (!isNamedError(error)) throw error; // a full disk stops the run at its first checkpoint
    }
  }

  /** Deletes the warm start, once the run can be resumed from a checkpoint. */
  async forget(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
