// The facts about a learner in the `about.md` of its folder, and the list of learners in docs/learners.md: its formula as
// the card of the page shows it, the settings of its published form, its deviations, and what was measured.
import { trainerFacts } from '../../cli/elsewhere/trainers.ts';
import type { Settings } from '../../src/base/errors.ts';
import { describeFields, valueText } from '../../src/config/describe.ts';
import {
  learnerFacts,
  learnerNames,
  learnersWhere,
  learnerWhere,
  type LearnerName,
} from '../../src/config/learners/registry.ts';
import { canMatter } from '../../src/config/matters.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { publishedForm } from '../../src/config/recipe.ts';
import type { Config } from '../../src/config/schema.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import type { FormulaLine, TermName } from '../../src/records/formula.ts';
import { formulaTerms } from '../../src/records/formulaTerms.ts';
import { formulaOf } from '../../src/training/inspect/formula.ts';
import type { LearnerFacts } from '../../src/config/learners/facts.ts';
import { learners } from '../../src/training/learners/registry.ts';
import { rowsOf } from '../learners/plan.ts';
import type { LearnersResults } from '../learners/table.ts';
import { readResults } from '../shared/runner.ts';
import { code, spread, table } from '../shared/table.ts';
import { actingBy, named, refusedList } from './together.ts';
import { linesBlock } from './worlds.ts';

/** A function that generates the block of each learner, and one for the list of all. */
export const learnerBlocks: Readonly<Record<string, () => string>> = {
  learnerPages: listOfLearners,
  learnerLoss: sharedCard,
  ...Object.fromEntries(learnerNames.map((name) => [`learner_${name}`, () => factsOf(name)])),
};

function listOfLearners(): string {
  const line = (name: LearnerName) =>
    `- [${learnerFacts[name].label}](../src/extensions/learners/${name}/about.md): ${learnerFacts[name].meaning}`;
  return learnerNames.map(line).join('\n');
}

const factsOf = (name: LearnerName): string =>
  [
    learners[name].meaning,
    `Equation: ${code(learners[name].equation)}. Baseline: ${learners[name].baseline}.`,
    ownCard(name),
    settingsOf(name),
    deviationsOf(name),
    measuredOf(name),
  ].join('\n\n');

const publishedConfig = (name: LearnerName) => {
  const base = parseConfig({});
  return withSettings(base, publishedForm(name, base));
};

const linesOf = (config: Config) => formulaOf(config, { mixed: { worth: [] } })?.lines ?? [];

/** Lines of a formula card, and the names of the symbols that none of them computes. */
function cardText(lines: readonly FormulaLine[]): string {
  const symbol = (term: TermName) => formulaTerms[term].symbol;
  const formula = ({ left, right }: FormulaLine) =>
    `${symbol(left)} = ${right.map((part) => (typeof part === 'string' ? part : symbol(part.term))).join('')}`;
  const terms = lines.flatMap(({ right }) => right.flatMap((part) => (typeof part === 'string' ? [] : part.term)));
  const inputs = [...new Set(terms)].filter((term) => !lines.some(({ left }) => left === term));
  return [
    linesBlock(lines.map((line) => [line.title, formula(line)])),
    `Symbols: ${inputs.map((term) => `${code(symbol(term))} (${formulaTerms[term].name})`).join(', ')}.`,
  ].join('\n\n');
}

/** Position of the line from which on the cards of all learners with a policy loss are alike. */
const ratioAt = (lines: readonly FormulaLine[]) => lines.findIndex(({ left }) => left === 'ratio');

/** The lines of a learner's card that other learners do not have, in its published form. */
function ownCard(name: LearnerName): string {
  const lines = linesOf(publishedConfig(name));
  const isPolicy = learnerFacts[name].loss === 'policy';
  const rest = isPolicy ? ' up to the ratio ([`learners.md`](../../../../docs/learners.md) shows the rest)' : '';
  return [`Formula card of the learner${rest}:`, cardText(isPolicy ? lines.slice(0, ratioAt(lines)) : lines)].join(
    '\n\n',
  );
}

/** The lines that all learners with a policy loss have, with each term that settings can add. */
function sharedCard(): string {
  const lines = linesOf(
    parseConfig({ learning: { learner: learnerWhere(({ critic }) => critic === 'own') }, kl: { place: 'loss' } }),
  );
  return cardText(lines.slice(ratioAt(lines)));
}

const formWords = (form: Settings): string =>
  Object.entries(form)
    .map(([path, value]) => code(`${path}=${valueText(value)}`))
    .join(', ');

/** The settings of its published form, those that act or are refused with it, and its names in other trainers. */
function settingsOf(name: LearnerName): string {
  const acting = (learner: LearnerName) => actingBy('learning.learner', publishedConfig(learner));
  const others = learnersWhere(({ loss }) => loss === 'policy').map(acting);
  const own = acting(name).filter(
    ({ path }) =>
      !(path in learnerFacts[name].published) && !others.every((fields) => fields.some((field) => field.path === path)),
  );
  const { published, ours, ofTrees, forms = [] }: LearnerFacts = learnerFacts[name];
  const elsewhere = trainerFacts.flatMap(({ label, learners }) => {
    const there = learners[name];
    return there === undefined ? [] : [`${code(there)} of ${label}`];
  });
  return [
    `- Published form: ${formWords(published)}.`,
    ours &&
      `- If the learner is chosen on the page, these settings differ from the published form: ${formWords(ours)}.`,
    ofTrees &&
      `- If ${code('agents.candidates')} is above 1, the learner is ${ofTrees.label}: ${formWords(ofTrees.published)}.`,
    forms.length > 0 &&
      `- Other papers about this learner, which change only settings:\n${forms.map(({ paper, published: other }) => `  - ${paper}: ${formWords(other)}`).join('\n')}`,
    own.length > 0 && `- Further settings that only some learners have: ${named(own)}.`,
    refusedList(
      'learning.learner',
      publishedConfig(name),
      describeFields().filter((field) => canMatter(field, publishedConfig(name))),
    ),
    elsewhere.length > 0 && `- In other trainers: ${elsewhere.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n');
}

function deviationsOf(name: LearnerName): string {
  return ['Deviations from the paper:', learners[name].deviations.join('\n')].join('\n\n');
}

/** The rows in its folder, with their stored results. */
function measuredOf(name: LearnerName): string {
  const results = readResults<LearnersResults>('learners')?.rows ?? [];
  const rows = rowsOf(name).map((row) => ({ ...row, result: results.find((result) => result.name === row.name) }));
  return [
    `Accuracy before and after training, at temperature 1 and at temperature ${lowTemperature}, measured by ${code('npm run bench:learners')}. [\`results.md\`](../../../../docs/results.md#which-learner-learns-and-at-what-price) shows the rows of all learners and explains how they are measured:`,
    table(
      [
        ['Row', (row) => code(row.name)],
        ['Variant', ({ variant }) => variant],
        ['Before', ({ result }) => result && spread(result.before)],
        ['After', ({ result }) => result && spread(result.after)],
        [`Before at ${lowTemperature}`, ({ result }) => result?.lowBefore?.toFixed(3)],
        [`After at ${lowTemperature}`, ({ result }) => result?.lowAfter?.toFixed(3)],
      ],
      rows,
    ),
  ].join('\n\n');
}
