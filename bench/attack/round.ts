// A round of kills: the same seed gives the same round.

export interface RoundPlan {
  origin: string;
  seed: number;
  /** Remaining kills. */
  left: number;
  untilMs: number;
}

/** The result of one round. */
export interface Round {
  name: 'training' | 'sides' | 'program';
  /** Number of uses of each way of killing. */
  kills: Record<string, number>;
  /** Number of iterations compared with those of an undisturbed run, and number of repeated ones. */
  compared: number;
  repeated: number;
  faults: string[];
}

/** The number of deaths in a round. */
export const killsOf = ({ kills }: Round): number => Object.values(kills).reduce((sum, n) => sum + n, 0);
