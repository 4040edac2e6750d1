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

/** A bar on standard error, which goes when something stays in its place. */
function forPeople(): Reporter {
  const clear = '\r\u001b[2K';
  return {
    tell: () => undefined,
    progress: (words, share) => {
      const done = Math.round(Math.min(1, Math.max(0, share)) * barCells);
      const bar = '█'.repeat(done) + '░'.repeat(barCells - done);
      const width = process.stderr.columns || 80;
      process.stderr.write(`${clear}${`${bar} ${words}`.slice(0, width - 1)}`);
    },
    say: (words) => void process.stderr.write(`${clear}${words}\n`),
  };
}

/** Chosen by where the output goes. */
export const openReporter = (isJson = !process.stdout.isTTY || !process.stderr.isTTY): Reporter =>
  isJson ? forPrograms : forPeople();
