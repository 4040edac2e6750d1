// Tests the shipped program in separate processes.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetConfig } from '../src/config/presets.ts';
import { withSettings } from '../src/config/parse.ts';
import { readPreferences } from '../src/formats/preferences.ts';
import { claimDigest, readResultFile } from '../src/formats/resultFile.ts';
import { readRunFile, writeRunFile } from '../src/formats/runFile.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { ClaimRecord } from '../src/records/claims/claimRecord.ts';
import { runId } from '../src/records/ids.ts';
import { checkpointEntry, labelEntry } from '../src/storage/archive/archivedRun.ts';
import { evaluateSeats } from '../src/training/run/seats.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { weightsDigest } from '../src/records/stored/checkpoint.ts';
import { loadShipped, startEngine } from './engine.ts';
import { openRun } from './runFolder.ts';
import { buildProgram, cothink, programFile, removeProgram } from './testing/program.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { Session } from '../src/training/run/session.ts';
import { checkpointFormat } from '../src/records/stored/checkpoint.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const iterations = 6;
const settings = { 'run.backend': 'cpu', 'run.iterations': iterations, 'run.seed': 5, 'run.checkpointEvery': 2 };
const asked = [
  '--preset',
  'micro',
  ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
];

beforeAll(buildProgram, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

/** The content of a finished run, without times. */
async function endOf(name: string) {
  const run = await openRun(at(name));
  const { networks, sampledTokens } = await run.checkpoint(iterations);
  const trajectories = await run.trajectories(iterations);
  const { evaluation, metrics } = await run.iteration(iterations);
  const values = Object.entries(metrics?.values ?? {}).filter(([metric]) => !/^time\/|SPS/.test(metric));
  return { networks, sampledTokens, trajectories, evaluation, values, iterations: run.iterations };
}

const asJson = async (...args: string[]) => {
  const { code, out, err } = await cothink(args);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Record<string, unknown>;
};

it('cothink info says that this machine uses the fused kernels, which Node 20 has behind a flag', async () => {
  const { backend, adapter, reason } = await asJson('info');
  expect(backend).toBe('simd');
  expect(adapter).toMatch(/, fused multiply-add$/);
  expect(reason).not.toContain('slower');
  expect(reason).not.toContain('browser');
});

it('cothink --version says the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await cothink(['--version'])).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
});

describe('cothink train', () => {
  it('trains to the weights and numbers of the engine in this process', async () => {
    const { code, news } = await cothink(['train', ...asked, '--out', at('whole')]);
    expect(code).toBe(0);
    expect(news.at(-1)).toMatchObject({ event: 'done', iteration: iterations });
    const { backend } = await startEngine('cpu', { threads: 1 });
    const config = withSettings(presetConfig('micro'), settings);
    const checkpoint = await startingCheckpoint({ config, runId: runId('here'), backend, loadShipped });
    const store = memoryStore({ keepsIterations: true });
    const run = {
      format: checkpointFormat,
      id: runId('here'),
      name: 'here',
      preset: 'micro',
      config,
      changes: [],
      backend,
      createdMs: 0,
      iteration: 0,
      isDone: false,
    };
    const session = new Session({ run, checkpoint, store, emit: () => undefined, now: () => 0 });
    await session.train();
    const end = await endOf('whole');
    expect(weightsDigest(end)).toBe(weightsDigest(await session.checkpoint()));
    expect(end.trajectories).toEqual(
      (store.iterations.at(-1)?.trajectories ?? []).map((one) => ({
        ...one,
        turns: one.turns.map((turn) => ({ ...turn, logprobs: turn.logprobs.map(Math.fround) })),
      })),
    );
    expect(end.iterations).toEqual(Array.from({ length: iterations + 1 }, (_, n) => n));
    await session.dispose();
  });

  it.each([
    ['killed', 'SIGKILL', null],
    ['interrupted', 'SIGINT', 130],
  ] as const)('%s in mid-run goes on with --resume to the same end, bit for bit', async (name, signal, code) => {
    const out = ['--out', at(name)];
    const broken = await cothink(['train', ...asked, ...out], (news, kill) => {
      if (news.event === 'iteration' && news['iteration'] === 3) kill(signal);
    });
    expect(broken.code).toBe(code);
    expect(broken.news.some(({ event }) => event === 'done')).toBe(false);
    const resumed = await cothink(['train', '--resume', ...out]);
    expect(resumed.code).toBe(0);
    expect(resumed.news[0]).toMatchObject({ event: 'run' });
    expect(await endOf(name)).toEqual(await endOf('whole'));
  });

  it('on WebGPU is refused with the missing requirement if Dawn finds no adapter', async () => {
    // The program of these tests is in a folder without packages, so it finds no Dawn.
    const { code, err } = await cothink([
      'train',
      '--preset',
      'micro',
      '--set',
      'run.backend=webgpu',
      '--out',
      at('gpu'),
    ]);
    expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining('webgpu (Dawn) is not installed')]]);
  });

  it('does not change an existing run, and resumes it only with its own settings', async () => {
    const refused = await cothink(['train', ...asked, '--out', at('whole')]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --resume')]);
    const other = await cothink([
      'train',
      '--resume',
      '--preset',
      'micro',
      '--set',
      'run.seed=6',
      '--out',
      at('whole'),
    ]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('began with another')]);
  });

  it('with --seeds trains each seed in its own process, as one experiment', async () => {
    const { code, news } = await cothink(['train', ...asked, '--seeds', '2', '--out', at('seeds')]);
    expect(code).toBe(0);
    expect(news.at(-1)).toMatchObject({ event: 'seeds', seeds: [5, 6] });
    const runs = await Promise.all([5, 6].map(async (seed) => (await openRun(at(`seeds/seed-${seed}`))).run()));
    expect(new Set(runs.map(({ experiment }) => experiment?.id)).size).toBe(1);
    expect(runs.map(({ config }) => config.run.seed)).toEqual([5, 6]);
    const again = await cothink(['train', ...asked, '--seeds', '3', '--resume', '--out', at('seeds')]);
    const seventh = await (await openRun(at('seeds/seed-7'))).run();
    expect([again.code, seventh.experiment?.id]).toEqual([0, runs[0]?.experiment?.id]);
    expect(again.news.at(-1)).toMatchObject({
      accuracies: [expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    const [fifth] = [await (await openRun(at('seeds/seed-5'))).checkpoint(iterations)];
    expect(weightsDigest(fifth)).toBe(weightsDigest(await endOf('whole')));
  });
});

describe('a run that was trained', () => {
  it('is described and measured in its final state, from its folder and from its archive', async () => {
    const told = await asJson('info', at('whole'));
    expect(told).toMatchObject({ preset: 'micro', iteration: iterations, checkpoints: [0, 2, 4, 6], damaged: [] });
    const { evaluation } = await endOf('whole');
    const archive = String((await asJson('export', at('whole'), '--out', at('whole.zip')))['file']);
    for (const place of [at('whole'), archive]) {
      const { accuracy, bySlice } = await asJson('eval', place, '--dialogues', at('said.jsonl'));
      expect({ accuracy, bySlice }).toEqual({ accuracy: evaluation?.accuracy, bySlice: evaluation?.bySlice });
      // The saved dialogues are those from which the accuracy was computed.
      const lines = readFileSync(at('said.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { is_right: boolean });
      expect(lines).toHaveLength(evaluation?.problems as number);
      expect(lines.filter((line) => line.is_right).length / lines.length).toBe(accuracy);
    }
  });

  it('is measured at the checkpoint that was right most often, of equal ones at the latest', async () => {
    const archived = await openRun(at('whole'));
    const stored = await Promise.all([0, 2, 4, 6].map(async (n) => (await archived.iteration(n)).evaluation));
    const measured = stored.flatMap((one) => (one ? [one] : []));
    expect(measured.length).toBeGreaterThan(1);
    const most = Math.max(...measured.map(({ accuracy }) => accuracy));
    const best = measured.findLast(({ accuracy }) => accuracy === most);
    const told = await asJson('eval', at('whole'), '--at', 'best');
    expect(told).toMatchObject({ iteration: best?.iteration, accuracy: most });
  });

  it('is exported, imported and exported again as the same bytes', async () => {
    await asJson('export', at('whole'), '--out', at('first.zip'));
    await asJson('import', at('first.zip'), '--out', at('again'));
    await asJson('export', at('again'), '--as', 'archive', '--out', at('second.zip'));
    expect(readFileSync(at('second.zip'))).toEqual(readFileSync(at('first.zip')));
  });

  it('is described with its label from the library', async () => {
    await asJson('import', at('first.zip'), '--out', at('labelled'));
    const { id } = await (await openRun(at('labelled'))).run();
    const said = { name: 'the one that talks', notes: 'They agree.', tags: ['talk', 'short'], isPinned: true };
    writeFileSync(at('labelled/label.record'), labelEntry({ runId: id, ...said }).bytes);
    expect(await asJson('info', at('labelled'))).toMatchObject(said);
  });

  it('can be exported as a model, as one line for each dialogue, and as a run file that repeats it', async () => {
    await asJson('export', at('whole'), '--as', 'weights', '--agent', '1', '--out', at('model.zip'));
    const files = unzipSync(readFileSync(at('model.zip')));
    const { tensors } = readSafetensors(files['model.safetensors'] as Uint8Array);
    const { networks, trajectories } = await endOf('whole');
    expect(new Map(tensors.map((one) => [one.name, one.values]))).toEqual(
      new Map(networks[0]?.weights.map((one) => [one.name, one.values])),
    );
    await asJson('export', at('whole'), '--as', 'trajectories', '--out', at('said.jsonl'));
    const lines = readFileSync(at('said.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBe(iterations * trajectories.length);
    await asJson('export', at('whole'), '--as', 'run', '--out', at('whole.yaml'));
    const { config } = readRunFile(readFileSync(at('whole.yaml'), 'utf8'));
    expect(config).toEqual(withSettings(presetConfig('micro'), settings));
    const { code } = await cothink(['train', at('whole.yaml'), '--out', at('byFile')]);
    expect([code, await endOf('byFile')]).toEqual([0, await endOf('whole')]);
  });

  it('samples dialogues about new problems and keeps those with enough reward, always the same', async () => {
    const all = await asJson('collect', at('whole'), '--out', at('all.jsonl'));
    const none = await asJson('collect', at('whole'), '--filter-reward', '99', '--out', at('none.jsonl'));
    expect([all['kept'], none['kept'], none['of']]).toEqual([all['of'], 0, all['of']]);
    await asJson('collect', at('whole'), '--out', at('again.jsonl'));
    const text = readFileSync(at('all.jsonl'), 'utf8');
    expect(readFileSync(at('again.jsonl'), 'utf8')).toBe(text);
    const few = await asJson('collect', at('whole'), '--dialogues', '5', '--out', at('few.jsonl'));
    expect([few['of'], readFileSync(at('few.jsonl'), 'utf8')]).toEqual([
      5,
      text.split('\n').slice(0, 5).join('\n') + '\n',
    ]);
    await asJson('collect', at('whole'), '--level', '2', '--dialogues', '1', '--out', at('other.jsonl'));
    expect(JSON.parse(readFileSync(at('other.jsonl'), 'utf8'))).toMatchObject({ problem: { level: 2 } });
    const both = await cothink(['collect', at('whole'), '--dialogues', '5', '--rounds', '2']);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--dialogues')]);
  });

  it('with a damaged checkpoint is reported by name, with code 2', async () => {
    await asJson('import', at('whole.zip'), '--out', at('damaged'));
    truncateSync(at('damaged/checkpoints/000004.record'), 100);
    const { code, out } = await cothink(['info', at('damaged')]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ damaged: [expect.stringContaining('checkpoints/000004.record')] });
  });
});

describe('teams that are sometimes right', () => {
  const short = {
    'run.backend': 'cpu',
    'run.iterations': 1,
    'learning.problemsPerIteration': 16,
    'learning.groupSize': 4,
    'evaluation.problems': 64,
  } as const;
  const config = withSettings(presetConfig('quick'), short);
  const asked = [
    '--preset',
    'quick',
    ...Object.entries(short).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
  const onPairs = ['learner=dpo', 'normAdv=false', 'pairsFrom=imported'].flatMap((one) => ['--set', `learning.${one}`]);
  let right = 0;

  beforeAll(async () => {
    const { code, news } = await cothink(['train', ...asked, '--out', at('one')]);
    right = Number(news.at(-1)?.['accuracy']);
    expect([code, right > 0.3]).toEqual([0, true]);
  }, 120_000);

  it('give pairs, and another run learns from them with --pairs alone', async () => {
    await asJson('export', at('one'), '--as', 'preferences', '--out', at('pairs.jsonl'));
    const pairs = readPreferences(readFileSync(at('pairs.jsonl'), 'utf8'));
    expect(pairs.length).toBeGreaterThan(4);
    const without = await cothink(['train', ...asked, ...onPairs, '--out', at('two')]);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('no pairs have been imported')]);
    const { code } = await cothink(['train', ...asked, ...onPairs, '--pairs', at('pairs.jsonl'), '--out', at('two')]);
    const run = await openRun(at('two'));
    const [begun, ended] = [await run.checkpoint(0), await run.checkpoint(1)];
    expect([code, (await run.run()).imports]).toEqual([
      0,
      [expect.objectContaining({ name: 'pairs.jsonl', iteration: 0 })],
    ]);
    expect(begun.pairs).toEqual(pairs);
    expect(weightsDigest(ended)).not.toBe(weightsDigest(begun));
  });

  it('take seats in eval in their order, with the same numbers as the engine in this process', async () => {
    await startEngine('cpu', { threads: 1 });
    const seatOf = async (name: string) => ({ name, checkpoint: await (await openRun(at(name))).checkpoint(1) });
    const [one, two] = [await seatOf('one'), await seatOf('two')];
    const told: unknown[] = [];
    for (const seats of [
      [one, two],
      [two, one],
    ]) {
      const { right: _, ...here } = await evaluateSeats(seats, null);
      told.push(await asJson('eval', ...seats.map(({ name }) => at(name))));
      expect(told.at(-1)).toEqual(here);
    }
    expect(told[0]).not.toEqual(told[1]);
  });

  describe('and claims about them', () => {
    /** Another copy of the program, with the files that are shipped next to it. */
    const program = at('package/dist-cli/main.mjs');
    const claimsFile = at('package/dist/claims.json');
    const shipped = JSON.parse(readFileSync('dist/claims.json', 'utf8')) as { rows: [ClaimRecord, ...ClaimRecord[]] };
    const arm = (label: string, source: 'shipped' | 'none') => ({
      ...{ label, values: [] },
      run: writeRunFile({
        preset: 'quick',
        config: withSettings(config, { 'warmStart.source': source }),
        changes: [],
        imports: [],
      }),
    });
    const claim: ClaimRecord = {
      ...shipped.rows[0],
      id: 'begun',
      tokens: 1,
      measuredBy: 'accuracy',
      arms: [arm('with', 'shipped'), arm('without', 'none')],
    };

    beforeAll(() => {
      cpSync(path.dirname(programFile()), path.dirname(program), { recursive: true });
      mkdirSync(path.dirname(claimsFile));
      for (const part of ['index.html', 'warmstart'])
        symlinkSync(path.resolve('dist', part), at(`package/dist/${part}`));
      writeFileSync(claimsFile, JSON.stringify({ ...shipped, rows: [claim] }));
    });

    it('are listed with their verdicts, and each can be shown', async () => {
      const { rows } = shipped;
      expect(await asJson('claims')).toEqual({
        claims: rows.map(({ id, statement, verdict, regime }) => ({ id, statement, verdict, regime })),
      });
      expect(await asJson('claims', rows[0].id)).toEqual(rows[0]);
    });

    it('are measured with another seed, in a file that the board opens', async () => {
      const { code, news } = await cothink(
        ['claims', 'begun', '--seed', String(config.run.seed), '--out', at('seed.json')],
        undefined,
        program,
      );
      expect([code, news.at(-1)?.event]).toEqual([0, 'result']);
      const result = {
        claim: 'begun',
        digest: claimDigest(claim),
        seed: config.run.seed,
        values: [right, 0],
        backend: 'simd',
      };
      expect(readResultFile(readFileSync(at('seed.json'), 'utf8'))).toEqual([result]);
    });

    it('that are shipped damaged are a fault of Cothink: code 1, one line that says so, and the place', async () => {
      writeFileSync(claimsFile, '{');
      const { code, out, err } = await cothink(['claims'], undefined, program);
      expect([code, out]).toEqual([1, '']);
      const [first, ...stack] = err.trimEnd().split('\n');
      expect(first).toMatch(/^cothink: internal error, not caused by your input \(SyntaxError: .*\); please report it/);
      expect(stack.join('\n')).toMatch(/^SyntaxError: [^]*\n {4}at .*main\.mjs/);
    });
  });
});

it('a run from shipped weights without the built page ends with code 2 and says how to build the page', async () => {
  cpSync(path.dirname(programFile()), at('bare/dist-cli'), { recursive: true });
  const { code, err } = await cothink(['train', '--out', at('bare/run')], undefined, at('bare/dist-cli/main.mjs'));
  expect([code, err]).toEqual([2, expect.stringMatching(/^cothink: .*: the built page .*npm run build\.\n$/)]);
});

it('a run whose numbers are no longer finite ends with code 1 and one line', async () => {
  await asJson('import', at('whole.zip'), '--out', at('blown'));
  for (const later of [4, 6]) rmSync(at(`blown/checkpoints/00000${later}.record`));
  const checkpoint = await (await openRun(at('blown'))).checkpoint(2);
  // Each weight is still finite, but products of several weights are not. Embeddings are not scaled, because the
  // normalisation after them would cancel the scale.
  const layers = checkpoint.networks.flatMap(({ weights }) => weights).filter(({ name }) => !name.includes('embed'));
  for (const { values } of layers) values.set(values.map((value) => value * 1e38));
  writeFileSync(at('blown/checkpoints/000002.record'), checkpointEntry(checkpoint).bytes);
  const { code, err, news } = await cothink(['train', '--resume', '--out', at('blown')]);
  expect([code, news.at(-1)]).toMatchObject([1, { event: 'failed', name: 'NumericsError' }]);
  expect(err.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^cothink: .* at iteration 3\. .*resume from it with a lower/),
  ]);
});

describe('what cannot be used ends with code 2 and one line', () => {
  const weightsAlone = () => {
    const place = mkdtempSync(at('alone-'));
    cpSync('public/warmstart/grid-1-tiny.safetensors', path.join(place, 'model.safetensors'));
    return place;
  };
  const file = (text: string) => {
    writeFileSync(at('run.yaml'), text);
    return at('run.yaml');
  };
  it.each([
    ['no command', () => ['trian'], 'there is no such command; choose one of train'],
    ['an unknown option', () => ['train', '--sed', '4'], '--sed: train has no such option'],
    ['a missing file', () => ['train', at('nowhere.yaml')], 'there is no such file'],
    ['text that is no YAML', () => ['train', file('format: [1')], 'line 1'],
    ['a setting out of bounds', () => ['train', file('format: 1\nrun:\n  seed: -3\n')], 'line 3, column 9: run.seed'],
    ['a setting that is none', () => ['train', '--set', 'run.sed=1'], 'run.sed: there is no such setting'],
    ['a run that is none', () => ['info', mkdtempSync(at('none-'))], 'the file run.record is missing'],
    ['weights without their settings', () => ['info', weightsAlone()], 'config.json: this file is missing next to'],
    ['a run that is not there', () => ['eval', at('nowhere')], 'there is no such file or folder'],
    ['an archive that is none', () => ['import', file('no zip')], 'run.yaml: the archive: expected a zip'],
    ['the same to measure', () => ['eval', file('no zip')], 'run.yaml: the archive: expected a zip'],
    [
      'a run instead of another option',
      () => ['train', '--out', '--json'],
      '--out: expected FOLDER after it, got --json',
    ],
    ['a kind of file that is none', () => ['export', at('whole'), '--as', 'x'], '--as: expected one of archive'],
    ['a checkpoint that is none', () => ['eval', at('whole'), '--at', '7'], '--at'],
    ['a checkpoint by another word', () => ['eval', at('whole'), '--at', 'last'], '--at: expected a whole number'],
    ['a claim that is none', () => ['claims', 'x'], 'there is no such claim; choose one of'],
    ['a preset that is none', () => ['train', '--preset', 'x'], 'preset'],
    [
      'more seeds than anybody has',
      () => ['train', ...asked, '--seeds', '999999999999999', '--out', at('no')],
      '--seeds: expected at most 1000 runs',
    ],
    [
      'seeds after the last',
      () => ['train', ...asked, '--set', 'run.seed=4294967294', '--seeds', '3', '--out', at('no')],
      '--seeds: expected a number of at most 2 with run.seed = 4294967294, got 3',
    ],
  ])('%s', async (_, args, words) => {
    const { code, err, out } = await cothink(args());
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(words)]);
  });
});

describe('a cluster that cannot be reached ends with code 2 and one line', () => {
  const commands = at('commands');
  const program = (name: string, script: string) =>
    writeFileSync(path.join(commands, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  it.each([
    [
      'Ray that does not answer',
      ['ray', '--address', 'http://127.0.0.1:9'],
      '',
      '--address: http://127.0.0.1:9 does not answer',
    ],
    ['no Slurm', ['slurm'], '', '--on slurm: there is no sbatch here'],
    [
      'a Slurm that is down',
      ['slurm'],
      'echo "sbatch: error: Unable to contact slurm controller" >&2; exit 1',
      'Unable to contact slurm controller',
    ],
    ['no kubectl', ['k8s', '--image', 'me/x', '--claim', 'runs'], '', '--on k8s: kubectl was not found'],
    [
      'a Kubernetes that is down',
      ['k8s', '--image', 'me/x', '--claim', 'runs'],
      'echo "The connection to the server was refused" >&2; exit 1',
      'The connection to the server was refused',
    ],
  ])('%s', async (_, on, script, words) => {
    rmSync(commands, { recursive: true, force: true });
    mkdirSync(commands);
    for (const name of script ? ['sbatch', 'kubectl'] : []) program(name, script);
    const before = process.env['PATH'];
    // The engine's own programs are replaced by those of this test, whatever is installed on this machine.
    process.env['PATH'] = commands;
    try {
      const { code, err, news } = await cothink([
        'launch',
        '--on',
        ...on,
        '--preset',
        'micro',
        '--seeds',
        '2',
        '--out',
        at(`on-${on[0]}`),
      ]);
      expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(words)]]);
      expect(news.map(({ event }) => event)).toEqual(['launched']);
    } finally {
      process.env['PATH'] = before;
    }
  });
});

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  it('training shows a bar that is overwritten and at the end a line that stays', () => {
    const words = [
      process.execPath,
      programFile(),
      'train',
      ...asked,
      '--set',
      'run.iterations=4',
      '--out',
      at('seen'),
    ];
    const said = execFileSync('script', ['--quiet', '--return', '--command', words.join(' '), '/dev/null'], {
      encoding: 'utf8',
    });
    const frames = said.split('\r\u001b[2K');
    const bars = frames.filter((frame) => /^[█░]{24} /.test(frame));
    expect(bars.length).toBeGreaterThanOrEqual(4);
    const filled = bars.slice(-4).map((bar) => bar.split('█').length - 1);
    expect(filled).toEqual(filled.toSorted((a, b) => a - b));
    expect(frames.at(-1)).toContain(`${at('seen')}`);
    expect(said).not.toContain('{"event"');
  });
});
