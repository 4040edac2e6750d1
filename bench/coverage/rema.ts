// The rows of ReMA.
import type { CoveredSystem } from './row.ts';

export const rema: CoveredSystem = {
  name: 'ReMA',
  url: 'https://arxiv.org/abs/2503.09501',
  lines: 123,
  parts: [
    {
      title: 'Agents and training',
      rows: [
        {
          name: 'Multi-agent, multi-turn RL',
          state: 'works',
          presets: ['quick'],
          protocols: ['reMA'],
          shownBy: ['team'],
          presses: ['Let them learn'],
        },
        {
          name: 'Meta-thinking agent and reasoning agent',
          state: 'works',
          protocols: ['reMA'],
          shownBy: ['team'],
          remark: 'On the page the two agents are called planner and reasoner.',
        },
        {
          name: 'Shared parameters, trained end to end',
          state: 'works',
          settings: ['agents.parameters'],
          presets: ['remaShared'],
          shownBy: ['byTurn', 'remaShared'],
          remark: 'The agents of a language model share one adapter, and the weights of the model itself stay frozen.',
        },
        {
          name: 'Separate parameters, one agent frozen while the other learns',
          state: 'works',
          settings: ['agents.parameters', 'learning.frozen', 'learning.switchEvery'],
          presets: ['separate', 'remaSeparate'],
          shownBy: ['twoBrains', 'otherWeights', 'remaSeparate'],
          remark: 'On a language model, each agent has an adapter instead of a whole network.',
        },
        {
          name: 'Turn-level ratio for clipping and for averaging the loss',
          state: 'works',
          settings: ['learning.ratioLevel', 'learning.turnMean', 'learning.aggregation'],
          pages: ['docs/learners.md#the-rest-of-the-formula'],
          shownBy: ['byTurn'],
        },
        {
          name: 'The experiment of the paper',
          state: 'partly',
          presets: ['remaShared', 'remaSeparate'],
          pages: ['docs/recipes.md#rema-shared-parameters'],
          shownBy: ['remaShared', 'remaSeparate'],
          remark: 'The published settings are used, but with adapters, shorter problems and smaller models.',
        },
      ],
    },
    {
      title: 'Arguments',
      rows: [
        {
          name: '`data.max_prompt_length`, for the input of each turn',
          state: 'partly',
          pages: ['docs/cli.md#import'],
          shownBy: ['gsm8k'],
          remark:
            'A limit can be chosen only for imported data (`--prompt`). In all other worlds the room for prompts follows from the world and the protocol.',
        },
        {
          name: '`data.max_response_length`, per turn',
          state: 'works',
          settings: ['agents.metaWindow', 'agents.reasonWindow'],
          shownBy: ['byTurn'],
          remark: 'Planners and reasoners have a limit each.',
        },
        {
          name: '`rollout.stop_when_truncated`',
          state: 'works',
          settings: ['agents.stopWhenTruncated'],
          shownBy: ['byTurn'],
        },
        {
          name: '`actor.clip_mode`: `turn`, `batch`',
          state: 'works',
          settings: ['learning.ratioLevel'],
          shownBy: ['byTurn'],
          remark: 'The published code accepts `turn` and `token`; both are values of the setting.',
        },
        {
          name: '`actor.agg_mode`: `trajectory`, `batch`, `turn`',
          state: 'works',
          settings: ['learning.aggregation'],
          shownBy: ['byTurn'],
          remark: 'The value `token` of the setting averages over all tokens of the batch.',
        },
        {
          name: '`switch_agent.enable`',
          state: 'works',
          settings: ['learning.switchEvery'],
          shownBy: ['twoBrains'],
          remark: 'The agents alternate if the number is above 0.',
        },
        {
          name: '`switch_agent.freq`',
          state: 'works',
          settings: ['learning.switchEvery', 'learning.startAgent'],
          shownBy: ['twoBrains'],
        },
        {
          name: '`switch_agent.model_paths`',
          state: 'partly',
          settings: ['agents.start', 'agents.otherStart'],
          shownBy: ['otherWeights', 'wholeModelRefused'],
          remark:
            'Two runs or exports of Cothink can be combined. Agents on an imported language model all start from the same model.',
        },
        {
          name: '`val_before_train`',
          state: 'works',
          settings: ['evaluation.every'],
          shownBy: ['team'],
          remark: 'Every run is measured before its first iteration.',
        },
        {
          name: '`val_only`',
          state: 'works',
          pages: ['docs/cli.md#eval'],
          shownBy: ['evaluated'],
          presses: ['Measure everywhere'],
        },
      ],
    },
    {
      title: 'Scripts, models and results',
      rows: [
        {
          name: '`example_7b.sh`',
          state: 'partly',
          presets: ['remaShared'],
          pages: ['docs/recipes.md'],
          shownBy: ['remaShared', 'largeModelRefused'],
          remark:
            'The preset has the settings of the script. A model of 7 billion parameters does not fit: the limit is 600 million.',
        },
        {
          name: '`qwen_1.7b_rema.sh`',
          state: 'partly',
          presets: ['remaShared'],
          pages: ['src/extensions/families/qwen3/facts.ts'],
          shownBy: ['remaShared', 'largeModelRefused'],
          remark:
            'Qwen 3 with 600 million parameters or fewer can be opened; the model of 1.7 billion parameters is too large.',
        },
        {
          name: '`rema_trainer/config/ppo_trainer.yaml`',
          state: 'works',
          pages: ['docs/settings.md', 'docs/cli.md#export'],
          shownBy: ['runFile', 'fromRunFile'],
          remark: 'A run file contains the settings of a run as YAML.',
        },
        {
          name: '`rema_separated_trainer/config/ppo_trainer.yaml`',
          state: 'works',
          presets: ['separate'],
          shownBy: ['twoBrains'],
          remark: 'Both ways of training have the same settings and the same run file.',
        },
        {
          name: '360-LLaMA-Factory, for SFT',
          state: 'partly',
          settings: ['warmStart.modelSteps', 'warmStart.modelImitates'],
          learners: ['sft'],
          shownBy: ['remaShared', 'taught'],
          remark:
            'SFT trains adapters of a language model, or whole networks of Cothink, but not all weights of a language model.',
        },
        {
          name: 'verl, for RL',
          state: 'partly',
          pages: ['src/training/run', 'docs/cli.md#export'],
          shownBy: ['team', 'forVerl'],
          remark:
            'Cothink trains with an engine of its own. A run can be exported for verl, but training there has not been tested, because it needs GPUs.',
        },
        {
          name: 'flash-attn',
          state: 'not',
          pages: ['src/engine/ops'],
          remark: 'The library needs CUDA. Cothink has kernels of its own for WebGPU and the CPU.',
        },
        {
          name: 'CUDA 12.4, PyTorch 2.6, Python 3.10, conda, `requirements.txt`',
          state: 'not',
          pages: ['README.md#try-it'],
          remark: 'Nothing of this is needed: the page needs a browser, and the program needs Node.',
        },
        {
          name: 'Training often collapses',
          state: 'works',
          settings: ['run.guard'],
          claims: ['collapse'],
          shownBy: ['collapseClaim', 'team'],
          remark: 'The claim was measured, and a run that collapses is paused with a way back.',
        },
        {
          name: 'The turn-level ratio is better than the token-level ratio',
          state: 'partly',
          claims: ['turn-ratio'],
          pages: ['docs/results.md#published-claims-in-miniature'],
          shownBy: ['ratioClaim'],
          remark:
            'Both ratios can be trained and compared. At the size of Cothink, the measured difference decides nothing; the verdict is open.',
        },
      ],
    },
  ],
};
