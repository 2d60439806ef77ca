import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { declareDeliveries, takeStep } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { newDelivery, next, retryWebhook } from '#dispatcher/contexts/webhooks/delivery.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { purgeDeliveries } from '#dispatcher/contexts/webhooks/purge-deliveries.job.ts';
import { rollUp } from '#dispatcher/contexts/webhooks/roll-up-deliveries.job.ts';
import { reopenRollups } from '#dispatcher/contexts/webhooks/rollup-state.ts';
import {
  countInLog,
  seriesOfWebhooks,
  statsOfWebhooks,
} from '#dispatcher/contexts/webhooks/webhook-stats.ts';
import { isoInstant } from '#kernel/clock.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { claimPending } from '#topics/delivery-steps.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { dyingStore } from '../support/dying-store.ts';
import { idNamed } from '../support/builders/basket.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 2, 1, 9, 30);
const settings = { maxRetries: 2, retryDelaysSeconds: [60], maxPayloadSizeBytes: 1_000_000 };
const subscriptions = ['orders', 'warehouse', 'dead'].map((name) => idNamed(name));

const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** What came of every delivery there ever was, in a plain list: the purged ones as they were last. */
class Ledger {
  readonly store = createMemoryDocumentStore();
  readonly all = new Map<string, Delivery>();

  async open(): Promise<void> {
    await declareDeliveries(this.store);
  }

  async look(): Promise<readonly Delivery[]> {
    const rows: Delivery[] = [];
    for (;;) {
      const options = { sort: [['_id', 1]], skip: rows.length, limit: 1000 } as const;
      const page = await this.store.find<Delivery>(deliveriesCollection, options);
      rows.push(...page);
      if (page.length < 1000) break;
    }
    for (const row of rows) this.all.set(row._id, row);
    return rows;
  }

  async make(name: string, subscriptionId: string, now: number): Promise<void> {
    const queued = { _id: idNamed(name), subscriptionId, topic: 'invoice.paid', requestBody: '{}' } as const;
    const put = newDelivery({ ...queued, entityType: null, entityId: null }, settings, now);
    await this.store.write([
      { collection: deliveriesCollection, put: { ...put, position: null } as Delivery },
    ]);
  }

  async attempt({ _id }: Delivery, durationMs: number, isSuccess: boolean, now: number): Promise<void> {
    const claimed = await takeStep(this.store, claimPending(_id, now));
    if (!claimed) return;
    const statusCode = isSuccess ? 200 : 500;
    const outcome: SendOutcome = { statusCode, headers: {}, body: null, durationMs, error: null };
    await takeStep(this.store, next(claimed, outcome, settings, now, null));
  }

  async retry(row: Delivery, now: number, meanwhile: () => Promise<void>): Promise<void> {
    const step = retryWebhook({ ...row, requestBody: '{}' }, settings, now, 'staff');
    const [isAllowed] = await reopenRollups(this.store, [row], now);
    await meanwhile();
    if (isAllowed) await takeStep(this.store, step);
  }
}

const expected = (rows: readonly Delivery[]) => {
  const count = (...statuses: readonly string[]): number =>
    rows.filter(({ status }) => statuses.includes(status)).length;
  const attempted = rows.filter(({ attemptNumber }) => attemptNumber > 0);
  const total = attempted.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return {
    totalDeliveries: rows.length,
    successfulDeliveries: count('Succeeded'),
    failedDeliveries: count('Retrying', 'Abandoned'),
    pendingDeliveries: count('Pending', 'Retrying', 'Sending'),
    abandonedDeliveries: count('Abandoned'),
    averageResponseTimeMs: attempted.length === 0 ? 0 : Math.round((total / attempted.length) * 100) / 100,
    lastDeliveryUtc:
      rows
        .map(({ dateCreated }) => dateCreated)
        .sort()
        .at(-1) ?? null,
  };
};

const within = (rows: readonly Delivery[], from: string, to: string): readonly Delivery[] =>
  rows.filter(({ dateCreated }) => dateCreated >= from && dateCreated <= to);

const nearestRank = (durations: readonly number[]): number =>
  durations.toSorted((one, other) => one - other)[Math.ceil(durations.length * 0.95) - 1] ?? 0;

describe('figures of webhooks, whatever was made, sent again, rolled up, purged or killed', () => {
  for (const seed of [1, 2, 7])
    it(`are those of a plain count of all deliveries there ever were (${seed})`, async () => {
      const random = numbers(seed);
      const ledger = new Ledger();
      await ledger.open();
      let now = start;
      const purge = (store: DocumentStore): Promise<unknown> =>
        purgeDeliveries(store, { deliveryLogRetentionDays: 2 }).runOnce(now);
      const check = async (subscriptionId?: string): Promise<void> => {
        const rows = await ledger.look();
        const all = [...ledger.all.values()].filter(
          (row) => subscriptionId === undefined || row.subscriptionId === subscriptionId,
        );
        const scope = subscriptionId === undefined ? {} : { subscriptionId };
        const stats = (window: { from?: string; to?: string }) =>
          statsOfWebhooks(ledger.store, { subscriptions: () => [] }, { ...window, ...scope });
        expect(await stats({}), 'of all time').to.include(expected(all));
        const from = isoInstant(Math.floor((start + random(now - start)) / HOUR) * HOUR);
        const to = isoInstant(Math.floor(now / HOUR) * HOUR - 1);
        if (from < to) expect(await stats({ from, to }), 'hours').to.include(expected(within(all, from, to)));
        const recent = isoInstant(now - random(DAY));
        expect(await stats({ from: recent }), 'the last while').to.include(
          expected(within(all, recent, isoInstant(now))),
        );
        for (const interval of ['hour', 'day'] as const) {
          const day = isoInstant(Math.floor(start / DAY) * DAY);
          const given = { from: day, to: isoInstant(now), interval, ...scope };
          const { points } = await seriesOfWebhooks(ledger.store, given);
          for (const [place, point] of points.entries()) {
            const made = within(all, point.start, points[place + 1]?.start ?? '9999').filter(
              ({ dateCreated }) => dateCreated !== points[place + 1]?.start,
            );
            const { successfulDeliveries, failedDeliveries, pendingDeliveries, averageResponseTimeMs } =
              expected(made);
            expect(point, `${interval} ${point.start}`).to.include({
              delivered: successfulDeliveries,
              failed: failedDeliveries,
              pending: pendingDeliveries,
            });
            const attempted = made.filter(({ attemptNumber }) => attemptNumber > 0);
            if (attempted.length === 0) {
              expect(point).to.include({ averageDurationMs: null, p95DurationMs: null });
              continue;
            }
            const exact = nearestRank(attempted.map(({ durationMs }) => durationMs));
            expect(point.averageDurationMs).to.equal(averageResponseTimeMs);
            expect(point.p95DurationMs).to.be.closeTo(exact, exact * 0.05 + 0.5);
          }
        }
        if (subscriptionId === undefined) return;
        const inLog = rows.filter((row) => row.subscriptionId === subscriptionId);
        expect(await countInLog(ledger.store, subscriptionId)).to.equal(inLog.length);
        for (const status of ['Succeeded', 'Abandoned', 'Pending'] as const)
          expect(await countInLog(ledger.store, subscriptionId, [status])).to.equal(
            inLog.filter((row) => row.status === status).length,
          );
      };

      const live = async (work: (store: DocumentStore) => Promise<unknown>): Promise<void> => {
        const steps = random(2) === 0 ? random(25) : Infinity;
        const isKilled = await work(dyingStore(ledger.store, steps)).then(
          () => false,
          (error: unknown) => {
            if (error instanceof EngineUnavailable) return true;
            throw error;
          },
        );
        if (isKilled) await check(random(2) === 0 ? undefined : subscriptions[random(3)]);
      };

      const meanwhile = async (): Promise<void> => {
        if (random(5) > 0) return;
        await ledger.look();
        await live((store) => (random(2) === 0 ? rollUp(store, now) : purge(store)));
      };

      for (let turn = 0; turn < 100; turn++) {
        now += random(4) === 0 ? random(5 * HOUR) : random(20 * MINUTE);
        for (let made = random(4); made > 0; made--)
          await ledger.make(`${turn} ${made}`, subscriptions[random(3)] ?? '', now);
        for (const row of await ledger.look()) {
          const isDead = row.subscriptionId === subscriptions[2];
          if (row.status === 'Pending' && random(3) > 0)
            await ledger.attempt(row, random(40) ** 2, !isDead && random(4) > 0, now);
          else if (row.status === 'Retrying' || (row.status === 'Abandoned' && random(30) === 0))
            await ledger.retry(row, now, meanwhile);
        }
        await ledger.look();
        if (random(3) === 0) await live((store) => rollUp(store, now));
        if (random(3) === 0) await live(purge);
        if (turn % 10 === 9) {
          await purge(ledger.store);
          await check();
          for (const id of subscriptions) await check(id);
        } else if (turn % 5 === 4) await check(subscriptions[random(3)]);
      }
    }).timeout(60_000);
});
