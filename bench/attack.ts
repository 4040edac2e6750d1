// What the page withstands: `npm run attack [-- store readers kills --seed 1 --minutes 60 --kills 60 --inputs 20000]`.
// Kills: training, preparing, resuming, deleting and forking are broken off in every way there is, and what is resumed
// must equal an undisturbed run to the bit. Readers: damaged inputs. Store: full, absent, silent; a worker that is missing.
// The time is shared by the chosen parts; a part that runs out of it says how far it came. Writes
// bench/results/attack.json and ends with 1 where anything was at fault.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { attackKills } from './attack/kills.ts';
import { attackApart, handOver } from './attack/readerProcess.ts';
import { attackReader, readerNames } from './attack/readers.ts';
import { rowText, type AttackRow } from './attack/report.ts';
import { attackStore } from './attack/store.ts';
import { sourceCommit } from './shared/rowStore.ts';

const folder = 'bench/results';
const partNames = ['store', 'readers', 'kills'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    kills: { type: 'string', default: '60' },
    inputs: { type: 'string', default: '20000' },
    // What the program gives to itself: one reader, by its number, for so many milliseconds.
    reader: { type: 'string' },
    for: { type: 'string', default: '0' },
  },
});
const seed = wholeNumber('seed');
const inputs = wholeNumber('inputs');
if (values.reader !== undefined) {
  handOver(attackReader(Number(values.reader), { seed, inputs, forMs: Number(values.for) }));
  process.exit(0);
}
const endMs = Date.now() + wholeNumber('minutes') * 60_000;
const unknown = positionals.filter((name) => !partNames.some((part) => part === name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}: choose from ${partNames.join(', ')}`);
const chosen = partNames.filter((part) => positionals.length === 0 || positionals.includes(part));
const needsPage = chosen.some((part) => part !== 'readers');
if (needsPage && !existsSync('dist/index.html')) throw new Error('dist holds no built page: run `npm run build` first');

const rows: AttackRow[] = [];
const add = (row: AttackRow) => {
  console.log(rowText(row));
  rows.push(row);
};
for (const [i, part] of chosen.entries()) {
  console.log(`\n=== ${part} ===`);
  // What one part leaves over is the next one's.
  await attack(part, Date.now() + (endMs - Date.now()) / (chosen.length - i));
}

mkdirSync(folder, { recursive: true });
const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`;
writeFileSync(`${folder}/attack.json`, `${JSON.stringify({ seed, machine, commit: sourceCommit(), rows }, null, 2)}\n`);
const failed = rows.filter(({ faults }) => faults.length > 0).length;
console.log(`\nWritten to ${folder}/attack.json.\n${rows.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function attack(part: AttackRow['part'], untilMs: number): Promise<void> {
  if (part === 'readers') {
    const waiting = [...readerNames.entries()];
    const together = availableParallelism();
    const forMs = ((untilMs - Date.now()) * together) / waiting.length;
    const inTurn = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        add(await attackApart(...next, { seed, inputs, forMs }));
    };
    await Promise.all(Array.from({ length: together }, inTurn));
  } else if (part === 'store') for await (const row of attackStore()) add(row);
  else for (const row of await attackKills({ seed, kills: wholeNumber('kills'), untilMs })) add(row);
}

function wholeNumber(name: keyof typeof values): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`--${name}: expected a whole number, got ${values[name]}`);
  return value;
}
