// Writes the files that `npm run interop` passes to other tools into the folder given as the first argument: the
// exports of one agent of each role in each protocol, of adapters, of verifiers and of a run. `expected.json` contains
// the results of Cothink for them.
import path from 'node:path';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { loadShipped } from '../bench/shared/shippedWeights.ts';
import { startFrom } from '../bench/shared/warmStarts.ts';
import { joinedBytes } from '../src/base/joined.ts';
import { withSettings } from '../src/config/parse.ts';
import type { ProtocolName } from '../src/config/protocols/facts.ts';
import { defaultProtocol, protocolNames } from '../src/config/protocols/registry.ts';
import { presetConfig } from '../src/config/presets.ts';
import type { Config, ConfigInput } from '../src/config/schema.ts';
import { writtenTrajectories } from '../src/formats/trajectories/writtenTrajectories.ts';
import { flatRow } from '../src/formats/numbers/metricsTable.ts';
import { tensorBoardFile } from '../src/formats/numbers/tensorBoard.ts';
import { verifierZip } from '../src/formats/verifierZip.ts';
import { turnsZip, weightsZip } from '../src/formats/weightsZip.ts';
import { disposeTree, uploadTree } from '../src/model/network/parameters.ts';
import { livelyWeights } from '../src/model/testing/reference.ts';
import { inspectLogName } from '../src/records/logName.ts';
import type { Turn } from '../src/records/trajectory.ts';
import { heardRoles } from '../src/text/chatTemplate.ts';
import { agentTakenAway, verifierTakenAway } from '../src/training/history/takenAway.ts';
import type { Session } from '../src/training/run/session.ts';
import type { Network } from '../src/training/team/network.ts';
import { assembleTeam, type Team } from '../src/training/team/team.ts';
import { microCheckpoint, microConfig, openRun } from '../src/training/testing/microRun.ts';
import { answerRow, scoreAnswers } from '../src/training/verifier/verifier.ts';
import { greedy, logitsOf, unpack, write } from './ours.ts';
import { talkOf } from './talks.ts';

const [folder = 'interop-files'] = process.argv.slice(2);
const at = (...names: string[]) => path.join(folder, ...names);
await startBackend('simd', { ours: true });
/** Settings with turns that are long enough for the continuation of a context. */
const roomy = { 'agents.metaWindow': 24, 'agents.reasonWindow': 72 };

/** Returns the expected results of an agent's model: the tokens of its context, the logits, and its continuation. */
async function expectedOf(name: string, team: Team, agent: number, { tree, shape }: Pick<Network, 'tree' | 'shape'>) {
  const talk = await talkOf(team, agent);
  const ids = team.tokenizer.encode(talk.context);
  return { name, ...talk, ids, logits: await logitsOf(ids, tree, shape), greedy: await greedy(ids, tree, shape) };
}
type Expected = Awaited<ReturnType<typeof expectedOf>>;

/** Exports one agent of each role of a protocol, with these or with random weights. Returns the expected results. */
async function takenOf(label: string, config: Config, weights?: Parameters<typeof uploadTree>[0]): Promise<Expected[]> {
  const team = assembleTeam(config);
  const { shape, protocol, world, tokenizer } = team;
  const expected: Expected[] = [];
  for (const [agent, role] of protocol.roles.entries()) {
    if (protocol.roles.indexOf(role) < agent) continue;
    const own = weights ?? livelyWeights(shape, 13 + agent);
    const name = `${label}-${role}`;
    const zip = weightsZip({
      ...{ shape, weights: own, role, config, world, runName: 'calm-otter' },
      heard: heardRoles(protocol, agent),
      sees: protocol.sees[agent] ?? [],
      tokenizerJson: JSON.stringify(tokenizer.json),
    });
    unpack(at(name), zip);
    const tree = uploadTree(own, shape);
    expected.push(await expectedOf(name, team, agent, { tree, shape }));
    disposeTree(tree);
  }
  return expected;
}

/** A protocol with an agent that hears two roles, so that its messages must name the role. */
const hearsTwo: ConfigInput['agents'] = {
  own: {
    agents: [
      { role: 'reasoning', sees: 'all' },
      { role: 'pioneer', hears: [0] },
      { role: 'summariser', hears: [0, 1] },
    ],
    order: [[0], [1], [2]],
    answer: 2,
  },
  roundLimit: 2,
};
/** Returns the settings of a world other than the house rule. */
const inWorld = (name: 'memory' | 'tools' | 'passItOn'): ConfigInput => ({
  world: { name },
  houseRule: { rewrite: 0, legalOperation: 0 },
});
/** The settings that a protocol needs in addition to the defaults. */
const needs: Partial<Record<ProtocolName, ConfigInput>> = {
  debate: { agents: { count: 3 } },
  vote: { agents: { count: 3 } },
  summary: { agents: { count: 3 } },
  memoryLoop: inWorld('memory'),
  memoryAlone: inWorld('memory'),
  toolLoop: inWorld('tools'),
  tell: inWorld('passItOn'),
  own: { agents: hearsTwo },
};
const quick = withSettings(presetConfig('quick'), roomy);
const models = await takenOf(defaultProtocol, quick, await loadShipped(quick));
// The default protocol uses shipped weights.
for (const protocol of protocolNames.filter((name) => name !== defaultProtocol)) {
  const { agents, ...input } = needs[protocol] ?? {};
  const given = { ...input, agents: { size: 'micro', protocol, ...agents } } as ConfigInput;
  models.push(...(await takenOf(protocol, withSettings(microConfig(given), roomy))));
}

/** Returns the networks with which an agent speaks, turn by turn. */
const speakersOf = ({ trainState: { team, networks } }: Session, agent: number) =>
  [...new Set(team.networkOf[agent])].map((one) => networks[one] as Network);

// The adapter is merged into its base model.
const adapted = withSettings(presetConfig('adapters'), roomy);
const { session, store } = openRun(await startFrom(adapted, await loadShipped(adapted)));
await session.train(1);
for (const as of ['jsonl', 'parquet', 'inspect'] as const) {
  const file = await writtenTrajectories(as, session.run);
  const pieces = store.iterations.map(({ metrics, trajectories }) => file.add(metrics.iteration, trajectories));
  const name = as === 'inspect' ? path.join('logs', inspectLogName(session.run)) : `dialogues.${as}`;
  write(at(name), joinedBytes([...pieces, file.end()]));
}
const reasoner = await agentTakenAway(session, 1, true);
unpack(at('lora'), weightsZip({ ...reasoner.source, ...reasoner.models[0] }));
models.push(await expectedOf('lora', session.trainState.team, 1, speakersOf(session, 1)[0] as Network));
await session.dispose();

// Each turn has an adapter of its own, and therefore an exported model of its own.
const byTurn = withSettings(microConfig({ agents: { size: 'micro', parameters: 'lora', adapterPer: 'turn' } }), roomy);
const { session: turned } = openRun(await microCheckpoint(byTurn));
await turned.train(2);
const planner = await agentTakenAway(turned, 0);
unpack(at('turns'), turnsZip(planner.source, planner.models));
for (const [turn, network] of speakersOf(turned, 0).entries())
  models.push(await expectedOf(`turns/metaThinking-turn-${turn + 1}`, turned.trainState.team, 0, network));
await turned.dispose();

// One verifier reads steps, the other one reads answers.
const verifiers = [];
for (const preset of ['quick', 'vote'] as const) {
  const config = withSettings(presetConfig(preset), {
    'verifier.isTrained': true,
    'verifier.isBalanced': false,
    'learning.problemsPerIteration': 8,
    'evaluation.problems': 8,
  });
  const run = openRun(await startFrom(config, await loadShipped(config)));
  await run.session.train(1);
  const source = await verifierTakenAway(run.session);
  const name = `verifier-${source.hasSteps ? 'steps' : 'answers'}`;
  unpack(at(name), verifierZip(source));
  const { verifier, team, gate } = run.session.trainState;
  if (!verifier) throw new Error(`${preset}: no verifier was trained`);
  const dialogues = run.collected().flat().slice(0, 8);
  const rows = dialogues.map((one) => answerRow(one, one.turns.at(-1) as Turn, team));
  verifiers.push({
    name,
    rows: rows.map(({ tokens }) => tokens),
    beliefs: [...(await scoreAnswers(verifier.network, rows, gate))],
  });
  await run.session.dispose();
}

// The run whose metrics are exported evaluates after every iteration.
const measured = openRun(
  await microCheckpoint(microConfig({ agents: { size: 'micro' }, evaluation: { every: 1, problems: 8 } })),
);
await measured.session.train(4);
const rows = measured.store.iterations.map(({ metrics }) => metrics).filter(({ iteration }) => iteration > 0);
const evaluations = measured.events.flatMap((event) => (event.kind === 'evaluation' ? [event.evaluation] : []));
const events = tensorBoardFile({ createdMs: 1_700_000_000_000, rows, evaluations });
write(at('events', events.name), events.bytes);
write(at('expected.json'), { models, verifiers, rows: rows.map(flatRow), evaluations });
process.exit(0);
