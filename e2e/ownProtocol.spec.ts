// A visitor customises a protocol: the graph is changed by keyboard, a mistake is explained and corrected, the run
// trains, and the run file and the link contain the protocol.
import { expect } from 'vitest';
import type { OwnProtocol } from '../src/config/ownProtocol.ts';
import { readRunFile } from '../src/formats/runFile.ts';
import { test } from './browser.ts';
import { iterationOf, untilReopened, untilState } from './contract.ts';
import { download, faults, openRunFile } from './visitor.ts';

const few = 'backend=cpu&iterations=2&learning.problemsPerIteration=4&evaluation.problems=16';
const debate = 'agents.protocol=debate&agents.count=2&warmStart.source=none';

test('a built-in protocol is copied, changed by keyboard, trained, and exported in the run file', async ({ open }) => {
  const page = await open(`/?preset=micro&${few}&${debate}`);
  const agents = page.getByRole('region', { name: 'Agents', exact: true });
  await agents.getByRole('button', { name: /^Agents, advanced: / }).click();
  const shown = agents.locator('[data-field="agents.protocol"]');
  await expect.poll(() => shown.getByRole('checkbox').count()).toBe(0);
  await shown.getByRole('button', { name: 'Make it your own' }).click();

  const row = agents.locator('[data-field="agents.own"]');
  const node = (agent: number) => row.getByRole('button', { name: new RegExp(`^Agent ${agent}: `) });
  await node(1).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => node(1).getAttribute('aria-pressed')).toBe('true');
  const arrow = row.getByRole('checkbox', { name: 'agent 1 hears agent 0' });
  await expect.poll(() => arrow.getAttribute('aria-checked')).toBe('true');
  await arrow.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => arrow.getAttribute('aria-checked')).toBe('false');

  // An agent that speaks after another one but hears nobody has nothing to wait for: this is refused, and a click corrects it.
  await node(1).focus();
  await page.keyboard.press('ArrowRight');
  const refusal = row.getByRole('alert');
  await refusal.getByText('Agent 1 has nothing to wait for').waitFor();
  await refusal.getByRole('button', { name: 'Correct it' }).click();
  await refusal.waitFor({ state: 'detached' });
  await expect.poll(() => arrow.getAttribute('aria-checked')).toBe('true');

  await row.getByRole('button', { name: 'Add an agent' }).click();
  await node(2).waitFor();
  await row.getByLabel('Answers').selectOption('2');
  expect(await faults(page, '[data-field="agents.own"]')).toEqual([]);

  await untilReopened(page);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await untilState(page, ['done']);
  expect(await iterationOf(page)).toBe(2);

  const { text } = await download(page, 'Run file');
  const { config } = readRunFile(text);
  const own: Partial<OwnProtocol> = { order: [[0], [1, 2]], answer: 2, finisher: null };
  expect(config.agents).toMatchObject({ protocol: 'own', own });
  expect(config.agents.own.agents.map(({ hears }) => hears)).toEqual([[1, 2], [0], [0]]);

  const elsewhere = await open('/?preset=micro&backend=cpu');
  await openRunFile(elsewhere, text);
  await elsewhere.getByText(/^\d+ settings differ from/).waitFor();
  await untilState(elsewhere, ['idle']);
  expect(readRunFile((await download(elsewhere, 'Run file')).text).config.agents).toEqual(config.agents);
});

test('a link can contain a custom protocol, and a fault in it is reported with its place', async ({ open, visit }) => {
  const agent = { role: 'debater', hears: [], sees: 'all' };
  const own = (order: number[][]) =>
    encodeURIComponent(JSON.stringify({ agents: [agent, agent], order, answer: 'majority' }));
  const link = `/?preset=micro&${few}&warmStart.source=none&agents.protocol=own&agents.own=`;
  const page = await open(link + own([[0, 1]]));
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  const wrong = await visit(link + own([[0]]));
  await wrong.page.getByText('agent 1 never speaks').first().waitFor();
});
