// Tests the answers of a served verifier, and that requests to it have a time limit, whatever tokenizer the run has.
import type { Server } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import { startRun } from '../../../training/testing/microRun.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { servedHere } from '../../../../cli/serve/testing/served.ts';
import { rowsAsked } from './verify.ts';

onCpu();

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

const team = assembleTeam(presetConfig('micro'));
const [problem] = team.world.heldOut(1, 1);

/** Takes longer than the time limit of a test, so the test fails if the server has no time limit. */
const searching = () => {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs;);
  return [];
};

it('completions become rows of tokens that end with the text that the verifier judges', async () => {
  const rows = await rowsAsked({ problem, completions: ['5', ['4*2', '8']] }, team);
  expect(rows.map(({ tokens, start }) => team.tokenizer.decode(tokens.slice(start)))).toEqual([
    '<reason>5<eot>',
    '<meta>4*2<eot><reason>8<eot>',
  ]);
});

it('a tokenizer that does not finish is stopped, and the request is refused with the reason', async () => {
  const tokenizers = team.tokenizers.map((own) => ({ ...own, encode: searching }));
  const asked = rowsAsked({ problem, completions: ['5'] }, { ...team, tokenizers });
  await expect(asked).rejects.toMatchObject({ status: 422, message: expect.stringContaining('shorten the text') });
}, 30_000);

it('a served verifier returns its belief for each answer', async () => {
  const run = await startRun({ agents: { protocol: 'debate', count: 2 }, verifier: { isTrained: true } });
  const { session } = run;
  const { server, url: place } = await servedHere({ session });
  servers.push(server);
  const ask = async (completions: unknown) => {
    const body = { level: 1, problem: { shown: '1-2*9', hidden: { rule: '<precedence>' } }, completions };
    const response = await fetch(`${place}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      answer: (await response.json()) as { beliefs?: number[]; error?: { message: string } },
    };
  };
  // The verifier is not trained yet, so it assigns the probability 0.5 to every answer.
  expect((await ask(['3', ['4', '3']])).answer.beliefs).toEqual([0.5, 0.5]);
  expect(await ask(['é'])).toMatchObject({
    status: 400,
    answer: { error: { message: expect.stringContaining('“é”') } },
  });
  await session.dispose();
});
