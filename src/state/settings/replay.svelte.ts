// A history that a new run will replay, and the imported files that are needed for the replay. The visitor can continue
// without these files.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Config } from '../../config/schema.ts';
import { importKind, type FileImport, type ImportKind, type RunHistory } from '../../records/stored/history.ts';

type Keep = (kind: ImportKind, text: string, name: string) => Promise<unknown>;

export class Replay {
  readonly #keep: Keep;
  #history = $state.raw<RunHistory | null>(null);
  #wanted = $state.raw<readonly FileImport[]>([]);
  /** The files that the visitor has neither provided nor declined. */
  readonly wanted = $derived(this.#wanted);
  /** The digests of the files that the visitor has provided since the page was opened. */
  #given: readonly string[] = [];
  #begin: () => void = () => undefined;

  /** `keep` passes a file to the worker. */
  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** Prepares the replay of a history, and calls `begin` when all files were provided or declined. */
  plan(history: RunHistory, begin: () => void): void {
    this.#history = history;
    this.ask(importsOf(history), begin);
  }

  /** Calls `begin` as soon as each of the given files was provided or declined. */
  ask(imports: readonly FileImport[], begin: () => void): void {
    const isFirst = ({ digest }: FileImport, i: number) => imports.findIndex((one) => one.digest === digest) === i;
    this.#wanted = imports.filter(isFirst).filter(({ digest }) => !this.#given.includes(digest));
    this.#begin = begin;
    if (this.#wanted.length === 0) begin();
  }

  /** The history to replay; undefined if the given settings differ from the initial settings of the history. */
  historyFor(config: Config): RunHistory | undefined {
    return this.#history?.config === config ? this.#history : undefined;
  }

  forget(): void {
    this.#history = null;
    this.#wanted = [];
  }

  /** Accepts one of the requested files. Throws FormatError if the file is not one of them. */
  async give(text: string, name: string): Promise<void> {
    const digest = sha256(text);
    const [first] = this.#wanted;
    if (!first) return;
    const found = this.#wanted.find((one) => one.digest === digest);
    if (!found) {
      const short = (one: string) => `${one.slice(0, 8)}…`;
      throw new FormatError(
        spoken`${name}: this file is not ${first.name}: expected the SHA-256 ${short(first.digest)}, got ${short(digest)}.`,
      );
    }
    await this.#keep(importKind(found), text, name);
    this.#given = [...this.#given, digest];
    this.#wanted = this.#wanted.filter((one) => one.digest !== digest);
    if (this.#wanted.length === 0) this.#begin();
  }

  /** Starts without the files. */
  decline(): void {
    this.#wanted = [];
    this.#begin();
  }
}

/** All imported files that were used to train a run or one of its ancestors. */
const importsOf = ({ imports, fork }: RunHistory): FileImport[] => [
  ...imports,
  ...(fork ? importsOf(fork.parent) : []),
];
