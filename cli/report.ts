// What a command says while it works: on a terminal a line that is written over, elsewhere one JSON object a line.

/** A piece of news: its kind, and plain values. */
export type News = Readonly<Record<string, unknown>> & { event: string };

export interface Reporter {
  /** For programs. */
  tell: (news: News) => void;
  /** For people: where it stands, `share` done in [0, 1]. */
  progress: (words: string, share: number) => void;
  /** For people: a line that stays. */
  say: (words: string) => void;
}

const barCells = 24;

/** JSON lines on standard output. */
const forPrograms: Reporter = {
  tell: (news) => void process.stdout.write(`${JSON.stringify(news)}\n`),
  progress: () => undefined,
  say: () => undefined,
};

const clear = '\r\u001b[2K';
/** Whether a bar stands in the line that is written next. */
let isBarShown = false;

/** Writes words of an error to standard error, in the place of a bar. */
export function writeError(words: string): void {
  process.stderr.write(isBarShown ? clear + words : words);
  isBarShown = false;
}

/** A bar on standard error, which goes when something stays in its place. */
function forPeople(): Reporter {
  return {
    tell: () => undefined,
    progress: (words, share) => {
      const done = Math.round(Math.min(1, Math.max(0, share)) * barCells);
      const bar = '█'.repeat(done) + '░'.repeat(barCells - done);
      const width = process.stderr.columns || 80;
      process.stderr.write(`${clear}${`${bar} ${words}`.slice(0, width - 1)}`);
      isBarShown = true;
    },
    say: (words) => {
      process.stderr.write(`${clear}${words}\n`);
      isBarShown = false;
    },
  };
}

/** Chosen by where the output goes. */
export const openReporter = (isJson = !process.stdout.isTTY || !process.stderr.isTTY): Reporter =>
  isJson ? forPrograms : forPeople();
