// Determines which claims are debated. There are two chains of statements from a person to the trait in the claim. One
// is about the person in the claim; the other is about another person and leads to the opposite conclusion. On the
// easiest level, the second chain consists only of its rule. A chain consists of layers: a fact, links and a last rule.
// The layers are given to the two sides alternately, so neither side knows which statements of the other side continue
// its own statements. A hash of all statements decides whether a problem belongs to training or is held out.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { form, verdicts } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { kinds, names, traits } from '../../../tasks/everydayWords.ts';
import {
  isFact,
  readClaim,
  relationOf,
  writeClaim,
  writePremise,
  type Premise,
} from '../../../tasks/claims/premises.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';
import { readTypedClaim } from '../../../tasks/claims/typedClaim.ts';
import { levelOf, toldAt } from './levels.ts';

type Verdict = (typeof verdicts)[number];

/** A chain: a fact, links, and a last rule that leads to a trait. */
function chainOf(person: string, through: readonly string[], last: { trait: string; isDenied: boolean }): Premise[] {
  const [first = '', ...others] = through;
  const links = others.map((next, i) => ({ kind: through[i] as string, trait: `a ${next}`, isDenied: false }));
  return [{ name: person, kind: first, isDenied: false }, ...links, { kind: through.at(-1) as string, ...last }];
}

/** Draws a problem of a split with the given verdict or, if none is given, with any verdict. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: Verdict): Problem {
  const { hops, hasOthers, decoys } = toldAt(level, split);
  for (;;) {
    const verdict = slice ?? draws.pick(verdicts);
    const [person = '', other = ''] = draws.shuffle([...names]);
    const trait = draws.pick(traits);
    const through = draws.shuffle([...kinds]);
    const isDenied = verdict === 'contradicted';
    const deciding = chainOf(person, through.slice(0, hops), { trait, isDenied });
    const shadow = chainOf(other, through.slice(hops, 2 * hops), { trait, isDenied: !isDenied });
    const isTold = (premise: Premise) => hasOthers === true || !isFact(premise) || premise.name === person;
    const misleading = through.slice(2 * hops, 2 * hops + decoys).map((kind): [Premise, Premise] => [
      { name: person, kind, isDenied: true },
      { kind, trait, isDenied: draws.below(2) === 0 },
    ]);
    const [proponent = [], opponent = []] = [0, 1].map((side) => {
      const own = [deciding, shadow].flatMap((chain) => chain.filter((_, layer) => layer % 2 === side));
      const all = [...own, ...misleading.map((pair) => pair[side] as Premise)];
      return draws.shuffle(all.filter(isTold)).map(writePremise);
    });
    const shown = writeClaim({ name: person, trait, isDenied: false });
    const told = [...proponent, ...opponent];
    if (split !== 'harder' && splitOf(told.toSorted().join(' ') + shown) !== split) continue;
    return {
      ...{ id: [...told, shown].join(' '), world: 'debate', level, shown },
      hidden: { proponent: proponent.join(' '), opponent: opponent.join(' ') },
      ...{ answer: verdict, slice: verdict, given: { deciding: deciding.map(writePremise) } },
    };
  }
}

/**
 * Reads a problem that a visitor has typed. Throws FormatError with an explanation if the claim cannot be debated on
 * this level.
 */
export function readProblem(typed: TypedProblem, level: number): Problem {
  const { hops, decoys } = toldAt(level, 'harder');
  const room = { premises: 2 * (hops + 1 + decoys), canClaimDeny: false, canFactDeny: true, hasLinks: true };
  const { shown, hidden, answer, deciding } = readTypedClaim(typed, form.hidden, room);
  if (answer === 'unknown')
    throw new FormatError(
      spoken`the premises: they do not decide the claim, so no side can win; add a premise that decides the claim.`,
    );
  const id = [hidden['proponent'], hidden['opponent'], shown].join(' ');
  return { ...{ id, world: 'debate', level, shown, hidden, answer, slice: answer }, given: { deciding } };
}

/**
 * The fixed problems for evaluation. The problems are the same in every run, have both verdicts equally often, and do
 * not repeat.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', verdicts[at % verdicts.length]));
}

/**
 * The maximum accuracy, computed by enumeration. There are two equally likely ways in which a layer that an agent does
 * not see may connect the two chains. The best answer is the most frequent verdict among all combinations.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  const { hops } = levelOf(level);
  const sides = ['proponent', 'opponent'];
  const claim = readClaim('Ann is kind?');
  const through = [kinds.slice(0, hops), kinds.slice(hops, 2 * hops)] as const;
  // Each layer contains one statement of each chain: two facts, two links or two last rules. If a layer is swapped,
  // each chain continues with the next kind of the other chain.
  const unseen = Array.from({ length: hops + 1 }, (_, layer) => layer).filter(
    (layer) => !sees.includes(sides[layer % 2] as string),
  );
  const found = Array.from({ length: 2 ** unseen.length }, (_, code) => {
    const isSwapped = (layer: number) => unseen.includes(layer) && (code >> unseen.indexOf(layer)) % 2 === 1;
    const told = [0, 1].flatMap((chain) =>
      Array.from({ length: hops + 1 }, (_, layer): Premise => {
        const after = isSwapped(layer) ? 1 - chain : chain;
        const kind = through[chain as 0 | 1][layer - 1] as string;
        const next = through[after as 0 | 1][layer] as string;
        if (layer === 0) return { name: chain === 0 ? 'Ann' : 'Tom', kind: next, isDenied: false };
        if (layer === hops) return { kind, trait: claim.trait, isDenied: after === 1 };
        return { kind, trait: `a ${next}`, isDenied: false };
      }),
    );
    return relationOf(claim, told);
  });
  return Math.max(...verdicts.map((verdict) => found.filter((one) => one === verdict).length)) / found.length;
}
