// A run that is about to be made again: its history, and the files of pairs that it asks for first. A visitor who has not
// got one may go on without it.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Config } from '../../config/schema.ts';
import type { PairImport, RunHistory } from '../../records/stored/history.ts';

type Keep = (text: string, name: string) => Promise<unknown>;

export class Replay {
  readonly #keep: Keep;
  #history = $state.raw<RunHistory | null>(null);
  #wanted = $state.raw<readonly PairImport[]>([]);
  /** The files that are still asked for. */
  readonly wanted = $derived(this.#wanted);
  /** Digests of the files that were given in this visit. */
  #given: readonly string[] = [];
  #begin: () => void = () => undefined;

  /** `keep` hands a file to the worker. */
  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** Plans a run with its history, and begins once it has its files. */
  plan(history: RunHistory, begin: () => void): void {
    this.#history = history;
    this.ask(importsOf(history), begin);
  }

  /** Begins once the files are given, or declined. */
  ask(imports: readonly PairImport[], begin: () => void): void {
    const isFirst = ({ digest }: PairImport, i: number) => imports.findIndex((one) => one.digest === digest) === i;
    this.#wanted = imports.filter(isFirst).filter(({ digest }) => !this.#given.includes(digest));
    this.#begin = begin;
    if (this.#wanted.length === 0) begin();
  }

  /** The history to make again with these very settings; none once they were edited. */
  historyFor(config: Config): RunHistory | undefined {
    return this.#history?.config === config ? this.#history : undefined;
  }

  forget(): void {
    this.#history = null;
    this.#wanted = [];
  }

  /** Takes one of the files that are asked for. Throws FormatError for another one. */
  async give(text: string, name: string): Promise<void> {
    const digest = sha256(text);
    const [first] = this.#wanted;
    if (!first) return;
    if (!this.#wanted.some((one) => one.digest === digest)) {
      const short = (one: string) => `${one.slice(0, 8)}…`;
      throw new FormatError(
        spoken`${name}: this file is not ${first.name}: expected the SHA-256 ${short(first.digest)}, got ${short(digest)}.`,
      );
    }
    await this.#keep(text, name);
    this.#given = [...this.#given, digest];
    this.#wanted = this.#wanted.filter((one) => one.digest !== digest);
    if (this.#wanted.length === 0) this.#begin();
  }

  /** Begins without the files. */
  decline(): void {
    this.#wanted = [];
    this.#begin();
  }
}

/** All files that a run and those that it goes on from learn from. */
const importsOf = ({ imports, fork }: RunHistory): PairImport[] => [
  ...imports,
  ...(fork ? importsOf(fork.parent) : []),
];
