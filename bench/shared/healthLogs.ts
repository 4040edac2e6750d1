// The metric logs of real runs with which the health cards are tested (src/ui/health/measures.test.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import type { Evaluation } from '../../src/records/metrics.ts';

const file = 'bench/results/health.json';

/** A run that is stored: the metrics of every iteration, and its evaluations. */
export interface LoggedRun {
  metrics: readonly Readonly<Record<string, number>>[];
  evaluations: readonly Evaluation[];
  /** The error that ended the run; empty if there was none. */
  failure: string;
}

/** Metrics that a card reads. */
const isRead = (name: string) =>
  /^(charts\/(dead|finished|truncated|unanswered|leaked|mixed|causal|empty|copied|repeated|tokens_per_turn|training_accuracy$|episodic)|losses\/(entropy$|approx_kl|grad_norm)|rewards\/calledBack)/.test(
    name,
  );

/** Stores the metrics of a run that a card reads, in place of a log with this name. Returns the names of the metrics. */
export function storeHealthLog(name: string, { metrics, evaluations, failure }: LoggedRun): string[] {
  const logs = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const names = [...new Set(metrics.flatMap(Object.keys))].filter(isRead);
  const round = (value?: number) => (value === undefined ? null : Number(value.toPrecision(3)));
  logs[name] = {
    values: Object.fromEntries(names.map((one) => [one, metrics.map((row) => round(row[one]))])),
    evaluations: evaluations.map(({ iteration, accuracy, low, high, maskedMessage }) => ({
      iteration,
      accuracy,
      low,
      high,
      maskedMessage,
    })),
    failure,
  };
  const lines = Object.entries(logs).map(([key, log]) => `${JSON.stringify(key)}:${JSON.stringify(log)}`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
  return names;
}
