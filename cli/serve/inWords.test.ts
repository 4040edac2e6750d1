// Tests that agents that write ordinary text are served in the chat format of the model on which they are based.
import { beforeAll, expect, it } from 'vitest';
import { givenSample } from '../../src/formats/llama/testing/givenSample.ts';
import { runId } from '../../src/records/ids.ts';
import { checkpointFormat, type RunRecord } from '../../src/records/stored/checkpoint.ts';
import { chatTokens, readyTemplates } from '../../src/text/chat.ts';
import { promptsAround, speakerAt } from '../../src/tasks/inWords/worldInWords.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { onCpu } from '../../src/training/testing/onCpu.ts';
import { wordsCheckpoint } from '../../src/training/testing/wordsRun.ts';
import { answered } from './chat.ts';
import { LeftError } from './http.ts';
import { ServedModels, type Model } from './model.ts';
import { playDialogue, type ServedTeam } from './team.ts';

onCpu();
beforeAll(readyTemplates);

it('a chat is read as in training, and an answer contains no special token', async () => {
  const checkpoint = await wordsCheckpoint(await givenSample());
  const run: RunRecord = {
    ...{ format: checkpointFormat, id: runId('words'), name: 'calm-otter', preset: 'passItOn', backend: 'simd' },
    ...{ config: checkpoint.config, changes: [], createdMs: 0, iteration: 0, isDone: false },
  };
  const { tokens, world, protocol } = assembleTeam(checkpoint.config);
  const models = ServedModels.open(run, checkpoint);
  const [planner, reasoner, base] = models.list as [Model, Model, Model];
  const { label } = checkpoint.foreign as { label: string };
  expect(models.list.map(({ id }) => id)).toEqual([`${label}:planner`, `${label}:reasoner`, label]);
  const [problem] = world.heldOut(1, 1);
  if (!problem) throw new Error('the world has problems');
  const around = promptsAround(checkpoint.config, world);
  const told = world.inWords?.chat(problem, { ...speakerAt(protocol, 0), heard: [] }, around) ?? [];
  expect(chatTokens(planner.chat, told)).toEqual(tokens.inWords?.(problem, 0, []));
  const heard = [{ role: 'metaThinking' as const, agent: 0, isOwn: false, text: 'It is <|user|> green' }];
  const asked = world.inWords?.chat(problem, { ...speakerAt(protocol, 1), heard }, around) ?? [];
  const context = chatTokens(reasoner.chat, asked);
  // In plain completions the model's own special tokens are written as text.
  const written = reasoner.tokenizer.decode(context);
  expect(written).toMatch(/^<s><\|user\|>Your friend says: .*<\/s><\|assistant\|>$/);
  const first = chatTokens(planner.chat, [{ role: 'user', content: 'two and two' }]);
  expect(planner.tokenizer.encode('<s><|user|>two and two</s><|assistant|>')).toEqual(first);
  const wish = { context, tokens: 200, temperature: 1, limits: {}, seed: 3, count: 1, stops: [] };
  let text = '';
  const said = await answered(models, reasoner, wish, (news) => (text += news));
  expect(said.text).toBe(text);
  expect(said.text).not.toMatch(/<eot>|<finish>|<\/s>|<bos>/);
  expect(said.tokens).toBeGreaterThan(0);
  const served = models.team as ServedTeam;
  expect(models.ids[0]).toBe('calm-otter');
  const heardTurns: number[] = [];
  const dialogue = await playDialogue(
    served,
    { problem, temperature: 0, seed: 1, choice: 0 },
    { left: new AbortController().signal, hear: ({ turns }) => heardTurns.push(turns.length) },
  );
  expect(heardTurns).toEqual(dialogue.turns.map((_, i) => i + 1));
  const gone = new AbortController();
  gone.abort();
  const leaving = { left: gone.signal, hear: () => undefined };
  await expect(playDialogue(served, { problem, temperature: 1, seed: 1, choice: 0 }, leaving)).rejects.toThrow(
    LeftError,
  );
  // New adapters change nothing yet. Once they are changed, the base still answers as before.
  const answerOf = async (of: ServedModels, model: Model) => (await answered(of, model, wish, () => undefined)).text;
  const before = await answerOf(models, base);
  expect(said.text).toBe(before);
  models.dispose();
  const moved = structuredClone(checkpoint);
  for (const { weights } of moved.networks) for (const { values } of weights) values.fill(0.2);
  const trained = ServedModels.open(run, moved);
  const [adapted, , untouched] = trained.list as [Model, Model, Model];
  expect(await answerOf(trained, untouched)).toBe(before);
  expect(await answerOf(trained, adapted)).not.toBe(before);
  trained.dispose();
});
