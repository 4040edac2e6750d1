// Keeps the tables of README.md and docs/ up to date. Everything between `<!-- generated:NAME -->` and `<!-- /generated
// -->` is generated from the schema, the metric table, the glossary, the extensions and the bench results. The growth
// figure is drawn from the bench results. `--check` writes nothing and exits with 1 if something is out of date. In the
// table of rooms it checks only the set of rooms, because line counts change with every commit and are updated together
// with other changes.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { createServer } from 'vite';
import { root } from './freshness.mjs';
import { libraryList } from '../lib/listing.mjs';
import { survey } from './house.mjs';
import { wasmUrlForNode } from './nodePlugins.mjs';

process.chdir(root);
// The loader is kept until the end, because worlds that run programs load their interpreter for the first program.
const loader = await createServer({
  ...{ root, configFile: false, logLevel: 'error', appType: 'custom' },
  ...{ plugins: [wasmUrlForNode()], optimizeDeps: { noDiscovery: true } },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
/** @type {typeof import('../bench/tables.ts')} */
const { benchTables } = await load('bench/tables.ts');
/** @type {typeof import('../bench/about.ts')} */
const { aboutBlocks } = await load('bench/about.ts');
/** @type {typeof import('../bench/coverage.ts')} */
const { coverageBlocks } = await load('bench/coverage.ts');
/** @type {typeof import('../bench/shared/table.ts')} */
const { code, table } = await load('bench/shared/table.ts');
/** @type {typeof import('../bench/shared/runner.ts')} */
const { readResults } = await load('bench/shared/runner.ts');

/** @type {typeof import('../cli/commands.ts')} */
const { commands } = await load('cli/commands.ts');
/** @type {typeof import('../cli/command.ts')} */
const { helpOf } = await load('cli/command.ts');

/** Returns the page of each extension, which is in its folder. */
function aboutExtensions() {
  const all = path.join('src', 'extensions');
  return readdirSync(path.join(root, all), { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'about.md')
    .map((name) => path.join(all, name));
}

const block = /(<!-- generated:(\w+) -->)[\s\S]*?(<!-- \/generated -->)/g;
const ownBlocks = {
  settings: settingsList,
  metrics: metricsTable,
  glossary: glossaryList,
  house: houseTable,
  cli: commandHelp,
  lessons: lessonFields,
  library: libraryList,
};
/** @type {Record<string, () => string | Promise<string>>[]} */
const sources = [ownBlocks, benchTables, aboutBlocks, coverageBlocks];
/** @type {typeof sources[0]} */
const makers = Object.assign({}, ...sources);
const plotFile = path.join(root, 'bench', 'results', 'growth.svg');
const isCheck = process.argv.includes('--check');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(root, 'docs')).map((name) => path.join('docs', name)),
  ...aboutExtensions(),
]
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, before: readFileSync(path.join(root, file), 'utf8') }));
const names = pages.flatMap(({ before }) => [...before.matchAll(block)].map(([, , name = '']) => name));
const made = sources.flatMap(Object.keys);
const twice = made.filter((name, at) => made.indexOf(name) !== at);
const unknown = names.filter((name) => !(name in makers));
const absent = made.filter((name) => !names.includes(name));
if (twice.length > 0) fail(`Two sources generate the block ${twice.join(', ')}.`);
if (unknown.length > 0) fail(`No source generates the block ${unknown.join(', ')}.`);
if (absent.length > 0) fail(`No page has the block ${absent.map((name) => `<!-- generated:${name} -->`).join(', ')}.`);

// Paths in pages must exist, except those with a NAME that the reader replaces. The log is not checked, because it
// describes earlier states.
const lost = pages
  .filter(({ file }) => path.basename(file) !== 'log.md')
  .flatMap(({ file, before }) =>
    [...before.matchAll(/`((?:src|workers|cli|bench|interop|scripts|e2e|public|docs)\/[\w./-]+)`/g)]
      .filter(([, place = '']) => !place.includes('NAME') && !existsSync(place))
      .map(([, place]) => `${file}: ${place}`),
  );
if (lost.length > 0) fail(`These files do not exist: ${lost.join(', ')}.`);

const texts = new Map();
for (const name of new Set(names)) texts.set(name, await makers[name]?.());
const stale = [];
for (const { file, before } of pages) {
  const filled = before.replace(block, (whole, open, name, close) => {
    const isSettled = isCheck && name === 'house' && firstColumn(whole) === firstColumn(texts.get(name));
    return isSettled ? whole : `${open}\n\n${texts.get(name)}\n\n${close}`;
  });
  const filepath = path.join(root, file);
  const after = await format(filled, { ...(await resolveConfig(filepath)), filepath });
  if (after !== before) stale.push({ file, after });
}
const plot = await growthFigure();
if (plot !== null && (!existsSync(plotFile) || readFileSync(plotFile, 'utf8') !== plot)) {
  stale.push({ file: path.relative(root, plotFile), after: plot });
}
if (isCheck && stale.length > 0)
  fail(`Stale: ${stale.map(({ file }) => file).join(', ')}; run \`npm run docs:renew\`.`);
for (const { file, after } of stale) {
  writeFileSync(path.join(root, file), after);
  console.log(`${file} is updated.`);
}
await loader.close();

async function settingsList() {
  /** @type {typeof import('../src/config/describe.ts')} */
  const { describeFields, expectation, valueText } = await load('src/config/describe.ts');
  /** @type {typeof import('../src/config/matters.ts')} */
  const { mattersWords } = await load('src/config/matters.ts');
  /** @type {typeof import('../src/config/schema.ts')} */
  const { sectionLabels } = await load('src/config/schema.ts');
  /** @typedef {ReturnType<typeof describeFields>[0]} Field */
  const where = (/** @type {Field} */ field) =>
    field.matters && `This setting takes effect ${mattersWords(field, 'file')}.`;
  const line = (/** @type {Field} */ field) => {
    const facts = [
      `Default: ${code(valueText(field.fallback))}`,
      `Possible values: ${expectation(field)}${field.unit ? ` (${field.unit})` : ''}`,
      `Source: ${field.source.replace(/\.$/, '')}`,
    ];
    const meanings = Object.entries((field.kind === 'choice' && field.meanings) || {});
    const explained = meanings.map(([name, meaning]) => `${code(name)}: ${meaning}`);
    return `- **${code(field.path)}** ${[`${field.label}.`, field.help, ...explained, where(field)].filter(Boolean).join(' ')} _${facts.join('. ')}._`;
  };
  return Object.entries(sectionLabels)
    .map(([section, label]) => {
      const fields = describeFields().filter((field) => field.section === section);
      return `## ${label}\n\n${fields.map(line).join('\n')}`;
    })
    .join('\n\n');
}

/** Returns the fields of a lesson, from its schema, and the measures that its checks can use. */
async function lessonFields() {
  /** @type {typeof import('../src/lessons/lessonForm.ts')} */
  const { checkForms, lessonForms, ownMeasures, stepForms } = await load('src/lessons/lessonForm.ts');
  /** @type {typeof import('valibot')} */
  const { getDescription, safeParse } = await import('valibot');
  const fields = (/** @type {Record<string, import('valibot').GenericSchema>} */ forms) =>
    Object.entries(forms)
      .map(([name, form]) => {
        const isOptional = safeParse(form, undefined).success && !['run', 'steps'].includes(name);
        return `- **${code(name)}**${isOptional ? ' (optional)' : ''}: ${getDescription(form)}`;
      })
      .join('\n');
  const measures = Object.entries(ownMeasures).map(([name, what]) => `- **${code(name)}**: ${what}`);
  return [
    `## The lesson\n\n${fields(lessonForms)}`,
    `## A step\n\n${fields(stepForms)}`,
    ...Object.entries(checkForms).map(([kind, forms]) => `## A check: ${kind}\n\n${fields(forms)}`),
    `## What can be measured\n\nThe measures are all metrics of [\`metrics.md\`](metrics.md), as means over five iterations, and these:\n\n${measures.join('\n')}`,
  ].join('\n\n');
}

async function glossaryList() {
  /** @type {typeof import('../src/ui/glossary/terms.ts')} */
  const { terms } = await load('src/ui/glossary/terms.ts');
  return terms.map(({ word, meaning, source }) => `- **${word}** ${meaning} _${source}._`).join('\n');
}

/** Returns the text that `--help` prints for each command. */
function commandHelp() {
  return commands.map((command) => `## ${command.name}\n\n\`\`\`text\n${helpOf(command)}\`\`\``).join('\n\n');
}

/** Returns the table of all rooms with their files, their siblings and their lines, rounded to hundreds. */
function houseTable() {
  const { rooms, sourceLines, testLines } = survey(root);
  const hundreds = (/** @type {number} */ lines) => (Math.round(lines / 100) * 100).toLocaleString('en');
  /** @type {import('../bench/shared/table.ts').Column<import('./house.mjs').Room>[]} */
  const columns = [
    ['Room', ({ room }) => code(room)],
    ['Files', ({ files }) => files],
    ['Lines', ({ lines }) => (lines < 100 ? 'under 100' : hundreds(lines))],
    ['Siblings', ({ siblings }) => siblings],
  ];
  const share = Math.round((100 * testLines) / (sourceLines + testLines));
  const sums = `The source in \`src\` and \`workers\` has ${hundreds(sourceLines)} lines. All tests together have ${hundreds(testLines)} lines, which is ${share} % of source and tests.`;
  return [table(columns, rooms), sums].join('\n\n');
}

/** @param {string} text */
function firstColumn(text) {
  return [...text.matchAll(/^\| (`[^`]+`)/gm)].map(([, name]) => name).join();
}

async function metricsTable() {
  /** @type {typeof import('../src/records/metrics.ts')} */
  const { metricTable } = await load('src/records/metrics.ts');
  /** @type {import('../bench/shared/table.ts').Column<(typeof metricTable)[number]>[]} */
  const columns = [
    [
      'Metric',
      (metric) =>
        code(metric.name) +
        ('isPerRole' in metric ? ', and per role' : 'isPerPlace' in metric ? ', and per place' : ''),
    ],
    ['In words', ({ label }) => label],
    ['Formula', ({ formula }) => formula],
    ['Unit', (metric) => ('unit' in metric ? metric.unit : '')],
    ['Source', ({ source }) => source],
  ];
  return table(columns, metricTable);
}

async function growthFigure() {
  /** @type {typeof import('../bench/step/growthPlot.ts')} */
  const { growthPlot } = await load('bench/step/growthPlot.ts');
  return growthPlot(
    /** @type {{ rows: import('../bench/step/row.ts').Row[] } | undefined} */ (readResults('step'))?.rows ?? [],
  );
}

/**
 * Loads a module. The caller states its type.
 * @template Module
 * @param {string} file
 * @returns {Promise<Module>}
 */
async function load(file) {
  return /** @type {Module} */ (await loader.ssrLoadModule(path.join(root, file)));
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(1);
}
