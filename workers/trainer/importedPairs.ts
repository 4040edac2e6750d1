// Reads files of preference pairs that visitors import, passes the pairs to the open run, and keeps them for runs that
// are opened later.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import type { PairImport } from '../../src/records/stored/history.ts';
import type { News } from './news.ts';
import type { PairFiles } from '../pairFiles.ts';
import type { OpenRun } from './openRun.ts';
import type { TrainerTab } from './trainerTab.ts';

interface PairParts {
  files: PairFiles;
  run: OpenRun;
  tab: TrainerTab;
  news: News;
}

export class ImportedPairs implements Pick<TrainerApi, 'importPreferences' | 'keepPreferences'> {
  readonly files: PairFiles;
  readonly #parts: PairParts;
  /** The file that was imported last. */
  #imported: Pick<PairImport, 'name' | 'digest'> | null = null;

  constructor(parts: PairParts) {
    this.files = parts.files;
    this.#parts = parts;
  }

  /** The imported files for a run that is opened without a history: only the file that was imported last. */
  last(): PairImport[] {
    return this.#imported ? [{ ...this.#imported, iteration: 0 }] : [];
  }

  importPreferences = async (text: string, name: string): Promise<number> => {
    const { run, tab, news } = this.#parts;
    const file = this.files.read(text, name);
    // If a run was refused because of its pairs, no run is open. In this case, other pairs can still be imported, so
    // that the run can be started with these pairs.
    if (run.session) await tab.own((session) => session.importPairs(file.pairs, { name, digest: file.digest }));
    news.emit({ kind: 'pairs', count: file.pairs.length });
    this.files.hold(file);
    this.#imported = { name, digest: file.digest };
    return file.pairs.length;
  };

  keepPreferences = async (text: string, name: string): Promise<number> =>
    this.files.hold(this.files.read(text, name)).pairs.length;
}
