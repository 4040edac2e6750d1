// What the page has to say that is not part of a run: refused links, failed stores, a second tab. Each notice names the
// field, what was expected and what came, and can be dismissed; none stops the page.

export interface Notice {
  id: number;
  tone: 'problem' | 'news';
  /** Name of the error, e.g. ConfigError; empty for news. */
  name: string;
  text: string;
}

/** Name and message of anything that was thrown. comlink keeps both. */
export function errorWords(thrown: unknown): { name: string; text: string } {
  if (thrown instanceof Error) return { name: thrown.name, text: thrown.message };
  return { name: 'Error', text: String(thrown) };
}

export class Notices {
  #list = $state.raw<readonly Notice[]>([]);
  #nextId = 1;

  get list(): readonly Notice[] {
    return this.#list;
  }

  /** Tells of an error. The same words are not repeated while they stand. */
  problem(thrown: unknown): void {
    const { name, text } = errorWords(thrown);
    this.#add({ tone: 'problem', name, text });
  }

  /** Says something that needs no action; it leaves by itself after a few seconds. */
  news(text: string): void {
    const id = this.say(text);
    setTimeout(() => this.dismiss(id), 6000);
  }

  /** Says something that stays until it is dismissed. */
  say(text: string): number {
    return this.#add({ tone: 'news', name: '', text });
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((notice) => notice.id !== id);
  }

  #add(notice: Omit<Notice, 'id'>): number {
    const id = this.#nextId++;
    const others = this.#list.filter((other) => other.text !== notice.text);
    this.#list = [...others, { id, ...notice }].slice(-4);
    return id;
  }
}
