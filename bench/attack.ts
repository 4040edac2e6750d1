// Attacks that the page withstands: `npm run attack [-- store served tabs devices readers files kills --seed 1 --minutes 60 --kills 200 --inputs 100000 --only NAME]`.
// Kills: training, resuming and whatever else writes, in the page and in the program, is broken off in every way there is, and
// what is resumed must equal an undisturbed run to the bit. Readers: damaged inputs. Files: those made to deceive. Store: full,
// absent, silent; a worker that is missing. Served: clients of `cothink serve` that connect and say nothing. Tabs: three to
// five that take over from each other. Devices: two lost within ten iterations.
// The time is shared by the chosen parts; a part that runs out of it says how far it came. Each row takes the place of the
// one that bench/results/attack.json has of the same thing; readers that took as many inputs of this seed without a fault, and
// rounds of kills of it, are not done again: another seed attacks them again. Ends with 1 where anything was at fault.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { attackDevices } from './attack/devices.ts';
import { attackFiles } from './attack/files.ts';
import { attackHalfOpen } from './attack/halfOpen.ts';
import { attackKills } from './attack/kills.ts';
import { attackApart, handOver } from './attack/readerProcess.ts';
import { attackReader, readerNames } from './attack/readers.ts';
import type { Round } from './attack/round.ts';
import { rowText, withRow, type AttackResults, type AttackRow } from './attack/report.ts';
import { attackStore } from './attack/store.ts';
import { attackTabs } from './attack/tabs.ts';
import { appendRow, readRows, sourceCommit } from './shared/rowStore.ts';
import { inTurns, machine, readOptions, readResults, writeResults } from './shared/runner.ts';

const roundsFile = 'bench/results/attack.jsonl';
const partNames = ['store', 'served', 'tabs', 'devices', 'readers', 'files', 'kills'] as const;

const { values, positionals, wholeNumber } = readOptions({
  seed: '1',
  minutes: '60',
  kills: '200',
  inputs: '100000',
  // Only readers whose name contains this.
  only: '',
  // Options that the program gives to itself: one reader, by its number, for a number of milliseconds.
  reader: '',
  for: '0',
});
const seed = wholeNumber('seed');
const inputs = wholeNumber('inputs');
if (values.reader !== '') {
  handOver(await attackReader(Number(values.reader), { seed, inputs, forMs: Number(values.for) }));
  process.exit(0);
}
const endMs = Date.now() + wholeNumber('minutes') * 60_000;
const unknown = positionals.filter((name) => !partNames.some((part) => part === name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}: choose from ${partNames.join(', ')}`);
const chosen = partNames.filter((part) => positionals.length === 0 || positionals.includes(part));
const needsPage = chosen.some((part) => part !== 'readers' && part !== 'files');
if (needsPage && !existsSync('dist/index.html')) throw new Error('dist holds no built page: run `npm run build` first');
const needsProgram = chosen.some((part) => part === 'kills' || part === 'served' || part === 'files');
if (needsProgram && !existsSync('dist-cli/main.mjs'))
  throw new Error('dist-cli holds no program: run `npm run build` first');

const commit = sourceCommit();
let failed = 0;
let passed = 0;
const add = (row: AttackRow) => {
  console.log(rowText(row));
  if (row.faults.length > 0) failed++;
  else passed++;
  const { rows = [] } = readResults<AttackResults>('attack') ?? {};
  writeResults('attack', { machine, rows: withRow(rows, { ...row, seed, commit }) } satisfies AttackResults);
};
for (const [i, part] of chosen.entries()) {
  console.log(`\n=== ${part} ===`);
  // Time that one part leaves over goes to the next one.
  await attack(part, Date.now() + (endMs - Date.now()) / (chosen.length - i));
}

console.log(`\nWritten to bench/results/attack.json.\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function attack(part: AttackRow['part'], untilMs: number): Promise<void> {
  if (part === 'readers') {
    const together = availableParallelism();
    const withstood = (readResults<AttackResults>('attack')?.rows ?? [])
      .filter((row) => row.part === part && row.seed === seed && row.count >= inputs && row.faults.length === 0)
      .map(({ what }) => what);
    const left = [...readerNames.entries()].filter(
      ([, name]) => !withstood.includes(name) && name.includes(values.only),
    );
    console.log(
      `${withstood.length} of ${readerNames.length} readers took ${inputs} inputs before, ${left.length} to attack`,
    );
    const forMs = ((untilMs - Date.now()) * together) / left.length;
    const isWhole = await inTurns(left, together, async (reader) =>
      add(await attackApart(...reader, { seed, inputs, forMs })),
    );
    if (!isWhole) throw new Error('a reader could not be attacked');
  } else if (part === 'files') attackFiles().forEach(add);
  else if (part === 'store') for await (const row of attackStore()) add(row);
  else if (part === 'served') for await (const row of attackHalfOpen()) add(row);
  else if (part === 'tabs') for await (const row of attackTabs()) add(row);
  else if (part === 'devices') for await (const row of attackDevices()) add(row);
  else for (const row of await attackKills({ seed, kills: wholeNumber('kills'), untilMs, ...roundsOf(seed) })) add(row);
}

/** Rounds of kills are kept as they are done: a bench that was broken off goes on where it stood, with the same seed. */
function roundsOf(seed: number) {
  const stored = [...readRows<Round>(roundsFile).values()].filter((row) => row.seed === seed);
  const done = new Map(stored.map(({ settings, result }) => [(settings as { number: number }).number, result]));
  const onRound = (number: number, round: Round) => {
    console.log(`round ${number}, ${round.name}: ${JSON.stringify(round.kills)}, ${round.faults.length} faults`);
    const { name } = round;
    appendRow(roundsFile, { key: `${seed}/${number}`, name, seed, settings: { number }, commit, result: round });
  };
  return { done, onRound };
}
