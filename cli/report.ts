// Reports the progress of a command: on a terminal as a line that is overwritten, otherwise as one JSON object per
// line.
import { jsonLine, writeBar, writeError, writeOut } from './terminal.ts';

/** An event with its kind and plain values. */
export type ReportedEvent = Readonly<Record<string, unknown>> & { event: string };

export interface Reporter {
  /** Reports an event to programs. */
  tell: (news: ReportedEvent) => void;
  /** Shows people the current state; `share` is the completed share, from 0 to 1. */
  progress: (words: string, share: number) => void;
  /** Shows people a line that stays on the screen. */
  say: (words: string) => void;
}

const barCells = 24;

/** Writes each event as a line of JSON to standard output. */
const forPrograms: Reporter = {
  tell: (news) => writeOut(`${jsonLine(news)}\n`),
  progress: () => undefined,
  say: () => undefined,
};

/** A bar on standard error, which disappears when a permanent line replaces it. */
const forPeople: Reporter = {
  tell: () => undefined,
  progress: (words, share) => {
    const done = Math.round(Math.min(1, Math.max(0, share)) * barCells);
    writeBar(`${'█'.repeat(done) + '░'.repeat(barCells - done)} ${words}`);
  },
  say: (words) => writeError(`${words}\n`),
};

/**
 * Opens a reporter: one that writes JSON lines for programs if the output is not a terminal, otherwise one that writes
 * lines for people.
 */
export const openReporter = (isJson = !process.stdout.isTTY || !process.stderr.isTTY): Reporter =>
  isJson ? forPrograms : forPeople;
