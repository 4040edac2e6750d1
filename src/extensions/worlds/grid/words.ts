// Grid planning in plain words, for agents that are language models: their prompts, and how their messages and what they
// see are read and written. Plans and whole paths consist of the words north, east, south and west. A walker that
// follows a plan names the cells that it reaches, because what it sees names them, and because the cells of a message
// then do not depend on earlier messages.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import type { SaidInWords } from '../../../tasks/world.ts';
import { widest } from './form.ts';
import { cellAt, cellName, cellOf, directionNames, directions, isAcross, type Direction } from './ground.ts';
import { levelOf } from './levels.ts';
import { marks } from './vocabulary.ts';
import { readWalk } from './walk.ts';

const field =
  'A treasure is buried in a field with the cells a1 to {last}. Letters go from west to east, and numbers from south to north.';
const path =
  'Write the whole path from {question} to the treasure with the words north, east, south, west and wait, separated by commas. End with dig.';

/** The maximum number of tokens of a turn. */
export const chatWindow = 40;
/** The maximum number of tokens of an observation. */
export const chatObservation = 80;

export const prompts = {
  'system.plan': 'You are the planner of a team. You tell the reasoner where to walk and where to dig.',
  start: `${field} You start at {question}.`,
  'start.plan': `${field} The reasoner starts at {question}.`,
  'hidden.map': '{chart}',
  'hidden.ground': '{obstacles}',
  observed: 'You look around.\n{message}\n',
  'ask.plan':
    'Name the next one or two steps with the words north, east, south and west, separated by commas. Add dig if these steps lead to the treasure.',
  'ask.step':
    'Follow the plan. Write the cells to which you walk, separated by commas. If the next cell is blocked or the guard is there, stop and write blocked or guard. Add dig only if the plan says dig.',
  ask: path,
  'again.answer': `Consider what was said. ${path}`,
} as const satisfies PromptTexts;

const words: Readonly<Record<Direction, string>> = { N: 'north', E: 'east', S: 'south', W: 'west' };
const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
const there = (what: string, cells: readonly string[]) =>
  cells.length === 0 ? '' : ` There ${cells.length === 1 ? `is a ${what}` : `are ${what}s`} at ${cells.join(', ')}.`;
const cell = '[a-g][1-7]';
const cellsIn = (text = '') => text.match(new RegExp(cell, 'g')) ?? [];

/** The way from one cell to another if there were no obstacles: `2 steps east and 1 step north of`. */
function wayBetween(from: number, to: number): string {
  const across = (to % widest) - (from % widest);
  const along = Math.floor(to / widest) - Math.floor(from / widest);
  const ways = [
    ...(across === 0 ? [] : [`${counted(Math.abs(across), 'step')} ${across > 0 ? words.E : words.W}`]),
    ...(along === 0 ? [] : [`${counted(Math.abs(along), 'step')} ${along > 0 ? words.N : words.S}`]),
  ];
  return ways.length === 0 ? 'at' : `${ways.join(' and ')} of`;
}

const mapText = new RegExp(`^${marks.treasure}(${cell})((?:${marks.wall}${cell})*)(?:<key>(${cell})<door>(${cell}))?$`);

/** A map such as `Xd3#c1<key>a2<door>c4` as sentences. */
function chartOf(map: string, start: string): string {
  const [, treasure = '', walls, key, door] = mapText.exec(map) ?? [];
  if (treasure === '') return map;
  return [
    `The treasure is at ${treasure}, ${wayBetween(cellOf(start), cellOf(treasure))} the start.`,
    there('wall', cellsIn(walls)),
    key === undefined ? '' : ` The key is at ${key}. Without the key, the door at ${door} is closed.`,
  ].join('');
}

/** The things on the ground, such as `<rock>b4<guard>c1d1e1`, as sentences. */
function obstaclesOf(ground: string): string {
  const [, rocks, guard] = /^(?:<rock>(\w+))?(?:<guard>(\w+))?$/.exec(ground) ?? [];
  if (rocks === undefined && guard === undefined) return ground;
  const beat = cellsIn(guard);
  const walks = ` A guard walks from ${beat.join(' to ')} and back, one cell with each of your steps.`;
  return `${there('rock', cellsIn(rocks))}${beat.length === 0 ? '' : walks}`.trim();
}

/** The north-eastern cell, and the hidden texts as sentences. */
export const facts: WorldModule['facts'] = ({ shown, level, hidden }, sees) => {
  const far = levelOf(level).size - 1;
  return {
    last: cellName(far * widest + far),
    ...(sees.includes('map') && { chart: chartOf(hidden['map'] ?? '', shown) }),
    ...(sees.includes('ground') && { obstacles: obstaclesOf(hidden['ground'] ?? '') }),
  };
};

const sightText = new RegExp(`^(${cell})((?:[${marks.closed}${marks.guarded}][NESW]{1,2})*)$`);

/**
 * The view of a walker, such as `b1!E!S!WS`, as a list of facts. For each direction, it names the cell or the obstacle and,
 * for a free cell, also the cells to which the walker can turn from there.
 */
export const observedInWords: WorldModule['observedInWords'] = (_, text) => {
  const [, at = '', marked = ''] = sightText.exec(text.trim()) ?? [];
  if (at === '') return text.trim();
  const noted: readonly string[] = marked.match(/.[NESW]{1,2}/g) ?? [];
  const seen = (from: number, ...way: readonly Direction[]): string => {
    const next = cellAt(from, directions[way.at(-1) as Direction], widest);
    if (noted.includes(marks.guarded + way.join(''))) return 'guard';
    return next < 0 || noted.includes(marks.closed + way.join('')) ? 'blocked' : cellName(next);
  };
  const lines = directionNames.map((first) => {
    const found = seen(cellOf(at), first);
    if (cellOf(found) < 0) return `${words[first]}: ${found}`;
    const turns = directionNames
      .filter((second) => isAcross(first, second))
      .map((second) => `${words[second]}: ${seen(cellOf(found), first, second)}`);
    return `${words[first]}: ${found} (then ${turns.join(', ')})`;
  });
  return [`You are at ${at}.`, ...lines].join('\n');
};

const compass = /north|east|south|west/gi;
const sides: Readonly<Record<string, string>> = { up: 'north', right: 'east', down: 'south', left: 'west' };
const numbers = ['one', 'two', 'three', 'four', 'five', 'six'];
const number = `(?:[1-9]|${numbers.join('|')})`;
const numberOf = (said: string) => Number(said) || numbers.indexOf(said.toLowerCase()) + 1;

/** Steps and digging that a message mentions only to deny them. */
const denied =
  /(?:n['’]t|\b(?:not|never|cannot|without|before))\s+(?:(?:go|walk|move|step)\s+)?(?:to\s+the\s+)?(?:dig\w*|north|east|south|west)\b/gi;
/** Cells at which something is, and cells from which a walk starts. */
const places = new RegExp(`\\b(?:at|from|in|on|of)\\s+(?:the\\s+)?(?:cell\\s+)?${cell}\\b`, 'gi');
/** Puts spaces between the cells of a message in the world's own vocabulary. */
const spelled = (said: string) =>
  readWalk(said.toLowerCase()) ? said.replaceAll(new RegExp(`${cell}|wait`, 'gi'), '$& ') : said;

const unit = '(?:steps?|times|cells?|squares?)';
const step = new RegExp(
  [
    `(?:\\b(?<before>${number})\\s+(?:${unit}\\s+)?(?:to\\s+the\\s+)?)?\\b(?<way>(?:north|south)[-\\s]?(?:east|west)|north|east|south|west)(?:wards?)?\\b(?:\\s+(?:(?<twice>twice)|(?<after>${number})\\s+${unit}))?`,
    '\\b(?<letters>[NESW]+)(?<digs>dig)?\\b',
    `\\b(?<cell>${cell})\\b`,
    '\\b(?<wait>wait|stay)(?:s|ed|ing)?\\b',
    '\\b(?<dig>dig(?:s|ging)?|dug)\\b',
  ].join('|'),
  'gi',
);

/** The steps of a message in order, as directions, cells, `wait` and `dig`, up to the first `dig`. */
function stepsIn(said: string): string[] {
  const sided = said.match(compass)
    ? said
    : spelled(said).replaceAll(/\b(?:up|right|down|left)\b/gi, (side) => sides[side.toLowerCase()] ?? '');
  const plain = sided.replaceAll(denied, ' ').replaceAll(places, ' ');
  const steps = [...plain.matchAll(step)].flatMap(({ groups = {} }): string[] => {
    const { before, way, twice, after, letters, digs } = groups;
    if (way !== undefined) {
      const all = (way.match(compass) ?? []).map((word) => word.charAt(0).toUpperCase());
      const times = twice === undefined ? numberOf(before ?? after ?? '1') : 2;
      return Array.from({ length: times }, () => all).flat();
    }
    // Only capital letters stand for directions.
    if (letters !== undefined) return /^[NESW]+$/.test(letters) ? [...letters, ...(digs ? ['dig'] : [])] : [];
    if (groups['cell'] !== undefined) return [groups['cell'].toLowerCase()];
    return groups['wait'] === undefined ? ['dig'] : ['wait'];
  });
  const end = steps.indexOf('dig');
  return end < 0 ? steps : steps.slice(0, end + 1);
}

const isDirection = (word: string): word is Direction => word in directions;

/**
 * The cell of a step. Beyond the edge of the widest map there are no names of cells, so the cell at the opposite edge is
 * returned. Nobody can step there from here, as nobody can step beyond the edge.
 */
function stepped(from: number, direction: Direction): number {
  const [dx, dy] = directions[direction];
  const [x, y] = [(from % widest) + dx + widest, Math.floor(from / widest) + dy + widest];
  return (y % widest) * widest + (x % widest);
}

/** Steps from a cell as the cells of a path. A step that only names the cell in which the walker already is, is left out. */
function pathOf(start: number, steps: readonly string[]): string {
  let at = start;
  return steps
    .map((word) => {
      if (word === 'dig' || word === 'wait') return word;
      const next = isDirection(word) ? stepped(at, word) : cellOf(word);
      if (next === at) return '';
      at = next;
      return cellName(at);
    })
    .join('');
}

const walkerWord = new RegExp(
  [
    `\\b(?<cell>${cell})\\b`,
    '\\b(?<wait>wait|stay)(?:s|ed|ing)?\\b',
    '\\b(?<guard>guard(?:s|ed)?)\\b',
    "\\b(?<blocked>block(?:s|ed)?|rocks?|walls?|obstacles?|stuck|closed|cannot|can['’]t)\\b",
    '\\b(?<dig>dig(?:s|ging)?|dug)\\b',
  ].join('|'),
  'gi',
);
const absent = /(?:n['’]t|\b(?:not|no))\s+(?:an?\s+|any\s+|the\s+)?(?:guard\w*|rocks?|walls?|block\w*|obstacles?)\b/gi;

/** The cells in a walker's message, followed by the last word that tells how the walk ended. */
function cellsWalked(said: string): string {
  const plain = [denied, absent, places].reduce((left, pattern) => left.replaceAll(pattern, ' '), spelled(said));
  const found = [...plain.matchAll(walkerWord)].map(({ groups = {} }) => groups);
  const walked = found.flatMap((one) => one['cell']?.toLowerCase() ?? (one['wait'] === undefined ? [] : 'wait'));
  const ends = ['guard', 'blocked', 'dig'].flatMap((end) =>
    found.flatMap((one, at) => (one[end] === undefined ? [] : [{ end, at }])),
  );
  const last = ends.sort((a, b) => a.at - b.at).at(-1);
  return walked.join('') + (last?.end ?? '');
}

export const fromWords: WorldModule['fromWords'] = (problem, message) => {
  const said = message.text.trim();
  const { duty } = message;
  const isPath = duty === 'answer' || duty === 'tell';
  const read =
    duty === 'plan'
      ? stepsIn(said)
          .filter((word) => isDirection(word) || word === 'dig')
          .join('')
      : isPath
        ? pathOf(cellOf(problem.shown), stepsIn(said))
        : cellsWalked(said);
  if (read === '') return { text: said, isExact: false };
  const isWhole = !isPath || read.endsWith('dig');
  return { text: read, isExact: isWhole && said === toWords(problem, { ...message, text: read }) };
};

/** The words of a plan, a path or a walk, separated by commas. In a path, steps to neighbouring cells are directions. */
export const toWords = (problem: { shown: string }, { duty, text }: SaidInWords): string => {
  const said = text.trim();
  if (duty === 'plan') {
    const [, steps = '', dig] = /^([NESW]*)(dig)?$/.exec(said) ?? [];
    const all = [...[...steps].map((letter) => words[letter as Direction]), ...(dig === undefined ? [] : [dig])];
    return all.length === 0 ? said : all.join(', ');
  }
  const walked = readWalk(said);
  if (!walked) return said;
  let at = duty === 'answer' || duty === 'tell' ? cellOf(problem.shown) : -1;
  const all = walked.steps.map((next) => {
    if (next === null || next === at) return 'wait';
    const direction = directionNames.find((name) => at >= 0 && cellAt(at, directions[name], widest) === next);
    if (at >= 0) at = next;
    return direction === undefined ? cellName(next) : words[direction];
  });
  return [...all, ...(walked.end === null ? [] : [walked.end])].join(', ');
};
