// Runs a launch as a Ray job, submitted through the Jobs REST API. A working directory with the program, a driver
// script and the tasks is uploaded. The driver writes the archives of the runs to the job's log, from which they are
// read.
import { createHash } from 'node:crypto';
import { request as askPlainly } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';
import * as v from 'valibot';
import { ConfigError, FormatError } from '../../../base/errors.ts';
import { quoted } from '../../../base/quote.ts';
import { pageFolder } from '../../../../cli/engine.ts';
import { filesUnder, readBytes } from '../../../../cli/files.ts';
import type { Following, Launcher, LaunchResult } from '../../../../cli/launch/launcher.ts';
import type { Launch } from '../../../../cli/launch/tasks.ts';
import driver from './ray_job.py?raw';

const pollMs = 1_000;
/** The maximum number of consecutive retries after failures. This many retries take half a minute. */
const patience = 30;
const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs));

interface RayJob extends Following {
  /** The address of the dashboard, for example `http://127.0.0.1:8265`. */
  address: string;
  launch: Launch;
  /** The command that starts the program on a worker; null if the program is to be uploaded. */
  program: string | null;
}

/** Runs a job to its end. Throws ConfigError if the cluster does not respond or refuses the job. */
export async function onRay({ address, launch, program, hear, isStopped }: RayJob): Promise<LaunchResult[]> {
  const bytes = await workingDir(launch, program);
  const uri = `_ray_pkg_${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.zip`;
  const ask = asking(address);
  await ask(`/api/packages/gcs/${uri}`, { method: 'PUT', body: bytes });
  const job = { entrypoint: 'python ray_job.py', runtime_env: { working_dir: `gcs://${uri}` } };
  const { submission_id: id } = (await ask('/api/jobs/', posted(job))) as { submission_id: string };
  for (let stopping = false; ;) {
    if (isStopped() && !stopping) await ask(`/api/jobs/${id}/stop`, posted({}));
    stopping = isStopped();
    const { status, message } = (await ask(`/api/jobs/${id}`)) as { status: string; message: string | null };
    const { logs } = (await ask(`/api/jobs/${id}/logs`)) as { logs: string };
    const collected = collectedIn(logs);
    hear(collected.length);
    if (['SUCCEEDED', 'STOPPED'].includes(status)) return collected;
    if (status === 'FAILED') {
      if (collected.length > 0) return collected;
      throw new ConfigError(
        `--on ray: the job failed (${(message ?? '').trim().split('\n').at(-1)?.slice(0, 200)}); its log is at ${address}.`,
      );
    }
    await pause();
  }
}

export const launcher: Launcher = {
  run: ({ launch, given }, following) =>
    onRay({
      ...following,
      launch,
      address: given.text('address') ?? 'http://127.0.0.1:8265',
      program: given.text('program') ?? null,
    }),
};

/**
 * The results of a job's tasks, read from the log of its driver. Throws FormatError for a line that looks like a result
 * but cannot have been written by the driver.
 */
export function collectedIn(log: string): LaunchResult[] {
  const parts = new Map<string, string>();
  const collected: LaunchResult[] = [];
  for (const line of log.split('\n')) {
    const [, name = '', part = ''] = /^cothink-archive (\S+) ([\w+/=]+)$/.exec(line) ?? [];
    if (name) parts.set(name, (parts.get(name) ?? '') + part);
    const done = /^cothink-done (\{.*\})$/.exec(line)?.[1];
    if (!done) continue;
    const { name: own, error } = toldIn(done);
    const text = parts.get(own);
    collected.push({ name: own, error, archive: text === undefined ? null : Buffer.from(text, 'base64') });
  }
  return collected;
}

const toldForm = v.object({ name: v.string(), error: v.nullable(v.string()) });

function toldIn(done: string): v.InferOutput<typeof toldForm> {
  try {
    return v.parse(toldForm, JSON.parse(done));
  } catch {
    throw new FormatError(
      `the log of the job: expected the name of a task and its error, got ${quoted(done)}; was it written by another program?`,
    );
  }
}

/**
 * The contents of the uploaded directory: the driver, the tasks, and the files that the tasks read. The program and its
 * warm starts are included too, unless an option specifies another program.
 */
async function workingDir({ tasks, retries, files }: Launch, program: string | null): Promise<Uint8Array<ArrayBuffer>> {
  const told = { tasks, retries, program: program?.split(' ') ?? ['node', 'dist-cli/main.mjs'] };
  const encoder = new TextEncoder();
  const entries: Record<string, Uint8Array> = {
    'ray_job.py': encoder.encode(driver),
    'tasks.json': encoder.encode(JSON.stringify(told)),
  };
  for (const file of files) entries[path.basename(file)] = await readBytes(file);
  if (program === null) {
    const own = path.dirname(fileURLToPath(import.meta.url));
    for (const name of await readdir(own)) entries[`dist-cli/${name}`] = await readBytes(path.join(own, name));
    const shipped = path.join(pageFolder(), 'warmstart');
    for (const name of await filesUnder(shipped))
      entries[`dist/warmstart/${name}`] = await readBytes(path.join(shipped, name));
  }
  // The date of the files is fixed, so that the same files always give the same package.
  return zipSync(entries, { level: 1, mtime: new Date(1980, 1, 1) }) as Uint8Array<ArrayBuffer>;
}

interface Request {
  method: 'POST' | 'PUT';
  body: string | Uint8Array;
}
const posted = (body: object): Request => ({ method: 'POST', body: JSON.stringify(body) });

/** `fetch` is not used here, because Ray refuses requests with its headers, as if they came from a web page. */
const asking =
  (address: string) =>
  async (place: string, given?: Request, left = patience): Promise<unknown> => {
    const { status, text } = await answerTo(new URL(place, address), given).catch((error: unknown) => {
      throw new ConfigError(
        `--address: ${address} does not answer (${(error as Error).message}); give the address of the dashboard of a running Ray cluster, such as http://127.0.0.1:8265.`,
      );
    });
    // A newly started cluster cannot accept jobs yet, and responds with a status of 500 or above. In this case, the
    // request is repeated.
    if (status >= 500 && left > 0) {
      await pause();
      return asking(address)(place, given, left - 1);
    }
    if (status >= 300)
      throw new ConfigError(
        `--address: ${address} refuses the request ${place} (${status} ${text.trim().split('\n').at(-1)?.slice(0, 200)}).`,
      );
    if (text === '' || given?.method === 'PUT') return null;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ConfigError(
        `--address: ${address} returned ${quoted(text)} for ${place}; give the address of the dashboard of a Ray cluster.`,
      );
    }
  };

function answerTo(url: URL, given?: Request): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': given?.method === 'PUT' ? 'application/octet-stream' : 'application/json' };
    const ask = url.protocol === 'https:' ? askEncrypted : askPlainly;
    const request = ask(url, { method: given?.method ?? 'GET', headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 500, text: Buffer.concat(parts).toString() }));
    });
    request.on('error', reject).end(given?.body);
  });
}
