// Tests that a warm start trains agents on their own tokens and, if this is enabled, on the tokens that they hear.
import { describe, expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { buildHeardRows, buildRows } from '../rows/rows.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';
import { trajectoryOf, viewTokens } from '../testing/spoken.ts';
import { demonstrateFor } from './demonstrations.ts';
import { imitationWeights, trainWarmStart } from './warmStart.ts';

onCpu();

describe('what is heard', () => {
  // A row of the reasoner: the prompt <bos>1<eot>, the plan after its header, the reasoner's own header, and two tokens
  // of its own.
  const trajectory = trajectoryOf([
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 2] },
  ]);
  const rows = buildHeardRows([trajectory], [1], viewTokens);

  it('is all after the prompt that the agent did not say itself', () => {
    const usual = buildRows([trajectory], [1], viewTokens);
    const { meta, reason } = { meta: viewTokens.headers.metaThinking, reason: viewTokens.headers.reasoning };
    expect([...rows.targets]).toEqual([10, 2, ...meta, 11, 2, ...reason, 12, 2]);
    const after = rows.targets.length - 2;
    expect([...rows.actionMask]).toEqual([0, 0, ...Array<number>(after).fill(1)]);
    expect([...usual.actionMask].reduce((sum, is) => sum + is)).toBe(2);
    expect([...rows.turnIds]).toEqual([...usual.turnIds]);
  });

  it('weighs as one mean beside that of the own tokens', () => {
    const heard = rows.targets.length - 4;
    const weights = imitationWeights(rows, { own: 2, heard }, 0.5);
    const expected = [0, 0, ...Array<number>(heard).fill(0.5 / heard), 0.5, 0.5];
    weights.forEach((weight, at) => expect(weight).toBeCloseTo(expected[at] as number, 7));
  });

  it('is predicted better by a warm start that learns it, which hardly affects its own turns', async () => {
    const trained = async (heardWeight: number) => {
      const warmStart = { source: 'train', steps: 60, batchSize: 8, heardWeight } as const;
      const team = assembleTeam(microConfig({ warmStart, agents: { parameters: 'separate' } }));
      const networks = [0, 1].map((n) =>
        uploadNetwork(freshState(initialWeights(team.shape, 3, n), team.shape, false), team.shape),
      );
      await trainWarmStart(team, networks, { gate: openGate() });
      const shown = buildHeardRows(demonstrateFor(team, 5, 16), [1], team.tokens);
      const network = networks[1] as (typeof networks)[0];
      const logprobs = await rowLogprobs(shown, { network, temperature: 1, gate: openGate() });
      const over = (isOwn: boolean) =>
        mean(
          [...logprobs].filter((_, at) => shown.actionMask[at] === 1 && (shown.turnIds[at] as number) >= 0 === isOwn),
        );
      networks.forEach(disposeNetwork);
      return { own: over(true), heard: over(false) };
    };
    const [without, withHeard] = [await trained(0), await trained(1)];
    expect(withHeard.heard).toBeGreaterThan(without.heard + 0.5);
    expect(withHeard.own).toBeGreaterThan(without.own - 1);
  });
});
