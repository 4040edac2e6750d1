// Trains one run of a claim's arm. The run is not stored. It ends after a given number of tokens was sampled.
import { outcomeOf, type RunOutcome } from '../../records/claims/measures.ts';
import type { Checkpoint, RunRecord } from '../../records/stored/checkpoint.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { memoryStore } from '../run/memoryStore.ts';
import { Session } from '../run/session.ts';

interface Arm {
  run: RunRecord;
  checkpoint: Checkpoint;
  /** The number of sampled tokens after which the run ends. */
  tokens: number;
  /**
   * Receives the session when it opens, so that the caller can react if the graphics device fails. Receives null when
   * the session is closed.
   */
  onSession: (session: Session | null) => void;
  /** Receives the run's progress, as the share of `tokens` that has been sampled, in [0, 1]. */
  say: (share: number) => void;
}

/**
 * The outcome of the run, measured at its end. A run that collapsed and therefore ended earlier also has an outcome.
 */
export async function untilSpent({ run, checkpoint, tokens, onSession, say }: Arm): Promise<RunOutcome> {
  const evaluations: Evaluation[] = [];
  const metrics: IterationMetrics[] = [];
  const session = new Session({
    ...{ run, checkpoint, store: memoryStore({ keepsIterations: false }), now: () => performance.now() },
    emit: (event) => {
      if (event.kind === 'evaluation') evaluations.push(event.evaluation);
      if (event.kind === 'iteration') metrics.push(event.metrics);
    },
  });
  onSession(session);
  try {
    while (session.state !== 'failed' && session.sampledTokens < tokens && session.state !== 'done') {
      await session.train(1);
      say(Math.min(1, session.sampledTokens / tokens));
    }
    const isMeasured = evaluations.at(-1)?.iteration === session.run.iteration;
    if (session.state !== 'failed' && !isMeasured) await session.evaluate();
    return outcomeOf(evaluations, metrics);
  } finally {
    onSession(null);
    await session.dispose();
  }
}
