// A visitor's file from which a world is made. The file is read in a separate worker, and the world is shown as a
// preview. The visitor then stores or discards the world.
import { startImport, type Import, type ImportProgress, type StartImport } from '../../api/importConnection.ts';
import { promptBounds, type ImportReport } from '../../config/worlds/imported.ts';
import type { OwnForm, OwnWorld } from '../../config/worlds/own.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

type Stage =
  | { kind: 'idle' }
  | { kind: 'reading'; progress: ImportProgress }
  | { kind: 'read'; report: ImportReport }
  | { kind: 'refused'; message: string };

export class Importing {
  readonly #start: StartImport;
  readonly #keep: (world: OwnWorld) => Promise<boolean>;
  #stage = $state.raw<Stage>({ kind: 'idle' });
  #file = $state.raw<File | null>(null);
  #import: Import | null = null;
  readonly stage = $derived(this.#stage);
  readonly file = $derived(this.#file);
  /** The options with which the next file is read. */
  vocabulary = $state(1024);
  prompt = $state<number>(promptBounds.usual);
  /** The label of the new world. */
  label = $state('');

  /** `keep` stores a world, so that settings can refer to it. `keep` also reports its own errors. */
  constructor(keep: (world: OwnWorld) => Promise<boolean>, start: StartImport = startImport) {
    this.#keep = keep;
    this.#start = start;
  }

  /** Reads a file, and discards the previous file. Never throws; errors are in `stage`. */
  async read(file: File): Promise<void> {
    this.cancel();
    this.#file = file;
    const { vocabulary, prompt } = this;
    const mine = this.#start({ file, vocabulary, prompt }, (progress) => {
      if (this.#import === mine) this.#stage = { kind: 'reading', progress };
    });
    this.#import = mine;
    this.#stage = { kind: 'reading', progress: { words: say('Opening the file'), readBytes: null } };
    const stage = await mine.done.then(
      (report): Stage => ({ kind: 'read', report }),
      (thrown: unknown): Stage => ({ kind: 'refused', message: errorWords(thrown).text }),
    );
    if (this.#import !== mine) return;
    this.#import = null;
    this.#stage = stage;
    this.label = stage.kind === 'read' ? (stage.report.world?.form.label ?? '') : '';
  }

  /** Stops reading the current file, and discards what was read. */
  cancel(): void {
    this.#import?.cancel();
    this.#import = null;
    this.#stage = { kind: 'idle' };
  }

  /**
   * Stores the world with the label that the visitor typed. Returns the form of the world, or null if it was not
   * stored.
   */
  async save(): Promise<OwnForm | null> {
    const world = this.#stage.kind === 'read' ? this.#stage.report.world : null;
    if (!world) return null;
    const form = { ...world.form, label: this.label.trim() || world.form.label };
    if (!(await this.#keep({ ...world, form }))) return null;
    this.cancel();
    return form;
  }
}
