// The rows of ReMemR1.
import type { CoveredSystem } from './row.ts';

export const rememr1: CoveredSystem = {
  name: 'ReMemR1',
  url: 'https://arxiv.org/abs/2509.23040',
  lines: 68,
  parts: [
    {
      title: 'Memory',
      rows: [
        {
          name: 'Memory that can be revisited',
          state: 'works',
          settings: ['memory.recall', 'memory.calledBack', 'memory.kept'],
          presets: ['recall'],
          protocols: ['memoryAlone'],
          worlds: ['memory'],
          claims: ['no-recall'],
          shownBy: ['lookingBack'],
        },
        {
          name: 'Agents for long contexts',
          state: 'partly',
          presets: ['rememr1'],
          worlds: ['memory'],
          pages: ['docs/results.md#how-far-does-a-memory-reach'],
          shownBy: ['rememr1'],
          remark:
            'A text has up to 28 pieces of a few short sentences; the published training texts have 32 thousand tokens.',
        },
      ],
    },
    {
      title: 'Data',
      rows: [
        {
          name: 'Training data of MemAgent (`hotpotqa_train_32k.parquet`, `hotpotqa_dev.parquet`)',
          state: 'not',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['memAgentRefused'],
          remark:
            'Their columns (a prompt, one long context, a list of answers) are in no known format, so the import refuses them.',
        },
        {
          name: 'HotpotQA, for evaluation',
          state: 'partly',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['hotpotQa', 'piecesRefused'],
          remark:
            'Agents that each see half of the paragraphs can be trained and measured. Imported texts cannot be read piece by piece.',
        },
        {
          name: '2WikiMultiHopQA, for evaluation',
          state: 'partly',
          pages: ['docs/worlds.md#imported-data'],
          shownBy: ['twoWiki'],
          remark: 'As HotpotQA.',
        },
        {
          name: '`0_run_data_process.sh`',
          state: 'partly',
          pages: ['src/formats/datasets'],
          shownBy: ['hotpotQa', 'twoWiki'],
          remark:
            'The import assigns paragraphs to agents and adds others while there is room. It builds no texts of a chosen length.',
        },
      ],
    },
    {
      title: 'Training and evaluation',
      rows: [
        {
          name: '`1_run_train_ReMemR1_3B.sh`',
          state: 'partly',
          presets: ['rememr1'],
          pages: ['docs/recipes.md#rememr1-memory'],
          shownBy: ['rememr1', 'largeModelRefused'],
          remark: 'The settings of the script, on a model of at most 600 million parameters and with shorter texts.',
        },
        {
          name: '`1_run_train_ReMemR1_7B.sh`',
          state: 'partly',
          presets: ['rememr1'],
          shownBy: ['rememr1', 'largeModelRefused'],
          remark: 'As for 3B.',
        },
        {
          name: 'Several nodes: `ray start --head`, `ray start --address`',
          state: 'partly',
          pages: ['docs/cli.md#launch', 'docs/results.md#can-other-tools-read-the-files'],
          remark:
            'A launch sends seeds and settings to a Ray cluster, as tested with two nodes. A single run uses one node.',
        },
        {
          name: '`--dashboard-host`',
          state: 'works',
          pages: ['docs/cli.md#launch', 'src/extensions/launchers/ray/facts.ts'],
          remark:
            'The option `--address` is the address of the dashboard, which receives the job. `npm run interop -- ray` tests it with a real Ray.',
        },
        {
          name: '`merge_ckpt.sh`, to `hf_ckpt`',
          state: 'works',
          pages: ['docs/cli.md#export'],
          shownBy: ['weights', 'merged'],
          remark: 'There are no parts to merge: an export is a folder for Hugging Face, with adapters merged in.',
        },
        {
          name: 'A checkpoint of a chosen step (`global_step_200`)',
          state: 'works',
          settings: ['run.checkpointEvery'],
          shownBy: ['team', 'evaluated'],
        },
        {
          name: '`2_run_eval_ReMemR1.sh`',
          state: 'works',
          pages: ['docs/cli.md#eval'],
          shownBy: ['evaluated'],
          remark: 'The same turn loop and the same notes as in training.',
        },
      ],
    },
    {
      title: 'Environment',
      rows: [
        {
          name: 'vLLM 0.9, SGLang 0.4.6',
          state: 'not',
          pages: ['src/model/decoding'],
          remark: 'Cothink samples with its own engine, in the process that trains.',
        },
        {
          name: 'Hydra',
          state: 'works',
          pages: ['docs/settings.md'],
          shownBy: ['team'],
          remark: 'Settings are overridden by name with `--set`, without Hydra itself.',
        },
        {
          name: 'Weights & Biases',
          state: 'partly',
          pages: ['src/extensions/carriers/events'],
          shownBy: ['events'],
          remark: 'The numbers of a run are written for TensorBoard or as CSV. Nothing is sent to a service.',
        },
        {
          name: 'conda, Python 3.11, httpx, aiohttp, NLTK, accelerate, TensorDict and other packages',
          state: 'not',
          pages: ['README.md#try-it'],
          remark: 'Nothing of this is needed: the page needs a browser, and the program needs Node.',
        },
      ],
    },
  ],
};
