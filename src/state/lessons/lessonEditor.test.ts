import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readOwnLesson } from '../../lessons/lesson.ts';
import { readLessonLink } from '../../lessons/lessonLink.ts';
import { Lessons } from './lessons.svelte.ts';
import { LessonEditor } from './lessonEditor.svelte.ts';

/** The only part of the page that the editor needs. The lesson panel uses it to check whether a run is open. */
const page = () => new Lessons({ run: { view: { run: null } } } as never);

describe('a lesson that is being written', () => {
  let store: Map<string, string>;
  let editor: LessonEditor;

  beforeEach(() => {
    store = new Map();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => store.get(name) ?? null,
      setItem: (name: string, text: string) => void store.set(name, text),
    });
    editor = new LessonEditor(page(), 'de');
  });
  afterEach(() => vi.unstubAllGlobals());

  const lacking = () => editor.lacking.map(({ name, step }) => `${step ?? 'lesson'} ${name}`);

  it('says what is missing until it is complete, and then opens for a pupil', async () => {
    expect(lacking()).toEqual(['lesson title', '0 step1', '0 step1.title']);
    editor.say('title', 'Eine');
    editor.say('.title', 'Erster Schritt');
    editor.say('', 'Lesen.');
    expect(lacking()).toEqual([]);
    editor.addCheck('choice');
    editor.say('.ask', 'Wer?');
    editor.say('.choice.a', 'Er.');
    expect(lacking()).toEqual(['0 step1.choice.b']);
    editor.say('.choice.b', 'Sie.');
    editor.change({ minutes: 7, hides: ['tokens'] });
    expect(editor.problems).toEqual([]);
    const opened = readOwnLesson(await readLessonLink((await editor.link()) ?? '')).lesson;
    expect(opened).toEqual(editor.lesson);
    expect(opened).toMatchObject({ minutes: 7, language: 'de', hides: ['tokens'] });
    expect(editor.preview.lesson).toBe(editor.lesson);
  });

  it('adds, moves and removes steps, each with its texts', () => {
    editor.say('.title', 'one');
    editor.addStep();
    editor.say('.title', 'two');
    editor.addStep();
    editor.say('.title', 'three');
    editor.moveStep(-1);
    const titles = () => editor.lesson.steps.map(({ name }) => editor.lesson.texts?.get(`${name}.title`));
    expect([titles(), editor.at, editor.preview.at]).toEqual([['one', 'three', 'two'], 1, 1]);
    editor.removeStep();
    expect([titles(), editor.text('.title'), editor.lesson.texts?.size]).toEqual([['one', 'two'], 'two', 2]);
    editor.moveStep(1);
    expect(titles()).toEqual(['one', 'two']);
    editor.removeStep();
    editor.removeStep();
    expect(titles()).toEqual(['one']);
    editor.addStep();
    expect(editor.lesson.steps.map(({ name }) => name)).toEqual(['step1', 'step2']);
  });

  it('accepts a setting, and refuses an impossible one with a remedy', () => {
    editor.set('lesson', 'optimiser.learningRate', '0.01');
    expect([editor.changed, editor.refused]).toEqual([{ 'optimiser.learningRate': 0.01 }, null]);
    editor.set('lesson', 'optimiser.learningRate', 'much');
    expect(editor.refused?.message).toMatch(/optimiser\.learningRate: expected/);
    expect(editor.lesson.config.optimiser.learningRate).toBe(0.01);
    editor.set('lesson', 'learning.learner', 'grpo');
    expect(editor.refused).toMatchObject({ of: 'lesson', at: 'learning.learner' });
    editor.mend();
    expect(editor.refused).toBeNull();
    expect(editor.lesson.config.learning.learner).toBe('grpo');
    editor.unset('lesson', 'optimiser.learningRate');
    expect(editor.changed).not.toHaveProperty(['optimiser.learningRate']);
    editor.changeStep({ does: 'restart' });
    editor.set('step', 'agents.parameters', 'separate');
    expect(editor.step?.sets).toEqual({ 'agents.parameters': 'separate' });
    expect(editor.lesson.config.agents.parameters).toBe('shared');
    editor.unset('step', 'agents.parameters');
    expect(editor.step?.sets).toEqual({});
    editor.usePreset('micro');
    expect(editor.changed).toEqual({});
  });

  it('forgets the texts of a removed question', () => {
    editor.addCheck('typed');
    editor.say('.ask', 'How much?');
    editor.changeCheck(0, { kind: 'typed', typed: 'gain', within: 0.1 });
    expect(editor.step?.checks).toEqual([{ kind: 'typed', typed: 'gain', within: 0.1 }]);
    editor.removeCheck(0);
    expect(editor.lesson.texts?.has('step1.ask')).toBe(false);
  });

  it('is kept for the next visit, and an unreadable one does no harm', () => {
    editor.say('title', 'Kept');
    expect(new LessonEditor(page(), 'en').text('title')).toBe('Kept');
    editor.open('minutes: 2\nsteps: []\ntexts: {title: Other}\n');
    expect([editor.text('title'), editor.lesson.steps.length]).toEqual(['Other', 1]);
    expect(editor.open('minutes: [2')).toEqual([expect.objectContaining({ name: 'FormatError' })]);
    expect(editor.text('title')).toBe('Other');
    editor.beginAnew();
    expect([editor.text('title'), editor.lesson.language]).toEqual(['', 'de']);
    store.set('cothink.lesson', '{');
    expect(new LessonEditor(page(), 'en').text('title')).toBe('');
    vi.stubGlobal('localStorage', {
      getItem: () => {
        throw new Error('refused');
      },
      setItem: () => {
        throw new Error('refused');
      },
    });
    expect(new LessonEditor(page(), 'en').isKept).toBe(false);
  });
});
