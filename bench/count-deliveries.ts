import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import type { DeliveryRow } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { openWebhooks, movableClock, subscribed } from '#test/support/open-webhooks.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { asAdmin } from '#test/support/api.ts';
import { openWebhookApi } from '#test/support/webhook-api.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { streamOf } from '#values/stream-name.ts';

/*
 * Fills a state store with deliveries of thirty days, without indexes as that is quicker, rolls them up and asks for
 * figures and pages over HTTP. `node count-deliveries.ts <folder> <deliveries> <requests of each kind>`.
 */

const DAY_MS = 86_400_000;
const DAYS = 30;
const BATCH = 2000;
const subscriptions = ['orders', 'stock', 'mail', 'ledger', 'dead'].map((name) => ({ name, id: newId() }));
const settings = { maxPayloadSizeBytes: 1_000_000 };

const [, , folder = '', wanted = '', asked = ''] = process.argv;
const now = Date.now();
const begin = now - DAYS * DAY_MS + 3_600_000;

/** One in fifty is given up, and the dead receiver's of the last hour are still tried. */
const deliveryAt = (number: number, count: number): DeliveryRow => {
  const made = begin + Math.floor(((now - begin) * number) / count);
  const { id: subscriptionId, name } = subscriptions[number % subscriptions.length] ?? { id: '', name: '' };
  const queued = {
    ...({
      _id: newId(),
      subscriptionId,
      topic: 'invoice.paid',
      entityType: 'Payment',
      entityId: newId(),
    } as const),
    requestBody: JSON.stringify({ id: number, data: { text: 'x'.repeat(300) } }),
  } as const;
  const delivery = newDelivery(queued, settings, made);
  const isTried = name === 'dead' && made > now - 3_600_000;
  const isGivenUp = number % 50 === 0 || name === 'dead';
  const done: Partial<Delivery> = isTried
    ? { status: 'Retrying', dueAt: new Date(now + DAY_MS).toISOString() }
    : { status: isGivenUp ? 'Abandoned' : 'Succeeded', dueAt: null, dateCompleted: delivery.dateCreated };
  const durationMs = 5 + ((number * 7919) % 400);
  return { ...delivery, ...done, attemptNumber: isTried ? 1 : 2, durationMs, position: number };
};

const fill = async (stateStore: DocumentStore, count: number): Promise<void> => {
  for (let number = 0; number < count; number += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - number) }, (_, place) =>
      deliveryAt(number + place, count),
    );
    await stateStore.write(rows.map((put) => ({ collection: deliveriesCollection, put })));
    process.send?.({ progress: number / count });
  }
};

const questions = (): readonly string[] => {
  const [{ id } = { id: '' }] = subscriptions;
  const ago = (days: number): string => new Date(now - days * DAY_MS).toISOString();
  return [
    '/webhooks/stats',
    `/webhooks/stats?from=${ago(7)}`,
    `/webhooks/stats?subscriptionId=${id}&from=${ago(20)}&to=${ago(3)}`,
    `/webhooks/series?from=${ago(29)}`,
    `/webhooks/series?from=${ago(29)}&interval=hour`,
    `/webhooks/series?from=${ago(7)}&interval=hour&subscriptionId=${id}`,
    `/webhooks/${id}/deliveries`,
    `/webhooks/${id}/deliveries?page=40`,
    `/webhooks/${id}/deliveries?status=Abandoned&page=3`,
    `/webhooks/${id}/deliveries?statuses=Abandoned,Retrying,Succeeded`,
    `/webhooks/${subscriptions.at(-1)?.id ?? ''}/deliveries?status=Retrying`,
  ];
};

/** Milliseconds of each request, in ascending order. */
const ask = async (port: number, question: string, times: number): Promise<readonly number[]> => {
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const begun = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${question}`, { headers: asAdmin });
    const body = await response.text();
    took.push(performance.now() - begun);
    if (response.status !== 200) throw new Error(`${question}: ${response.status} ${body}`);
  }
  return took.sort((one, other) => one - other);
};

export interface CountedDeliveries {
  readonly rolledUpMs: number;
  readonly took: readonly { readonly question: string; readonly p50: number; readonly p99: number }[];
}

const count = async (): Promise<CountedDeliveries> => {
  const stateStore = await openSqliteDocumentStore({ file: join(folder, 'state.db') });
  await fill(stateStore, Number(wanted));
  const log = createMemoryEventStore();
  for (const { id } of subscriptions)
    await appendPlain(log, streamOf.webhookSubscription(id), [subscribed('http://127.0.0.1:9/hooks')]);
  const stores = { log, stateStore, readStore: stateStore, bus: createMemoryBus() };
  const runtime = await openWebhooks({ stores, clock: movableClock(now) });
  const api = await openWebhookApi(runtime);
  try {
    const begun = performance.now();
    await runtime.runJob('roll-up-deliveries');
    const rolledUpMs = performance.now() - begun;
    await pause(500);
    const took: CountedDeliveries['took'][number][] = [];
    for (const question of questions()) {
      await ask(api.port, question, 20);
      const all = await ask(api.port, question, Number(asked));
      const at = (share: number): number => all[Math.ceil(all.length * share) - 1] ?? NaN;
      took.push({ question, p50: at(0.5), p99: at(0.99) });
    }
    return { rolledUpMs, took };
  } finally {
    await api.close();
    await runtime.stop();
    await stateStore.close();
  }
};

count().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
