// Modules to begin a world of one's own with: one for a planner and an executor, one for agents that answer at once. Each is
// the text that a visitor reads and changes.

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
  // In words: the longest prompt, turn and observation; rounds at most.
  room: { prompt: 16, turn: 4, observation: 3, rounds: 4 },
};

const ends = ['oak', 'elm', 'inn', 'mill', 'bridge'];
const looks = ['red', 'blue', 'old', 'new'];

// random() is in [0, 1); random.below(n) a whole number; random.pick(list) one of a list.
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

const turnsOf = (problem) => problem.hidden.way.match(/\\w+ \\w+/g);

// What was walked so far is the state; the world says how far that is.
export function react(problem, state, message) {
  const walked = state ?? [];
  if (message.role === 'metaThinking') return { state: walked };
  const next = [...walked, message.text].slice(0, 8);
  return { state: next, observation: { source: 'road', text: next.length < problem.level ? 'on' : 'there' } };
}

export function judge(problem, message) {
  if (message.role === 'metaThinking')
    return { answer: null, parts: { hint: turnsOf(problem).includes(message.text) ? 1 : 0 } };
  // The walker repeats the whole way so far: what it says last is the answer.
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

/** What may be begun with, by the protocols that it is for. */
export const templates = {
  planAndExecute: { label: 'A planner and an executor', protocols: ['reMA'], source: planAndExecute },
  answer: { label: 'Answers', protocols: ['single', 'vote', 'debate'], source: answer },
} as const;
