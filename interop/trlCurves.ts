// Compares the curves of Pass it on, learned by Cothink and by TRL's GRPOTrainer with PEFT from the same model, problems,
// prompts and settings, as `npm run words -- --only rlAlone,trl --rungs passItOn` has stored them.
import { presetConfig } from '../src/config/presets.ts';
import { readResults } from '../bench/shared/runner.ts';
import type { WordsRow } from '../bench/words/table.ts';
import { comparedCurves } from '../bench/words/twinCurves.ts';

const version = process.argv[2] ?? '';
const { rows = [] } = readResults<{ rows: WordsRow[] }>('words') ?? {};
const rowOf = (stage: string) => rows.find((row) => row.rung === 'passItOn' && row.stage === stage);
const [ours, theirs] = [rowOf('rlAlone'), rowOf('trl')];
if (!ours || !theirs) throw new Error('bench/results/words.json has no rows rlAlone and trl of passItOn');
const counts = { version, passed: 0, failed: 0 };
function check(words: string, isGood: boolean): void {
  counts[isGood ? 'passed' : 'failed']++;
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${words}`);
}
const { learning } = presetConfig('passItOn');
const compared = comparedCurves(ours, theirs, learning.problemsPerIteration * learning.groupSize);
const curve = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');
console.log(`       Cothink, seeds ${ours.seeds.join(', ')}: ${curve(compared.ours)}`);
console.log(`       TRL,     seeds ${theirs.seeds.join(', ')}: ${curve(compared.theirs)}`);
check(
  `the curves are within each other's band in ${(100 * compared.share).toFixed(0)} % of the iterations`,
  compared.isSame,
);
for (const [name, { before, after }] of Object.entries({ Cothink: ours, TRL: theirs }))
  check(
    `${name} learns: ${before.mean.toFixed(2)} → ${after?.mean.toFixed(2)} of the held-out problems`,
    (after?.mean ?? 0) - before.mean >= 0.15,
  );
const [own, other] = [ours.iterationSeconds ?? NaN, theirs.iterationSeconds ?? NaN];
if (ours.machine === theirs.machine && ours.threads === theirs.threads)
  check(
    `an iteration takes ${own.toFixed(1)} s in Cothink and ${other.toFixed(1)} s in TRL, with as many threads`,
    own <= other,
  );
console.log(`counts ${JSON.stringify({ 'TRL, learning': counts })}`);
