// The claims board. When the board is opened, the claims that ship with the page are loaded. They are displayed with
// the results that were measured in this browser or read from files.
import * as v from 'valibot';
import { resultKeeper } from '../../api/experimentConnection.ts';
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { withSettings } from '../../config/parse.ts';
import { claimDigest, readResultFile, writeResultFile } from '../../formats/resultFile.ts';
import { readResultCode } from '../../formats/resultCode.ts';
import { readRunFile } from '../../formats/runFile.ts';
import { claimsSchema, type ClaimRecord } from '../../records/claims/claimRecord.ts';
import type { ClaimResult } from '../../records/claims/result.ts';
import { loadResults } from '../../storage/reading.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import { claimCard, type ClaimCard, type KnownClaim } from './claimCard.ts';
import type { Experiments } from './experiments.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/** A file chosen by the visitor. If the file cannot be read, `text` throws an error with the file's name. */
type GivenFile = Pick<File, 'name' | 'text'>;

/** Reads the claims that ship with the page. Throws FormatError if their file is invalid. */
async function shippedClaims(): Promise<ClaimRecord[]> {
  const response = await fetch(new URL('claims.json', document.baseURI)).catch(() => null);
  if (!response?.ok) throw new FormatError(spoken`the claims could not be loaded; reload the page.`);
  const read = v.safeParse(claimsSchema, await response.json());
  if (!read.success)
    throw new FormatError(spoken`claims: ${v.getDotPath(read.issues[0]) ?? ''}: ${read.issues[0].message}`);
  return read.output.rows;
}

export class ClaimsBoard {
  readonly #load: () => Promise<ClaimRecord[]>;
  readonly #keeper: typeof resultKeeper;
  #known = $state.raw<readonly KnownClaim[]>([]);
  #results = $state.raw<readonly ClaimResult[]>([]);
  #said = $state.raw<readonly string[]>([]);
  #refusals = $state.raw<readonly string[]>([]);
  readonly cards: readonly ClaimCard[] = $derived(this.#known.map((one) => claimCard(one, this.#results)));
  /** All stored results, including results of claims that are not in this version of the page. */
  readonly results = $derived(this.#results);
  /** The result of the last import. */
  readonly said = $derived(this.#said);
  /** Error messages about results and files that could not be read; empty if there are none. */
  readonly refusals = $derived(this.#refusals);

  constructor(load = shippedClaims, keeper = resultKeeper) {
    this.#load = load;
    this.#keeper = keeper;
  }

  /** Reads claims and results. Never throws; errors are added to `refusals`. */
  async refresh(): Promise<void> {
    await this.#attempt(async () => {
      if (this.#known.length === 0)
        this.#known = (await this.#load()).map((record) => ({ record, digest: claimDigest(record) }));
      const { results, damaged } = await loadResults();
      this.#results = results;
      this.#refusals = [...this.#refusals, ...damaged.map(({ message }) => message)];
    });
  }

  /** Merges result files. Files that cannot be read are reported, and the other files are still used. */
  async take(files: readonly GivenFile[]): Promise<void> {
    this.#said = [];
    this.#refusals = [];
    const read: ClaimResult[] = [];
    for (const file of files)
      await this.#attempt(async () => {
        const text = await file.text();
        await this.#attempt(() => Promise.resolve(void read.push(...readResultFile(text))), `${file.name}: `);
      });
    const known = this.cards.map(({ digest }) => digest);
    const fitting = read.filter(({ digest }) => known.includes(digest));
    await this.#attempt(async () => {
      const added = fitting.length > 0 ? await this.#keeper.keepResults(fitting) : 0;
      this.#said = saidOf({
        files: files.length,
        added,
        again: fitting.length - added,
        other: read.length - fitting.length,
      });
    });
    await this.refresh();
  }

  /** Adds the result of a typed code. Returns the name of its claim, or null if the code was refused. */
  async takeCode(text: string): Promise<string | null> {
    this.#said = [];
    this.#refusals = [];
    if (this.#known.length === 0) await this.refresh();
    if (this.#known.length === 0) return null;
    let claim: string | null = null;
    await this.#attempt(async () => {
      const claims = this.#known.flatMap(({ record: { id, measuredBy }, digest }) =>
        digest === null ? [] : [{ claim: id, digest, measuredBy }],
      );
      const result = readResultCode(text, claims);
      const added = await this.#keeper.keepResults([result]);
      const { seed } = result;
      claim = result.claim;
      this.#said = [
        added > 0
          ? say('The result of seed {seed} was added.', { seed })
          : say('Seed {seed} was counted before, so it is not counted again.', { seed }),
      ];
    });
    await this.refresh();
    return claim;
  }

  /** All results as a file. */
  exported(): string {
    return writeResultFile(this.#results);
  }

  /** Deletes all results of a claim except those of the benchmarks. */
  async forget({ digest }: ClaimCard): Promise<void> {
    if (digest === null) return;
    await this.#attempt(() => this.#keeper.forgetResults(digest));
    await this.refresh();
  }

  /** Runs both arms of a claim with one seed. */
  async run({ record, digest }: ClaimCard, seed: number, experiments: Experiments): Promise<void> {
    const [first, second] = record.arms.map(({ run }) => run && readRunFile(run).config);
    if (!first || !second || digest === null) return;
    const seeded = (config: typeof first) => withSettings(config, { 'run.seed': seed });
    const { id: claim, tokens, measuredBy } = record;
    const arms = [seeded(first), seeded(second)] as const;
    await experiments.run({ kind: 'claim', ...{ claim, digest, arms, tokens, measuredBy } });
    await this.refresh();
  }

  async #attempt(work: () => Promise<unknown>, where = ''): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#refusals = [...this.#refusals, where + errorWords(thrown).text];
    }
  }
}

function saidOf({ files, added, again, other }: { files: number; added: number; again: number; other: number }) {
  return [
    say('{added, plural, one {# result} other {# results}} added from {files, plural, one {# file} other {# files}}.', {
      added,
      files,
    }),
    ...(again > 0
      ? [
          say(
            '{count, plural, one {# result has a seed that was counted before, so it is} other {# results have seeds that were counted before, so they are}} not counted again.',
            { count: again },
          ),
        ]
      : []),
    ...(other > 0
      ? [
          say('{count, plural, one {# result belongs} other {# results belong}} to claims that are not on this page.', {
            count: other,
          }),
        ]
      : []),
  ];
}
