// A round of kills: the same seed gives the same one.

export interface RoundPlan {
  origin: string;
  seed: number;
  /** Kills that are left. */
  left: number;
  untilMs: number;
}

/** The result of one round. */
export interface Round {
  name: 'training' | 'sides' | 'program';
  /** How often each way of killing was used. */
  kills: Record<string, number>;
  /** Iterations that were held against those of an undisturbed run, and those that were done again. */
  compared: number;
  repeated: number;
  faults: string[];
}

/** How many deaths there were in a round. */
export const killsOf = ({ kills }: Round): number => Object.values(kills).reduce((sum, n) => sum + n, 0);
