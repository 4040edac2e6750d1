// One run of Pass it on in the page, as a visitor does it: the model's file is opened, the team trained, the page
// reloaded in the middle of an iteration, the run resumed and trained to its end, and archive and adapter are saved.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { unzipSync } from 'fflate';
import { inSession, openStored } from '../../cli/stored/openStored.ts';
import { readyModel } from '../../cli/stored/modelNote.ts';
import { buildPage } from '../../scripts/freshness.mjs';
import { serveFolder } from '../../scripts/serve.mjs';
import { median } from '../../src/base/stats.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import { viewRows, type SaidRow } from '../../src/rollout/view.ts';
import { inChromium, untilRun } from '../shared/chromium.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { evaluated, program, type SameInPeft, type WordsResult } from './once.ts';

const patience = { timeout: 120_000 };
const longestMs = 30 * 60_000;

export interface PageJob {
  /** The GGUF file. */
  model: string;
  seed: number;
  iterations: number;
  /** A Python with PyTorch, transformers, PEFT and gguf; undefined if there is none. */
  python: string | undefined;
  /** Folder for pictures of the page in the middle of the run; without it none are taken. */
  pictures: string | undefined;
}

/** Returns the tokens of the shown dialogue. Before training, this is a dialogue that was sampled for the preview. */
const shownTokens = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.stage .turn .token')].map((token) => token.textContent).join(' '),
  );

/** Waits until the page shows a token of another dialogue than this. */
const untilOther = (page: Page, tokens: string) =>
  page.waitForFunction(
    (before) => {
      const now = [...document.querySelectorAll('.stage .turn .token')].map((token) => token.textContent).join(' ');
      return now !== '' && !before.startsWith(now);
    },
    tokens,
    { ...patience, polling: 20 },
  );

const iterationIn = (page: Page) => page.evaluate(() => Number(document.documentElement.dataset['iteration'] ?? 0));
const accuracyIn = async (page: Page) =>
  Number.parseFloat((await page.locator('output[data-metric="accuracy"]').textContent()) ?? '');
const untilIteration = (page: Page, iteration: number) =>
  page.waitForFunction(
    (wanted) =>
      Number(document.documentElement.dataset['iteration']) >= wanted ||
      document.documentElement.dataset['runState'] === 'failed',
    iteration,
    { timeout: longestMs, polling: 100 },
  );

async function saved(page: Page, button: Locator): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download', patience), button.click()]);
  return file.path();
}

/** Opens the file under Models and begins a run from it. */
async function openModel(page: Page, file: string): Promise<void> {
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Models' });
  await dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).click(patience);
  await dialog.getByRole('button', { name: 'Runs need it' }).waitFor(patience);
  await page.keyboard.press('Escape');
  await untilRun(page, ['idle'], patience.timeout);
}

async function takePictures(page: Page, folder: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(400); // charts are drawn a few times a second
    await page.screenshot({ path: path.join(folder, `words-${colorScheme}.png`) });
  }
}

/** Trains in the page; writes `run.zip` and `adapter.zip` into the folder. */
async function trainInPage(origin: string, { model, seed, iterations, pictures }: PageJob, folder: string) {
  const settings = `run.iterations=${iterations}&run.checkpointEvery=1&evaluation.every=1000`;
  return inChromium(async (profile) => {
    const page = await profile.newPage();
    await page.goto(`${origin}/?preset=passItOn&backend=cpu&seed=${seed}&${settings}`);
    await untilRun(page, ['idle'], patience.timeout);
    const began = performance.now();
    const since = (at: number) => (performance.now() - at) / 1000;
    await openModel(page, model);
    const openedSeconds = since(began);
    const preview = await shownTokens(page);
    const pressed = performance.now();
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await untilOther(page, preview);
    const firstWordSeconds = since(pressed);
    await untilIteration(page, Math.floor(iterations / 2));
    const before = await accuracyIn(page);
    if (pictures) await takePictures(page, pictures);
    const reloadedAt = await iterationIn(page);
    await page.reload();
    await untilRun(page, ['idle', 'paused'], patience.timeout);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await untilRun(page, ['done', 'failed'], longestMs);
    if ((await page.evaluate(() => document.documentElement.dataset['runState'])) === 'failed')
      throw new Error(`the run failed in the page: ${await page.locator('main').innerText()}`);
    const seconds = since(began);
    const after = await accuracyIn(page);
    const takeAway = page.locator('[data-place="takeAway"]');
    const adapter = await saved(page, takeAway.getByRole('button', { name: /^Adapter · / }).first());
    writeFileSync(path.join(folder, 'adapter.zip'), readFileSync(adapter));
    await page.getByRole('button', { name: 'Library of runs' }).click();
    const archive = await saved(page, page.getByRole('button', { name: /^Save the run archive of \S+$/ }).first());
    writeFileSync(path.join(folder, 'run.zip'), readFileSync(archive));
    return { before, after, seconds, openedSeconds, firstWordSeconds, reloadedAt };
  });
}

/** Returns one column of the metrics that the program exports, by iteration. */
function columnOf(csv: string, name: string): number[] {
  const [head = '', ...rows] = csv.trimEnd().split('\n');
  const at = head.split(',').indexOf(name);
  return rows.map((row) => Number(row.split(',')[at]));
}

/**
 * Compares the team of a stored run with PEFT and the saved adapter: the log-probabilities of the tokens that the team
 * samples about the held-out problems.
 */
async function comparePeft(python: string, model: string, folder: string): Promise<SameInPeft> {
  const run = path.join(folder, 'run');
  const rows = path.join(folder, 'rows.jsonl');
  writeFileSync(rows, (await rowsSaid(run)).map((row) => JSON.stringify(row)).join('\n'));
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(path.join(folder, 'adapter.zip')))))
    writeFileSync(path.join(folder, name), bytes);
  const args = [path.resolve('bench/words/peftSays.py'), model, folder, rows];
  const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`peftSays.py ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as SameInPeft;
}

/** Returns the contexts of the team's turns with the sampled tokens. */
async function rowsSaid(run: string): Promise<SaidRow[]> {
  await startBackend('simd-threads', { ours: true });
  const stored = await openStored(run);
  await readyModel(run, stored.checkpoint);
  return inSession(stored, async (session) => {
    let trajectories: readonly Trajectory[] = [];
    await session.evaluate(null, (measured) => (trajectories = measured));
    const { tokens, protocol } = session.trainState.team;
    return trajectories.flatMap((trajectory) =>
      protocol.roles.flatMap((_, agent) => viewRows(trajectory, agent, tokens)),
    );
  });
}

/** One run in the page, with the measurements of every run. Throws if the run or one of the programs fails. */
export async function wordsInPage(job: PageJob): Promise<WordsResult> {
  buildPage();
  const served = await serveFolder({ folder: 'dist', port: 4375 });
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-words-page-'));
  try {
    const { before, after, seconds, ...shown } = await trainInPage(served.url, job, folder);
    const run = path.join(folder, 'run');
    await program(['import', path.join(folder, 'run.zip'), '--out', run]);
    const csv = path.join(folder, 'metrics.csv');
    const named = ['--model', job.model];
    await program(['export', run, '--as', 'metrics', '--out', csv, ...named]);
    const metrics = readFileSync(csv, 'utf8');
    const [rollout, update] = [columnOf(metrics, 'time/rollout'), columnOf(metrics, 'time/update')];
    const cold = await evaluated(run, [...named, '--beside', 'lowTemperature']);
    return {
      ...{ before, after, lowAfter: cold.atLowTemperature?.accuracy ?? null, masked: null, problems: cold.problems },
      rewards: columnOf(metrics, 'charts/episodic_return'),
      seconds,
      iterationSeconds: median(rollout.map((ms, i) => ms + (update[i] ?? 0))) / 1000,
      ...{ cpuSeconds: null, peakMiB: null },
      inPage: { ...shown, peft: job.python === undefined ? null : await comparePeft(job.python, job.model, folder) },
    };
  } finally {
    await served.close();
    rmSync(folder, { recursive: true });
  }
}
