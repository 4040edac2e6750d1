// Runs one suite of Vitest in a separate process and reports the result of each test. A suite is limited by progress,
// not by the clock: it is terminated when no test has started or finished for `silenceMs`. A suite that is terminated,
// or crashes, still reports all results known until then.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {import('./tallyReporter.mjs').TestRecord} TestRecord
 * @typedef {import('./tallyReporter.mjs').Line} Line
 * @typedef {{ tests: TestRecord[], brokenFiles: { file: string, message: string }[], strayErrors: string[],
 *   underWay: string[], isComplete: boolean, exit: number | string | null, wasSilent: boolean }} Outcome
 */

const scripts = path.dirname(fileURLToPath(import.meta.url));
const vitest = path.join(scripts, '..', 'node_modules', 'vitest', 'vitest.mjs');

/**
 * @param {{ cwd: string, config: string, tallyFile: string, silenceMs: number, ownsTerminal?: boolean }} suite
 *   `ownsTerminal`: no other suite writes at the same time, so that Vitest may redraw its lines
 * @returns {Promise<Outcome>} `underWay`: tests (or files) that had begun and not finished when the process ended
 */
export async function runSuite({ cwd, config, tallyFile, silenceMs, ownsTerminal = false }) {
  mkdirSync(path.dirname(tallyFile), { recursive: true });
  writeFileSync(tallyFile, '');
  const output = ownsTerminal ? 'inherit' : 'pipe';
  const reporters = ['--reporter=default', `--reporter=${path.join(scripts, 'tallyReporter.mjs')}`];
  const isGroup = process.platform !== 'win32';
  const child = spawn(process.execPath, [vitest, 'run', '--config', config, ...reporters], {
    cwd,
    stdio: ['ignore', output, output],
    // The suite is a separate process group, because a worker in an endless loop does not notice that its parent has
    // ended.
    detached: isGroup,
    env: { ...process.env, TALLY_FILE: tallyFile, CI: process.env.CI ?? '1' },
  });
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  const kill = () => {
    if (child.pid && isGroup) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  const onSignal = () => {
    kill();
    process.exit(130);
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, onSignal);

  let wasSilent = false;
  const watch = setInterval(
    () => {
      if (Date.now() - statSync(tallyFile).mtimeMs < silenceMs) return;
      wasSilent = true;
      clearInterval(watch);
      kill();
    },
    Math.min(silenceMs / 4, 5000),
  );
  const exit = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(signal ?? code));
  });
  clearInterval(watch);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.off(signal, onSignal);
  return { ...readTally(readFileSync(tallyFile, 'utf8')), exit, wasSilent };
}

/**
 * @param {string} text lines of scripts/tallyReporter.mjs; the last one may be cut off
 * @returns {Omit<Outcome, 'exit' | 'wasSilent'>}
 */
function readTally(text) {
  /** @type {Line[]} */
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const tests = lines.flatMap((line) => ('test' in line ? [line.test] : []));
  const finished = new Set(tests.flatMap(({ file, name }) => [file, `${file} > ${name}`]));
  const isComplete = lines.some((line) => 'ended' in line);
  return {
    tests,
    brokenFiles: lines.flatMap((line) =>
      'brokenFile' in line ? [{ file: line.brokenFile, message: line.message }] : [],
    ),
    strayErrors: lines.flatMap((line) => ('strayError' in line ? [line.strayError] : [])),
    underWay: isComplete
      ? []
      : lines.flatMap((line) => ('begun' in line && !finished.has(line.begun) ? [line.begun] : [])),
    isComplete,
  };
}
