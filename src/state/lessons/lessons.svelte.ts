// The open lesson: its current step, the results of the checks, and the action of the button. A check that has passed
// stays passed, even if the measured value gets worse later.
import { createContext } from 'svelte';
import { ConfigError, type Settings } from '../../base/errors.ts';
import { isEnglish, spoken } from '../../base/spoken.ts';
import { quoted } from '../../base/quote.ts';
import { typedNumber } from '../../base/typedNumber.ts';
import { analysisMeasures } from '../../config/analyses/registry.ts';
import type { SettingValue } from '../../config/field.ts';
import { withSettings } from '../../config/parse.ts';
import { needsModel } from '../../config/presets.ts';
import { talksInWords } from '../../config/warmStarts.ts';
import type { Check, Lesson, LessonReading, LessonStep } from '../../lessons/lesson.ts';
import { readLessonLink } from '../../lessons/lessonLink.ts';
import { isLesson, loadLesson } from '../../lessons/registry.ts';
import type { RunId } from '../../records/ids.ts';
import type { Analyses } from '../analyses/analyses.svelte.ts';
import { Comparison } from '../experiments/comparison.svelte.ts';
import { differenceOf, type Difference } from '../experiments/differences.ts';
import type { Experiments } from '../experiments/experiments.svelte.ts';
import { experimentsAmong, idsOf } from '../experiments/storedExperiments.ts';
import type { Interventions } from '../interventions/interventions.svelte.ts';
import type { Library } from '../library/library.svelte.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Run } from '../run/run.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import { isWithin, measured, type MeasuredRun } from './measures.ts';
import { PassedLessons } from './passedLessons.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/** The code for reading lessons is loaded only when a lesson is opened. */
const readOwn = async (text: string): Promise<LessonReading> =>
  (await import('../../lessons/lesson.ts')).readOwnLesson(text);

interface LessonParts {
  run: Run;
  setup: Setup;
  selection: Selection;
  analyses: Pick<Analyses, 'ask' | 'measured'>;
  interventions: Interventions;
  experiments: Experiments;
  library: Library;
  notices: Notices;
}

/** `failed` means that the check has not passed, and that the visitor must do something before it can pass. */
export type MarkState = 'passed' | 'notYet' | 'failed';

export interface CheckMark {
  check: Check;
  state: MarkState;
  /** The measured value; null if nothing was measured. */
  now: number | null;
}

const placeOf = (step: number, check: number) => `${step} ${check}`;

/** The number of continuations or dialogues that are sampled when the button of a step runs an analysis. */
const draws = 64;

export class Lessons {
  readonly #parts: LessonParts;
  #lesson = $state.raw<Lesson | null>(null);
  #at = $state(0);
  /**
   * The passed checks. Each check is stored as the string `step check`, with the index of the step and the index of the
   * check in this step.
   */
  #passed = $state.raw<readonly string[]>([]);
  /** The lessons of the page that the visitor has completed. */
  readonly passed = new PassedLessons();
  /** Whether the end of the displayed lesson was announced, and whether a run was paused at this moment. */
  #hasEnded = false;
  #hasPaused = $state(false);
  /** Whether the run is paused when the lesson is passed. In the lesson panel of the editor, the run is not paused. */
  readonly #mayPause: boolean;
  /** The name of the displayed lesson, if it ships with the page. */
  #shelved: string | null = null;
  /** The visitor's choices and typed answers, by the position of the check. */
  #answers = $state.raw<Readonly<Record<string, string>>>({});
  /**
   * The run that was open when the step was displayed. If the step starts a new run, measurements of this earlier run
   * do not count.
   */
  #before = $state.raw<RunId | null>(null);
  /** The results of finished same-luck forks: the changed arm minus the other arm, newest first. */
  #forks = $state.raw<readonly Difference[]>([]);
  readonly lesson = $derived(this.#lesson);
  /** Index of the displayed step, starting at 0. */
  readonly at = $derived(this.#at);
  readonly step: LessonStep | null = $derived(this.#lesson?.steps[this.#at] ?? null);
  readonly isLast = $derived(this.#at === (this.#lesson?.steps.length ?? 0) - 1);
  /** The results of the displayed step's checks. */
  readonly marks: readonly CheckMark[] = $derived.by(() =>
    (this.step?.checks ?? []).map((check, i) => this.#mark(check, i)),
  );
  readonly isPassed = $derived(this.marks.every(({ state }) => state === 'passed'));
  /** The steps that the visitor left although they were not passed. */
  #leftOpen = $state.raw<readonly number[]>([]);
  /**
   * Whether the visitor may go to the next step although this one is not passed. This is possible as long as the run
   * needs a language model that has not been opened.
   */
  readonly mayReadOn = $derived.by(() => !this.isLast && !this.isPassed && this.#parts.run.needsModel);
  /** The indices of the steps that the visitor left, and that are still not passed. */
  readonly openSteps: readonly number[] = $derived(
    this.#leftOpen.filter(
      (at) => !this.#lesson?.steps[at]?.checks.every((_, i) => this.#passed.includes(placeOf(at, i))),
    ),
  );
  /** Whether the last step is displayed and all steps of the lesson are passed. */
  readonly isComplete = $derived(this.isLast && this.isPassed && this.openSteps.length === 0);
  readonly hasFailed = $derived(this.marks.some(({ state, check }) => state === 'failed' && check.kind === 'measure'));

  /** Called by the button of a step that shows the models. */
  onModels: () => void = () => undefined;

  /** Whether the run is paused because the lesson was passed. It is false again when the visitor continues training. */
  readonly isRested = $derived.by(() => this.#hasPaused && this.#parts.run.view.state === 'paused');

  constructor(parts: LessonParts, { mayPause = true } = {}) {
    this.#parts = parts;
    this.#mayPause = mayPause;
  }

  /**
   * Opens a lesson that ships with the page, and reports the errors in it. If there is no lesson with this name, an
   * error is shown on the page and the result is null.
   */
  async open(name: string): Promise<Lesson | null> {
    const { notices } = this.#parts;
    if (!isLesson(name)) {
      notices.problem(new ConfigError(spoken`lesson: there is no lesson with the name ${quoted(name)}.`));
      return null;
    }
    const read = await notices.attempt(() => loadLesson(name));
    const lesson = this.#take(read, `${name}.yaml`);
    if (lesson) this.#shelved = name;
    return lesson;
  }

  /**
   * Opens the visitor's own lesson from the part of an address after the `#`. If the lesson cannot be read, an error is
   * shown on the page and the result is null.
   */
  async openLink(hash: string): Promise<Lesson | null> {
    const read = await this.#parts.notices.attempt(async () => readOwn(await readLessonLink(hash)));
    return this.#take(read, say('the lesson in the link'));
  }

  /** Opens a visitor's own lesson from a file, with a new run. Returns whether the file contains a lesson. */
  async openFile(name: string, text: string): Promise<boolean> {
    const lesson = this.#take(await this.#parts.notices.attempt(() => readOwn(text)), name);
    if (lesson) this.#restart(lesson);
    return lesson !== null;
  }

  /**
   * Shows a lesson that was read, and reports its errors. If no part of the lesson can be used, the previous lesson
   * stays displayed.
   */
  #take(read: LessonReading | undefined, where: string): Lesson | null {
    for (const problem of read?.problems ?? []) this.#parts.notices.problem(problem, where);
    if (read?.lesson) this.begin(read.lesson);
    return read?.lesson ?? null;
  }

  /** Shows the first step of a lesson; if `lesson` is null, closes the displayed lesson. */
  begin(lesson: Lesson | null): void {
    if (lesson !== this.#lesson) this.#shelved = null;
    this.#lesson = lesson;
    this.#enter(0);
    this.#passed = [];
    this.#answers = {};
    this.#forks = [];
    this.#leftOpen = [];
    this.#hasEnded = this.#hasPaused = false;
  }

  /** Restarts the same lesson from its first step, with a new run. */
  again(): void {
    const lesson = this.#lesson;
    if (!lesson) return;
    this.begin(lesson);
    this.#restart(lesson);
  }

  /** Starts a new run for a lesson. If the lesson needs a language model and one is in use, it is kept. */
  #restart({ config, preset }: Lesson): void {
    const { setup } = this.#parts;
    const keeps = needsModel(preset, config) && talksInWords(setup.config);
    const { start } = setup.config.agents;
    setup.accept(keeps ? withSettings(config, { 'agents.start': start }) : config, preset);
    setup.newRun();
  }

  /**
   * Makes another lesson panel for the same page, which the lesson editor uses. Checks that pass in that panel do not
   * count in this one.
   */
  readonly beside = () => new Lessons(this.#parts, { mayPause: false });

  /** Shows the step with this index, counted from 0, even if earlier steps are not passed. */
  show(at: number): void {
    this.#enter(Math.max(0, Math.min(at, (this.#lesson?.steps.length ?? 0) - 1)));
  }

  /** Moves to the next step if the current one is passed, or if it may be left open. */
  next(): void {
    if (this.isLast || !(this.isPassed || this.mayReadOn)) return;
    if (!this.isPassed) this.#leftOpen = [...this.#leftOpen, this.#at];
    this.#enter(this.#at + 1);
  }

  back(): void {
    this.show(this.#at - 1);
  }

  #enter(at: number): void {
    this.#at = at;
    this.#before = this.#parts.run.view.run?.id ?? null;
  }

  /** The visitor's choice or typed answer for a check of the displayed step. */
  answerTo = (i: number): string => this.#answers[this.#place(i)] ?? '';

  answer(i: number, given: string): void {
    this.#answers = { ...this.#answers, [this.#place(i)]: given };
  }

  /**
   * Records the checks that pass now. When all checks of the lesson have passed, the run is paused once, so that the
   * visitor can look at the results of training.
   */
  settle(): void {
    const passed = this.marks.flatMap(({ state }, i) => (state === 'passed' ? this.#place(i) : []));
    const fresh = passed.filter((place) => !this.#passed.includes(place));
    if (fresh.length > 0) this.#passed = [...this.#passed, ...fresh];
    if (!this.isComplete) return;
    if (this.#shelved) this.passed.add(this.#shelved);
    const isNew = !this.#hasEnded && this.#lesson?.steps.some(({ checks }) => checks.length > 0);
    this.#hasEnded = true;
    const { run } = this.#parts;
    if (!isNew || !this.#mayPause || !run.isWriter || run.view.state !== 'training') return;
    this.#hasPaused = true;
    void run.toggleTraining();
  }

  /** Whether the button of the step can be pressed. */
  readonly mayAct = $derived.by(() => {
    const { run, experiments, selection } = this.#parts;
    const { state, iteration } = run.view;
    if (!run.isWriter) return false;
    const isStill = state === 'idle' || state === 'paused';
    switch (this.step?.does) {
      case undefined:
        return false;
      case 'openModel':
        return true;
      case 'train':
      case 'step':
        return isStill;
      case 'restart':
        return isStill || state === 'done';
      case 'fork':
        return experiments.request === null && state !== 'training' && iteration > 0;
      default:
        return (selection.group?.iteration ?? 0) > 0;
    }
  });

  /** Performs the action of the step. */
  async act(): Promise<void> {
    const { run, setup, selection, analyses, interventions, notices } = this.#parts;
    const { step } = this;
    if (!step?.does) return;
    switch (step.does) {
      case 'train':
        return run.train();
      case 'step':
        return run.step();
      case 'restart':
        setup.take(step.sets);
        return run.train();
      case 'fork':
        return this.#fork(step.sets, step.iterations ?? 1);
      case 'clipped':
        if (!selection.openClipped())
          notices.say(
            say(
              'No token of this problem was clipped. Choose the next problem with › above, then press the button again.',
            ),
          );
        return;
      case 'change':
        return interventions.openShown();
      case 'openModel':
        return this.onModels();
      default:
        return analyses.ask(step.does, draws);
    }
  }

  async #fork(sets: Settings, iterations: number): Promise<void> {
    const { run, experiments, library, notices } = this.#parts;
    const { run: open, checkpoints } = run.view;
    const iteration = checkpoints.at(-1);
    if (!open || iteration === undefined) return;
    const settings = Object.entries(sets).map(([path, value]) => ({ path, value: value as SettingValue }));
    await experiments.run({ kind: 'sameLuck', run: open.id, iteration, settings, iterations });
    if (experiments.refusal) return void notices.say(experiments.refusal);
    await library.refresh();
    const [newest] = experimentsAmong(library.runs, 'sameLuck');
    if (!newest?.runs.every(({ isDone }) => isDone)) return;
    const arms = new Comparison();
    arms.choose(idsOf(newest));
    await arms.load();
    const [control, changed] = arms.measured;
    if (control && changed) this.#forks = [differenceOf(changed, control), ...this.#forks];
  }

  #place = (i: number) => placeOf(this.#at, i);

  #mark(check: Check, i: number): CheckMark {
    const { state, run } = this.#parts.run.view;
    const isOfFormer = this.step?.does === 'restart' && (run === null || run.id === this.#before);
    const now = isOfFormer ? null : this.#now(check);
    if (this.#passed.includes(this.#place(i))) return { check, state: 'passed', now };
    if (check.kind === 'measure') {
      if (now !== null && isWithin(now, check)) return { check, state: 'passed', now };
      const isOver = state === 'done' || state === 'failed';
      const isFinal = (isOver && !isOfFormer && isOfRun(check.measure)) || (now !== null && isOfAnswer(check.measure));
      return { check, state: isFinal ? 'failed' : 'notYet', now };
    }
    const given = this.answerTo(i);
    const isOfRunItself = check.kind === 'typed' || check.asks !== undefined;
    if (given === '' || (now === null && isOfRunItself)) return { check, state: 'notYet', now };
    return { check, state: this.#isRight(check, given, now) ? 'passed' : 'failed', now };
  }

  #now(check: Check): number | null {
    const name = {
      measure: () => check.kind === 'measure' && check.measure,
      typed: () => check.kind === 'typed' && check.typed,
      choice: () => check.kind === 'choice' && check.asks,
    }[check.kind]();
    return name ? measured(name, this.#watched) : null;
  }

  #isRight(check: Exclude<Check, { kind: 'measure' }>, given: string, now: number | null): boolean {
    if (check.kind === 'typed') {
      const typed = typedNumber(given, { hasCommas: !isEnglish() });
      return now !== null && typed !== null && Math.abs(typed - now) <= check.within + 1e-9;
    }
    if (check.asks === undefined) return given === check.right;
    return now !== null && given === (isWithin(now, check) ? 'yes' : 'no');
  }

  readonly #watched: MeasuredRun = $derived.by(() => {
    const { run, analyses, selection, interventions } = this.#parts;
    const turn = selection.rollout?.turns[selection.turnIndex];
    const { opened, group } = selection;
    return {
      view: run.view,
      problem: selection.trajectory?.problem ?? null,
      ofAnalyses: (measure) => analyses.measured(measure),
      token:
        turn && opened && opened.iteration === group?.iteration
          ? { index: Math.min(opened.token, turn.tokens.length - 1), turn }
          : null,
      changes: interventions.changes.length,
      forks: this.#forks,
    };
  });
}

/**
 * Whether the value of a measure cannot change any more after the run has stopped. Other measures may still change
 * after an action of the visitor.
 */
const isOfRun = (name: string) =>
  name.includes('/') || ['accuracy', 'gain', 'beyond', 'influence', 'iteration'].includes(name);

/** Whether the value of a measure changes only when the visitor requests the measurement again. */
const isOfAnswer = (name: string) =>
  analysisMeasures[name]?.isFinal === true || ['forkGain', 'forkIsSure'].includes(name);

export const [getLessons, setLessons] = createContext<Lessons>();
