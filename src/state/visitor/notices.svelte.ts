// Messages of the page that do not belong to a run, for instance about refused links, failed storage or a second tab. A
// notice about an error contains the field, the expected value and the actual one. All notices can be dismissed, and
// the page continues to work.
import { createContext } from 'svelte';
import { StorageError } from '../../base/errors.ts';
import { untilAnswered } from '../../storage/database.ts';

export interface Notice {
  id: number;
  tone: 'problem' | 'news';
  /** Name of the error, e.g. ConfigError; empty for information. */
  name: string;
  text: string;
  /**
   * The topic of the notice; empty if the notice has no topic. All notices on a topic are removed together when they no
   * longer apply.
   */
  topic: string;
  /** A button that applies a fix. After a click, the notice is removed. */
  action?: Action;
}

export interface Action {
  words: string;
  /** Describes the settings that the button changes, one per line. */
  changes: readonly string[];
  run: () => void;
}

/** The topic of notices about a store that does not respond. */
const silence = 'silence';
/**
 * The maximum number of notices that are shown at a time, because nobody would read more notices. If this number is
 * reached, a new notice replaces the oldest one.
 */
const most = 3;

/** The name and the message of a thrown value. Both are preserved when an error comes from a worker. */
export function errorWords(thrown: unknown): { name: string; text: string } {
  if (thrown instanceof Error) return { name: thrown.name, text: thrown.message };
  return { name: 'Error', text: String(thrown) };
}

/** Waits for a task. Returns the reason if the task failed, or an empty string if it succeeded. */
export const refusalOf = (done: Promise<unknown>): Promise<string> =>
  done.then(
    () => '',
    (thrown: unknown) => errorWords(thrown).text,
  );

export class Notices {
  #list = $state.raw<readonly Notice[]>([]);
  /** The notices, newest first. */
  readonly list = $derived(this.#list);
  /** Called when the store responds again after it was reported as unresponsive. */
  onAnswer: () => void = () => undefined;
  #nextId = 1;

  /**
   * Shows an error as a notice on `topic`, until the action is tried again. An error about a store that does not
   * respond is shown until the store responds. A message that is already displayed is not shown twice.
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

  /**
   * Runs a task and returns its result. If the task fails, the error is shown as a notice, and the result is undefined.
   */
  async attempt<T>(work: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      this.problem(thrown);
      return undefined;
    }
  }

  /** Shows information that requires no action. The notice is removed after a few seconds. */
  news(text: string): void {
    const id = this.say(text);
    setTimeout(() => this.dismiss(id), 6000);
  }

  /** Shows a notice until it is dismissed, or until there is a newer notice on the same topic. */
  say(text: string, topic = ''): number {
    if (topic) this.settle(topic);
    return this.#add({ tone: 'news', name: '', text, topic });
  }

  /** Shows a notice with an action under `topic`, until the topic is resolved. */
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

  /** Removes the notices on a topic, because the action is tried again, or because the notices no longer apply. */
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
