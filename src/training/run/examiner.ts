// Measures the accuracy of the team, either on schedule during the run or on request. Training pauses during a
// measurement.
import type { TrainerEvent } from '../../records/events.ts';
import type { Beside, Evaluation } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { evaluateTeam, measureAtLowTemperature } from '../evaluation/evaluate.ts';
import { measurePlaces } from '../evaluation/everywhere.ts';
import { measureAnswers } from '../evaluation/manyAnswers.ts';
import { Gate, yieldToMessages } from '../team/gate.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import type { TrainState } from './trainState.ts';
import { teamAt, type Team } from '../team/team.ts';
import { verifierInRollout } from '../verifier/trainedVerifier.ts';

interface ExaminerParts {
  trainState: TrainState;
  emit: (event: TrainerEvent) => void;
  /** The number of finished iterations. */
  iteration: () => number;
}

export type Hear = (measured: readonly Trajectory[]) => void;

export class Examiner {
  readonly #parts: ExaminerParts;
  /** Requested measurements that have not finished yet. */
  readonly #asked = new Set<Promise<unknown>>();
  /** The latest evaluation, with the team that was evaluated. */
  #newest: { team: Team; evaluation: Evaluation } | null = null;

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
  }

  /** Whether a requested measurement has not finished yet. */
  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  /**
   * Measures and reports the accuracy on the held-out problems. Before the first iteration, the dialogues are also
   * reported.
   */
  async scheduled(): Promise<Evaluation> {
    const { trainState, emit } = this.#parts;
    const iteration = this.#parts.iteration();
    const { every, everywhere } = trainState.team.config.evaluation;
    const evaluation = await this.#measure(
      everywhere > 0 && (iteration / every) % everywhere === 0 ? 'everywhere' : null,
      async ([first]) => {
        // Until the first iteration is finished, the inspector shows the first dialogue of this measurement.
        if (first && iteration === 0) emit({ kind: 'turn', iteration, trajectory: structuredClone(first) });
        await trainState.gate.pass();
      },
    );
    emit({ kind: 'evaluation', evaluation });
    return evaluation;
  }

  /**
   * Measures the accuracy on request. The result is returned, but no event is emitted. If the loop is not running, the
   * result also contains earlier measurements of the same weights. @param hear is called with the dialogues from which
   * the accuracy is computed
   */
  byHand(isLoopRunning: boolean, beside: Beside, hear?: Hear): Promise<Evaluation> {
    return this.meanwhile(isLoopRunning, async () => {
      const { team } = this.#parts.trainState;
      const evaluation = await this.#measure(beside, yieldToMessages, hear);
      if (isLoopRunning) return evaluation;
      const isSame = this.#newest?.team === team && this.#newest.evaluation.iteration === evaluation.iteration;
      const whole = { ...(isSame && this.#newest?.evaluation), ...evaluation };
      this.#newest = { team, evaluation: whole };
      return whole;
    });
  }

  /**
   * Closes the gate, waits until the training loop has paused, and then runs `work` on the device. The caller must open
   * the gate after that.
   */
  async meanwhile<T>(isLoopRunning: boolean, work: () => Promise<T>): Promise<T> {
    const halted = this.#parts.trainState.gate.close();
    const done = (async () => {
      if (isLoopRunning) await halted;
      return work();
    })();
    this.#asked.add(done);
    try {
      return await done;
    } finally {
      this.#asked.delete(done);
    }
  }

  /** Resolves when all requested measurements have finished. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#asked);
  }

  async #measure(
    beside: Beside,
    onTurn: (soFar: readonly Trajectory[]) => Promise<void>,
    hear?: Hear,
  ): Promise<Evaluation> {
    const { trainState, iteration } = this.#parts;
    const team = teamAt(trainState.team, iteration());
    trainState.gate.throwFault();
    const policiesOf = (asked: Team) => agentPolicies({ ...trainState, team: asked });
    // A new gate is used, because the gate of the training loop may be closed during this measurement.
    const { judge } = verifierInRollout(trainState.verifier, { team, gate: new Gate() });
    const how = { onTurn, ...(judge && { judge }) };
    const measured = { ...how, policies: policiesOf(team), iteration: iteration(), withMasked: true };
    const evaluation = await evaluateTeam(team, { ...measured, hear });
    const places = beside === 'everywhere' ? await measurePlaces(team, policiesOf, how) : null;
    const answers = beside === 'answers' ? await measureAnswers(team, measured) : null;
    const atLowTemperature = beside === 'lowTemperature' ? await measureAtLowTemperature(team, measured) : null;
    trainState.gate.throwFault();
    const measuredBeside = { ...(places && { places }), ...(answers && { answers }) };
    return { ...evaluation, ...measuredBeside, ...(atLowTemperature && { atLowTemperature }) };
  }
}
