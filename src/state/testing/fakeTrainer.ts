// A fake trainer, which a test controls. Every call returns immediately, and events arrive when the test sends them.
import type { Connect } from '../../api/connection.ts';
import type { TrainingClaim, Listener, OpenRequest, TrainerApi } from '../../api/trainerApi.ts';
import { ConfigError, type Settings, TrainerLostError } from '../../base/errors.ts';
import { forkedConfig } from '../../config/fork.ts';
import { withSetting } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { checkpointFormat, type RunRecord } from '../../records/stored/checkpoint.ts';
import type { GoneBack } from '../../records/stored/history.ts';
import type { RunState, TrainerEvent } from '../../records/events.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { runId } from '../../records/ids.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';

export const microRun: RunRecord = {
  format: checkpointFormat,
  id: runId('1-calm-otter'),
  name: 'calm-otter',
  preset: 'micro',
  config: presetConfig('micro'),
  changes: [],
  backend: 'simd',
  createdMs: 1,
  iteration: 0,
  isDone: false,
};

const engine = { backend: 'simd', adapter: 'a processor', reason: 'It was asked for.', isSoftware: false };

export class FakeTrainer {
  /** The names of the models that were passed to the trainer. */
  readonly models: string[] = [];
  /** The names of the called functions, in order. */
  readonly called: string[] = [];
  /** The reply to the page's question whether training is allowed. */
  claim: TrainingClaim = 'own';
  /** Whether opening is allowed. */
  mayOpen = true;
  /** The error, with its fixes, that is thrown when the page opens a run; null if runs can be opened. */
  openFailure: { message: string; remedies: Settings[] } | null = null;
  /** Whether the trainer can read a stored run. */
  mayResume = true;
  resumeFailure = new Error('no checkpoint is whole');
  /** The reply to a request to open a run waits for this promise. */
  untilOpen: Promise<void> = Promise.resolve();
  /** The reply to a change of a setting waits for this promise. */
  untilChanged: Promise<void> = Promise.resolve();
  /** The newest request to open a run. */
  opened: OpenRequest | null = null;
  /** The error message that is thrown when a model is passed; empty if models are accepted. */
  modelRefusal = '';
  /** The error message that is thrown when a setting is changed; empty if changes are accepted. */
  refusal = '';
  /** The result of the evaluation of stored agents as a team. */
  measured: Evaluation = { iteration: 4, accuracy: 0.5, low: 0.4, high: 0.6, problems: 8, bySlice: {}, ceiling: 0.3 };
  /** The target of the last rewind. */
  back: GoneBack | undefined;
  /** The reply to requests for iterations. */
  look: (...given: unknown[]) => Promise<unknown> = () => Promise.reject(new ConfigError('nothing is kept'));
  /** The number of started trainers. */
  started = 0;
  readonly #store = new IndexedDbStore();
  #listener: Listener = () => undefined;
  #onLost: (error: TrainerLostError) => void = () => undefined;
  #lose: (error: TrainerLostError) => void = () => undefined;

  readonly connect: Connect = (listener, onLost) => {
    this.started++;
    this.#listener = listener;
    this.#onLost = onLost;
    const lost = new Promise<never>((_, reject) => (this.#lose = reject));
    lost.catch(() => undefined);
    const verbs: Partial<TrainerApi> = {
      open: async (request) => {
        this.opened = request;
        this.tell({ kind: 'state', state: 'preparing', message: '' });
        await this.untilOpen;
        if (this.openFailure) {
          this.tell({ kind: 'state', state: 'failed', ...this.openFailure });
          throw new Error(this.openFailure.message);
        }
        if (this.mayOpen) this.#open('idle');
        return this.mayOpen || 'busy';
      },
      resumeRun: (_, back) => {
        this.back = back;
        if (!this.mayResume) return Promise.reject(this.resumeFailure);
        this.tell({ kind: 'state', state: 'preparing', message: '' });
        return Promise.resolve(this.#open('paused'));
      },
      train: () => {
        if (this.claim === 'own') this.state('training');
        return Promise.resolve(this.claim);
      },
      step: () => Promise.resolve(this.claim),
      fork: (mode) => {
        const config = forkedConfig(microRun.config, mode);
        const run = { ...microRun, id: runId('2-calm-otter'), name: 'calm-otter fork', config };
        this.tell({ kind: 'state', state: 'preparing', message: '' }, { kind: 'run', run, engine });
        return Promise.resolve(this.state('paused'));
      },
      changeSetting: async (path, value) => {
        if (this.refusal) throw new ConfigError(this.refusal);
        const config = withSetting(this.opened?.config ?? microRun.config, path, value);
        await this.untilChanged;
        this.tell({ kind: 'config', config, changes: [], dropped: 0 });
      },
      deleteRun: (id) => (this.refusal ? Promise.reject(new ConfigError(this.refusal)) : this.#store.deleteRun(id)),
      labelRun: async (label) => {
        if (this.refusal) throw new ConfigError(this.refusal);
        await this.#store.saveLabel(label);
      },
      evaluateStored: () =>
        this.refusal ? Promise.reject(new ConfigError(this.refusal)) : Promise.resolve(this.measured),
      speak: () => Promise.resolve(),
      look: (...given) => this.look(...given) as never,
      keepFile: () => Promise.resolve(1),
      prompts: () => Promise.resolve(null),
      holdModel: ({ name }) =>
        this.modelRefusal
          ? Promise.reject(new ConfigError(this.modelRefusal))
          : Promise.resolve(void this.models.push(name)),
      holdAgent: ({ run, iteration }, agent) => {
        const name = `model-${String(agent).repeat(16)}`;
        this.models.push(name);
        return Promise.resolve({ name, label: `${run} after ${iteration}` });
      },
      keepWorld: (world) => this.#store.saveWorld(world),
      deleteWorld: (name) =>
        this.refusal ? Promise.reject(new ConfigError(this.refusal)) : this.#store.deleteWorld(name),
      present: () => Promise.resolve(null),
      pause: () => Promise.resolve(this.state('paused')),
      stop: () => Promise.resolve(this.state('done')),
      abandon: () => Promise.resolve(),
    };
    const trainer = new Proxy(verbs, {
      get: (_, verb: keyof TrainerApi | 'then') => {
        if (verb === 'then') return undefined;
        return (...given: never[]) => {
          this.called.push(verb);
          return Promise.race([(verbs[verb] as (...given: never[]) => Promise<unknown>)(...given), lost]);
        };
      },
    });
    return Promise.resolve({ name: `trainer ${this.started}`, trainer: trainer as never });
  };

  readonly tell = (...events: TrainerEvent[]): void => this.#listener(events);
  readonly state = (state: RunState): void => this.tell({ kind: 'state', state, message: '' });

  /** Ends the trainer, as if the browser had terminated its worker. */
  die(): void {
    const error = new TrainerLostError('the trainer was ended from outside.');
    this.#lose(error);
    this.#onLost(error);
  }

  #open(state: RunState): void {
    this.tell({ kind: 'run', run: microRun, engine }, { kind: 'state', state, message: '' });
  }
}
