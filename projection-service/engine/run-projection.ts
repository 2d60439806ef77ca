import type { StoppedAt } from '#log/feed-follower.ts';
import { PositionMark } from '#log/wait-for-position.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { START, startMark, type LogMark } from '#ports/event-store.ts';
import type { PositionedDocument } from './apply-batch.ts';
import { FollowedView, type FollowOptions } from './followed-view.ts';
import type { Filling } from './fill-progress.ts';
import type { Generation } from './generations.ts';
import type { RecountedCounters } from './recount.ts';

/** As one generation is: the engine knows how far a first one is. */
export type RunStatus = Omit<ProjectionStatus, 'filling' | 'former'>;

export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** The collection that serves; null while the first one is being filled. */
  readonly collection: string | null;
  readonly generation: number | null;
  /** How far the first one is; null once one serves, and before that is known. */
  readonly filling: Filling | null;
  /** The older version that answers meanwhile, and how old that is; null where there is none. */
  readonly former: { readonly version: number; readonly lagSeconds: number } | null;
  /** Position of the last event received in order, applied or irrelevant. */
  readonly checkpoint: number;
  /** How far that is behind the head of the log. */
  readonly lagPositions: number;
  readonly lagSeconds: number;
  /** The event at which it stands still; null while it goes on. */
  readonly stopped: StoppedAt | null;
  readonly isFollowing: boolean;
  /** For how long nothing has kept it up to date although this process is to; 0 where it need not. */
  readonly leftSeconds: number;
}

/** One projection in this process: the generation that serves, kept up to date as long as it follows. */
export class ProjectionRun {
  readonly projection: AnyProjection;
  readonly #options: FollowOptions;
  #serving: Generation | null = null;
  #mark = new PositionMark(START);
  /** What the collection that serves reflects: the mark may be ahead of one that another process has just filled. */
  #reached: LogMark = startMark;
  #refusedUpTo = START;
  #followed: FollowedView | null = null;
  #leftAt = performance.now();
  /** Following and leaving, one after another. */
  #turn: Promise<void> = Promise.resolve();

  constructor(projection: AnyProjection, options: FollowOptions) {
    this.projection = projection;
    this.#options = options;
  }

  get collection(): string | null {
    return this.#serving?.collection ?? null;
  }

  get serving(): Generation | null {
    return this.#serving;
  }

  /** How far the serving generation is, and whom to wait with. */
  get mark(): PositionMark {
    return this.#mark;
  }

  get lagSeconds(): number {
    return this.#followed?.lagSeconds ?? 0;
  }

  get status(): RunStatus {
    const { name, version } = this.projection;
    const checkpoint = this.#mark.position;
    return {
      name,
      version,
      collection: this.collection,
      generation: this.#serving?.generation ?? null,
      checkpoint,
      lagPositions: Math.max(0, this.#options.feed.position - checkpoint),
      lagSeconds: this.lagSeconds,
      stopped: this.#followed?.following.stopped ?? null,
      isFollowing: this.#followed !== null,
      leftSeconds: this.#followed ? 0 : (performance.now() - this.#leftAt) / 1000,
    };
  }

  /** Whether the store has everything that is read here. */
  get isStored(): boolean {
    return this.#followed?.buffer.isStored ?? true;
  }

  /** The document under a key: null where there is none, undefined where the store has to be asked. */
  shown(key: string): PositionedDocument | null | undefined {
    return this.#followed?.buffer.shown(key);
  }

  /** Of a collection that is followed here: another one whenever a document has changed. */
  stateOf(collection: string): object | null {
    const buffer = this.#followed?.buffer;
    return buffer?.collection === collection ? buffer.state : null;
  }

  /** Resolves once the store has everything that is read here. Errors: `EngineUnavailable`. */
  async write(): Promise<void> {
    if (this.#followed) await this.#options.writeBehind.write(this.#followed.buffer);
  }

  /**
   * This generation serves, and has come so far: it reaches as far as the one before it, or further. While another
   * replica follows, this is how its progress is seen here.
   */
  adopt(serving: Generation): void {
    this.#serving = serving;
    this.#reached = serving.checkpoint;
    this.#mark.advance(serving.checkpoint.position);
  }

  /** No generation serves: what this one held comes from events that the log has lost. Not while it follows. */
  withdraw(): void {
    this.#serving = null;
    this.#reached = startMark;
    this.#mark = new PositionMark(START);
  }

  /**
   * Keeps the serving generation up to date from here on; does nothing while there is none. One follower at a time:
   * of two, each would count what the other has counted.
   */
  follow(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#leave();
      this.#follow();
    });
  }

  /** Under which it stands among the followers of the feed. */
  get followerName(): string {
    return `projection ${this.projection.name}`;
  }

  resume(): void {
    this.#followed?.following.resume();
  }

  /**
   * Finishes the batch in hand, writes what is held, and follows no more. Does not fail, whatever is away: what is not
   * written is taken again by the next one who follows.
   */
  leave(): Promise<void> {
    return this.#inTurn(() => this.#leave());
  }

  /** See `FollowedView.recount`; null where nothing is followed here, too. Errors: `EngineUnavailable`. */
  async recount(signal: AbortSignal): Promise<RecountedCounters | null> {
    return (await this.#followed?.recount(signal)) ?? null;
  }

  /** See `FollowedView.sweep`. Errors: `EngineUnavailable`. */
  async sweep(before: string, signal: AbortSignal): Promise<number> {
    return (await this.#followed?.sweep(before, signal)) ?? 0;
  }

  #inTurn(work: () => void | Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  #follow(): void {
    if (!this.#serving) return;
    const { collection } = this.#serving;
    const followed: FollowedView = new FollowedView({
      ...this.#options,
      projection: this.projection,
      followerName: this.followerName,
      generation: { collection, checkpoint: this.#reached },
      mark: this.#mark,
      refusedUpTo: this.#refusedUpTo,
      onRefused: () => this.#goBack(followed),
    });
    this.#followed = followed;
  }

  async #leave(): Promise<void> {
    const followed = this.#followed;
    if (!followed) return;
    this.#leftAt = performance.now();
    await followed.leave();
    this.#followed = null;
    this.#reached = followed.buffer.stored;
    if (!followed.buffer.isStored) this.#mark.goBack(this.#reached.position);
  }

  /** From what is stored on, batch by batch, so that it shows which event the store refuses. */
  #goBack(refused: FollowedView): void {
    this.#refusedUpTo = this.#mark.position;
    this.#mark.goBack(refused.buffer.stored.position);
    void this.#inTurn(async () => {
      if (this.#followed !== refused) return;
      await this.#leave();
      this.#follow();
    });
  }
}
