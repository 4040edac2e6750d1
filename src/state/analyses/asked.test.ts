import { expect, it } from 'vitest';
import { runId } from '../../records/ids.ts';
import type { Looks } from '../../records/looks.ts';
import { Asked } from './asked.svelte.ts';

const at = (problem: number): Looks['heldOut']['at'] => ({ run: runId('calm-otter'), iteration: 1, problem });
const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

it('puts each question once, and keeps the answer to the newest', async () => {
  const asked: unknown[] = [];
  const answers: ((answer: unknown) => void)[] = [];
  const look = (...given: unknown[]) => {
    asked.push(given);
    return new Promise((resolve) => answers.push(resolve));
  };
  const question = new Asked('heldOut', { look: look as never });
  void question.ask(at(0));
  void question.ask(at(1));
  void question.ask(at(1));
  expect(asked).toEqual([
    ['heldOut', at(0)],
    ['heldOut', at(1)],
  ]);
  answers[1]?.({ index: 1 });
  answers[0]?.({ index: 0 }); // of a question that is not on display any more
  await settled();
  expect(question.answer).toEqual({ index: 1 });
});

it('why there is no answer is said in its place', async () => {
  const look = () => Promise.reject(new Error('none of its checkpoints is kept'));
  const question = new Asked('heldOut', { look });
  await question.ask(at(0));
  expect([question.answer, question.fault]).toEqual([null, 'none of its checkpoints is kept']);
});
