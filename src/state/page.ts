// The state of the whole page: creates its parts, connects them, and starts the page.
import { remediesOf, type ConfigError } from '../base/errors.ts';
import { difference } from '../config/parse.ts';
import { connectArchive } from '../api/archiveConnection.ts';
import { keepOffline, watchHost } from '../api/offline.ts';
import { findShipped, shippedWarmStarts } from '../config/warmStarts.ts';
import { isBare, readLink, readVisit } from '../formats/link.ts';
import { isLessonLink } from '../lessons/lessonLink.ts';
import { remedyOf } from './settings/draft.ts';
import { Analyses, setAnalyses } from './analyses/analyses.svelte.ts';
import { StoredTrajectories, setDialogues } from './inspector/storedTrajectories.svelte.ts';
import { Groups, setGroups } from './inspector/groups.svelte.ts';
import { Interventions, setInterventions } from './interventions/interventions.svelte.ts';
import { Comparison, setComparison } from './experiments/comparison.svelte.ts';
import { Experiments, setExperiments } from './experiments/experiments.svelte.ts';
import { Permalink, setPermalink } from './inspector/permalink.svelte.ts';
import { setThroughTime, ThroughTime } from './inspector/throughTime.svelte.ts';
import { Exercises, setExercises } from './lessons/exercises.svelte.ts';
import { Lessons, setLessons } from './lessons/lessons.svelte.ts';
import { PageView, setPageView } from './lessons/pageView.svelte.ts';
import { Library, setLibrary } from './library/library.svelte.ts';
import { Models, setModels } from './models/models.svelte.ts';
import { Notices, setNotices } from './visitor/notices.svelte.ts';
import { OwnWorlds, setOwnWorlds } from './library/ownWorlds.svelte.ts';
import { BeforeAndNow, setBeforeAndNow } from './run/beforeAndNow.svelte.ts';
import { Guard, setGuard } from './run/guard.svelte.ts';
import { Looking, setLooking } from './run/looking.svelte.ts';
import { Run, setRun } from './run/run.svelte.ts';
import { Selection, setSelection } from './run/selection.svelte.ts';
import { setSetup, Setup } from './settings/setup.svelte.ts';
import { setSharing, Sharing } from './run/sharing.ts';
import { setTabs, Tabs } from './run/tabs.svelte.ts';
import { TrainerClient } from './trainer/trainerClient.svelte.ts';
import { Language, setLanguage } from './visitor/language.svelte.ts';
import { say } from './visitor/language.svelte.ts';

const isReload = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type === 'reload';

export class Page {
  readonly notices = new Notices();
  readonly language = new Language();
  readonly view = new PageView(this);
  readonly trainer = new TrainerClient(this.notices);
  readonly setup = new Setup(this.trainer, this.notices);
  readonly archive = connectArchive();
  readonly library = new Library(this.trainer, this.notices, this.archive);
  readonly comparison = new Comparison();
  readonly experiments = new Experiments(() => void this.library.refresh());
  readonly ownWorlds = new OwnWorlds(this.trainer, this.notices);
  readonly models = new Models(this);
  readonly selection = new Selection(this.trainer, this.notices);
  readonly groups = new Groups(this);
  readonly dialogues = new StoredTrajectories(this);
  readonly throughTime = new ThroughTime(this);
  readonly beforeAndNow = new BeforeAndNow(this);
  readonly run = new Run(this);
  readonly guard = new Guard(this);
  readonly analyses = new Analyses(this);
  readonly sharing = new Sharing(this);
  readonly interventions = new Interventions(this);
  readonly permalink = new Permalink(this);
  readonly lessons = new Lessons(this);
  readonly exercises = new Exercises(this.notices);
  /** Called when another run is displayed. */
  readonly onWatch = () => {
    this.library.withdrawOffer();
    this.selection.follow();
  };
  readonly tabs = new Tabs(this);
  readonly looking = new Looking(this);
  #isKept = false;

  constructor() {
    this.setup.onBegin = this.onWatch;
    this.setup.onOpened = () => void this.library.refresh();
    this.notices.onAnswer = () => void this.library.refresh();
    this.trainer.onConnected = (name) => this.tabs.know(name);
    this.library.onModel = () => void this.models.refresh();
    this.run.onLacking = (run, why) => this.looking.openStored(run.id, why);
    this.trainer.onBusy = () => this.tabs.watch();
    this.language.onPhrases = (phrases) => this.trainer.speak(phrases);
    this.trainer.load();
    watchHost(() => this.#offerNewer(() => location.reload()));
  }

  /** Makes all parts of the page available to the components, each of which uses some of these parts. */
  provide(): void {
    setNotices(this.notices);
    setSetup(this.setup);
    setLibrary(this.library);
    setComparison(this.comparison);
    setExperiments(this.experiments);
    setOwnWorlds(this.ownWorlds);
    setModels(this.models);
    setSelection(this.selection);
    setGroups(this.groups);
    setDialogues(this.dialogues);
    setThroughTime(this.throughTime);
    setPermalink(this.permalink);
    setBeforeAndNow(this.beforeAndNow);
    setRun(this.run);
    setGuard(this.guard);
    setInterventions(this.interventions);
    setAnalyses(this.analyses);
    setSharing(this.sharing);
    setTabs(this.tabs);
    setLooking(this.looking);
    setLanguage(this.language);
    setPageView(this.view);
    setLessons(this.lessons);
    setExercises(this.exercises);
  }

  /** Reads the link, starts the worker and opens the requested run. Invalid settings are reported and ignored. */
  async begin(search: string, hash = ''): Promise<void> {
    try {
      await this.#begin(search, hash);
    } catch (error) {
      this.run.isStarting = false;
      throw error;
    }
  }

  async #begin(search: string, hash: string): Promise<void> {
    const { setup, library, run } = this;
    const known = this.ownWorlds.refresh();
    const { lesson: named, lang, view } = readVisit(search);
    this.view.begin(view, isBare(search) && hash === '');
    // The page is displayed only after the lesson is loaded. Otherwise, the layout of the page would change when the
    // lesson appears.
    this.view.isAwaitingLesson = named !== null;
    const own = isLessonLink(hash) ? await this.lessons.openLink(hash) : null;
    const spoken = own?.language?.split('-')[0] ?? null;
    await this.notices.attempt(() => this.language.begin(lang ?? spoken));
    // The link may refer to one of the visitor's own worlds.
    if (search.includes('own-')) await known;
    const lesson = named === null ? own : await this.lessons.open(named);
    this.view.isAwaitingLesson = false;
    const { preset, config, autostart, isHeld, errors, notes } = readLink(search, lesson ?? undefined);
    run.isStarting = autostart;
    setup.accept(config, preset);
    for (const problem of errors) this.#tellOfLink(problem);
    if (notes.length > 0) this.notices.say(notes.join(' '));
    if (isHeld)
      this.notices.say(say('Nothing was started automatically, because a part of the link could not be used.'));
    const stored = library.refresh();
    void this.models.refresh();
    if (hash.length > 1) {
      await stored;
      if (await this.permalink.take(hash)) return;
    }
    if (isReload() && !lesson) {
      await stored;
      // After a reload, the finished run that was displayed before the reload is shown again.
      const finished = library.finishedWith(config);
      if (finished && (await run.resume(finished))) return;
    }
    if (autostart && isReload()) {
      const { unfinished } = library;
      // If the link requests an automatic start, an interrupted run is also resumed automatically.
      if (unfinished && difference(unfinished.begun ?? unfinished.config, config).length === 0)
        return run.goOn(unfinished);
    }
    if (!autostart && !lesson) void stored.then(() => library.offerUnfinished());
    const isOpen = await setup.open(!autostart);
    if (autostart && isOpen) await run.train();
    else run.isStarting = false;
  }

  /** After the current iteration, shows a notice that there is a newer version of the page. */
  #offerNewer(take: () => void): void {
    const { notices, run } = this;
    const finish = async () => {
      if (run.isWriter && run.view.state === 'training') await run.trainer.step();
    };
    const reload = { words: say('Reload with it'), changes: [], run: () => void finish().then(take) };
    notices.settle('newer version');
    notices.offer(say('A newer version of this page is available. Stored runs are kept.'), reload, 'newer version');
  }

  /**
   * Caches the page, so that it can be used offline. If the visitor requests a newer version of the page, this version
   * is loaded after the current iteration.
   */
  keepOffline(): void {
    if (this.#isKept) return;
    this.#isKept = true;
    const { notices, setup } = this;
    const { source } = setup.config.warmStart;
    const shipped = source === 'shipped' ? findShipped(setup.config) : undefined;
    const addressOf = ({ name }: { name: string }) => `warmstart/${name}.safetensors`;
    void keepOffline({
      warmStart: shipped ? addressOf(shipped) : null,
      others: shippedWarmStarts.filter((one) => one !== shipped).map(addressOf),
      onNewer: (take) => this.#offerNewer(take),
      onTaken: () =>
        notices.say(say('Another tab already uses a newer version of this page. Reload this page when it suits you.')),
    });
  }

  /** Reports a part of the link that cannot be used, with a button that applies a fix. */
  #tellOfLink(problem: ConfigError): void {
    const remedy = remedyOf(remediesOf(problem)[0]);
    const action = remedy && { ...remedy, run: () => this.setup.take(remedy.settings) };
    this.notices.problem(problem, '', action ? { action } : {});
  }
}
