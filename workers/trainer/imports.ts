// Reads files of preference pairs and of chats that visitors import. Pairs are passed to the open run. All files are kept
// for runs that are opened later.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import { imitatesChats } from '../../src/config/warmStarts.ts';
import type { FileImport, ImportKind } from '../../src/records/stored/history.ts';
import type { News } from './news.ts';
import { countIn, type ImportedFiles } from '../importedFiles.ts';
import type { OpenRun } from './openRun.ts';
import type { TrainerTab } from './trainerTab.ts';

interface ImportParts {
  files: ImportedFiles;
  run: OpenRun;
  tab: TrainerTab;
  news: News;
}

export class Imports implements Pick<TrainerApi, 'importFile' | 'keepFile'> {
  readonly files: ImportedFiles;
  readonly #parts: ImportParts;
  /** The file of each kind that was imported last. */
  readonly #imported = new Map<ImportKind, FileImport>();

  constructor(parts: ImportParts) {
    this.files = parts.files;
    this.#parts = parts;
  }

  /** The imported files for a run that is opened without a history: of each kind, the file that was imported last. */
  last(): FileImport[] {
    return [...this.#imported.values()];
  }

  /** Tells the page about the chats that a run is about to imitate. */
  tell(imports: readonly FileImport[]): void {
    const chats = imports.map(({ digest }) => this.files.chatsOf(digest)).findLast((file) => file !== undefined);
    if (chats) this.#parts.news.emit({ kind: 'chats', count: chats.chats.length });
  }

  importFile = async (kind: ImportKind, text: string, name: string): Promise<number> => {
    const { run, tab, news } = this.#parts;
    const file = await this.files.read(kind, text, name);
    const { digest } = file;
    // If a run was refused because of its pairs, no run is open. In this case, other pairs can still be imported, so
    // that the run can be started with these pairs.
    if (run.session && 'pairs' in file) await tab.own((session) => session.importPairs(file.pairs, { name, digest }));
    // A run that is open already imitates other texts, so the chats are only checked.
    const { team } = run.session?.trainState ?? {};
    if (team && 'chats' in file && imitatesChats(team.config)) {
      const { lessonsFrom } = await import('../../src/training/imitation/importedChats.ts');
      await lessonsFrom(team, file);
    }
    news.emit({ kind, count: countIn(file) });
    this.files.hold(file);
    this.#imported.set(kind, { ...(kind === 'chats' && { kind }), name, digest, iteration: 0 });
    return countIn(file);
  };

  keepFile = async (kind: ImportKind, text: string, name: string): Promise<number> => {
    const file = await this.files.read(kind, text, name);
    this.files.hold(file);
    return countIn(file);
  };
}
