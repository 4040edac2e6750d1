// Templates for a visitor's own world. There is one with a planner and an executor, one with agents that answer, one
// with a reader that forgets, and one with an agent that makes calls. Each template is the text of a module, which
// visitors can read and change.
import { msg } from '../../base/spoken.ts';
import { protocolsWhere } from '../../config/protocols/registry.ts';

const planAndExecute = `// A fork in the road. The planner knows how many steps to go and where to turn; the walker must be told.
export const about = {
  name: 'crossroads',
  label: 'Crossroads',
  sentence: 'The planner knows the way, the walker goes it.',
  levels: ['one turn', 'two turns'],
  hidden: { way: 'the way' },
  parts: { hint: { sentence: 'The plan names the next turn of the way.', weight: 0.25 } },
  slices: { left: 'begins on the left', right: 'begins on the right' },
  words: ['left', 'right', 'far', 'near', 'where', 'from', 'oak', 'elm', 'inn', 'mill', 'bridge', 'there', 'on',
    'red', 'blue', 'old', 'new', 'by', 'and'],
  // The maximum lengths of prompts, turns and observations in words, and the maximum number of rounds.
  room: { prompt: 16, turn: 4, observation: 3, rounds: 4 },
};

const ends = ['oak', 'elm', 'inn', 'mill', 'bridge'];
const looks = ['red', 'blue', 'old', 'new'];

// random() is a number in [0, 1), random.below(n) a whole number below n, random.pick(list) an element of a list.
export function draw(random, level) {
  const way = Array.from({ length: level }, () => random.pick(['left', 'right']) + ' ' + random.pick(['far', 'near']));
  const place = () => [random.pick(looks), random.pick(ends)].join(' ');
  return {
    shown: 'where from ' + place() + ' by ' + place() + ' and ' + place(),
    hidden: { way: way.join(' ') },
    answer: way.join(' '),
    slice: way[0].split(' ')[0],
  };
}

// An agent without messages has to guess each turn among four. A count over draws would seem higher, because hardly any
// place occurs twice.
export const ceiling = (level, sees) => (sees.includes('way') ? 1 : 0.25 ** level);

const turnsOf = (problem) => problem.hidden.way.match(/\\w+ \\w+/g);

// The state is the way walked so far. The observation tells how far that is.
export function react(problem, state, message) {
  const walked = state ?? [];
  if (message.role === 'metaThinking') return { state: walked };
  const next = [...walked, message.text].slice(0, 8);
  return { state: next, observation: { source: 'road', text: next.length < problem.level ? 'on' : 'there' } };
}

export function judge(problem, message) {
  if (message.role === 'metaThinking')
    return { answer: null, parts: { hint: turnsOf(problem).includes(message.text) ? 1 : 0 } };
  // The walker always repeats the whole way so far, so its last message is the answer.
  const isRight = message.text === problem.answer;
  return { answer: message.text, score: isRight ? 1 : 0, reason: isRight ? '' : 'that is not the way' };
}

export function demonstrate(random, problem, { goodPlans, resultNoise }) {
  const guess = () => random.pick(['left', 'right']) + ' ' + random.pick(['far', 'near']);
  const isGood = random() < goodPlans;
  const said = [];
  let way = '';
  turnsOf(problem).forEach((turn, round) => {
    const plan = isGood ? turn : guess();
    way = (way + ' ' + (random() < resultNoise ? guess() : plan)).trim();
    said.push({ agent: 0, round, text: plan }, { agent: 1, round, text: way });
  });
  said.push({ agent: 0, round: said.length / 2, text: '', isFinish: true });
  return said;
}
`;

const answer = `// Which of three is the largest, where only some know the numbers. For one agent, a vote or a debate.
export const about = {
  name: 'largest',
  label: 'The largest',
  sentence: 'Three numbers of two digits; which is the largest?',
  levels: ['all are different'],
  hidden: { numbers: 'the numbers' },
  words: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'which', 'first', 'second', 'third', ','],
  slices: { first: 'the first', second: 'the second', third: 'the third' },
  room: { prompt: 9, turn: 1, rounds: 2 },
};

const places = ['first', 'second', 'third'];

export function draw(random) {
  const numbers = [];
  while (numbers.length < 3) {
    const number = 10 + random.below(90);
    if (!numbers.includes(number)) numbers.push(number);
  }
  const answer = places[numbers.indexOf(Math.max(...numbers))];
  const written = numbers.map((number) => [...String(number)].join(' ')).join(' , ');
  return { shown: 'which', hidden: { numbers: written }, answer, slice: answer };
}

export function judge(problem, message) {
  return { answer: places.includes(message.text) ? message.text : null };
}
`;

const readAndRemember = `// Who is where, told sentence by sentence. The reader sees one at a time and keeps a note; the answerer reads only
// that. A single agent does both, and its last note is its answer.
export const about = {
  name: 'whereabouts',
  label: 'Whereabouts',
  sentence: 'A text is read piece by piece; a note is all that is left of it.',
  levels: ['two sentences', 'three sentences'],
  // No agent sees the whole text, because the world shows it piece by piece.
  hidden: { text: 'the text' },
  words: ['where', 'is', 'in', 'ann', 'ben', 'eva', 'tom', 'inn', 'mill', 'barn', 'tower', 'nothing'],
  room: { prompt: 3, turn: 2, observation: 4, rounds: 3 },
  protocols: ['memoryLoop', 'memoryAlone'],
  // Prompts for a language model that plays an agent in plain words. Texts that are not given here have usual words.
  // {question} is the shown text, and {message} the observation or the note. An ending such as .step names a task.
  prompts: {
    start: 'Question: {question}?',
    observed: 'The text says: {message}.',
    heard: 'The note says: {message}.',
    'ask.plan': 'Write a note of one word: the place that you may need, or nothing.',
    'ask.alone': 'Write a note of one word: the place that you may need, or nothing.',
    'ask.step': 'Answer with the place only.',
  },
};

const people = ['ann', 'ben', 'eva', 'tom'];
const places = ['inn', 'mill', 'barn', 'tower'];

export function draw(random, level) {
  const left = [...people];
  const facts = Array.from({ length: level + 1 }, () => {
    const who = left.splice(random.below(left.length), 1)[0];
    return [who, random.pick(places)];
  });
  const [who, where] = random.pick(facts);
  const pieces = facts.map(([one, place]) => one + ' is in ' + place);
  return { shown: 'where is ' + who, hidden: { text: pieces.join(' ') }, answer: where, given: { who, pieces } };
}

// Only agent 0 sees the text. The next piece follows once an agent has given its current answer.
const piece = (problem, number) => ({ source: 'text', text: problem.given.pieces[number], readers: [0] });

export const open = (problem) => ({ state: 1, observation: piece(problem, 0) });

export function react(problem, state, message) {
  if (message.role === 'metaThinking') return { state };
  if (state === problem.given.pieces.length) return { state, isOver: true };
  return { state: state + 1, observation: piece(problem, state) };
}

export function judge(problem, message) {
  if (message.role === 'metaThinking') return { answer: null };
  return { answer: places.includes(message.text) ? message.text : null };
}

export function demonstrate(random, problem, { goodPlans, resultNoise }, { roles }) {
  const isGood = random() < goodPlans;
  let known = 'nothing';
  return problem.given.pieces.flatMap((sentence, round) => {
    const [who, , , where] = sentence.split(' ');
    if (isGood ? who === problem.given.who : random() < 0.5) known = where;
    const answer = random() < resultNoise ? random.pick(places) : known;
    const isLast = round === problem.given.pieces.length - 1;
    if (roles.length === 1) return [{ agent: 0, round, text: isLast ? answer : known }];
    return [{ agent: 0, round, text: known }, { agent: 1, round, text: answer }];
  });
}
`;

const callAndAnswer = `// Desks with eight drawers each. The agent is told the desk and a drawer, opens drawers, reads what lies there, and answers.
export const about = {
  name: 'drawers',
  label: 'Drawers',
  sentence: 'A thing lies in a drawer, or a note that names another drawer.',
  levels: ['the thing lies there', 'a note comes first'],
  hidden: { from: 'the drawer to begin with' },
  parts: { call: { sentence: 'The call opens a drawer that there is.', weight: 0.1 } },
  words: ['open', 'say', 'desk', 'see', 'nothing', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight',
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'pen', 'key', 'coin', 'lamp', 'map', 'bell', 'cup', 'ring'],
  room: { prompt: 6, turn: 2, observation: 2, rounds: 4 },
  protocols: ['toolLoop'],
};

const drawers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const things = ['pen', 'key', 'coin', 'lamp', 'map', 'bell', 'cup', 'ring'];

// The number of a desk determines its content, so that a repeated problem has the same answer.
export function draw(random, level) {
  const desk = random.below(10000);
  const inside = Object.fromEntries(
    drawers.map((drawer, i) => [drawer, things[(desk * (2 * i + 3) + Math.floor(desk / 7)) % 8]]),
  );
  const first = random.below(8);
  const path = [drawers[first], drawers[(first + 1 + (desk % 7)) % 8]].slice(0, level);
  if (level === 2) inside[path[0]] = 'see ' + path[1];
  const shown = 'desk ' + [...String(desk).padStart(4, '0')].join(' ');
  return { shown, hidden: { from: path[0] }, answer: inside[path[level - 1]], given: { inside, path } };
}

// An agent that sees the drawer can find the thing. Any other agent has to guess one of eight things.
export const ceiling = (level, sees) => (sees.includes('from') ? 1 : 1 / 8);

// A message that begins with open is a call, and the world replies to it. An answer ends the dialogue.
export function react(problem, state, message) {
  const [verb, drawer] = message.text.split(' ');
  if (verb === 'say') return { isOver: true };
  const found = verb === 'open' ? problem.given.inside[drawer] : undefined;
  return { observation: { source: 'desk', text: found ?? 'nothing' } };
}

export function judge(problem, message) {
  const [verb, what] = message.text.split(' ');
  if (verb === 'say' && things.includes(what)) return { answer: what };
  return { answer: null, parts: { call: verb === 'open' && drawers.includes(what) ? 1 : 0 } };
}

export function demonstrate(random, problem, { goodPlans, resultNoise }) {
  const isGood = random() < goodPlans;
  const { path } = problem.given;
  const said = path.map((drawer) => 'open ' + (isGood ? drawer : random.pick(drawers)));
  said.push('say ' + (isGood && random() >= resultNoise ? problem.answer : random.pick(things)));
  return said.map((text, round) => ({ agent: 0, round, text }));
}
`;

/** The templates, each with the protocols for which it can be used. */
export const templates = {
  planAndExecute: {
    label: msg('A planner and an executor'),
    protocols: protocolsWhere(({ hasSteps, needsTools, context }) => hasSteps && !needsTools && !context),
    source: planAndExecute,
  },
  answer: { label: msg('Whole answers'), protocols: protocolsWhere(({ hasSteps }) => !hasSteps), source: answer },
  readAndRemember: {
    label: msg('A reader who forgets'),
    protocols: protocolsWhere(({ hasSteps, context }) => hasSteps && context === 'fresh'),
    source: readAndRemember,
  },
  callAndAnswer: {
    label: msg('One agent who calls tools'),
    protocols: protocolsWhere(({ needsTools }) => needsTools),
    source: callAndAnswer,
  },
};
