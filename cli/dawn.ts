// Checks whether Dawn, an implementation of WebGPU for Node, finds a GPU adapter. The check runs in a separate process:
// without a driver, Dawn writes pages of unwanted output to standard error, and an incompatible driver may crash the
// process.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Why WebGPU is not available, and what the user can do about it. Both texts are parts of a sentence. */
export interface DawnLack {
  why: string;
  remedy: string;
}

/** Describes why Dawn cannot be used; null if Dawn finds an adapter. */
export async function dawnLack(): Promise<DawnLack | null> {
  const place = dawnPlace();
  if (place === null)
    return { why: 'The npm package webgpu (Dawn) is not installed next to the program', remedy: 'install it' };
  const { found, said } = await asked(place);
  if (found) return null;
  const complaint = complaintOf(said);
  return {
    why: `Dawn finds no adapter${complaint && ` (${complaint})`}`,
    remedy: 'install a driver (on Linux a Vulkan driver and libvulkan1)',
  };
}

function dawnPlace(): string | null {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('webgpu')).href;
  } catch {
    return null;
  }
}

const question = `
  const { create } = await import(process.argv[1]);
  const adapter = await create([]).requestAdapter();
  process.stdout.write(adapter ? 'adapter' : 'none', () => process.exit(0));
`;

/** Whether Dawn found an adapter, and the text that the process wrote to standard error. */
function asked(place: string): Promise<{ found: boolean; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', question, '--', place], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const heard = { out: '', said: '' };
  child.stdout.on('data', (bytes: Buffer) => (heard.out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (heard.said += bytes.toString()));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ found: false, said: message }));
    child.on('close', () => resolve({ found: heard.out === 'adapter', said: heard.said }));
  });
}

/** The first warning or error in Dawn's output, without its prefix. If there is none, the first line of the output. */
export function complaintOf(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const line = lines.find((one) => /^(Warning|Error): /.test(one)) ?? lines[0] ?? '';
  return line.replace(/^(Warning|Error): /, '').replace(/[.!]$/, '');
}
