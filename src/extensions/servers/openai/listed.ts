// The entries of the list of models: how long a text may be, which tokens there are, and a request to begin with.
import { headerOf } from '../../../rollout/view.ts';
import { shownTokenizer } from '../../../training/team/team.ts';
import { listedWords } from '../../../../cli/serve/listedWords.ts';
import type { Model, ServedModels } from '../../../../cli/serve/model.ts';
import type { ServedTeam } from '../../../../cli/serve/team.ts';
import { longestDialogue } from '../../../../cli/serve/team.ts';
import { exampleProblem, messagesFor } from './team.ts';

const shared = { object: 'model', created: 0, owned_by: 'cothink' };

/** The entry of a model that completes texts. */
export function listedModel(model: Model, models: ServedModels): object {
  const { id, policy, tokenizer, network } = model;
  return {
    ...{ id, ...shared, max_model_len: policy.maxPositions, vocab_size: network.shape.vocabSize },
    vocabulary: listedWords(tokenizer),
    tokenizer: `/v1/models/${encodeURIComponent(id)}/tokenizer.json`,
    example: exampleFor(model, models),
  };
}

/** A request that the model can answer. */
function exampleFor(model: Model, { team: served, list }: ServedModels): object {
  const agent = list.indexOf(model);
  const role = served?.team.protocol.roles[agent];
  if (!served || role === undefined) return { messages: [{ role: 'user', content: 'Hello' }] };
  const { team } = served;
  const tokens = [...team.prompt(exampleProblem(team), agent), ...headerOf(team.tokens, agent, role)];
  return { prompt: shownTokenizer(team, agent).decode(tokens) };
}

/** The entry of a whole team. */
export function listedTeam({ id, team }: ServedTeam): object {
  const { world, protocol, config } = team;
  return {
    ...{ id, ...shared, max_model_len: team.shape.maxPositions, longest_answer: longestDialogue(team) },
    description: `The whole team: one message of the user is a problem of the world ${world.label}, and the answer is the team’s. A message of the system contains the part of the problem that only some agents see.`,
    ...{ world: world.name, level: config.world.level, levels: world.levels.length, agents: [...protocol.roles] },
    hidden: world.hidden.map(({ name, sentence }) => ({ name, sentence })),
    example: { messages: messagesFor(exampleProblem(team)) },
  };
}
