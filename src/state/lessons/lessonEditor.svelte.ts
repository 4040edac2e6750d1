// The lesson that a visitor writes: its steps, texts, settings and checks. The lesson is stored in the browser until
// the author starts a new lesson. Next to the editor, the page shows the lesson as a pupil will see it, and the errors
// that remain.
import type { Settings } from '../../base/errors.ts';
import { ConfigError } from '../../base/errors.ts';
import type { SettingValue } from '../../config/field.ts';
import { fieldAt } from '../../config/describe.ts';
import { difference, readFieldText } from '../../config/parse.ts';
import { firstPreset, presetConfig } from '../../config/presets.ts';
import { readOwnLesson, type Check, type Lesson, type LessonStep } from '../../lessons/lesson.ts';
import { writeLessonLink } from '../../lessons/lessonLink.ts';
import { textNames, textsOf, withText, type ofLesson } from '../../lessons/texts.ts';
import { writeLesson } from '../../lessons/writeLesson.ts';
import { draftOf, withEdits, type DraftError } from '../settings/draft.ts';
import type { Lessons } from './lessons.svelte.ts';
import type { Locale } from '../visitor/language.svelte.ts';

const key = 'cothink.lesson';

/** The names of the answers of a multiple-choice check. New answers get these names in order. */
export const answerNames = 'abcdefgh';

/** The part of the lesson whose settings are changed: the whole lesson, or the button of a step. */
export type SettingsOf = 'lesson' | 'step';

/** The kinds of checks that the author can choose. */
export const checkKinds = {
  measure: { kind: 'measure', measure: 'accuracy', above: 0.8 },
  choice: { kind: 'choice', choice: ['a', 'b'], right: 'a' },
  asks: { kind: 'choice', choice: ['yes', 'no'], asks: 'gain', above: 0 },
  typed: { kind: 'typed', typed: 'accuracy', within: 0.02 },
} as const satisfies Record<string, Check>;
export type CheckKind = keyof typeof checkKinds;

interface Refused extends DraftError {
  of: SettingsOf;
  /** The value that the author entered. */
  value: SettingValue;
}

/** An empty step. */
const emptyStep = (name: string): LessonStep => ({ name, sets: {}, checks: [] });

const emptyLesson = (language: string): Lesson => ({
  ...{ name: 'own', minutes: 3, language, preset: firstPreset, config: presetConfig(firstPreset), hides: [] },
  steps: [emptyStep('step1')],
  texts: new Map(),
});

/** The lesson from an earlier visit, as text; null if there is none, or if the browser does not allow storage. */
function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export class LessonEditor {
  readonly #language: Locale;
  /** The lesson panel in which the author sees the lesson as pupils will see it. */
  readonly preview: Lessons;
  #lesson = $state.raw<Lesson>(emptyLesson('en'));
  #at = $state(0);
  #refused = $state.raw<Refused | null>(null);
  #isKept = $state(true);
  readonly lesson = $derived(this.#lesson);
  /** The index of the displayed step, counted from 0. */
  readonly at = $derived(this.#at);
  readonly step: LessonStep | undefined = $derived(this.#lesson.steps[this.#at]);
  /** Its file. */
  readonly file = $derived(writeLesson(this.#lesson));
  /** The errors that remain in the lesson. */
  readonly problems = $derived(readOwnLesson(this.file).problems);
  /**
   * The required texts that are missing, each with the index of its step, counted from 0. The index is null for a text
   * of the whole lesson.
   */
  readonly lacking = $derived.by(() => {
    const { steps, texts } = this.#lesson;
    const empty = textNames(steps).filter(({ name, isNeeded }) => isNeeded && !texts?.get(name)?.trim());
    const stepOf = (name: string) => steps.findIndex((step) => step.name === name.split('.')[0]);
    return empty.map(({ name }) => ({ name, step: stepOf(name) < 0 ? null : stepOf(name) }));
  });
  /** The setting that was refused last, and the reason; null if the last change was accepted. */
  readonly refused = $derived(this.#refused);
  /** Whether the browser stores the lesson, so that it is still there after a reload. */
  readonly isKept = $derived(this.#isKept);
  /** Settings that differ from those of the preset. */
  readonly changed: Settings = $derived.by(() => {
    const { config, preset } = this.#lesson;
    return Object.fromEntries(
      difference(config, presetConfig(preset)).map(({ field, value }) => [field.path, value as SettingValue]),
    );
  });

  /** Creates the editor. `lessons` is the lesson panel of the page, and `language` is the page's language. */
  constructor(lessons: Lessons, language: Locale) {
    this.#language = language;
    this.preview = lessons.beside();
    this.#put(readOwnLesson(kept() ?? '').lesson ?? emptyLesson(language), 0);
  }

  /**
   * Replaces the edited lesson with a lesson from a file, and returns the errors in the file. If no part of the file
   * can be used, the edited lesson is not replaced.
   */
  open(file: string): readonly Error[] {
    const { lesson, problems } = readOwnLesson(file);
    if (lesson) this.#put(lesson.steps.length > 0 ? lesson : { ...lesson, steps: [emptyStep('step1')] }, 0);
    return problems;
  }

  /** Replaces the edited lesson with an empty one. */
  beginAnew(): void {
    this.#put(emptyLesson(this.#language), 0);
  }

  /** The part of a link that contains the lesson; null if the lesson is too large for a link. */
  readonly link = (): Promise<string | null> => writeLessonLink(this.file);

  change(part: Partial<Pick<Lesson, 'minutes' | 'language' | 'hides'>>): void {
    this.#put({ ...this.#lesson, ...part });
  }

  /** Switches to another preset, which resets the changed settings. */
  usePreset(preset: string): void {
    this.#put({ ...this.#lesson, preset, config: presetConfig(preset) });
  }

  /**
   * Returns a text of the lesson or of the displayed step; empty if the text is missing. For a text of the lesson,
   * `part` is the full name of the text. For a text of the step, `part` is the name without the name of the step.
   */
  text(part: (typeof ofLesson)[number] | `.${string}` | ''): string {
    return this.#lesson.texts?.get(this.#nameOf(part)) ?? '';
  }

  say(part: (typeof ofLesson)[number] | `.${string}` | '', text: string): void {
    this.#put({ ...this.#lesson, texts: withText(this.#lesson.texts, this.#nameOf(part), text) });
  }

  choose(at: number): void {
    this.#put(this.#lesson, at);
  }

  addStep(): void {
    const { steps } = this.#lesson;
    let number = steps.length + 1;
    while (steps.some(({ name }) => name === `step${number}`)) number++;
    this.#put({ ...this.#lesson, steps: [...steps, emptyStep(`step${number}`)] }, steps.length);
  }

  /** Moves the displayed step one position later in the lesson (1) or one position earlier (−1). */
  moveStep(by: -1 | 1): void {
    const to = this.#at + by;
    const steps = [...this.#lesson.steps];
    const [moved] = steps.splice(this.#at, 1);
    if (!moved || to < 0 || to > steps.length) return;
    steps.splice(to, 0, moved);
    this.#put({ ...this.#lesson, steps }, to);
  }

  /** Removes the displayed step, unless it is the only one. */
  removeStep(): void {
    const { steps } = this.#lesson;
    if (steps.length > 1) this.#put({ ...this.#lesson, steps: steps.toSpliced(this.#at, 1) });
  }

  changeStep(part: Partial<Omit<LessonStep, 'name'>>): void {
    const steps = this.#lesson.steps.map((step, i) => (i === this.#at ? { ...step, ...part } : step));
    this.#put({ ...this.#lesson, steps });
  }

  addCheck(kind: CheckKind): void {
    this.changeStep({ checks: [...(this.step?.checks ?? []), checkKinds[kind]] });
  }

  changeCheck(i: number, check: Check): void {
    this.changeStep({ checks: (this.step?.checks ?? []).with(i, check) });
  }

  removeCheck(i: number): void {
    this.changeStep({ checks: (this.step?.checks ?? []).toSpliced(i, 1) });
  }

  /**
   * Changes a setting to the value that the author typed or chose. If the value is not allowed, `refused` contains the
   * reason and a fix.
   */
  set(of: SettingsOf, path: string, text: string): void {
    const field = fieldAt(path);
    if (!field) return;
    try {
      this.#take(of, path, { [path]: readFieldText(field, text) });
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      this.#refused = { of, at: path, path, value: text, message: thrown.message, remedy: null };
    }
  }

  /** Applies the fix of a refused change. */
  mend(): void {
    if (!this.#refused?.remedy) return;
    const { of, at, value, remedy } = this.#refused;
    this.#take(of, at, { [at]: value, ...remedy.settings });
  }

  /** Resets a setting to its value in the preset or, for a step, to its value in the lesson. */
  unset(of: SettingsOf, path: string): void {
    const without = Object.entries(this.settings(of)).filter(([other]) => other !== path);
    this.#take(of, path, Object.fromEntries(without), true);
  }

  /** The changed settings of the lesson or of the step, by path. */
  settings(of: SettingsOf): Settings {
    return of === 'lesson' ? this.changed : (this.step?.sets ?? {});
  }

  #take(of: SettingsOf, at: string, settings: Settings, isWhole = false): void {
    const { preset, config } = this.#lesson;
    const base = of === 'lesson' ? presetConfig(preset) : config;
    const wanted = isWhole ? settings : { ...this.settings(of), ...settings };
    const { config: possible, error } = withEdits(draftOf(base), at, wanted);
    const value = settings[at] ?? '';
    this.#refused = error && { ...error, of, value: value as SettingValue };
    if (error) return;
    if (of === 'lesson') this.#put({ ...this.#lesson, config: possible });
    else this.changeStep({ sets: wanted });
  }

  #nameOf(part: string): string {
    return part === '' || part.startsWith('.') ? `${this.step?.name ?? ''}${part}` : part;
  }

  /**
   * Replaces the edited lesson with a changed lesson, removes the texts of parts that no longer exist, and stores the
   * result.
   */
  #put(lesson: Lesson, at = this.#at): void {
    this.#lesson = { ...lesson, texts: textsOf(lesson.steps, lesson.texts) };
    this.#at = Math.max(0, Math.min(at, lesson.steps.length - 1));
    this.preview.begin(this.#lesson);
    this.preview.show(this.#at);
    try {
      localStorage.setItem(key, this.file);
      this.#isKept = true;
    } catch {
      this.#isKept = false;
    }
  }
}
