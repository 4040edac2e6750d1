import { describe, expect, it } from 'vitest';
import type { WorldApi } from '../../api/worldConnection.ts';
import { SandboxError } from '../../base/errors.ts';
import { starterOf, type Exercise, type Grade } from '../../exercises/exercise.ts';
import { exercises } from '../../exercises/exercises.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Exercises } from './exercises.svelte.ts';

const [first, second] = exercises as [Exercise, Exercise, ...Exercise[]];

/** A fake worker, which answers when the test resolves its promise. */
function connected() {
  const asked: { name: string; program: string; answer: (grade: Grade) => void; fail: (error: Error) => void }[] = [];
  const grade = (name: string, program: string) =>
    new Promise<Grade>((answer, fail) => void asked.push({ name, program, answer, fail }));
  const notices = new Notices();
  const written = new Exercises(notices, () => ({
    ask: (question) => question({ grade } as unknown as WorldApi),
    end: () => undefined,
  }));
  return { asked, notices, written };
}

describe('what is written', () => {
  it('begins with the empty function, and stays with its exercise', () => {
    const { written } = connected();
    written.open(first);
    expect(written.text).toBe(starterOf(first));
    written.write('mine');
    written.open(second);
    expect(written.text).toBe(starterOf(second));
    written.open(first);
    expect(written.text).toBe('mine');
  });

  it('is checked as it stands, and what is found goes with the next word', async () => {
    const { written, asked } = connected();
    written.open(first);
    written.write('mine');
    const checked = written.check();
    expect(written.isBusy).toBe(true);
    expect(asked[0]).toMatchObject({ name: first.name, program: 'mine' });
    asked[0]?.answer({ isRight: true });
    await checked;
    expect(written.grade).toEqual({ isRight: true });
    written.write('mine again');
    expect(written.grade).toBeNull();
  });

  it('takes no answer to what was changed meanwhile', async () => {
    const { written, asked } = connected();
    written.open(first);
    const checked = written.check();
    written.write('other');
    asked[0]?.answer({ isRight: true });
    await checked;
    expect(written).toMatchObject({ grade: null, isBusy: false });
  });

  it('says so where the worker was ended', async () => {
    const { written, asked, notices } = connected();
    written.open(first);
    const checked = written.check();
    asked[0]?.fail(new SandboxError('it took too long and was ended.'));
    await checked;
    expect(notices.list).toHaveLength(1);
    expect(written.isBusy).toBe(false);
  });
});
