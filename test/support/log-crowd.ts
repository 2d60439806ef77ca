import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningCommandEngine } from '#command/engine/handle-command.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { START, type EventStore } from '#ports/event-store.ts';
import { counter } from '../unit/engine/counter.ts';
import { anyMeta } from './engine.ts';
import type { OwnClock } from './own-clock.ts';

/** Shoppers who repeat what they were not told the outcome of, each on a stream of their own and on one for all. */
export class LogCrowd {
  readonly shared = newId();
  readonly #engine: RunningCommandEngine;
  readonly #told = new Map<string, number>();
  readonly #leaving = new AbortController();
  readonly #clock: OwnClock;
  readonly #shoppers: number;
  #wake: () => void = () => undefined;
  slowestResponse = 0;
  refused = 0;
  /** How often a shopper was shown less than what they had been told before. */
  shownThePast = 0;

  constructor(engine: RunningCommandEngine, clock: OwnClock, shoppers: number) {
    this.#engine = engine;
    this.#clock = clock;
    this.#shoppers = shoppers;
  }

  shop(): Promise<unknown> {
    return Promise.all(Array.from({ length: this.#shoppers }, () => this.#shopper(newId())));
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Resolves with the next sale. */
  sells(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  async expectNothingLostOrDoubled(store: EventStore): Promise<void> {
    for (const [id, count] of this.#told) {
      const stream = `stock-${id}`;
      let held = 0;
      for (let page = await store.readStream(stream); page.length > 0;) {
        held += page.length;
        page = await store.readStream(stream, { fromRevision: held });
      }
      expect(held, stream).to.equal(count);
    }
    expect(await wholeLog(store)).to.have.length(this.sold());
    expect(this.shownThePast, 'shown the past').to.equal(0);
  }

  sold(): number {
    return this.#told.values().reduce((sum, count) => sum + count, 0);
  }

  async #shopper(own: string): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      for (const id of [own, this.shared]) {
        const commandId = newId();
        while (!(await this.#take(id, commandId)));
        this.#told.set(id, (this.#told.get(id) ?? 0) + 1);
        this.#wake();
      }
      await this.#look(own);
      await pause(2);
    }
  }

  /** Only this shopper takes from the stream. */
  async #look(own: string): Promise<void> {
    try {
      const { state } = await this.#engine.load(counter, own);
      if (state.taken < (this.#told.get(own) ?? 0)) this.shownThePast++;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
    }
  }

  async #take(id: string, commandId: string): Promise<boolean> {
    const begun = this.#clock.now();
    try {
      await this.#engine.execute({
        decider: counter,
        id,
        command: { type: 'Take', pieces: 1 },
        context: () => Infinity,
        meta: anyMeta(commandId),
      });
      return true;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      this.refused++;
      return false;
    } finally {
      this.slowestResponse = Math.max(this.slowestResponse, this.#clock.now() - begun);
    }
  }
}

const wholeLog = async (store: EventStore): Promise<readonly unknown[]> => {
  const all = [];
  for (let page = await store.readAll(START); page.length > 0;) {
    all.push(...page);
    page = await store.readAll(page.at(-1)?.position ?? START);
  }
  return all;
};
