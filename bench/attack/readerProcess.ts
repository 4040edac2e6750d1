// A reader is attacked in a process of its own, which it may kill: that is a fault of the reader, not the attack's end.
import { spawnSync } from 'node:child_process';
import type { ReaderPlan } from './readers.ts';
import type { AttackRow } from './report.ts';

const mark = '@row ';
/** For the worst inputs, which come after the time for the others. */
const graceMs = 60_000;

/** The part of the child: hands its row over. */
export const handOver = (row: AttackRow) => console.log(mark + JSON.stringify(row));

/** Starts this very program again for one reader and answers what it handed over. */
export function attackApart(part: number, name: string, { seed, inputs, forMs }: ReaderPlan): AttackRow {
  const [program = ''] = process.argv.slice(1);
  const flags = ['--reader', part, '--seed', seed, '--inputs', inputs, '--for', Math.ceil(forMs)].map(String);
  const child = spawnSync(process.execPath, [program, ...flags], {
    encoding: 'utf8',
    timeout: Math.ceil(forMs) + graceMs,
  });
  const line = child.stdout.split('\n').find((text) => text.startsWith(mark));
  if (line) return JSON.parse(line.slice(mark.length)) as AttackRow;
  const said = child.stderr.split('\n').filter((text) => /^worst input|FATAL|Error/.test(text));
  const fault = `killed its process (${child.signal ?? child.status}): ${said.slice(-2).join('; ')}`;
  return { part: 'readers', what: name, count: inputs, note: '', faults: [fault] };
}
