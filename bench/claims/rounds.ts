// Rounds of registered claims. A round is a file with the exact form of each of its claims: hypothesis, measure, smallest
// effect, regime, arms and stopping rule. It must be committed before its claims are judged, and never changes. The seeds
// that judge follow from the bytes of the file, so that nobody can choose them. docs/claims.md explains the protocol.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import { measures } from '../../src/records/claims/measures.ts';
import { trialOf, usualTokens, type Arm, type Claim, type Regime } from './claim.ts';
import { pairOf, type Done, type Registered } from './pairs.ts';

/** The number of seeds at each look. After a look, only claims without a verdict get more seeds. */
export const looks = [5, 10] as const;

const rule = {
  looks,
  verdict:
    'two-sided t-test of the paired differences at 5 %, and a mean of at least the smallest effect at the look with the smallest p: shown or reversed; two one-sided tests at 5 % against the smallest effect: smaller than matters; otherwise open',
  correction: 'p times the number of looks (Bonferroni), then Holm over all claims of the round',
  seeds: 'each seed determines a warm start and the sampling; both arms have the same seed',
};

interface RoundFile {
  round: number;
  rule: typeof rule;
  claims: Registered[];
  /**
   * The default of every setting, from which arms differ only in the settings that they contain; absent in round 1,
   * whose claims are therefore not measured further.
   */
  defaults?: Config;
}

export interface Round extends RoundFile {
  /** The commit that added the file; '' outside a repository. */
  commit: string;
  /** The seeds that judge the claims of this round. */
  seeds: number[];
}

const folder = 'bench/claims/rounds';
const fileOf = (round: number) => `${folder}/${round}.json`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** SHA-256 of the registered form of a claim. */
export const recordHash = (claim: Registered): string => sha256(JSON.stringify(claim));

/** The seeds of a round: 28 bits of the SHA-256 of the digest of its file and the place of the seed. */
export const seedsOf = (text: string): number[] =>
  Array.from({ length: looks.at(-1) as number }, (_, place) =>
    Number.parseInt(sha256(`${sha256(text)} ${place}`).slice(0, 7), 16),
  );

/** All rounds, the oldest first. Their commits are not looked up. */
export function readRounds(): Round[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((_, before) => {
    const file = fileOf(before + 1);
    if (!existsSync(file)) throw new Error(`${file} is missing: restore it; rounds are kept for ever`);
    const text = readFileSync(file, 'utf8');
    return { ...(JSON.parse(text) as RoundFile), commit: '', seeds: seedsOf(text) };
  });
}

/**
 * Returns why the claims of a round cannot be measured as they were registered: a default or a measure has changed
 * since. Settings that did not exist then are free. Returns '' if nothing has changed.
 */
export function changedSince({ round, defaults, claims }: Round): string {
  if (!defaults) return `round ${round}: its defaults were not registered`;
  const today = parseConfig({});
  const sections = Object.entries(defaults) as [keyof Config, Record<string, unknown>][];
  const settings = sections.flatMap(([section, fields]) =>
    Object.entries(fields)
      .filter(([name, value]) => {
        const now = (today[section] as Record<string, unknown>)[name];
        return JSON.stringify(now) !== JSON.stringify(value);
      })
      .map(([name]) => `the default of ${section}.${name}`),
  );
  const words = claims
    .filter(({ measure, measured }) => measured !== measures[measure].words)
    .map(({ measure }) => `the measure ${measure}`);
  const changed = [...new Set([...settings, ...words])];
  return changed.length === 0 ? '' : `round ${round}: changed since it was registered: ${changed.join(', ')}`;
}

/** All rounds with their commits. Throws an Error if a round is not committed or was changed afterwards. */
export function committedRounds(): Round[] {
  return readRounds().map((round) => {
    const file = fileOf(round.round);
    const commits = git('log', '--format=%H', '--', file).split('\n').filter(Boolean);
    if (commits.length === 0) throw new Error(`${file} is not committed: commit it, then its claims can be judged`);
    if (commits.length > 1 || git('status', '--porcelain', '--', file) !== '')
      throw new Error(`${file} was changed after it had been committed: restore it; a changed claim needs a new round`);
    return { ...round, commit: commits[0] as string };
  });
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The newest registered form of each claim, with its round. */
export function newestRegistered(rounds: readonly Round[]): { claim: Registered; round: Round }[] {
  const newest = new Map(rounds.flatMap((round) => round.claims.map((claim) => [claim.id, { claim, round }] as const)));
  return [...newest.values()];
}

/**
 * The regime that is registered: the one in which the exploring seed differs most in the direction of the claim. If no
 * regime differs in this direction, it is the one that differs most in the other direction. Undefined if nothing was
 * explored yet.
 */
export function promisingRegime(claim: Claim, done: Done): Regime | undefined {
  const sign = claim.direction === 'lower' ? -1 : 1;
  const explored = claim.regimes.flatMap((regime) => {
    const pair = pairOf(claim, regime, done);
    return pair ? [{ regime, size: sign * pair.difference }] : [];
  });
  const isPromising = explored.some(({ size }) => size > 0);
  return explored.toSorted((a, b) => (isPromising ? b.size - a.size : a.size - b.size))[0]?.regime;
}

/** The form in which a claim is registered in a regime. */
export function registeredForm(claim: Claim, regime: Regime): Registered {
  const { id, statement, source, measure, direction, arms, control } = claim;
  const within = (arm: Arm): Arm => ({ ...arm, settings: trialOf(arm, regime, 0).settings });
  return {
    ...{ id, statement, source, measure, direction },
    ...{ measured: measures[measure].words, least: measures[measure].least },
    ...{ regime: regime.words, tokens: regime.tokens ?? usualTokens },
    ...(regime.hasShortcuts && { hasShortcuts: true as const }),
    arms: [within(arms[0]), within(arms[1])],
    ...(control && { control: within(control) }),
  };
}

/** Writes a new round with all claims that were not registered in this form yet. Returns its file, or null if none. */
export function register(claims: readonly Claim[], done: Done): string | null {
  const rounds = readRounds();
  const known = new Set(newestRegistered(rounds).map(({ claim }) => recordHash(claim)));
  const fresh = claims.flatMap((claim) => {
    const regime = promisingRegime(claim, done);
    if (!regime) throw new Error(`${claim.id}: no regime was explored yet; run the bench without --register first`);
    const form = registeredForm(claim, regime);
    return known.has(recordHash(form)) ? [] : [form];
  });
  if (fresh.length === 0) return null;
  const round = (rounds.at(-1)?.round ?? 0) + 1;
  mkdirSync(folder, { recursive: true });
  const whole: RoundFile = { round, rule, claims: fresh, defaults: parseConfig({}) };
  writeFileSync(fileOf(round), `${JSON.stringify(whole, null, 2)}\n`);
  return fileOf(round);
}
