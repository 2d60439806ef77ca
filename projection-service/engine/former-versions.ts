import type { Clock } from '#kernel/clock.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { Feed } from '#log/feed.ts';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import { instantOf } from '#log/log-span.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { servingVersions, type Generation } from './generations.ts';

/** What answers for a view while its present version is being filled. */
export interface FormerVersion {
  readonly version: number;
  readonly collection: string;
  /** How old what it answers is. */
  readonly lagSeconds: number;
}

export interface FormerVersionsOptions {
  readonly readStore: Pick<DocumentStore, 'getMany' | 'collections'>;
  readonly store: Pick<EventStore, 'readAll'>;
  readonly feed: Pick<Feed, 'confirm' | 'position'>;
  readonly clock: Clock;
  /** What was recorded of the forgotten is no longer shown by a view that does not follow. */
  readonly forgetting: Pick<ForgettingWatch, 'last'>;
}

interface Known extends Generation {
  readonly version: number;
  /** When the first event came that it does not know, by the shop's clock; null while it knows them all. */
  behindSince: number | null;
}

/** Older versions of views, filled by an earlier release, that the queries of this one can still read. */
export class FormerVersions {
  readonly #options: FormerVersionsOptions;
  #known: ReadonlyMap<string, Known> = new Map();
  /** Of collections whose last event the log was seen to hold. */
  readonly #confirmed = new Set<string>();

  constructor(options: FormerVersionsOptions) {
    this.#options = options;
  }

  /** Null where there is none that may be shown. */
  of(view: string): FormerVersion | null {
    const known = this.#known.get(view);
    if (!known || this.#showsForgotten(known)) return null;
    const { feed, clock } = this.#options;
    if (feed.position > known.checkpoint.position) known.behindSince ??= clock.now();
    const lagSeconds = known.behindSince === null ? 0 : Math.max(0, (clock.now() - known.behindSince) / 1000);
    return { version: known.version, collection: known.collection, lagSeconds };
  }

  /** Looks for what can answer in place of these views, and how far it is. Errors: `EngineUnavailable`. */
  async look(views: readonly AnyProjection[]): Promise<void> {
    const wanted = views.flatMap(({ name, readableVersions = [] }) =>
      readableVersions.map((version) => ({ name, version })),
    );
    if (wanted.length === 0) {
      this.#known = new Map();
      return;
    }
    const [serving, there] = await Promise.all([
      servingVersions(this.#options.readStore, wanted),
      this.#options.readStore.collections(),
    ]);
    const latest = new Map<string, Known>();
    for (const [{ name, version }, generation] of serving) {
      if (version <= (latest.get(name)?.version ?? 0) || !there.includes(generation.collection)) continue;
      if (await this.#isOfThisLog(generation))
        latest.set(name, { ...generation, version, behindSince: await this.#behindSince(name, generation) });
    }
    this.#known = latest;
  }

  /** Not so where the log was restored to an older copy. */
  async #isOfThisLog({ collection, checkpoint }: Generation): Promise<boolean> {
    if (this.#confirmed.has(collection)) return true;
    const isHeld = (await this.#options.feed.confirm(checkpoint)) !== null;
    if (isHeld) this.#confirmed.add(collection);
    return isHeld;
  }

  async #behindSince(view: string, { checkpoint }: Generation): Promise<number | null> {
    const known = this.#known.get(view);
    if (known?.checkpoint.position === checkpoint.position && known.behindSince !== null)
      return known.behindSince;
    const [next] = await this.#options.store.readAll(checkpoint.position, 1);
    return next ? (instantOf(next) ?? this.#options.clock.now()) : null;
  }

  #showsForgotten({ checkpoint }: Known): boolean {
    return (this.#options.forgetting.last() ?? 0) > checkpoint.position;
  }
}
