// The exercises, with the visitor's solutions and their grades, which are available until the page is closed. Solutions
// run in the worker of the visitor's own worlds, separate from the page and from training.
import { createContext } from 'svelte';
import { connectWorlds, type ConnectWorlds, type WorldConnection } from '../../api/worldConnection.ts';
import { starterOf, type Exercise, type Grade } from '../../exercises/exercise.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

export class Exercises {
  readonly #notices: Notices;
  readonly #bench: WorldConnection;
  #chosen = $state.raw<Exercise | null>(null);
  #grade = $state.raw<Grade | null>(null);
  #isBusy = $state(false);
  /** The solutions, by the name of the exercise. */
  #written = $state.raw<Readonly<Record<string, string>>>({});
  /** The open exercise; null if none is open. */
  readonly chosen = $derived(this.#chosen);
  /** The grade of the current text; null if this text has not been graded. */
  readonly grade = $derived(this.#grade);
  readonly isBusy = $derived(this.#isBusy);

  constructor(notices: Notices, connect: ConnectWorlds = connectWorlds) {
    this.#notices = notices;
    this.#bench = connect();
  }

  open(exercise: Exercise | null): void {
    this.#chosen = exercise;
    this.#grade = null;
  }

  /** The text of the open exercise: the visitor's solution, or the starting text. */
  get text(): string {
    const exercise = this.#chosen;
    return exercise ? (this.#written[exercise.name] ?? starterOf(exercise)) : '';
  }

  write(text: string): void {
    if (this.#chosen) this.#written = { ...this.#written, [this.#chosen.name]: text };
    this.#grade = null;
  }

  /** Grades the current text. The visitor can edit the text while it is being graded. */
  async check(): Promise<void> {
    const [exercise, { text }] = [this.#chosen, this];
    if (!exercise || this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#notices.attempt(async () => {
        const grade = await this.#bench.ask((bench) => bench.grade(exercise.name, text));
        if (this.#chosen === exercise && this.text === text) this.#grade = grade;
      });
    } finally {
      this.#isBusy = false;
    }
  }

  /** Terminates the worker. The worker is started again when the next solution is checked. */
  rest(): void {
    this.#bench.end();
  }
}

export const [getExercises, setExercises] = createContext<Exercises>();
