// Evaluates a team with several answers per problem. Each held-out problem is answered repeatedly, with draws that are
// the same at every measurement. pass@k and majority@k are computed from the counts (maths/manyAnswers.ts).
import { placesByKey } from '../../base/groups.ts';
import { shareError } from '../../base/intervals.ts';
import { mean } from '../../base/stats.ts';
import { answersAtMost, type AnswersMeasured, type AnswersOf } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { majorityAtK, passAtK, type Votes } from '../maths/manyAnswers.ts';
import type { Team } from '../team/team.ts';
import { examinedTrajectories, type Examination } from './evaluate.ts';
import { mostProblems } from './everywhere.ts';

const powersOfTwo = [1, 2, 4, 8, answersAtMost];

/** The results for all held-out problems, followed by the results for each slice. */
export async function measureAnswers(team: Team, how: Examination): Promise<AnswersOf[]> {
  const { config, world } = team;
  const problems = world.heldOut(config.world.level, Math.min(mostProblems, config.evaluation.problems));
  const given: Trajectory[][] = problems.map(() => []);
  for (let sample = 0; sample < answersAtMost; sample++) {
    const trajectories = await examinedTrajectories(team, problems, { ...how, row: sample * problems.length });
    trajectories.forEach((trajectory, i) => given[i]?.push(trajectory));
  }
  const votes = given.map(votesOf);
  const slices = [...placesByKey(problems.map(({ slice }) => slice))];
  const of = (slice: string | null, chosen: Votes[]): AnswersOf => ({
    slice,
    problems: chosen.length,
    at: powersOfTwo.map((k) => answersAt(chosen, k)),
  });
  return [
    of(null, votes),
    ...slices.map(([slice, places]) =>
      of(
        slice,
        places.map((i) => votes[i] as Votes),
      ),
    ),
  ];
}

/**
 * All right answers count as the same answer. If a dialogue has the right answer but did not end properly, it counts as
 * a dialogue without an answer.
 */
function votesOf(trajectories: readonly Trajectory[]): Votes {
  const right = trajectories.filter(({ isRight }) => isRight).length;
  const wrong = trajectories.flatMap(({ answer, isRight, problem }) =>
    isRight || answer === null || answer === problem.answer ? [] : [answer],
  );
  const counts = [...placesByKey(wrong).values()].map(({ length }) => length);
  return { right, wrong: counts, silent: trajectories.length - right - wrong.length };
}

function answersAt(votes: readonly Votes[], k: number): AnswersMeasured {
  const [pass, majority] = [votes.map((of) => passAtK(of, k)), votes.map((of) => majorityAtK(of, k))];
  return {
    k,
    pass: mean(pass),
    majority: mean(majority),
    passError: shareError(pass),
    majorityError: shareError(majority),
  };
}
