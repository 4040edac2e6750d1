// Stress tests of the page: `npm run attack [-- store served tabs devices readers files kills --seed 1 --minutes 60
// --kills 200 --inputs 100000 --only NAME]`. The parts are: `kills` interrupts training, resuming and every other
// writer, in the page and in the program, in every possible way, and the resumed result must equal an undisturbed run
// to the bit. `readers` reads damaged inputs, and `files` reads deceptive files. `store` tests a full, absent or
// unresponsive store, and a missing worker. `served` has clients of `cothink serve` that connect and send nothing. In
// `tabs`, three to five tabs take over from each other. In `devices`, two graphics devices are lost within ten
// iterations. The chosen parts share the time; a part that runs out of time reports its progress. Each row replaces the
// row for the same item in bench/results/attack.json. Readers that withstood this many inputs with this seed, and
// finished rounds of kills with it, are not repeated; another seed attacks them again. Exits with 1 if anything failed.
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
  // Only readers whose name contains this text.
  only: '',
  // Options that the program passes to itself: one reader, by its number, for a number of milliseconds.
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
  // Unused time of one part goes to the next.
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

/** Finished rounds of kills are stored at once: an interrupted bench resumes with the same seed. */
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
