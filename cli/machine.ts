// `cothink info` without a run: the engine of this machine.
import { cpus } from 'node:os';
import type { CommandArguments } from './command.ts';
import { startEngine } from './engine.ts';
import { print } from './print.ts';

export async function machineInfo(given: CommandArguments): Promise<number> {
  const { backend, adapter, reason } = await startEngine('auto');
  const value = { node: process.versions.node, processor: cpus()[0]?.model.trim() ?? null, backend, adapter, reason };
  print(given, value, [
    `Node ${value.node}${value.processor === null ? '' : ` on ${value.processor}`}`,
    `runs compute on ${backend} (${adapter})`,
    `  ${reason}`,
  ]);
  return 0;
}
