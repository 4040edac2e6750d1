// `cothink claims`: shows the results for published claims, and measures one claim with another seed on this machine.
// The page's claims board can open the result file.
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError, FormatError } from '../src/base/errors.ts';
import { withSettings } from '../src/config/parse.ts';
import { writeResultFile, claimDigest } from '../src/formats/resultFile.ts';
import { readRunFile } from '../src/formats/runFile.ts';
import { claimsSchema, type ClaimRecord } from '../src/records/claims/claimRecord.ts';
import { measures } from '../src/records/claims/measures.ts';
import { beginning } from '../src/training/history/replay.ts';
import { untilSpent } from '../src/training/history/untilSpent.ts';
import type { Session } from '../src/training/run/session.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import type { CommandArguments } from './command.ts';
import { loadShipped, pageFolder, startEngine } from './engine.ts';
import { readText, writeWhole } from './files.ts';
import { openImports } from './train/imports.ts';
import { print } from './print.ts';
import { openReporter } from './report.ts';

/** Lists all claims, describes one claim, or measures one claim with another seed. */
export async function claims(given: CommandArguments): Promise<number> {
  const records = await shippedClaims();
  const [id] = given.rest;
  if (id === undefined) {
    const listed = records.map(({ id: name, statement, verdict, regime }) => ({
      id: name,
      statement,
      verdict,
      regime,
    }));
    print(
      given,
      { claims: listed },
      listed.map(
        ({ id: name, statement, verdict, regime }) => `${verdict.padEnd(8)} ${name}: ${statement} (${regime})`,
      ),
    );
    return 0;
  }
  const record = records.find((one) => one.id === id);
  if (!record)
    throw new ConfigError(
      `${JSON.stringify(id)}: there is no such claim; choose one of ${records.map((one) => one.id).join(', ')}.`,
    );
  const seed = given.whole('seed');
  return seed === undefined ? tell(given, record) : measure(given, record, seed);
}

/** The claims that are shipped with the program. Throws FormatError if their file is missing or invalid. */
async function shippedClaims(): Promise<readonly ClaimRecord[]> {
  const text = await readText(path.join(pageFolder(), 'claims.json'));
  const read = v.safeParse(claimsSchema, JSON.parse(text));
  if (read.success) return read.output.rows;
  throw new FormatError(`claims.json: ${v.getDotPath(read.issues[0]) ?? ''}: ${read.issues[0].message}`);
}

function tell(given: CommandArguments, record: ClaimRecord): number {
  const { statement, source, verdict, measure: words, difference, seeds, arms, regime, tokens, pHolm } = record;
  const three = (value: number) => value.toFixed(3);
  print(given, record, [
    `${statement} (${source})`,
    `${verdict}: ${words}, first arm minus second arm${difference ? ` ${three(difference.mean)} (${three(difference.low)} to ${three(difference.high)})` : ''}, p ${pHolm.toFixed(3)} after correction, ${seeds.length} seeds, ${tokens} tokens, ${regime}`,
    ...arms.map(({ label, values }) => `  ${label}: ${values.map(three).join(' ') || 'not measured'}`),
  ]);
  return 0;
}

async function measure(given: CommandArguments, record: ClaimRecord, seed: number): Promise<number> {
  const { id, arms, tokens, measuredBy } = record;
  const digest = claimDigest(record);
  if (digest === null)
    throw new ConfigError(
      `${id}: this claim has an arm without a run file, so the claim cannot be trained; choose another claim.`,
    );
  const reporter = openReporter(given.has('json') || undefined);
  const values: number[] = [];
  let backend = '';
  for (const [at, { run, label }] of arms.entries()) {
    let session: Session | null = null;
    const config = withSettings(readRunFile(run ?? '').config, { 'run.seed': seed });
    ({ backend } = await startEngine(config.run.backend, { onFault: (error) => session?.fail(error) }));
    const begun = await beginning(
      { preset: 'default', config, changes: [], imports: [] },
      {
        // The time only determines the name of the run and its place in lists; no result depends on the time.
        ...{ backend, createdMs: Date.now(), files: await openImports({ pairs: [] }), gate: null },
        ...{ emit: () => undefined, unique: (name) => Promise.resolve(name) },
        start: (asked, runId) => startingCheckpoint({ config: asked, runId, backend, loadShipped }),
      },
    );
    const outcome = await untilSpent({
      ...{ run: begun.run, checkpoint: begun.checkpoint, tokens },
      onSession: (opened) => (session = opened),
      say: (share) => {
        const done = (at + share) / arms.length;
        reporter.tell({ event: 'progress', label, share: done });
        reporter.progress(`${label}, seed ${seed}`, done);
      },
    });
    values.push(measures[measuredBy].of(outcome));
  }
  const [first, second] = values as [number, number];
  if (!Number.isFinite(first - second))
    throw new ConfigError(
      `${id}: the run of one arm with seed ${seed} ended before its first measurement; try another seed.`,
    );
  const result = { claim: id, digest, seed, values: [first, second] as [number, number], backend };
  const file = given.text('out') ?? `${id}-${seed}.json`;
  await writeWhole(file, writeResultFile([result]));
  reporter.tell({ event: 'result', ...result, file });
  reporter.say(`${first.toFixed(3)} against ${second.toFixed(3)}: ${file}`);
  return 0;
}
