import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, FormatError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { PreferenceText, TokenSpan } from '../../records/stored/preference.ts';
import { viewRow } from '../../rollout/view.ts';
import { rowsOfPairs } from './importedPairs.ts';
import { minePreferences } from './minePreferences.ts';

import { rowLogprobs } from '../rows/oldFacts.ts';
import { pairRows } from './pairRows.ts';
import { layRows } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { until } from '../testing/heard.ts';
import { microCheckpoint, microConfig, openRun, startRun } from '../testing/microRun.ts';
import { trajectoryOf } from '../testing/spoken.ts';

onCpu();

const dpo = { learner: 'dpo', pairsFrom: 'imported' } as const;
const team = assembleTeam(microConfig({ learning: dpo }));
const prompt = '<bos><rightToLeft>7+4*2<eot>';

/** Pairs in which one plan is preferred to another, and pairs in which one reply is preferred to another. */
const pairs: PreferenceText[] = ['7+4*2', '3+5*2', '9-4*3', '8-2*4'].flatMap((sum) => [
  {
    prompt: `<bos><rightToLeft>${sum}<eot>`,
    chosen: `<meta>${sum.slice(2)}<eot>`,
    rejected: `<meta>${sum.slice(0, 3)}<eot>`,
  },
  {
    prompt: `<bos>${sum}<eot>`,
    chosen: `<meta>${sum.slice(2)}<eot><reason>${sum.slice(0, 2)}8<eot>`,
    rejected: `<meta>${sum.slice(2)}<eot><reason>${sum}<eot>`,
  },
]);

describe('pairs in text', () => {
  it('come back as the rows they were mined from: same tokens, same own tokens', () => {
    const trajectories = [1, 0].map((reward, index) =>
      trajectoryOf(
        [
          { agent: 0, tokens: [11, 2] },
          { agent: 1, tokens: [12 + index, 13, 2] },
          { agent: 0, tokens: [14 + index, 2] },
        ],
        { index, reward },
      ),
    );
    const mined = minePreferences(team, trajectories, { minGap: 1e-6 });
    expect(mined).toHaveLength(2);
    for (const pair of mined) {
      const rows = pairRows(pair, team, 'pair 1');
      rows.forEach(({ agent, view }, side) => {
        const row = viewRow(trajectories[side] as (typeof trajectories)[number], pair.agent, team.tokens);
        expect(agent).toBe(pair.agent);
        expect(view.ids).toEqual(row.ids);
        expect(view.isAction).toEqual(row.isAction);
      });
    }
  });

  it('without headers are one answer of the agent whose answer counts', () => {
    const single = assembleTeam(microConfig({ agents: { protocol: 'single' }, learning: dpo }));
    const [better, worse] = pairRows({ prompt, chosen: '22', rejected: '15<eot>' }, single, 'pair 1');
    const { tokenizer } = single;
    const said = ({ view }: typeof better) => tokenizer.decode(view.ids.filter((_, i) => view.isAction[i]));
    expect([better.agent, worse.agent]).toEqual([0, 0]);
    expect([said(better), said(worse)]).toEqual(['22<eot>', '15<eot>']);
    expect(tokenizer.decode(better.view.ids)).toBe(`${prompt}<reason>22<eot>`);
  });

  it('of agents who share a role give only the last message, which is surely their own', () => {
    const debate = assembleTeam(microConfig({ agents: { protocol: 'debate', count: 2 }, learning: dpo }));
    const text = '<debater>1<eot><debater>2<eot><debater>3<eot>';
    const [{ view }] = pairRows({ prompt, chosen: text, rejected: '<debater>4<eot>' }, debate, 'pair 1');
    expect(debate.tokenizer.decode(view.ids.filter((_, i) => view.isAction[i]))).toBe('3<eot>');
  });

  it('are refused with their place where they cannot be learned from', () => {
    const refused = {
      'pair 7: prompt: .*': { prompt: 'Größe', chosen: '1', rejected: '2' },
      'pair 7: chosen: .* but no agent has this role here': {
        prompt,
        chosen: '<pioneer>1<eot>',
        rejected: '<meta>1<eot>',
      },
      'a pair must compare messages of the same speaker': {
        prompt,
        chosen: '<meta>1<eot>',
        rejected: '<meta>1<eot><reason>1<eot>',
      },
      'pair 7: rejected: .* a context can have': { prompt, chosen: '1', rejected: '1'.repeat(500) },
    };
    for (const [message, pair] of Object.entries(refused)) {
      expect(() => pairRows(pair, team, 'pair 7')).toThrow(FormatError);
      expect(() => pairRows(pair, team, 'pair 7')).toThrow(new RegExp(message));
    }
  });

  it('with spans that are none of the text are refused, and told how to do without', () => {
    const said = { prompt, chosen: '<meta>7+4<eot><reason>1<eot><meta>2<eot>', rejected: '<meta>1<eot>' };
    const refused = (chosenSpans: TokenSpan[]) => {
      expect(() => pairRows({ ...said, chosenSpans }, team, 'pair 7')).toThrow(FormatError);
      expect(() => pairRows({ ...said, chosenSpans }, team, 'pair 7')).toThrow(
        /^pair 7: chosen: spans: .*leave the column out/,
      );
    };
    const length = team.tokenizer.encode(said.chosen).length;
    for (const spans of [
      [],
      [[0, 2]],
      [[1, 1]],
      [[1, length + 1]],
      [
        [8, 10],
        [1, 4],
      ],
      [
        [1, 4],
        [6, 8],
      ],
    ])
      refused(spans as TokenSpan[]);
    // The first turn was truncated, so the end token after this turn was not sampled by the agent, and belongs to the
    // context.
    const [{ view }] = pairRows(
      {
        ...said,
        chosenSpans: [
          [1, 4],
          [9, 11],
        ],
      },
      team,
      'pair 7',
    );
    expect(team.tokenizer.decode(view.ids.filter((_, i) => view.isAction[i]))).toBe('7+42<eot>');
    expect(view.turnIds.filter((turn) => turn >= 0)).toEqual([0, 0, 0, 1, 1]);
  });

  it('of any text are rows or refused by a FormatError', () => {
    const word = fc.constantFrom('<meta>', '<reason>', '<eot>', '<finish>', '7', '+', '*', '<pioneer>', '<bos>', 'x');
    const text = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, text, text, (start, chosen, rejected) => {
        try {
          for (const { view } of pairRows({ prompt: start, chosen, rejected }, team, 'pair 1')) {
            expect(view.ids.length).toBeLessThanOrEqual(team.shape.maxPositions);
            expect(view.isAction).toHaveLength(view.ids.length);
            expect(view.turnIds.map((turn) => turn >= 0)).toEqual(view.isAction);
          }
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(FormatError);
        }
      }),
    );
  });
});

describe('an iteration on imported pairs', () => {
  it('draws whole pairs, others in another iteration, the same for the same seed', () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ prompt, chosen: `${i}`, rejected: `${i + 1}` }));
    const [first, again, later] = [0, 0, 1].map((iteration) => rowsOfPairs(many, team, iteration));
    const { problemsPerIteration, groupSize } = team.config.learning;
    expect(first?.batch.rows).toBe(2 * Math.floor((problemsPerIteration * groupSize) / 2));
    expect(first).toEqual(again);
    expect(first?.batch.ids).not.toEqual(later?.batch.ids);
    const { pairIds, sides } = first?.objective as unknown as { pairIds: number[]; sides: number[] };
    for (const pair of new Set(pairIds)) expect(sides.filter((_, i) => pairIds[i] === pair)).toEqual([1, -1]);
  });

  const settings = (more: ConfigInput = {}): ConfigInput => ({
    ...more,
    agents: { parameters: 'separate', ...more.agents },
    learning: { ...dpo, problemsPerIteration: 4, groupSize: 4, preferenceBeta: 1, ...more.learning },
  });

  it('makes the preferred side more likely than the other, against the reference', async () => {
    const { session } = await startRun(settings());
    await session.importPairs(pairs);
    const before = await marginsOf(session);
    await session.train(6);
    const after = await marginsOf(session);
    await session.dispose();
    before.forEach((margin, i) => expect(after[i]).toBeGreaterThan(margin));
  });

  it('moves only the speakers of the pairs', async () => {
    const { session } = await startRun(settings());
    await session.importPairs(pairs.filter((_, i) => i % 2 === 0));
    const weights = async () => (await session.checkpoint()).networks.map(({ weights: own }) => own);
    const before = await weights();
    await session.train(1);
    const after = await weights();
    await session.dispose();
    expect(after[0]).not.toEqual(before[0]);
    expect(after[1]).toEqual(before[1]);
  });

  it('moves of each speaker the adapters of the turns that both sides hold, where each turn has one', async () => {
    const agents = { parameters: 'lora', adapterPer: 'turn', loraRank: 4 } as const;
    const { session } = await startRun(settings({ agents }));
    const twice = { chosen: '<meta>4*2<eot><reason>7+8<eot><meta>7+8<eot>', rejected: '<meta>7+4<eot>' };
    const thrice = { prompt, chosen: `${twice.chosen}<reason>5<eot><meta>5<eot>`, rejected: twice.chosen };
    const before = await session.checkpoint();
    const after = async (some: PreferenceText[]) => {
      await session.importPairs(some);
      await session.train(1);
      const { networks } = await session.checkpoint();
      return networks.map(({ updates }) => updates > 0);
    };
    // If only one side of a pair has a second plan, the adapter of the second turn is not trained, because the other
    // side has no second turn for a comparison.
    expect(await after([{ prompt, ...twice }])).toEqual([true, false, false, false, false, false]);
    expect(await after([thrice])).toEqual([true, false, true, false, false, false]);
    const { networks } = await session.checkpoint();
    for (const n of [1, 3, 4, 5]) expect(networks[n], `network ${n}`).toEqual(before.networks[n]);
    const fourth = { prompt, chosen: `${thrice.chosen}<meta>5<eot>`, rejected: twice.chosen };
    await expect(session.importPairs([{ prompt, ...twice }, fourth])).rejects.toThrow(
      /^pair 2: this pair contains 4 turns of one role, but there are adapters for only 3 turns/,
    );
  });

  it('counts the turns of agents who share a role by what each of them hears in a round', () => {
    const rounds = (agents: ConfigInput['agents'], text: string) => {
      const of = assembleTeam(microConfig({ agents, learning: dpo }));
      const [{ view }] = pairRows({ prompt, chosen: text, rejected: text }, of, 'pair 1');
      return [...new Set(view.turnIds)].filter((turn) => turn >= 0);
    };
    const answers = (count: number) => Array.from({ length: count }, (_, i) => `<debater>${i}<eot>`).join('');
    expect(rounds({ protocol: 'debate', count: 2 }, answers(1))).toEqual([0]);
    expect(rounds({ protocol: 'debate', count: 2 }, answers(3))).toEqual([1]);
    expect(rounds({ protocol: 'debate', count: 3 }, answers(4))).toEqual([1]);
    expect(rounds({}, '<meta>1<eot><reason>2<eot><meta>3<eot>')).toEqual([0, 1]);
    const members = '<reason>1<eot><summariser>2<eot><reason>3<eot>';
    expect(rounds({ protocol: 'summary', count: 3, roundLimit: 2 }, members)).toEqual([1]);
  });

  it('moves all who share the role of the speaker, as the text does not tell them apart', async () => {
    const { session } = await startRun(settings({ agents: { protocol: 'debate', count: 2 } }));
    await session.importPairs([{ prompt, chosen: '<debater>1<eot>', rejected: '<debater>2<eot>' }]);
    const weights = async () => (await session.checkpoint()).networks.map(({ weights: own }) => own);
    const before = await weights();
    await session.train(1);
    const after = await weights();
    await session.dispose();
    for (const agent of [0, 1]) expect(after[agent], `agent ${agent}`).not.toEqual(before[agent]);
  });

  it('goes on bit for bit from a checkpoint, which holds the pairs', async () => {
    const whole = await startRun(settings());
    await whole.session.importPairs(pairs);
    await whole.session.train(4);
    const half = await startRun(settings());
    await half.session.importPairs(pairs);
    await half.session.train(2);
    const resumed = openRun(structuredClone(await half.session.checkpoint()));
    await resumed.session.train(2);
    const [a, b] = [await whole.session.checkpoint(), await resumed.session.checkpoint()];
    expect(b.networks).toEqual(a.networks);
    expect(b.pairs).toEqual(pairs);
    for (const { session } of [whole, half, resumed]) await session.dispose();
  });

  it('does not begin without pairs, and takes none where it learns from none', async () => {
    const { session } = await startRun(settings());
    expect(() => session.train(1)).toThrow(/no pairs have been imported; import a file of pairs/);
    await expect(session.importPairs([])).rejects.toThrow(ConfigError);
    await expect(session.importPairs([{ prompt, chosen: 'ß', rejected: '1' }])).rejects.toThrow(/pair 1: chosen/);
    await session.dispose();
    const other = await startRun();
    await expect(other.session.importPairs(pairs)).rejects.toThrow(/does not learn from imported pairs/);
    await other.session.dispose();
    expect(() => microConfig({ learning: { pairsFrom: 'imported' } })).toThrow(/learning.learner = dpo/);
  });

  it('keeps the pairs it has where others cannot be taken', async () => {
    const { session } = await startRun(settings());
    await session.importPairs(pairs);
    await expect(session.importPairs([])).rejects.toThrow(ConfigError);
    expect((await session.checkpoint()).pairs).toEqual(pairs);
  });

  it('learns in an iteration from the pairs it began with, whatever is imported meanwhile', async () => {
    const [plain, changed] = [await startRun(settings()), await startRun(settings())];
    for (const { session } of [plain, changed]) await session.importPairs(pairs);
    await plain.session.train(1);
    const loop = changed.session.train(1);
    await until(changed, 'turn');
    await changed.session.importPairs(pairs.slice(0, 1));
    await loop;
    const networks = async ({ session }: typeof plain) => (await session.checkpoint()).networks;
    expect(await networks(changed)).toEqual(await networks(plain));
    for (const { session } of [plain, changed]) await session.dispose();
  });

  it('begins with the pairs that the page holds', async () => {
    const checkpoint = await microCheckpoint(microConfig(settings()));
    expect(checkpoint.pairs).toBeUndefined();
    const { session } = openRun({ ...checkpoint, pairs });
    await session.train(1);
    expect(session.run.iteration).toBe(1);
  });
});

/**
 * For each pair, the log-probability of the preferred side minus that of the rejected side, summed over the speaker's
 * tokens.
 */
async function marginsOf(session: Awaited<ReturnType<typeof startRun>>['session']): Promise<number[]> {
  const { trainState: learning, gate } = session;
  const margins: number[] = [];
  for (const pair of pairs) {
    const rows = pairRows(pair, learning.team, 'pair');
    const batch = layRows(rows.map(({ agent, view }, index) => ({ index, agent, view })));
    const network = learning.networks[rows[0].agent] as (typeof learning.networks)[number];
    const logprobs = await rowLogprobs(batch, { network, temperature: 1, gate });
    const sums = [0, 1].map((row) =>
      logprobs
        .slice(row * batch.length, (row + 1) * batch.length)
        .reduce((sum, p, t) => sum + p * (batch.actionMask[row * batch.length + t] as number), 0),
    );
    margins.push((sums[0] as number) - (sums[1] as number));
  }
  return margins;
}
