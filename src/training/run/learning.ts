// What learns in a run: networks, references, critics and what they remember, as one iteration finds it.
import type { ParameterTree } from '../../model/network/parameters.ts';
import type { DecodingStates } from '../../model/decoding/decodingStates.ts';
import type { PreferenceText } from '../../records/preference.ts';
import type { CriticMemory } from '../critics/jointCritic.ts';
import type { Gate } from '../team/gate.ts';
import type { Ledger } from './ledger.ts';
import type { Mixing } from '../critics/mixingLearning.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import type { Verifier } from '../verifier/trainedVerifier.ts';

/** What an iteration works on; it changes the networks, `klCoef` and, where it renews them, the references in place. */
export interface Learning {
  team: Team;
  networks: Network[];
  /** The frozen weights on which the adapters of all networks stand, where they have such. */
  base?: ParameterTree;
  /** Frozen reference of each network, or one for all. */
  references: ParameterTree[];
  /** The joint critic, where the learner has one. */
  critics?: Network[];
  /** What the joint critic learns from, where there is one. */
  criticMemory?: CriticMemory;
  /** The mixing critic with what it learns from, where the learner has one. */
  mixing?: Mixing;
  /** What learns to tell right answers from wrong ones, where the run trains it. */
  verifier?: Verifier;
  /** Imported preference pairs, where the run learns from such. */
  pairs?: readonly PreferenceText[];
  klCoef: number;
  gate: Gate;
  /** What decoding keeps between sessions. */
  rooms?: DecodingStates;
  /** Where the time of a run under way is charged. */
  ledger?: Pick<Ledger, 'enter' | 'count'>;
}
