// A whole team as one model: it plays a dialogue about a problem and gives the team's answer. The dialogue is run by the
// same function as in evaluations. A request with seed s uses the same random numbers as problem s of an evaluation, so
// an accuracy that is measured over HTTP equals the accuracy that the project measures itself.
import { setImmediate } from 'node:timers/promises';
import { pcg } from '../../src/base/random.ts';
import { coldest } from '../../src/model/decoding/continuation.ts';
import type { Role } from '../../src/records/ids.ts';
import type { Policy } from '../../src/records/policy.ts';
import type { Problem } from '../../src/records/problem.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import type { TeamRequest } from '../../src/training/collect/collect.ts';
import { examinedTrajectories } from '../../src/training/evaluation/evaluate.ts';
import type { Team } from '../../src/training/team/team.ts';
import { LeftError } from './http.ts';

/** A team whose networks are loaded. */
export interface ServedTeam {
  /** The name of the model, which is the name of the run. */
  id: string;
  team: Team;
  /** The policy of each agent. */
  policies: readonly Policy[];
  /** The verifier that scores answers; absent if the run trains no verifier. */
  judge?: NonNullable<TeamRequest['judge']>;
}

export interface DialogueRequest {
  problem: Problem;
  /** From 0. At 0, tokens are sampled at the lowest possible temperature. */
  temperature: number;
  /** A number of 32 bits. */
  seed: number;
  /** The index of the dialogue among those of one request. Each uses other random numbers. */
  choice: number;
}

interface DialogueHearer {
  /** Aborted when the client no longer waits for the answer. */
  left: AbortSignal;
  /** Called after each turn with the dialogue so far. */
  hear: (soFar: Trajectory) => void;
}

/** Seeds below this number are the rows of an evaluation. Larger ones also replace the seed of the run. */
const rows = 2 ** 16;

/** Plays one dialogue. Throws LeftError if the client leaves, and errors of the world. */
export async function playDialogue(
  { team, policies, judge }: ServedTeam,
  { problem, temperature, seed, choice }: DialogueRequest,
  { left, hear }: DialogueHearer,
): Promise<Trajectory> {
  const check = async () => {
    // Lets Node handle other requests, and notice whether the client has disconnected.
    await setImmediate();
    if (left.aborted) throw new LeftError();
  };
  const [dialogue] = await examinedTrajectories(seededBy(team, Math.floor(seed / rows), choice), [problem], {
    ...{ policies, temperature: Math.max(coldest, temperature), row: seed % rows },
    ...(judge && { judge }),
    onTurn: async ([soFar]) => {
      await check();
      if (soFar) hear(soFar);
    },
    onWord: check,
  });
  return dialogue as Trajectory;
}

/** The most tokens that all agents of a team together can sample in one dialogue. */
export const longestDialogue = ({ settings, protocol }: Team): number =>
  protocol.round.flat().reduce((sum, agent) => sum + settings.windows[protocol.roles[agent] as Role], 0) *
  settings.roundLimit;

/** The team with random numbers of its own for large seeds and for further dialogues of a request. */
function seededBy(team: Team, high: number, choice: number): Team {
  if (high === 0 && choice === 0) return team;
  const seed = (team.config.run.seed ^ pcg((high * 16 + choice) >>> 0)) >>> 0;
  return { ...team, config: { ...team.config, run: { ...team.config.run, seed } } };
}
