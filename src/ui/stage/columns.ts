// The columns of the token table: what each is and where it comes from. Written once, read by the table and its tooltips.
import { isolated } from '../../base/direction.ts';
import type { TurnInspection } from '../../records/inspection.ts';
import { wonWords } from '../../records/inspection.ts';
import type { Turn } from '../../records/trajectory.ts';
import { bare, bareSigned, decimal, nothing } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface TokenColumn {
  name: string;
  /** What it is; its formula; where it comes from. */
  help: string;
  /** The cell of token `i`. */
  write(turn: TurnInspection, i: number): string;
  /** What is known while the turn is being sampled, before the inspection. */
  early?(turn: Turn, i: number): string;
  /** Told apart by its look. */
  kind?: 'side' | 'others';
  /** Left out when the turn has no such numbers. */
  isPresent?(turn: TurnInspection): boolean;
  /** Left out where the loss has no ratio that could be clipped. */
  isOfRatio?: true;
}

const afterwards = () => say('stage.columns.fromOneForwardPass');

/** In the language of the moment. */
export const tokenColumns = (): TokenColumn[] => [
  {
    name: 'p',
    help: say('stage.columns.probabilityOfTheToken', { afterwards: afterwards() }),
    write: (turn, i) => bare(turn.p[i]),
  },
  {
    name: say('stage.columns.pBefore'),
    help: say('stage.columns.probabilityWhenTheToken'),
    write: (turn, i) => bare(turn.pBefore[i]),
    early: (turn, i) => bare(Math.exp(turn.logprobs[i] ?? Number.NaN)),
  },
  {
    name: say('stage.columns.ratio'),
    help: say('stage.columns.tokenRatioPP', { afterwards: afterwards() }),
    write: (turn, i) => decimal(turn.tokenRatio[i]),
  },
  {
    name: say('stage.columns.used'),
    help: say('stage.columns.ratioThatTheLoss'),
    write: (turn, i) => decimal(turn.ratio[i]),
    isOfRatio: true,
    isPresent: (turn) => turn.ratio.some((used, i) => Math.abs(used - (turn.tokenRatio[i] ?? used)) > 5e-4),
  },
  {
    name: 'A',
    help: say('stage.columns.advantageHowMuchBetter'),
    write: (turn, i) => bareSigned(turn.advantage[i]),
  },
  {
    name: 'KL',
    help: say('stage.columns.distanceToTheFrozen', { afterwards: afterwards() }),
    write: (turn, i) => bare(turn.kl[i], 3),
    isPresent: (turn) => turn.kl.length > 0,
  },
  {
    name: say('stage.columns.entropy'),
    help: say('stage.columns.pLogPOver', { afterwards: afterwards() }),
    write: (turn, i) => bare(turn.entropy[i]),
  },
  {
    name: say('stage.columns.value'),
    help: say('stage.columns.rewardThatTheCritic'),
    write: (turn, i) => bareSigned(turn.value[i]),
    isPresent: (turn) => turn.value.length > 0,
  },
  {
    kind: 'side',
    name: say('stage.columns.kappedName'),
    help: say('stage.columns.sideOfMinA'),
    write: (turn, i) => (turn.won[i] === undefined ? nothing : wonWords[turn.won[i]]),
    isOfRatio: true,
  },
  {
    name: say('stage.columns.rank'),
    help: say('stage.columns.whichOfAllTokens', { afterwards: afterwards() }),
    write: (turn, i) => bare(turn.rank?.[i], 0),
    isPresent: (turn) => turn.rank !== undefined,
  },
  {
    kind: 'others',
    name: say('stage.columns.alternatives'),
    help: say('stage.columns.theTwoMostProbable', { afterwards: afterwards() }),
    write: (turn, i) =>
      turn.alternatives[i]
        ?.slice(0, 2)
        .map(({ token, p }) => `${isolated(token)} (${bare(p)})`)
        .join(' · ') || nothing,
  },
];
