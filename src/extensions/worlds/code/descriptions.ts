// Descriptions of programs in words and without numbers, each with several wordings. No single word reveals the kind of
// the program, because different kinds use the same words, as in “Keep the first ones.” and “Leave out the first ones.”
import type { RandomNumbers } from '../../../base/random.ts';
import type { KindName } from './form.ts';
import type { Form, OperationName, CodeProgram } from './programs.ts';

/** Sentences that say which elements of the list are kept. */
const kept: Readonly<Record<KindName, readonly string[]>> = {
  drop: ['Leave out the first ones.', 'Skip some at the start.', 'Keep all but the first ones.'],
  take: ['Keep the first ones.', 'Keep some at the start.', 'Leave out all but the first ones.'],
  last: ['Keep the last ones.', 'Keep some at the end.', 'Leave out all but the last ones.'],
  trim: ['Leave out the last ones.', 'Skip some at the end.', 'Keep all but the last ones.'],
  above: ['Keep the large ones.', 'Leave out the small ones.', 'Skip what is small.'],
  below: ['Keep the small ones.', 'Leave out the large ones.', 'Skip what is large.'],
  without: ['Leave out one number.', 'Skip one number.', 'Keep all but one number.'],
  even: ['Keep the even ones.', 'Leave out the odd ones.', 'Skip what is odd.'],
  odd: ['Keep the odd ones.', 'Leave out the even ones.', 'Skip what is even.'],
};

/** Phrases for the elements that are changed, for programs that keep all elements. */
const changed: Partial<Record<KindName, readonly string[]>> = {
  drop: ['all but the first ones', 'all but some at the start'],
  take: ['the first ones', 'some at the start'],
  above: ['the large ones', 'all but the small ones'],
  below: ['the small ones', 'all but the large ones'],
  without: ['all but one number', 'what is not one number'],
  even: ['the even ones', 'all but the odd ones'],
  odd: ['the odd ones', 'all but the even ones'],
};

const verbs: Readonly<Record<OperationName, readonly string[]>> = {
  add: ['Add to', 'Raise'],
  times: ['Multiply', 'Scale'],
};

/** The words that describe a program: verbs for the operation, and phrases for the elements to which it applies. */
function choicesOf({ form, picker: { kind }, operation }: CodeProgram) {
  const phrases = (form === 'changeInPlace' ? changed : kept)[kind] ?? [];
  return { verbs: operation ? verbs[operation.name] : [], phrases };
}

function said(form: Form, verb: string, phrase: string): string {
  if (form === 'changeInPlace') return `${verb} ${phrase}.`;
  return form === 'pick' ? phrase : `${phrase} ${verb} the rest.`;
}

/** A random one of the possible descriptions of a program. */
export function describe(program: CodeProgram, draws: RandomNumbers): string {
  const choices = choicesOf(program);
  const verb = program.operation ? draws.pick(choices.verbs) : '';
  return said(program.form, verb, draws.pick(choices.phrases));
}

/** Whether a text is one of the possible descriptions of a program. */
export function describes(text: string, program: CodeProgram): boolean {
  const choices = choicesOf(program);
  const verbsOf = program.operation ? choices.verbs : [''];
  return verbsOf.some((verb) => choices.phrases.some((phrase) => said(program.form, verb, phrase) === text));
}

/** The first possible description of each kind that occurs among these programs. */
export function wordings(programs: readonly CodeProgram[]): string[] {
  const first = programs.map((program) => {
    const choices = choicesOf(program);
    return said(program.form, choices.verbs[0] ?? '', choices.phrases[0] ?? '');
  });
  return [...new Set(first)];
}

const all = [...Object.values(kept), ...Object.values(changed), ...Object.values(verbs)].flat().join(' ');

/** All words of descriptions. */
export const words: readonly string[] = [...new Set(`${all} the rest`.match(/[A-Za-z]+/g))];
