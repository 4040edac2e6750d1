// Attacks each reader in a separate process. If the reader kills the process, this is a fault of the reader, and the
// attack continues.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ReaderPlan } from './reader.ts';
import type { AttackRow } from './report.ts';

const mark = '@row ';
/** Time limit for the worst inputs, which come after the others; in wall-clock time, which other work may slow down. */
const graceMs = 600_000;

/** Passes the row of the child process to its parent. */
export const handOver = (row: AttackRow) => console.log(mark + JSON.stringify(row));

/** Starts this same program again for one reader and returns its row. */
export async function attackApart(part: number, name: string, { seed, inputs, forMs }: ReaderPlan): Promise<AttackRow> {
  const [program = ''] = process.argv.slice(1);
  const flags = ['--reader', part, '--seed', seed, '--inputs', inputs, '--for', Math.ceil(forMs)].map(String);
  const child = await promisify(execFile)(process.execPath, [program, ...flags], {
    timeout: Math.ceil(forMs) + graceMs,
    maxBuffer: 1e8,
  }).catch((error: unknown) => error as Broken);
  const line = child.stdout.split('\n').find((text) => text.startsWith(mark));
  if (line) return JSON.parse(line.slice(mark.length)) as AttackRow;
  const said = child.stderr.split('\n').filter((text) => /^worst input|FATAL|Error/.test(text));
  const how = 'code' in child ? String(child.signal ?? child.code) : 'said nothing';
  const fault = `killed its process (${how}): ${said.slice(-2).join('; ')}`;
  return { part: 'readers', what: name, count: 0, note: 'how many it had read nobody knows', faults: [fault] };
}

/** The error that `execFile` throws when the program fails. */
interface Broken {
  stdout: string;
  stderr: string;
  code: number | null;
  signal: string | null;
}
