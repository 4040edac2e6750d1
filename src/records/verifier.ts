// What a verifier keeps of the answers it has judged, and how far its word could be believed.

/** One answer that a verifier learns from. */
export interface RememberedAnswer {
  /** Iterations done before the one it was given in. */
  iteration: number;
  /** The problem's id. */
  question: string;
  /** The question with its rule, the header of who answers, then the answer. */
  tokens: number[];
  /** Where the answer begins in `tokens`. */
  start: number;
  isRight: boolean;
}

/** Scores of one iteration's answers against the truth, judged before they were learned from. */
export interface Reliability {
  /** Of equal width over scores from 0 to 1. */
  bins: ReliabilityCount[];
  /** Questions whose answers were all right or all wrong, and questions in all. */
  oneSided: number;
  questions: number;
}

export interface ReliabilityCount {
  /** Answers that scored in this bin. */
  count: number;
  /** How many of them were right. */
  right: number;
  /** Their mean score; 0 where there is none. */
  meanScore: number;
}
