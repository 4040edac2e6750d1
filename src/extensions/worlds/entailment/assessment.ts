// Judges and assesses statements about a claim. A quoted premise counts if its speaker sees it and the claim depends on
// it. Any text is accepted; a meaningless text earns no reward.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import type { ReadAnswer } from '../../../tasks/answers/answers.ts';
import { assessClaim, judgeClaim, quotedIn } from '../../../tasks/claims/claims.ts';
import { quote } from '../../../tasks/words.ts';
import type { Assessment, Utterance } from '../../../tasks/world.ts';

const decidingOf = ({ given }: Problem) => (given as { deciding: string[] }).deciding;

/** The reward parts, reasons, answer and potentials. Φ is the share of the deciding premises that have been quoted. */
export function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment {
  const onTable = new Set<string>();
  const read = (_: Problem, message: Utterance): ReadAnswer => {
    const { own, foreign } = quotedIn(problem, message, protocol);
    const deciding = own.filter((premise) => decidingOf(problem).includes(premise));
    for (const premise of deciding) onTable.add(premise);
    const reason = message.isTruncated
      ? because`the turn was cut`
      : foreign !== undefined
        ? because`its speaker does not see “${quote(foreign)}”`
        : own.length > 0 && deciding.length === 0
          ? because`the claim does not depend on that premise`
          : [];
    const judged = judgeClaim(problem, message);
    const parts = { premise: deciding.length > 0 ? 1 : 0, format: judged.answer === null ? 0 : 1 };
    return { ...judged, parts, reason, standing: onTable.size / decidingOf(problem).length };
  };
  return assessClaim(problem, messages, protocol, { read, isOver });
}
