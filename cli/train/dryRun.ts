// `cothink train --dry-run`: reports what the command would train, how long this takes here and how much memory it
// needs, from small trials. Nothing is stored.
import { availableParallelism } from 'node:os';
import { ConfigError } from '../../src/base/errors.ts';
import { runDifference, runName } from '../../src/config/runName.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { imitatesChats } from '../../src/config/warmStarts.ts';
import { runId } from '../../src/records/ids.ts';
import { measureIteration } from '../../src/training/preflight/preflight.ts';
import { forecastWarmStart } from '../../src/training/preflight/warmStartForecast.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { disposeTrainState, restoreTrainState } from '../../src/training/run/trainState.ts';
import { Gate } from '../../src/training/team/gate.ts';
import type { CommandArguments } from '../command.ts';
import { loadShipped, readyWorld, startEngine } from '../engine.ts';
import { openReporter } from '../report.ts';
import { askedFor, seedsOf, type TrainingRequest } from './asked.ts';

/** Reports the forecast. Returns the exit code. Throws ConfigError if the run is impossible or too large. */
export async function dryRun(given: CommandArguments): Promise<number> {
  for (const option of ['resume', 'at', 'env', 'pairs', 'chats'])
    if (given.has(option))
      throw new ConfigError(`--dry-run: a forecast is possible only for a new run without --${option}.`);
  const reporter = openReporter(given.has('json') || undefined);
  const asked = await askedFor(given);
  const { config, preset, fork } = asked.history;
  if (fork || imitatesChats(config))
    throw new ConfigError(`--dry-run: no forecast is possible for ${fork ? 'a fork' : 'a run that imitates chats'}.`);
  const seeds = seedsOf(asked.history, given.whole('seeds', 1) ?? 1);
  await readyWorld(config, asked.world);
  // Several seeds are trained with one thread each.
  const threads = given.whole('threads', 1) ?? (seeds.length > 1 ? 1 : undefined);
  const { backend, adapter } = await startEngine(config.run.backend, threads === undefined ? {} : { threads });
  const rest = await forecastWarmStart({ config, backend });
  const cost = rest ? null : await iterationCost(asked, backend);
  const { iterations } = config.run;
  const differing = runDifference(config, presetConfig(preset), Infinity);
  reporter.tell({
    event: 'dryRun',
    ...{ name: runName(config), preset, differing, seeds, iterations, backend, adapter },
    warmStartMs: rest ? (rest.msLeft ?? null) : 0,
    iterationMs: cost?.iterationMs ?? null,
    memoryBytes: cost?.memoryBytes ?? null,
    parameters: cost?.parameters ?? null,
  });
  const runs = seeds.length === 1 ? '' : `, ${seeds.length} seeds`;
  reporter.say(`${runName(config)} (${preset}${differing && `: ${differing}`}) on ${backend} (${adapter})${runs}`);
  if (rest)
    reporter.say(
      `First a warm start is trained${rest.msLeft === undefined ? '' : `, in about ${lasting(rest.msLeft)}`}. How long an iteration takes is known only afterwards.`,
    );
  if (cost) {
    // Several seeds share the cores, one core for each run.
    const rounds = Math.ceil(seeds.length / availableParallelism());
    reporter.say(
      `${iterations} iterations take about ${lasting(cost.iterationMs * iterations * rounds)}, ${lasting(cost.iterationMs)} each; ${megabytes(cost.memoryBytes)} of memory${seeds.length > 1 ? ' for each run' : ''}; ${cost.parameters.toLocaleString('en')} parameters.`,
    );
  }
  return 0;
}

async function iterationCost({ history, models }: TrainingRequest, backend: string) {
  const { config } = history;
  const checkpoint = await startingCheckpoint({
    ...{ config, backend, loadShipped, runId: runId('dry-run') },
    loadModel: (name) => models.get(name),
  });
  const trainState = restoreTrainState(checkpoint, new Gate());
  try {
    return await measureIteration(trainState);
  } finally {
    disposeTrainState(trainState);
  }
}

const lasting = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
};

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
