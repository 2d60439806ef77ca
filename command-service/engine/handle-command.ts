import type { Command, Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { whyUnusable } from '#log/usable-reference.ts';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import { NO_STREAM, START } from '#ports/event-store.ts';
import { appendBatch } from './append-batch.ts';
import { AppendHealth, type Appendable } from './append-health.ts';
import type { CommandEngine, Executed, ExecuteRequest } from './command-engine.ts';
import { Conflicts, partAfterConflict } from './conflicts.ts';
import { decideBatch, type Appending, type AnyRequest, type Decision, type Work } from './decide-batch.ts';
import {
  resolveWork,
  resolveNothing,
  resolveRepeat,
  doesReferenceMatter,
  isMistake,
} from './resolve-work.ts';
import { defaultLimits, type CommandEngineOptions, type EngineLimits } from './engine-options.ts';
import type { BeforeHook } from './hooks.ts';
import { createMailboxes, type Mailbox } from './mailbox.ts';
import { RecordingClock } from './recording-clock.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';
import { createStateCache, type StateCache } from './state-cache.ts';
import type { AnyDecider, StreamState } from './stream-state.ts';

/** What the engine has done since it started. */
export interface EngineCounters {
  readonly commands: number;
  readonly appends: number;
  /** Per stream category. */
  readonly conflicts: Readonly<Record<string, number>>;
  /** How often an engine did not answer in time. */
  readonly unavailable: number;
  /** Commands that wait now. */
  readonly mailboxDepth: number;
}

export interface RunningCommandEngine extends CommandEngine {
  counters(): EngineCounters;
  /** Why the log takes nothing just now; null as far as known it does. */
  appendProblem(): string | null;
  /** Resolves once everything that was handed in is answered. */
  drain(): Promise<void>;
}

export const createCommandEngine = (options: CommandEngineOptions): RunningCommandEngine =>
  new Engine(options);

class Engine implements RunningCommandEngine {
  readonly #options: CommandEngineOptions;
  readonly #limits: Required<EngineLimits>;
  readonly #hooks: readonly BeforeHook[];
  readonly #snapshots: Snapshots;
  readonly #cache: StateCache;
  readonly #mailboxes = createMailboxes<Work>((stream, mailbox) => this.#work(stream, mailbox));
  readonly #conflicts: Conflicts;
  readonly #recordingClock: RecordingClock;
  readonly #appendHealth = new AppendHealth();
  readonly #watchedLog: Appendable;
  #commands = 0;
  #appends = 0;
  #unavailable = 0;

  constructor(options: CommandEngineOptions) {
    const { store, codec, stateStore, secrets, clock, log, forgetting } = options;
    this.#options = options;
    this.#hooks = options.hooks ?? [];
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#conflicts = new Conflicts(this.#limits);
    this.#recordingClock = new RecordingClock(store, clock);
    this.#watchedLog = this.#appendHealth.watch(store);
    this.#snapshots = createSnapshots({ stateStore, keys: codec.keys, secrets, ...(log && { log }) });
    forgetting?.onForgotten(({ isLast }) => {
      if (isLast) this.#cache.clear();
    });
    const maxStreams = this.#limits.cachedStreams;
    this.#cache = createStateCache({ store, codec, snapshots: this.#snapshots, maxStreams });
  }

  get isHooked(): boolean {
    return this.#hooks.length > 0;
  }

  execute<State, Cmd extends Command, Event extends DomainEvent, Context>(
    request: ExecuteRequest<State, Cmd, Event, Context>,
  ): Promise<Executed<State, Event>> {
    this.#commands++;
    const asked = request as unknown as AnyRequest;
    const why = this.#whyUndecidable(asked);
    if (why !== null) return Promise.reject(new EngineUnavailable(why));
    return this.#post(request.decider, request.id, asked);
  }

  async rehearse<State, Cmd extends Command, Event extends DomainEvent, Context>(
    request: ExecuteRequest<State, Cmd, Event, Context>,
  ): Promise<void> {
    const asked = request as unknown as AnyRequest;
    const why = this.#whyUndecidable(asked);
    if (why !== null) throw new EngineUnavailable(why);
    await this.#post(request.decider, request.id, asked, { isRehearsal: true });
  }

  load<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Executed<State, Event>> {
    return this.#post(decider, id, null);
  }

  recall<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Executed<State, Event>> {
    return this.#post(decider, id, null, { mayBeOld: true });
  }

  peek<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined {
    return this.#stateOf<State>(`${decider.category}-${id}`);
  }

  settled<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined {
    const stream = `${decider.category}-${id}`;
    const isSettled = this.#options.store.isOnlyWriter && this.#mailboxes.isIdle(stream);
    return isSettled ? this.#stateOf<State>(stream) : undefined;
  }

  #stateOf<State>(stream: string): State | undefined {
    const known = this.#cache.get(stream);
    // One that is only presumed to be new is not known.
    return known && known.end.revision !== NO_STREAM ? (known.state as State) : undefined;
  }

  counters(): EngineCounters {
    return {
      commands: this.#commands,
      appends: this.#appends,
      conflicts: this.#conflicts.counts(),
      unavailable: this.#unavailable,
      mailboxDepth: this.#mailboxes.depth(),
    };
  }

  appendProblem(): string | null {
    return this.#appendHealth.problem();
  }

  async drain(): Promise<void> {
    await this.#mailboxes.drain();
    await this.#snapshots.drain();
  }

  /** Nothing is decided on old prices and rules. What a process goes on with was decided before. */
  #whyUndecidable({ referenceMatters, isProcessStep }: AnyRequest): string | null {
    const { reference } = this.#options;
    if (!reference || referenceMatters === 'never' || isProcessStep) return null;
    return whyUnusable(reference);
  }

  #post<State, Cmd extends Command, Event extends DomainEvent, Context>(
    decider: Decider<State, Cmd, Event, Context>,
    id: string,
    request: AnyRequest | null,
    { isRehearsal = false, mayBeOld = false } = {},
  ): Promise<Executed<State, Event>> {
    return new Promise((resolve, reject) => {
      this.#mailboxes.post(`${decider.category}-${id}`, {
        decider: decider as unknown as AnyDecider,
        request,
        isRehearsal,
        mayBeOld,
        arrivedAt: performance.now(),
        resolve: resolve as Work['resolve'],
        reject,
        conflicts: 0,
        mustBeCurrent: 'nothing',
      });
    });
  }

  /** One round for one stream: load, decide what waits, append it together, answer. */
  async #work(stream: string, mailbox: Mailbox<Work>): Promise<void> {
    const first = mailbox.peek();
    if (!first) return;
    let decisions: readonly Decision[] = [];
    const begun = performance.now();
    try {
      const cached = this.#cache.get(stream);
      const presumed = cached ? null : this.#presumedNew(stream, first);
      const known = cached ?? presumed ?? (await this.#cache.load(first.decider, stream));
      if (first.mustBeCurrent !== 'nothing') await this.#becomeCurrent(first, stream, known);
      const referenceAt = this.#options.reference?.position() ?? START;
      decisions = decideBatch(stream, mailbox, known, this.#options.codec, this.#hooks);
      const appending = decisions.filter((decision) => decision.kind === 'appends');
      const isLookedUp =
        !presumed && (this.#options.store.isOnlyWriter || !cached || first.mustBeCurrent !== 'nothing');
      const isStateCurrent = isLookedUp || appending.length > 0;
      if (appending.length > 0) await this.#append(stream, appending, known);
      else if (presumed) this.#cache.drop(stream);
      await this.#answerTheRest(mailbox, stream, decisions, known, { isStateCurrent, referenceAt });
      if (decisions.some(({ work }) => work.request?.isLast === true)) this.#cache.drop(stream);
    } catch (error) {
      this.#cache.drop(stream);
      await this.#failed(stream, mailbox, decisions, error, performance.now() - begun);
    }
  }

  /** A stream that is hardly there yet. Should it be there all the same, the append says so and it is loaded. */
  #presumedNew(stream: string, { decider, request, conflicts, mustBeCurrent }: Work): StreamState | null {
    const { isNewId = false } = request ?? {};
    const isLikely = isNewId === 'perhaps' ? !this.#options.store.isOnlyWriter : isNewId;
    const isPresumed = isLikely && conflicts === 0 && mustBeCurrent === 'nothing';
    return isPresumed ? this.#cache.begin(decider, stream) : null;
  }

  async #append(stream: string, appending: readonly Appending[], known: StreamState): Promise<void> {
    const { codec, onAppended } = this.#options;
    await this.#recordingClock.prepare();
    const { recorded, knowsTooMuch } = await appendBatch(stream, appending, known, {
      store: this.#watchedLog,
      codec,
      recordedAt: () => this.#recordingClock.now(),
      deadline: Math.min(...appending.map(({ work }) => this.#deadlineOf(work))),
      onAppended,
    });
    this.#appends++;
    appending.forEach(({ work }, index) => resolveWork(work, known, recorded[index] ?? [], false));
    const [first] = appending;
    if (knowsTooMuch) this.#cache.drop(stream);
    else if (first) this.#snapshots.consider(first.work.decider, stream, known);
  }

  /** One for all that a request leads to. What comes late, after a provider has answered, is tried once at least. */
  #deadlineOf({ arrivedAt, request }: Work): number {
    const { unknownOutcomeMs } = this.#limits;
    const askedAt = request?.meta.askedAt ?? arrivedAt;
    return Math.max(askedAt + unknownOutcomeMs, arrivedAt);
  }

  /** Repeats, and answers without events: these only when nothing newer can speak against them. */
  async #answerTheRest(
    mailbox: Mailbox<Work>,
    stream: string,
    decisions: readonly Decision[],
    known: StreamState,
    restsOn: { readonly isStateCurrent: boolean; readonly referenceAt: number },
  ): Promise<void> {
    const { reference, store } = this.#options;
    const unsure: Work[] = [];
    let head: number | null = null;
    for (const decision of decisions) {
      if (decision.kind === 'appends') continue;
      const { work } = decision;
      if (decision.kind === 'passes') {
        resolveWork(work, known, [], false);
        continue;
      }
      if (decision.kind === 'repeat') {
        await resolveRepeat(stream, decision, known, this.#options);
        continue;
      }
      const needsReference = reference !== undefined && doesReferenceMatter(decision);
      let isFinal = work.mustBeCurrent === 'everything' || work.mayBeOld || isMistake(decision);
      if (!isFinal && restsOn.isStateCurrent) {
        if (needsReference) head ??= await store.head();
        isFinal = !needsReference || head === null || restsOn.referenceAt >= head;
      }
      if (isFinal) resolveNothing(decision, known);
      else {
        work.mustBeCurrent = needsReference ? 'everything' : 'the stream';
        unsure.push(work);
      }
    }
    // The first in the mailbox says how much must be current.
    for (const needed of ['the stream', 'everything'])
      mailbox.putBack(unsure.filter(({ mustBeCurrent }) => mustBeCurrent === needed));
  }

  /** Reads what others have appended, and lets reference state reach the head of the log. */
  async #becomeCurrent(work: Work, stream: string, known: StreamState): Promise<void> {
    const { store, reference } = this.#options;
    if (!store.isOnlyWriter) await this.#cache.refresh(work.decider, stream, known);
    if (!reference || work.mustBeCurrent !== 'everything') return;
    const left = Math.max(0, this.#deadlineOf(work) - performance.now());
    const patience = Math.min(this.#limits.referenceMs, left);
    const isThere = await reference.waitFor(await store.head(), patience);
    if (!isThere) throw new EngineUnavailable('reference state does not keep up with the log');
  }

  async #failed(
    stream: string,
    mailbox: Mailbox<Work>,
    decisions: readonly Decision[],
    error: unknown,
    roundMs: number,
  ): Promise<void> {
    const unanswered = decisions.map(({ work }) => work);
    if (error instanceof WrongExpectedRevision) {
      const again = this.#conflicts.intersect(stream, unanswered);
      mailbox.putBack(again);
      return partAfterConflict(again, roundMs);
    }
    if (error instanceof EngineUnavailable) this.#unavailable++;
    this.#options.log?.warn({ stream, err: error }, 'commands could not be carried out');
    for (const work of unanswered) work.reject(error);
    // Those that waited meanwhile would wait as long again for the same answer.
    for (let work = mailbox.take(); work; work = mailbox.take()) work.reject(error);
  }
}
