import {
  deliveriesCollection,
  counterCollection,
  type SubscriptionCounters,
} from '#topics/webhook-delivery.ts';
import type { DeliveryRow } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { readable } from '#dispatcher/engine/readable.ts';
import { isTopicKey, messagesOf } from '#topics/topics.ts';
import { createCodec } from '#log/codec.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { WebhookEvent } from '#events/webhook.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START } from '#ports/event-store.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { idOf } from '#values/stream-name.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import type { Received } from './subscriber.ts';
import { deliveryIdOf } from './subscriber.ts';
import { misfitOf } from './fitting-topics.ts';
import { topicContext } from './topic-context.ts';

export interface DeliveryAudit {
  readonly deliveries: number;
  /** What does not add up, in words; empty when everything does. */
  readonly problems: readonly string[];
}

const PAGE = 1000;
const MOST_PROBLEMS = 100;

/** How many messages each subscription must have got of each event, by `subscription position topic`. */
class ExpectedDeliveries {
  readonly counts = new Map<string, number>();
  readonly #topics = new Map<string, string>();

  take(event: Recorded): void {
    const { type, data, stream } = event as Recorded<WebhookEvent>;
    if (type === 'WebhookSubscribed') this.#topics.set(idOf(stream), data.topic);
    if (type === 'WebhookUnsubscribed') this.#topics.delete(idOf(stream));
    for (const { topic } of messagesOf(event, topicContext)) {
      for (const [subscriptionId, wanted] of this.#topics) {
        if (wanted !== topic) continue;
        const key = `${subscriptionId} ${event.position} ${topic}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
      }
    }
  }
}

export const everyRow = async <Row extends Document>(
  stateStore: DocumentStore,
  collection: string,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const options = { filter: { _id: { gt: after } }, sort: [['_id', 1]], limit: PAGE } as const;
    const page = await stateStore.find<Row>(collection, options);
    rows.push(...page);
    const last = page.at(-1);
    if (!last) return rows;
    after = last._id;
  }
};

const everyDelivery = (stateStore: DocumentStore): Promise<readonly DeliveryRow[]> =>
  everyRow<DeliveryRow>(stateStore, deliveriesCollection);

/** Checks the deliveries of a shop on embedded engines, see `auditDeliveriesOn`; and that all of them are counted. */
export const auditDeliveries = async (
  dataDir: string,
  received: readonly Received[],
): Promise<DeliveryAudit> => {
  const env = { DATA_DIR: dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit' };
  const config = loadConfig({ env });
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines(config.engines, { readOnly: true });
  try {
    const { deliveries, problems } = await auditDeliveriesOn({ engines, applicationKey, received });
    return { deliveries, problems: [...problems, ...(await uncounted(engines.stateStore))] };
  } finally {
    await closeEngines(engines);
  }
};

export interface DeliveryAuditOptions {
  /** Open already; they stay open. */
  readonly engines: Pick<Engines, 'store' | 'stateStore'>;
  readonly applicationKey: Buffer;
  readonly received: readonly Received[];
}

/**
 * Checks the deliveries of a shop, stopped and settled, against its log and against what its receiver got: for each
 * subscription (without filters, never changed) and event one row that has arrived, under one id, with the same bytes
 * however often it was sent, as the schema of its topic has them; or that was given up because the person it is about
 * is forgotten.
 */
export const auditDeliveriesOn = async (options: DeliveryAuditOptions): Promise<DeliveryAudit> => {
  const { applicationKey, received } = options;
  const { store, stateStore } = options.engines;
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const expected = new ExpectedDeliveries();
  for (let after = START; ;) {
    const page = await store.readAll(after, MAX_PAGE);
    for (const event of await codec.decodeAll(page)) expected.take(event);
    const last = page.at(-1);
    if (!last) break;
    after = last.position;
  }
  const texts = createPersonalTexts(keys, applicationKey);
  const sealed = await everyDelivery(stateStore);
  const rows: OpenedRow[] = [];
  for (const row of sealed) rows.push({ ...row, requestBody: (await readable(texts, row)).requestBody });
  checkRows(expected, rows, report);
  checkReceived(rows, received, report);
  return { deliveries: rows.length, problems };
};

/** Each success is counted once. On servers that holds only a while after a kill, when another replica has counted. */
const uncounted = async (stateStore: DocumentStore): Promise<readonly string[]> => {
  const arrived = (await everyDelivery(stateStore)).filter(({ status }) => status === 'Succeeded');
  const problems: string[] = [];
  for (const [id, { length }] of Map.groupBy(arrived, ({ subscriptionId }) => subscriptionId)) {
    const counted = (await stateStore.get<SubscriptionCounters>(counterCollection, id))?.successCount;
    if (counted !== length) problems.push(`${counted} of ${length} successes of ${id} are counted`);
  }
  return problems;
};

type Report = (problem: string) => void;

/** `requestBody`: null once the person it is about is forgotten; then it may have gone out before, or not. */
type OpenedRow = Omit<DeliveryRow, 'requestBody'> & { readonly requestBody: string | null };

const checkRows = ({ counts }: ExpectedDeliveries, rows: readonly OpenedRow[], report: Report): void => {
  const missing = new Map(counts);
  for (const { _id, subscriptionId, position, topic, status, requestBody } of rows) {
    const key = `${subscriptionId} ${position} ${topic}`;
    const left = missing.get(key) ?? 0;
    if (left === 0) report(`delivery ${_id} is one too many of ${key}`);
    missing.set(key, left - 1);
    const isGivenUp = requestBody === null && status === 'Abandoned';
    if (status !== 'Succeeded' && !isGivenUp) report(`delivery ${_id} is ${status}`);
    const misfit = requestBody === null || !isTopicKey(topic) ? null : misfitOf(topic, requestBody);
    if (misfit !== null) report(`delivery ${_id} does not fit ${misfit}`);
  }
  for (const [key, left] of missing) if (left > 0) report(`${left} deliveries are missing of ${key}`);
};

const checkReceived = (rows: readonly OpenedRow[], received: readonly Received[], report: Report): void => {
  const bodies = new Map(rows.map(({ _id, requestBody }) => [_id, requestBody]));
  const arrived = new Set<string>();
  for (const one of received) {
    const id = deliveryIdOf(one);
    arrived.add(id);
    const body = bodies.get(id);
    if (body !== null && one.body.toString() !== body)
      report(`delivery ${id} came with other bytes than its row has`);
  }
  for (const { _id, status } of rows)
    if (status === 'Succeeded' && !arrived.has(_id)) report(`delivery ${_id} never came`);
};
