// Finds faults of dialogues: empty messages, repeated words, planners that reveal the answer, and dialogues that end
// before any answer. The thresholds above which these faults are displayed are in ui/health.
import { mean } from '../../base/stats.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';

/** Splits a text into words, numbers, punctuation and special tokens. */
const wordsOf = (text: string): string[] => text.match(/<\w+>|\p{L}+|\d+|[^\s\p{L}\d]/gu) ?? [];

/** The share of turns that are empty but do not end the dialogue; 0 if there are no turns. */
export const emptyShare = (turns: readonly Pick<Turn, 'text' | 'isFinish'>[]): number =>
  mean(turns.map(({ text, isFinish }) => (!isFinish && text.trim() === '' ? 1 : 0)));

/**
 * The length of the longest sequence of words that two messages have in common, divided by the number of words of the
 * first message. The share is 0 if the messages have no words in common.
 */
export function overlap(message: string, heard: string): number {
  const [own, other] = [wordsOf(message), wordsOf(heard)];
  let longest = 0;
  // before[j] is the length of the longest common sequence that ends at the previous word of `message` and at the j-th
  // word of `heard`.
  let before = new Uint16Array(other.length + 1);
  for (const word of own) {
    const here = new Uint16Array(other.length + 1);
    other.forEach((said, j) => {
      if (said !== word) return;
      here[j + 1] = (before[j] as number) + 1;
      longest = Math.max(longest, here[j + 1] as number);
    });
    before = here;
  }
  return own.length === 0 ? 0 : longest / own.length;
}

/**
 * [turn] the largest share of each turn, in [0, 1], that is repeated from an earlier turn of another agent. The share
 * is null if the turn is empty or no other agent has spoken before.
 */
export function copiedShares(turns: readonly Pick<Turn, 'text' | 'agent'>[]): (number | null)[] {
  return turns.map(({ text, agent }, at) => {
    const heard = turns.slice(0, at).filter((turn) => turn.agent !== agent);
    if (heard.length === 0 || wordsOf(text).length === 0) return null;
    return Math.max(...heard.map((turn) => overlap(text, turn.text)));
  });
}

/** The length of the word sequences whose repetition is counted. */
const repeatedWords = 3;

/**
 * The share of the words of a message that end a sequence of three words which the message already contains, in [0, 1].
 * The share is 0 if no sequence of three words occurs twice.
 */
export function repeatedShare(text: string): number {
  const words = wordsOf(text);
  const seen = new Set<string>();
  let repeated = 0;
  for (let end = repeatedWords; end <= words.length; end++) {
    const sequence = words.slice(end - repeatedWords, end).join(' ');
    if (seen.has(sequence)) repeated++;
    seen.add(sequence);
  }
  return repeated / Math.max(1, words.length);
}

/**
 * The share of dialogues in which one of these agents says the right answer, minus the share in which it says the
 * answer of another problem (the mean over all other problems). The second share is subtracted because an answer that
 * occurs by chance is not a leak. The result is undefined if there are no such agents, or if there is only one problem.
 */
export function leakedShare(trajectories: readonly Trajectory[], planners: readonly number[]): number | undefined {
  const answers = new Map(trajectories.map(({ group, problem }) => [group, spaced(problem.answer)]));
  if (answers.size < 2 || planners.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const answer of answers.values()) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const excess = trajectories.map(({ group, turns }) => {
    const plans = turns.filter(({ agent }) => planners.includes(agent)).map(({ text }) => spaced(text));
    const says = (answer: string) => (answer.trim() !== '' && plans.some((plan) => plan.includes(answer)) ? 1 : 0);
    const own = says(answers.get(group) as string);
    let others = -own;
    for (const [answer, count] of counts) others += count * says(answer);
    return own - others / (answers.size - 1);
  });
  return mean(excess);
}

/** The words of a text, each with a space on both sides, so that only whole words are found. */
const spaced = (text: string) => ` ${wordsOf(text).join(' ')} `;

/** The share of dialogues that end properly although no agent has answered. */
export const unansweredShare = (trajectories: readonly Pick<Trajectory, 'finishCode' | 'answer'>[]): number =>
  mean(trajectories.map(({ finishCode, answer }) => (finishCode === 0 && answer === null ? 1 : 0)));
