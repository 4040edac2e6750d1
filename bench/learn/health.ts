// Writes the metric logs of real runs with which the health cards are tested: `npm run bench:health` makes all of them,
// `-- lazy` only the named ones. Five seeds of the first preset and five of the defaults must never raise a card; the
// cards that the others must raise are listed in src/ui/health/measures.test.ts.
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets } from '../../src/config/presets.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Demonstrated, World } from '../../src/tasks/world.ts';
import { worlds } from '../../src/tasks/registry.ts';
import { runId } from '../../src/records/ids.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { trialOf, type Claim } from '../claims/claim.ts';
import { claims } from '../claims/plan.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { storeHealthLog } from '../shared/healthLogs.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { trainUntil } from '../shared/trainUntil.ts';

/** Returns house-rule arithmetic whose demonstrations teach a fault: `say` gives the faulty text of a message. */
function taught(
  say: (one: Demonstrated, before: Demonstrated | undefined, answer: string) => string,
  shows = false,
): World {
  const { houseRule } = worlds;
  return {
    ...houseRule,
    view: (problem, sees) => houseRule.view(problem, sees) + (shows && sees.length > 0 ? problem.answer : ''),
    demonstrate: (problem, ...rest) =>
      houseRule.demonstrate(problem, ...rest).map((one, i, all) => {
        const end = /<\w+>$/.exec(one.message)?.[0] ?? '';
        const isLast = one.message === end;
        return isLast ? one : { ...one, message: say(one, all[i - 1], problem.answer) + end };
      }),
  };
}

const textOf = (one?: Demonstrated) => (one?.message ?? '').replace(/<\w+>$/, '');

interface Case {
  settings: ConfigInput;
  iterations: number;
  /** The run ends after this many sampled tokens, if it has not ended before. */
  tokens?: number;
  world?: World;
}

const few = { problemsPerIteration: 8, groupSize: 8 };
const rarely = { evaluation: { problems: 64, every: 5 } };
const lively = {
  ...presets.micro.settings,
  agents: { ...presets.micro.settings.agents, roundLimit: 3 },
  warmStart: { source: 'none' },
} as const;
const learned = { ...rarely, learning: few, warmStart: { source: 'train', steps: 300, batchSize: 32 } } as const;

/** Returns both arms of a claim in one of its regimes. */
function ofClaim(id: string, words: string): [string, Case][] {
  const { arms, regimes } = claims.find((claim) => claim.id === id) as Claim;
  const regime = regimes.find((one) => one.words === words) as Claim['regimes'][0];
  return arms.map((arm, at) => {
    const { settings, seed, tokens } = trialOf(arm, regime, 21);
    return [`${id} ${at + 1}`, { settings: { ...settings, ...rarely, run: { seed } }, iterations: 1000, tokens }];
  });
}

const cases: Record<string, Case> = {
  ...Object.fromEntries(
    ([firstPreset, 'default'] as const).flatMap((preset) =>
      [11, 12, 13, 14, 15].map((seed) => [
        `${preset} ${seed}`,
        { settings: { ...presets[preset].settings, run: { seed } }, iterations: 100 },
      ]),
    ),
  ),
  babble: {
    settings: { ...lively, agents: { ...lively.agents, stopWhenTruncated: true, maskUnfinished: false } },
    iterations: 10,
  },
  lazy: {
    settings: {
      ...lively,
      agents: { ...lively.agents, stopWhenTruncated: false, maskUnfinished: false },
      reward: { finished: 1 },
      optimiser: { learningRate: 3e-3, warmupUpdates: 0 },
    },
    iterations: 25,
  },
  empty: { settings: learned, iterations: 6, world: taught((one) => (one.agent === 1 ? '' : textOf(one))) },
  copied: { settings: learned, iterations: 6, world: taught((one, before) => textOf(one.agent === 1 ? before : one)) },
  repeated: {
    settings: { ...learned, agents: { reasonWindow: 12 } },
    iterations: 6,
    world: taught((one) => (one.agent === 1 ? '7+7+7+7+7' : textOf(one))),
  },
  leaked: {
    settings: learned,
    iterations: 6,
    world: taught((one, _, answer) => (one.agent === 0 ? answer : textOf(one)), true),
  },
  mixed: { settings: { ...rarely, learning: { ...few, outcomeShare: 0.5 }, reward: { format: 0.1 } }, iterations: 6 },
  paidForLength: {
    settings: {
      ...rarely,
      learning: few,
      reward: { rightAnswer: 0, length: 1 },
      agents: { maskUnfinished: false },
      optimiser: { learningRate: 1e-3 },
    },
    iterations: 30,
  },
  verifierAlone: {
    settings: {
      ...rarely,
      learning: few,
      reward: { rightAnswer: 0 },
      verifier: { isTrained: true, reward: 1 },
      optimiser: { learningRate: 1e-3 },
    },
    iterations: 60,
  },
  ...Object.fromEntries([
    ...ofClaim('lazy-agent', 'word problems'),
    ...ofClaim('gamed-verifier', 'one agent'),
    ...ofClaim('collapse', 'house rule, level 1'),
  ]),
  recall: { settings: { ...presets.recall.settings, ...rarely }, iterations: 12 },
  forgetting: {
    settings: {
      ...presets.recall.settings,
      ...rarely,
      memory: { kept: 0, calledBack: 0 },
      reward: { rightAnswer: 0, length: 1 },
    },
    iterations: 15,
  },
  exploding: {
    settings: {
      ...rarely,
      learning: { ...few, updateEpochs: 8, groupStd: false, dualClip: 0, logratioClamp: 20 },
      reward: { rightAnswer: 2, format: 2, finished: 2 },
      optimiser: { learningRate: 3e-3, maxGradNorm: 100 },
    },
    iterations: 10,
  },
};

await startBackend('simd', { ours: true });
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(cases)) {
  const { settings, iterations, tokens = Infinity, world } = cases[name] as Case;
  const config = parseConfig({ ...settings, run: { ...settings.run, iterations } });
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('health'),
    backend: 'simd',
    loadShipped,
    ...(world && { world }),
  });
  const { metrics, evaluations, failure } = await trainUntil(
    checkpoint,
    ({ sampledTokens }) => sampledTokens >= tokens,
    world ? { world } : {},
  );
  const names = storeHealthLog(name, { metrics, evaluations, failure });
  console.log(name, failure, evaluations.map(({ accuracy }) => accuracy.toFixed(3)).join(' '));
  for (const one of names)
    console.log(
      '  ',
      one,
      metrics
        .map((row) => row[one]?.toPrecision(2))
        .filter((_, i) => i % Math.ceil(metrics.length / 8) === 0)
        .join(' '),
    );
}
