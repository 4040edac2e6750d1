// Cross-play: agents of several runs are combined in one team, to test whether they understand the messages of agents
// from another run (zero-shot coordination, Hu et al. 2003.02979).
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { evaluateTeam } from '../../../training/evaluation/evaluate.ts';
import type { SeatAnswers } from '../../../training/review/analysis.ts';
import { seatTogether, type Seat } from '../../../training/run/seats.ts';
import { yieldToMessages } from '../../../training/team/gate.ts';
import { assembleTeam } from '../../../training/team/team.ts';
import type { CrossCell } from './records.ts';

/**
 * For each pair of checkpoints, measures a team that consists of the first agent from one checkpoint and the other
 * agents from the other checkpoint. Reports the results cell by cell and row by row; the promise resolves after the
 * last report has been handled. Throws ConfigError if agents cannot talk to each other, or if the runs do not have the
 * same problems.
 */
async function crossPlay(all: readonly Seat[], tell: (cell: CrossCell) => void | Promise<void>): Promise<void> {
  const problemsOf = ({ checkpoint: { config } }: Seat) =>
    `${config.evaluation.problems} problems of ${assembleTeam(config).world.label}, level ${config.world.level}`;
  for (const one of all.slice(1)) {
    const [own, others] = [problemsOf(one), problemsOf(all[0] as Seat)];
    if (own !== others)
      throw new ConfigError(
        spoken`cross-play: ${one.name} is measured on ${own}, but ${all[0]?.name ?? ''} is measured on ${others}; choose runs with the same held-out problems.`,
      );
  }
  for (const [sender, first] of all.entries()) {
    const { roles } = assembleTeam(first.checkpoint.config).protocol;
    if (roles.length < 2)
      throw new ConfigError(
        spoken`cross-play: the run ${first.name} has only one agent; choose runs with at least two agents.`,
      );
    for (const [receiver, others] of all.entries()) {
      const { team, policies, judge, dispose } = seatTogether(roles.map((_, agent) => (agent === 0 ? first : others)));
      try {
        const { iteration } = first.checkpoint;
        const how = { policies, iteration, withMasked: false, onTurn: yieldToMessages, ...(judge && { judge }) };
        // Each report is awaited. Otherwise, the result of the whole call could reach the other thread before the last
        // reports.
        await tell({ sender, receiver, evaluation: await evaluateTeam(team, how) });
      } finally {
        dispose();
      }
    }
  }
}

export const answers: Pick<SeatAnswers, 'crossPlay'> = { crossPlay: { of: 'seats', answer: crossPlay } };
