// Numbers and names as the page displays them. Numbers are short, with digits of equal width and with true minus and
// multiplication signs. The rounded numbers are only displayed, and no other number is calculated from them.
import { labelOf, type ChoiceField } from '../config/describe.ts';
import type { SizeName } from '../config/names.ts';
import { parameterCount, sizes } from '../config/sizes.ts';
import type { HiddenText, WorldForm } from '../config/worlds/form.ts';
import type { Member } from '../records/cast.ts';
import type { Role } from '../records/ids.ts';
import type { FinishCode, Trajectory } from '../records/trajectory.ts';
import { msg } from '../base/spoken.ts';
import { localeTag, midSentence, say } from '../state/visitor/language.svelte.ts';

/** The text shown for a missing number. */
export const nothing = '–';

/** The colour of a role. There are only two colours, which can also be distinguished by colour-blind people. */
export type Tone = 'metaThinking' | 'reasoning';

export const roleTone: Record<Role, Tone> = {
  metaThinking: 'metaThinking',
  reasoning: 'reasoning',
  pioneer: 'metaThinking',
  observer: 'reasoning',
  debater: 'reasoning',
  summariser: 'metaThinking',
};
const names: Readonly<Record<Role, string>> = {
  debater: msg('Debater'),
  metaThinking: msg('Planner'),
  observer: msg('Observer'),
  pioneer: msg('Pioneer'),
  reasoning: msg('Reasoner'),
  summariser: msg('Leader'),
};
export const roleName = (role: Role): string => say(names[role]);
const does: Readonly<Record<Role, string>> = {
  debater: msg('answers, reads the others’ answers and answers again'),
  metaThinking: msg('plans'),
  observer: msg('reads the pioneer’s answer and gives the team’s answer'),
  pioneer: msg('answers first'),
  reasoning: msg('does the step'),
  summariser: msg('reads all answers and gives the team’s answer'),
};
/** The words for the task of a role, either in a planned dialogue or if every turn is an answer. */
export const roleDoes = (role: Role): string => say(does[role]);

/** The name of an agent. The name includes the agent's number if other agents of the team have the same role. */
export function agentName(agent: number, roles: readonly Role[]): string {
  const role = roles[agent] ?? 'reasoning';
  const isAlone = roles.filter((other) => other === role).length <= 1;
  return isAlone ? roleName(role) : `${roleName(role)} ${agent + 1}`;
}

/**
 * A label for a hidden text that shows which agents see the text. If all agents see the text, the label is the name of
 * the text.
 */
export function seenBy(cast: readonly Member[], { name: hidden, label }: Pick<HiddenText, 'name' | 'label'>): string {
  const informed = cast.filter(({ sees }) => sees.some(({ name }) => name === hidden));
  if (informed.length === cast.length) return `${label.replace(/^(the|der|die|das) /, '')}:`;
  if (informed.length === 0) return say('Nobody sees:');
  const [only] = informed;
  if (informed.length > 1 || !only)
    return say('seen by {length} of {length2} agents:', { length: informed.length, length2: cast.length });
  if (only.role === 'metaThinking') return say('Only the planner knows:');
  const name = midSentence(
    agentName(
      cast.indexOf(only),
      cast.map(({ role }) => role),
    ),
  );
  return say(/\d$/.test(name) ? 'Only {name} knows:' : 'Only the {name} knows:', { name });
}

/** The team with which a dialogue was sampled. This team may differ from the team in the current settings. */
export function castOnShow(
  trajectory: Pick<Trajectory, 'prompts' | 'turns'> | null,
  cast: readonly Member[],
): readonly Member[] {
  if (!trajectory || trajectory.prompts.length === 0) return cast;
  return trajectory.prompts.map((_, agent): Member => {
    const spoke = trajectory.turns.find((turn) => (turn.agent as number) === agent);
    const set = cast.length === trajectory.prompts.length ? cast[agent] : undefined;
    if (set && (!spoke || spoke.role === set.role)) return set;
    // The agents with the longest prompt are those that see the hidden texts.
    const longest = Math.max(...trajectory.prompts.map(({ length }) => length));
    const hidden = cast[0] ? [...cast[0].sees, ...cast[0].seesNot] : [];
    const isInformed = trajectory.prompts[agent]?.length === longest;
    const [sees, seesNot] = isInformed ? [hidden, []] : [[], hidden];
    return { role: spoke?.role ?? 'reasoning', sees, seesNot };
  });
}

/** The words for the feedback on an answer, by `Turn.feedback`. */
export const feedbackWords = (feedback: number): string =>
  [say('very likely wrong'), say('likely wrong'), say('likely right'), say('very likely right')][feedback] ?? nothing;

const endings: Record<FinishCode, string> = {
  0: msg('finished'),
  1: msg('reached the round limit'),
  2: msg('reached the context limit'),
  3: msg('a turn was cut'),
};
export const endWords = (code: FinishCode): string => say(endings[code]);

const minus = '−';
const unsigned = (text: string) => text.replace('-', minus);
/** Replaces the decimal point with the decimal separator of the page’s language. */
const local = (text: string) => (localeTag() === 'de' ? text.replace('.', ',') : text);

/** The name of the state after a number of iterations. */
export const iterationName = (iteration: number): string => say('iteration {iteration}', { iteration });

/**
 * A number with a fixed number of decimal places. If the number is not finite, the result is `NaN` or `∞`. If the
 * number is missing, the result is a dash.
 */
export function decimal(x: number | null | undefined, digits = 2): string {
  if (x === null || x === undefined) return nothing;
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'NaN' : x > 0 ? '∞' : `${minus}∞`;
  const text = x.toFixed(digits);
  return local(unsigned(Number(text) === 0 ? text.replace('-', '') : text));
}

/** Formats a number like `decimal`, but without the zero before the point: `.81`. */
export function bare(x: number | null | undefined, digits = 2): string {
  return decimal(x, digits).replace(/^(−?)0([.,])/, '$1$2');
}

/** A number with its sign: `+0.87`, `−0.41`. A number that is rounded to zero has no sign. */
export function signed(x: number | null | undefined, digits = 2): string {
  const text = decimal(x, digits);
  return x !== null && x !== undefined && x > 0 && !/^[0.,]+$/.test(text) ? `+${text}` : text;
}

/** Formats a number like `signed`, but without the zero before the point: `+.87`. */
export const bareSigned = (x: number | null | undefined) => signed(x).replace(/^([+−]?)0([.,])/, '$1$2');

const superscripts: Record<string, string> = {
  '-': '⁻',
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((s, i) => [i, s])),
};

/** A number in the form `3 × 10⁻⁴`. The number before the power has at most one decimal place. */
export function scientific(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return decimal(x, 0);
  const [mantissa = '', exponent = ''] = x.toExponential(1).split('e');
  const power = [...exponent.replace('+', '')].map((c) => superscripts[c]).join('');
  return `${local(unsigned(mantissa.replace(/\.?0+$/, '')))} × 10${power}`;
}

/** A number of any magnitude with about three significant digits: `0.021`, `1.84`, `312`, `57k`, `3 × 10⁻⁴`. */
export function brief(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x) || x === 0) return decimal(x, 0);
  const size = Math.abs(x);
  if (size < 1e-9) return '≈ 0'; // float noise
  if (size < 0.000_95) return scientific(x);
  if (size < 0.1) return decimal(x, 3);
  if (size < 10) return decimal(x, 2);
  if (size < 100) return decimal(x, 1);
  return size < 1000 ? decimal(x, 0) : count(x);
}

/** A count in short form: `950`, `57k`, `1.2M`. */
export function count(x: number): string {
  const size = Math.abs(x);
  if (size < 1000) return decimal(x, 0);
  const [scaled, unit] = size < 999_500 ? [x / 1e3, 'k'] : size < 999.5e6 ? [x / 1e6, 'M'] : [x / 1e9, 'G'];
  return local(unsigned(Math.abs(scaled) < 9.95 ? scaled.toFixed(1).replace('.0', '') : scaled.toFixed(0))) + unit;
}

/** A count with all digits: `12,800`. */
export const grouped = (x: number): string => x.toLocaleString(localeTag());

/** A size in decimal units: `38 MB`. */
export function bytes(x: number): string {
  if (x < 1000) return `${x.toFixed(0)} B`;
  const [scaled, unit] = x < 999.5e3 ? [x / 1e3, 'kB'] : x < 999.5e6 ? [x / 1e6, 'MB'] : [x / 1e9, 'GB'];
  return local(`${scaled < 9.95 ? scaled.toFixed(1).replace('.0', '') : scaled.toFixed(0)} ${unit}`);
}

/** A duration in words: `40 ms`, `0.4 s`, `23 s`, `1 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return nothing;
  if (ms < 95) return `${Math.max(0, ms).toFixed(0)} ms`;
  if (ms < 9_950) return local(`${(ms / 1000).toFixed(1).replace('.0', '')} s`);
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 60)} h`;
}

/**
 * A range for a duration that was estimated a moment ago. The estimate may be wrong by a factor of two if other
 * programs used the machine during the measurement, or if they use it later. The ends of the range are rounded: `20 to
 * 60 s`, `1 to 4 min`.
 */
export function durationRange(ms: number): string {
  if (!Number.isFinite(ms)) return nothing;
  const [low, high] = [ms / 2000, (2 * ms) / 1000];
  if (high <= 90) {
    const ten = (seconds: number) => Math.max(10, Math.round(seconds / 10) * 10);
    return low < 10 ? `${ten(high)} s` : say('{from} to {to}', { from: ten(low), to: `${ten(high)} s` });
  }
  const minutes = (seconds: number) => Math.max(1, Math.round(seconds / 60));
  return say('{from} to {to}', { from: minutes(low), to: `${Math.max(minutes(high), minutes(low) + 1)} min` });
}

/** A share in [0, 1] as `18 %`. */
export const percent = (x: number) => `${decimal(x * 100, 0)} %`;

/** A token in words for a screen reader. */
export function spokenToken(token: string): string {
  if (/^[-−+*×=;]\d$/.test(token)) return [...token].map(spokenToken).join(' ');
  const words: Record<string, string> = {
    '⏎': say('end of turn'),
    '■': say('finish'),
    '\n': say('line break'),
    '*': say('times'),
    '×': say('times'),
    '-': say('minus'),
  };
  return words[token] ?? (token === minus ? say('minus') : token);
}

/** The text of an option in a form. For the size of an agent, the number of parameters in the chosen world is added. */
export function choiceLabel(field: ChoiceField, name: string, { tokens }: Pick<WorldForm, 'tokens'>): string {
  const label = labelOf(field, name);
  if (tokens === undefined || field.path !== 'agents.size') return label;
  // The number of positions does not matter, because positions have no parameters.
  const shape = { ...sizes[name as SizeName], vocabSize: tokens, maxPositions: 1 };
  return `${label} · ${count(parameterCount(shape))}`;
}
