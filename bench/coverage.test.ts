// Tests the rows of docs/coverage.md: their names exist, their commands use what the rows name, and every command does
// what the page says. The commands run with the built program in one folder, two at a time.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, cothink, programFile, removeProgram, type Ended } from '../cli/testing/program.ts';
import type { Settings } from '../src/base/errors.ts';
import { fieldAt, type Field } from '../src/config/describe.ts';
import { readFieldText, withSettings } from '../src/config/parse.ts';
import { isPreset, presetConfig, presets, type PresetName } from '../src/config/presets.ts';
import type { Config } from '../src/config/schema.ts';
import {
  anliRow,
  gsm8kRow,
  hotpotRow,
  javaScriptRow,
  pythonRow,
  rowsOf as made,
  twoWikiRow,
} from '../src/formats/datasets/testing/rows.ts';
import { configFileOf, sampleFiles, sampleShape } from '../src/formats/llama/testing/sample.ts';
import { templates } from '../src/tasks/custom/templates.ts';
import { coveredSystems, rowsOf } from './coverage.ts';
import { commands, variables, type CommandName } from './coverage/commands.ts';
import type { CoverageRow } from './coverage/row.ts';

const names = Object.keys(commands) as CommandName[];
const rows = coveredSystems.flatMap((system) => rowsOf(system).map((row) => ({ ...row, of: system.name })));

/** The words of a command without its first, as a shell splits them. */
function argumentsOf(name: CommandName): string[] {
  const line = commands[name].line.replace(/\$(\w+)/g, (_, variable: keyof typeof variables) => variables[variable]);
  return [...line.matchAll(/'([^']*)'|(?:[^\s']|'([^']*)')+/g)].slice(1).map(([word]) => word.replaceAll("'", ''));
}

/** The values of an option that can be repeated. */
const valuesOf = (words: readonly string[], option: string) =>
  words.flatMap((word, i) => (words[i - 1] === option ? [word] : []));

interface Used {
  settings: readonly string[];
  preset: PresetName | null;
  config: Config;
}

/** The settings of a training command, by its preset and its options; null for every other command. */
function usedBy(name: CommandName): Used | null {
  const words = argumentsOf(name);
  if (words[0] !== 'train' || commands[name].refused !== undefined) return null;
  const written = valuesOf(words, '--set').filter((one) => !/^agents\.(start|otherStart)=/.test(one));
  const set: Settings = Object.fromEntries(
    written.map((one) => {
      const [setting = '', ...value] = one.split('=');
      return [setting, readFieldText(fieldAt(setting) as Field, value.join('='))];
    }),
  );
  const [preset = null] = valuesOf(words, '--preset').filter(isPreset);
  const sections = Object.entries(preset ? presets[preset].settings : {});
  const files = words.includes('--model') ? ['agents.start'] : [];
  return {
    settings: [
      ...sections.flatMap(([section, fields]) => Object.keys(fields as object).map((field) => `${section}.${field}`)),
      ...valuesOf(words, '--set').map((one) => one.slice(0, one.indexOf('='))),
      ...files,
    ],
    preset,
    config: withSettings(presetConfig(preset ?? 'quick'), set),
  };
}

/** The heading of a Markdown page as it is in links. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const claims = (JSON.parse(readFileSync('bench/results/claims.json', 'utf8')) as { rows: { id: string }[] }).rows.map(
  ({ id }) => id,
);
const pageCode = ['src/ui', 'src/state']
  .flatMap((place) => readdirSync(place, { recursive: true, encoding: 'utf8' }).map((file) => path.join(place, file)))
  .filter((file) => /(?<!\.test)\.(svelte|ts)$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

describe.each(rows)('$of: $name', (row) => {
  const { shownBy = [], presses = [], pages = [], settings = [], state, remark } = row as CoverageRow;
  const used = shownBy.map(usedBy).filter((one) => one !== null);

  it('is shown if it works, and has a reason if it does not', () => {
    if (state !== 'not') expect([...shownBy, ...presses, ...pages]).not.toEqual([]);
    if (state !== 'works') expect(remark).toMatch(/\.$/);
    if (state === 'works') expect(shownBy.filter((name) => commands[name].refused !== undefined)).toEqual([]);
  });

  it('names settings, claims, buttons and files that exist', () => {
    for (const setting of settings) expect(fieldAt(setting), setting).toBeDefined();
    for (const claim of row.claims ?? []) expect(claims).toContain(claim);
    for (const label of presses) expect(pageCode.includes(`'${label}'`), label).toBe(true);
    for (const page of pages) {
      const [file = '', heading] = page.split('#');
      expect(existsSync(file), file).toBe(true);
      if (heading === undefined) continue;
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => slug(text));
      expect(headings, page).toContain(heading);
    }
  });

  it('has commands that use every setting, preset, learner, protocol and world of the row', () => {
    if (shownBy.length === 0) return;
    const inUse = {
      settings: used.flatMap((one) => one.settings),
      presets: used.map(({ preset }) => preset),
      learners: used.map(({ config }) => config.learning.learner),
      protocols: used.map(({ config }) => config.agents.protocol),
      worlds: used.map(({ config }) => config.world.name),
    };
    const named = {
      settings,
      presets: row.presets,
      learners: row.learners,
      protocols: row.protocols,
      worlds: row.worlds,
    };
    for (const [kind, wanted = []] of Object.entries(named))
      expect(inUse[kind as keyof typeof inUse], kind).toEqual(expect.arrayContaining([...wanted]));
  });
});

it('no description has two rows of one name, and every command belongs to a row', () => {
  for (const system of coveredSystems) {
    const all = rowsOf(system).map(({ name }) => name);
    expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
  }
  const shown = new Set(rows.flatMap(({ shownBy = [] }) => shownBy));
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

describe('the commands', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-coverage-'));
  const at = (name: string) => path.join(folder, name);
  const ended = new Map<CommandName, Promise<Ended>>();
  const servers: ChildProcess[] = [];
  /** The address of the server with a team. */
  let address = { url: '', grpc: '', models: [] as string[] };

  /** Writes the files that the commands read and no command writes. */
  async function writeFiles(): Promise<void> {
    const lines = (name: string, table: readonly object[]) =>
      writeFileSync(at(name), table.map((row) => `${JSON.stringify(row)}\n`).join(''));
    lines('gsm8k.jsonl', made(gsm8kRow, 40));
    lines('anli.jsonl', made(anliRow, 40));
    lines('hotpotqa.jsonl', made(hotpotRow, 40));
    lines('2wikimultihopqa.jsonl', made(twoWikiRow, 40));
    lines('humaneval-js.jsonl', made(javaScriptRow, 10));
    lines('humaneval.jsonl', made(pythonRow, 10));
    lines(
      'memagent.jsonl',
      made(
        (i) => ({ prompt: [{ role: 'user', content: `Who is ${i}?` }], context: `He is ${i}.`, extra_info: {} }),
        10,
      ),
    );
    const chat = [
      { role: 'user', content: 'two and two' },
      { role: 'assistant', content: 'four' },
    ];
    lines('chats.jsonl', [{ messages: chat }]);
    writeFileSync(at('world.js'), Object.values(templates)[0]?.source ?? '');
    const shape = { ...sampleShape(), maxPositions: 2048 };
    mkdirSync(at('tiny-llama'));
    for (const { name, bytes } of sampleFiles({ shape }))
      writeFileSync(path.join(at('tiny-llama'), name), await bytes());
    // The shape of the published model; its weights are not read.
    const large = { ...shape, vocabSize: 151_936, hiddenSize: 2048, intermediateSize: 11_008, numLayers: 36 };
    mkdirSync(at('Qwen2.5-3B-Instruct'));
    for (const { name, bytes } of sampleFiles({ shape }))
      writeFileSync(
        path.join(at('Qwen2.5-3B-Instruct'), name),
        name === 'config.json' ? JSON.stringify(configFileOf(large)) : await bytes(),
      );
  }

  /** Starts the server of a command on free ports. It serves until the tests have ended. */
  function serve(words: readonly string[]): Promise<Ended> {
    const free = words.map((word, i) => (/^--(port|grpc)$/.test(words[i - 1] ?? '') ? '0' : word));
    const child = spawn(process.execPath, [programFile(), ...free, '--json'], { cwd: folder });
    servers.push(child);
    return new Promise((resolve) => {
      let err = '';
      child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
      child.on('close', (code) => resolve({ code, news: [], out: '', err }));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const told = JSON.parse(line) as typeof address;
        if (told.models.length > 0) address = told;
        resolve({ code: 0, news: [], out: line, err: '' });
      });
    });
  }

  const isServing = (name: CommandName) => commands[name].line.startsWith('cothink serve') && !commands[name].refused;

  function run(name: CommandName): Promise<Ended> {
    const words = argumentsOf(name).map((word) => (word.startsWith('grpc://') ? address.grpc : word));
    return isServing(name) ? serve(words) : cothink(words, undefined, undefined, folder);
  }

  /** The files and folders that a command writes. */
  const writtenBy = (name: CommandName) => {
    const words = argumentsOf(name);
    return [...valuesOf(words, '--out'), ...valuesOf(words, '--output')];
  };
  const reads = (name: CommandName, file: string) =>
    argumentsOf(name).some((word) => (word.split('=').at(-1) ?? '').split('#')[0] === file);
  const isNeededBy = (name: CommandName, earlier: CommandName) =>
    writtenBy(earlier).some((file) => reads(name, file)) ||
    (isServing(earlier) && argumentsOf(name).some((word) => word.startsWith('grpc://')));

  beforeAll(async () => {
    buildProgram();
    await writeFiles();
    const waiting = [...names];
    const lane = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const own = name;
        const needed = [...ended].flatMap(([earlier, end]) => (isNeededBy(own, earlier) ? [end] : []));
        const end = Promise.all(needed).then(() => run(own));
        ended.set(own, end);
        await end;
      }
    };
    await Promise.all([lane(), lane()]);
  }, 240_000);
  afterAll(() => {
    for (const server of servers) server.kill('SIGTERM');
    removeProgram();
    rmSync(folder, { recursive: true });
  });

  it.each(names)('%s does what the page says', async (name) => {
    const { refused } = commands[name];
    const { code, err, news } = (await ended.get(name)) as Ended;
    if (refused !== undefined) {
      expect([code, err]).toEqual([2, expect.stringContaining(refused)]);
      return;
    }
    expect([code, err]).toEqual([0, '']);
    if (argumentsOf(name)[0] === 'train') expect(news.at(-1)).toMatchObject({ event: 'done' });
    for (const file of writtenBy(name)) expect(statSync(at(file)).size, file).toBeGreaterThan(0);
  });

  const outOf = async (name: CommandName) =>
    JSON.parse(((await ended.get(name)) as Ended).out) as Record<string, unknown>;

  it('a run is measured before its first iteration, and stores a checkpoint after each', async () => {
    const { news } = (await ended.get('team')) as Ended;
    const measured = news.flatMap(({ event, iteration }) => (event === 'evaluation' ? [iteration] : []));
    expect(measured).toEqual([0, 1]);
    expect(await outOf('evaluated')).toMatchObject({ iteration: 1, problems: 16 });
    const resumed = (await ended.get('resumed')) as Ended;
    expect(resumed.news.at(-1)).toMatchObject({ iteration: 2 });
  });

  it.each(['gsm8k', 'anli', 'hotpotQa', 'twoWiki', 'humanEval'] as const)(
    'all rows of the file of %s are read',
    async (name) => {
      const { rows: read, kept } = await outOf(name);
      expect(kept).toBe(read);
      expect(kept).toBeGreaterThan(9);
    },
  );

  it('only dialogues with enough reward are collected', async () => {
    const { kept, of } = await outOf('collected');
    const rewards = readFileSync(at('right.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { reward: number }).reward);
    expect(rewards).toHaveLength(kept as number);
    expect(Math.min(...rewards)).toBeGreaterThanOrEqual(1);
    expect(of).toBe(32);
  });

  it('a server gives rewards, the beliefs of the verifier, and a model for the team and for each agent', async () => {
    const post = async (place: string, body: object) => {
      const response = await fetch(`${address.url}${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    const problem = { shown: '1-2*9', hidden: { rule: '<precedence>' } };
    expect(await post('/reward', { world: 'houseRule', problem, completions: ['3', '4'] })).toMatchObject({
      rewards: [1, 0],
    });
    const { beliefs } = (await post('/verify', { problem, completions: ['3', '4'] })) as { beliefs: number[] };
    expect(beliefs).toHaveLength(2);
    expect(address.models).toHaveLength(4);
  });

  it('claims are listed with their verdicts', async () => {
    expect(await outOf('collapseClaim')).toMatchObject({ verdict: 'shown' });
    expect(await outOf('ratioClaim')).toMatchObject({ verdict: 'open' });
  });
});
