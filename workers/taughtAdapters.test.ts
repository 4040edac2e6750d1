// Tests the adapters of a language model that imitate demonstrations before reinforcement learning, and the prompts of
// its agents.
import { beforeAll, describe, expect, it } from 'vitest';
import { withSettings } from '../src/config/parse.ts';
import { readyTemplates } from '../src/text/chat.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { openRun } from '../src/training/testing/microRun.ts';
import { shownPrompts } from '../src/training/team/shownPrompts.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { configFor, memoryStore, started } from './testing/taught.ts';

beforeAll(readyTemplates);

onCpu();

describe('adapters that are taught first', () => {
  it('move, their base does not, and a run continues from them', async () => {
    const losses: number[] = [];
    const untaught = await started({ 'warmStart.modelSteps': 0 });
    const taught = await started(
      { 'warmStart.modelSteps': 40, 'optimiser.learningRate': 1e-2 },
      { onProgress: ({ loss }) => loss !== null && losses.push(loss) },
    );
    const [before, after] = [untaught.networks[0], taught.networks[0]];
    expect(after?.weights.map(({ name }) => name)).toEqual(before?.weights.map(({ name }) => name));
    const moved = after?.weights.filter(({ values }, i) => values.some((v, j) => v !== before?.weights[i]?.values[j]));
    expect(moved?.length).toBeGreaterThan((after?.weights.length ?? 0) / 2);
    expect(taught.base).toEqual(untaught.base);
    for (const moment of [...(after?.m ?? []), ...(after?.v ?? [])]) expect(moment.every((v) => v === 0)).toBe(true);
    expect(losses.at(-1)).toBeLessThan(0.95 * (losses[0] as number));
    const run = openRun(taught);
    await run.session.train(1);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });

  it('are the same from the same seed, and wherever the training was stopped', async () => {
    const settings = { 'warmStart.modelSteps': 6 };
    const whole = await started(settings);
    expect((await started(settings)).networks).toEqual(whole.networks);
    const warmStarts = memoryStore();
    let steps = 0;
    await expect(started(settings, { warmStarts, isLeft: () => ++steps === 3 })).rejects.toThrow(
      /stopped after step 3 of 6/,
    );
    expect(warmStarts.kept.map(({ step }) => step)).toEqual([3]);
    expect((await started(settings, { warmStarts })).networks).toEqual(whole.networks);
    // A later run takes what was stored.
    const { length } = warmStarts.kept;
    expect((await started(settings, { warmStarts })).networks).toEqual(whole.networks);
    expect(warmStarts.kept).toHaveLength(length);
    // Other prompts are other demonstrations.
    const others = await started({ ...settings, 'agents.prompts': { heard: 'You hear: {message}' } }, { warmStarts });
    expect(others.networks).not.toEqual(whole.networks);
  });

  it('never read what nobody hears, if they are taught without it', async () => {
    const { config } = await configFor({ 'agents.unheard': 'all', 'warmStart.unheard': true });
    const team = assembleTeam(config);
    const [problem] = team.world.heldOut(1, 1);
    if (!problem) throw new Error('the world has problems');
    const heard = [{ role: 'metaThinking', agent: 0, isOwn: false, text: '' } as const];
    const own = tokenizerOf(JSON.parse(team.foreign?.tokenizerJson ?? '{}') as object);
    expect(own.decode(team.tokens.inWords?.(problem, 1, heard) ?? [])).toContain('Your friend says: "" How many');
  });
});

describe('prompts', () => {
  const readBy = async (agent: number, settings: Record<string, unknown>) => {
    const { config } = await configFor(settings);
    const team = assembleTeam(config);
    const [problem] = team.world.heldOut(1, 1);
    const own = tokenizerOf(JSON.parse(team.foreign?.tokenizerJson ?? '{}') as object);
    return problem ? own.decode(team.prompt(problem, agent)) : '';
  };

  it('contain solved training problems if the settings say so, each as a chat of its own agent', async () => {
    const [none, two] = [await readBy(1, {}), await readBy(1, { 'agents.examples': 2 })];
    expect(two.endsWith(none.replace('<s>', ''))).toBe(true);
    expect(
      two.match(
        /Your friend says: "\w+ has an? \w+" How many legs do the animals of \w+ have\? Answer with one number\.<\/s><\|assistant\|>\d/g,
      ),
    ).toHaveLength(2);
    expect(await readBy(0, { 'agents.examples': 2 })).not.toContain('Your friend says');
  });

  it('have the texts of the settings, or the settings are refused by name', async () => {
    expect(await readBy(0, { 'agents.prompts': { 'ask.tell': 'Tell it: {owner}.' } })).toMatch(
      /know it\. Tell it: \w+\./,
    );
    await expect(readBy(0, { 'agents.prompts': { 'ask.teller': '' } })).rejects.toThrow(
      /agents\.prompts: there is no text/,
    );
    // The one who answers does not see the secret.
    await expect(readBy(1, { 'agents.prompts': { 'ask.answer': '{fact}' } })).rejects.toThrow(/contains \{fact\}/);
    await expect(readBy(0, { 'world.name': 'grid', 'agents.protocol': 'reMA', 'agents.examples': 1 })).rejects.toThrow(
      /agents\.examples/,
    );
  });

  it('are shown with all texts of the team, and counted in tokens of the model if it is at hand', async () => {
    const { config } = await configFor();
    const shown = shownPrompts(config);
    expect(Object.keys(shown?.texts ?? {})).toEqual([
      'system',
      'start',
      'ask.tell',
      'again',
      'hidden.secret',
      'ask',
      'heard',
    ]);
    expect(shown?.chats.map(({ role }) => role)).toEqual(['metaThinking', 'reasoning']);
    for (const { tokens } of shown?.chats ?? []) expect(tokens).toBeGreaterThan(30);
    const alone = shownPrompts(withSettings(config, { 'agents.start': 'warmStart' }));
    expect(alone?.chats.map(({ tokens }) => tokens)).toEqual([null, null]);
    expect(alone?.chats.map(({ messages }) => messages)).toEqual(shown?.chats.map(({ messages }) => messages));
  });
});
