// Does a team learn in a visitor's own world and in an imported file? `npm run bench:own` trains the initial example of
// the editor and a file of sums in GSM8K's format, each from its own warm start. It prints the held-out accuracy before
// and after, and the share of time in the world's own code. Options: `-- --seed 11`, `--iterations 60`, `--steps 800`
// (supervised).
import { Draws, streams } from '../../src/base/random.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { OwnWorld } from '../../src/config/worlds/own.ts';
import { gsm8k } from '../../src/formats/datasets/sums.ts';
import { makeTable } from '../../src/tasks/custom/imported/makeTable.ts';
import { packTable } from '../../src/tasks/custom/imported/table.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { checkWorld, openWorld } from '../../src/tasks/registry.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { readOptions } from '../shared/runner.ts';
import { trainUntil } from '../shared/trainUntil.ts';
import { benchStart } from '../shared/warmStarts.ts';

const { values, wholeNumber } = readOptions({ seed: '11', iterations: '60', steps: '800', only: '' });

/**
 * Returns rows in the style of GSM8K: a person has some items and finds a few equal bags of them; no row appears twice.
 */
function sums(count: number): { question: string; answer: string }[] {
  const draws = new Draws(1, streams.control, 0);
  const rows = new Map<string, string>();
  while (rows.size < count) {
    const [a, b, c] = [1 + draws.below(20), 2 + draws.below(4), 2 + draws.below(4)] as const;
    const who = draws.pick(['Mia', 'Tom', 'Ann', 'Ben']);
    const what = draws.pick(['shells', 'coins', 'apples']);
    rows.set(
      `${who} has ${a} ${what} and finds ${b} bags of ${c} ${what}. How many ${what} does ${who} have?`,
      `The bags hold <<${b}*${c}=${b * c}>>${b * c}. That makes <<${a}+${b * c}=${a + b * c}>>${a + b * c}.\n#### ${a + b * c}`,
    );
  }
  return [...rows].map(([question, answer]) => ({ question, answer }));
}

async function imported(): Promise<OwnWorld> {
  const examples = sums(1500).flatMap((read, row) => {
    const example = gsm8k.read(read, { contextSigns: 256 });
    return typeof example === 'string' ? [] : [{ ...example, row }];
  });
  const { table } = await makeTable('gsm8k', examples, { vocabulary: 400, prompt: 256 });
  return checkWorld({ kind: 'table', packed: packTable(table) });
}

const worlds: readonly [name: string, world: () => Promise<OwnWorld>][] = [
  ['the example of the editor', () => checkWorld({ kind: 'module', source: templates.planAndExecute.source })],
  ['sums in the shape of GSM8K', imported],
];

await startBackend('simd', { ours: true });
for (const [name, make] of worlds) {
  if (!name.includes(values.only)) continue;
  const own = await make();
  await openWorld(own);
  const config = parseConfig({
    world: { name: own.form.name },
    houseRule: { legalOperation: 0, rewrite: 0 },
    warmStart: { source: 'train', steps: wholeNumber('steps'), batchSize: 32, goodPlans: 0.4 },
    evaluation: { every: 1000, problems: 256 },
    run: { seed: Number(values.seed), iterations: wholeNumber('iterations') },
  });
  const { checkpoint } = await benchStart(config);
  const { evaluations, sampledTokens, seconds, worldShare, failure } = await trainUntil(checkpoint, () => false);
  const [before, after] = [evaluations[0], evaluations.at(-1)].map((one) =>
    [one?.accuracy, one?.maskedMessage, one?.ceiling].map((share) => share?.toFixed(3)).join(' / '),
  );
  const cost = `${seconds.toFixed(0)} s, ${(100 * worldShare).toFixed(1)} % of it in the world`;
  console.log(`${name}: ${before} → ${after} (right / masked / ceiling), ${sampledTokens} tokens, ${cost}${failure}`);
}
process.exit(0);
