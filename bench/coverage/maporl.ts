// The rows of MaPoRL.
import type { CoveredSystem } from './row.ts';

export const maporl: CoveredSystem = {
  name: 'MaPoRL',
  url: 'https://arxiv.org/abs/2502.18439',
  lines: 39,
  parts: [
    {
      title: 'The verifier',
      rows: [
        {
          name: 'Training of a reward verifier',
          state: 'works',
          settings: ['verifier.isTrained', 'verifier.reward'],
          shownBy: ['verified', 'verifierFile'],
          remark: 'The verifier learns during the run, from the answers of the agents.',
        },
        {
          name: '`reward_gen_data.py`',
          state: 'works',
          settings: ['verifier.isTrained'],
          pages: ['docs/cli.md#collect'],
          shownBy: ['verified', 'collected'],
          remark:
            'The data of the verifier are the dialogues of the run; `cothink collect` writes more of them as a file.',
        },
        {
          name: '`reward_data_balancing.py`',
          state: 'works',
          settings: ['verifier.isBalanced'],
          claims: ['verifier-of-difficulty'],
          shownBy: ['verified'],
        },
        {
          name: 'The label of the answer alone as reward',
          state: 'works',
          presets: ['quick'],
          shownBy: ['team'],
          remark: 'This is the default: no verifier is trained.',
        },
        {
          name: '`reward_server.py`, a server for rewards',
          state: 'works',
          pages: ['src/extensions/servers/rewards', 'docs/cli.md#serve'],
          shownBy: ['served'],
          remark: '`POST /reward` gives the rewards of a world, `POST /verify` the beliefs of a trained verifier.',
        },
      ],
    },
    {
      title: 'Training',
      rows: [
        {
          name: '`train_ppo_v2_multi_agent_multi_model.py`',
          state: 'partly',
          presets: ['maporl'],
          learners: ['ippo'],
          pages: ['docs/recipes.md#maporl-debate'],
          shownBy: ['maporl'],
          remark: 'The settings of the script; the agents are adapters of one model, not several models.',
        },
        {
          name: 'A chosen number of agents',
          state: 'works',
          settings: ['agents.count'],
          shownBy: ['verified'],
        },
        {
          name: 'A different model architecture for each agent',
          state: 'partly',
          settings: ['agents.parameters', 'agents.otherSize'],
          shownBy: ['unequal', 'wholeModelRefused'],
          remark:
            'Networks of Cothink can have different sizes and vocabularies, with one architecture. Different language models in one team are not possible.',
        },
        {
          name: '`ppov2_trainer_multi_different_model.py`',
          state: 'works',
          presets: ['ippo'],
          learners: ['ippo'],
          pages: ['src/training/update/update.ts'],
          shownBy: ['ippo'],
          remark: 'PPO with a network, a critic and a reward for each agent.',
        },
        {
          name: '`utils_multi_unified_chat.py`, chat templates',
          state: 'works',
          settings: ['agents.prompts'],
          pages: ['src/text/chat.ts'],
          shownBy: ['maporl'],
          remark: 'Each turn is written in the chat template of the model.',
        },
        {
          name: '`utils_multi_unified.py`, coordination of agents',
          state: 'works',
          pages: ['src/rollout/runTrajectories.ts'],
          shownBy: ['verified'],
        },
        {
          name: 'TRL as the base',
          state: 'works',
          pages: ['src/extensions/trainers/trl', 'docs/results.md#can-other-tools-read-the-files'],
          shownBy: ['forTrl'],
          remark: 'Cothink has a trainer of its own, and a run can be continued in TRL.',
        },
        {
          name: 'A version on verl, for scaling at inference time (planned)',
          state: 'partly',
          pages: ['docs/cli.md#eval', 'docs/worlds.md#several-levels-and-worlds'],
          shownBy: ['forVerl'],
          remark: 'pass@k and majority@k are measured. The export for verl has not been tested in training.',
        },
      ],
    },
    {
      title: 'Data and configuration',
      rows: [
        {
          name: 'GSM8K, validated by executing code',
          state: 'partly',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['gsm8k', 'inGsm8k'],
          remark:
            'The file is imported and the final number is checked. The code that an answer may contain is not executed.',
        },
        {
          name: 'ANLI',
          state: 'works',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['anli'],
        },
        {
          name: 'Classification as entailment or contradiction',
          state: 'works',
          presets: ['entailment'],
          worlds: ['entailment'],
          shownBy: ['severalWorlds'],
        },
        {
          name: '`config/ppo_config/`: several agents with different models',
          state: 'partly',
          settings: ['agents.otherSize'],
          shownBy: ['unequal'],
          remark: 'As above: networks of different sizes, but not different language models.',
        },
        {
          name: '`config/ppo_config/`: training by turns',
          state: 'works',
          settings: ['agents.adapterPer', 'learning.switchEvery', 'learning.switchOver'],
          shownBy: ['byTurnOfAgents'],
          remark: 'Each turn has an adapter, and the adapters of one turn learn at a time.',
        },
        {
          name: '`config/ppo_config/`: configurations of data sets',
          state: 'works',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['inGsm8k', 'anli'],
        },
      ],
    },
  ],
};
