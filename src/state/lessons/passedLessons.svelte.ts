// The lessons of the page that were passed in this browser. Their names are stored in localStorage if the browser
// allows this.
import { lessonNames } from '../../lessons/registry.ts';

const key = 'cothink.lessons';

function remembered(): readonly string[] {
  try {
    const stored = localStorage.getItem(key)?.split(' ') ?? [];
    return lessonNames.filter((name) => stored.includes(name));
  } catch {
    return []; // storage is refused: nothing to remember, nothing to say
  }
}

export class PassedLessons {
  #names = $state.raw(remembered());
  readonly names = $derived(this.#names);

  add(name: string): void {
    if (this.#names.includes(name)) return;
    this.#names = [...this.#names, name];
    try {
      localStorage.setItem(key, this.#names.join(' '));
    } catch {
      return; // it holds for this visit
    }
  }
}
