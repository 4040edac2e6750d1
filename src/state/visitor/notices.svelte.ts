// Messages of the page that are not part of a run: refused links, failed stores, a second tab. Each notice names the
// field, what was expected and what came, and can be dismissed; none stops the page.
import { createContext } from 'svelte';
import { StorageError } from '../../base/errors.ts';
import { untilAnswered } from '../../storage/database.ts';

export interface Notice {
  id: number;
  tone: 'problem' | 'news';
  /** Name of the error, e.g. ConfigError; empty for news. */
  name: string;
  text: string;
  /** The topic of the notice: the notice leaves when that is settled. Empty for what stands alone. */
  topic: string;
  /** The way out, as a button; the notice leaves with it. */
  action?: Action;
}

export interface Action {
  words: string;
  /** The settings that the click changes, one a line. */
  changes: readonly string[];
  run: () => void;
}

/** The topic of a store that does not answer. */
const silence = 'silence';
/** As many as are read; an older one leaves for a newer. */
const most = 3;

/** Name and message of anything that was thrown. comlink keeps both. */
export function errorWords(thrown: unknown): { name: string; text: string } {
  if (thrown instanceof Error) return { name: thrown.name, text: thrown.message };
  return { name: 'Error', text: String(thrown) };
}

/** Why something came to nothing, in words, once it is over; empty where it did not. */
export const refusalOf = (done: Promise<unknown>): Promise<string> =>
  done.then(
    () => '',
    (thrown: unknown) => errorWords(thrown).text,
  );

export class Notices {
  #list = $state.raw<readonly Notice[]>([]);
  /** Newest first. */
  readonly list = $derived(this.#list);
  /** Called when the store answers of which was told that it does not. */
  onAnswer: () => void = () => undefined;
  #nextId = 1;

  /**
   * Tells of an error, in `topic` until that is tried again; that the store does not answer, until it does. The same words
   * are not repeated while they stand.
   */
  problem(thrown: unknown, topic = '', { fileName = '', action }: { fileName?: string; action?: Action } = {}): void {
    if (thrown instanceof StorageError && thrown.reason === 'silent' && !topic) {
      topic = silence;
      void untilAnswered().then(() => this.#hearAnswer());
    }
    const { name, text } = errorWords(thrown);
    const told = fileName ? `${fileName}: ${text}` : text;
    this.#add({ tone: 'problem', name, text: told, topic, ...(action && { action }) });
  }

  /** Does some work. An error of that work is reported, and the answer is undefined then. */
  async attempt<T>(work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      this.problem(thrown);
      return undefined;
    }
  }

  /** Says something that needs no action; it leaves by itself after a few seconds. */
  news(text: string): void {
    const id = this.say(text);
    setTimeout(() => this.dismiss(id), 6000);
  }

  /** Says something that stays until it is dismissed, or until more is said of its topic. */
  say(text: string, topic = ''): number {
    if (topic) this.settle(topic);
    return this.#add({ tone: 'news', name: '', text, topic });
  }

  /** Says something that can be acted on, in `topic` until that is settled. */
  offer(text: string, action: Action, topic: string): void {
    this.#add({ tone: 'news', name: '', text, topic, action });
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((notice) => notice.id !== id);
  }

  #hearAnswer(): void {
    if (!this.#list.some(({ topic }) => topic === silence)) return;
    this.settle(silence);
    this.onAnswer();
  }

  /** Takes back what was said of a topic: it is tried again, or no longer so. */
  settle(topic: string): void {
    this.#list = this.#list.filter((notice) => notice.topic !== topic);
  }

  #add(notice: Omit<Notice, 'id'>): number {
    const id = this.#nextId++;
    const others = this.#list.filter(({ text }) => text !== notice.text);
    this.#list = [{ id, ...notice }, ...others].slice(0, most);
    return id;
  }
}

export const [getNotices, setNotices] = createContext<Notices>();
