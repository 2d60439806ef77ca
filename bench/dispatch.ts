import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { createJobRunner } from '#runtime/job-runner.ts';
import { chainStart } from '#log/hash-chain.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { newId } from '#kernel/ids.ts';
import { mailsCollection, ownMail } from '#mails/mail-delivery.ts';
import { loadConfig } from '#runtime/config.ts';
import { textOfMail } from '#runtime/mail-rows.ts';
import { streamOf } from '#values/stream-name.ts';
import type { TopicKey } from '#topics/topics.ts';
import { Api, asAdmin } from '#test/support/api.ts';
import { webhookSubscribed } from '#test/support/builders/webhook.ts';
import { replaysCollection } from '#dispatcher/contexts/webhooks/replays/replay.ts';
import { dispatcherPlan } from '../dispatcher-service/main.ts';
import { openRuntime } from '../shared-kernel/open-runtime.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { agentNoticesCollection, newNotice, type AgentNotice } from '#topics/agent-notice.ts';
import { SIGNING_KEYS } from '#command/contexts/agent-protocol/signing-keys/signing-key.stream.ts';
import { backofficeKey } from './backoffice.ts';
import { changeOrders, openToAgents, sellToAgents } from './sell-to-agents.ts';

/*
 * The dispatcher alone in one process, on a log of its own in files: `node dispatch.ts <data folder>`. The benchmark
 * subscribes receivers and lets events happen.
 */

/** Subscribes each of the targets to a topic. Answers the subscriptions' ids. */
export interface SubscribeJob {
  readonly kind: 'subscribe';
  readonly topic: AnnouncedTopic;
  readonly targets: readonly string[];
}

/** Lets events happen: all at once, or one every `everyMs`. Answers when they are in the log. */
export interface HappenJob {
  readonly kind: 'happen';
  readonly topic: AnnouncedTopic;
  readonly count: number;
  readonly everyMs: number;
}

/** Answers once there are so many deliveries, whatever became of them, with the memory in use then. */
export interface QueuedJob {
  readonly kind: 'queued';
  readonly deliveries: number;
}

/** Lets one event happen, and answers when it has its deliveries, with how long after the event that was. */
export interface RecordJob {
  readonly kind: 'record';
  readonly topic: AnnouncedTopic;
  readonly deliveries: number;
}

/** Gives up whatever a subscription has not delivered, as after a whole schedule. Answers how many that are. */
export interface GiveUpJob {
  readonly kind: 'give-up';
  readonly subscriptionId: string;
}

/** Sends a subscription what was given up, while events of another topic happen, until all of it is queued. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly subscriptionId: string;
  readonly meanwhile: AnnouncedTopic;
  readonly everyMs: number;
}

export interface Replayed {
  readonly queued: number;
  readonly milliseconds: number;
  readonly peakResidentMegabytes: number;
  /** Alive on the heap afterwards. */
  readonly heapMegabytes: number;
  /** For how long nothing else had its turn, at worst. */
  readonly longestPauseMs: number;
}

/** Queues a number of mails, and has their workers begin with them. Answers at once, or when all are sent. */
export interface MailsJob {
  readonly kind: 'mails';
  readonly count: number;
  readonly untilSent: boolean;
}

/** Sells to agents with these notice addresses. Returns once the orders are in the log. */
export interface AgentSalesJob {
  readonly kind: 'agent-sales';
  readonly targets: readonly string[];
  readonly count: number;
}

/** Changes `count` orders that have not changed yet: all at once, or one every `everyMs`. */
export interface AgentChangesJob {
  readonly kind: 'agent-changes';
  readonly count: number;
  readonly everyMs: number;
}

/** Waits until there are `notices` rows, in any status, then returns the memory in use. */
export interface NoticesJob {
  readonly kind: 'notices';
  readonly notices: number;
}

/** Queues so many notices like the last one, each of an order of its own, and has their workers begin with them. */
export interface LikeNoticesJob {
  readonly kind: 'like-notices';
  readonly count: number;
}

export type DispatchJob =
  | SubscribeJob
  | HappenJob
  | QueuedJob
  | RecordJob
  | GiveUpJob
  | ReplayJob
  | MailsJob
  | AgentSalesJob
  | AgentChangesJob
  | NoticesJob
  | LikeNoticesJob;
export type AnnouncedTopic = Extract<TopicKey, 'order.status_changed' | 'inventory.reserved'>;

export interface Memory {
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
}

const APPEND_TOGETHER = 500;
const KNOWN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const LOOK_AT_RECORDS_EVERY_MS = 5;
const MEGABYTE = 1024 * 1024;

const [, , dataDir = ''] = process.argv;
const config = loadConfig({
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    ALLOW_LOOPBACK_TARGETS: 'true',
    BACKOFFICE_API_KEY: backofficeKey,
  },
});
const applicationKey = Buffer.from(process.env['APPLICATION_KEY'] ?? '', 'base64');
const log = pino({ level: 'warn' }, pino.destination(2));
const { parts, create } = dispatcherPlan(applicationKey);
const engines = await openEngines(config.engines);
const runtime = await openRuntime({ engines, applicationKey, log, parts });
const settings = () => runtime.reference.settings.current();
const { jobs, routes } = await create({ runtime, settings, config });
await runtime.feed.start();
createJobRunner({ ...runtime, jobs, startAfterMs: 0 }).start();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const append = async (stream: string, events: readonly DomainEvent[]): Promise<number> => {
  const recordedAt = isoInstant(Date.now());
  const actor = { kind: 'system', id: 'bench' } as const;
  const stamp = { recordedAt, correlationId: newId(), causationId: newId(), actor };
  const drafts = events.map((event) => runtime.codec.draft(event));
  const { toAppend } = runtime.codec.encode(stream, chainStart, drafts, stamp);
  return (await runtime.store.append(stream, -1, toAppend)).position;
};

/** Together, as each of many would wait for the disk. */
const subscribe = async ({ topic, targets }: SubscribeJob): Promise<readonly string[]> => {
  const ids = targets.map(() => newId());
  const subscribed = targets.map((targetUrl, index) =>
    append(streamOf.webhookSubscription(ids[index] ?? ''), [
      webhookSubscribed({ topic, targetUrl, signingSecret: newId() }),
    ]),
  );
  await runtime.follower.waitFor(Math.max(...(await Promise.all(subscribed))), KNOWN_WITHIN_MS);
  return ids;
};

const announced: Readonly<Record<AnnouncedTopic, () => DomainEvent>> = {
  'order.status_changed': () =>
    invoiceEvents.create.OrderStatusChanged({
      orderId: newId(),
      from: 'Pending',
      to: 'Processing',
      invoiceNumber: 'BENCH-1',
      businessDay: '2026-03-01',
    }),
  'inventory.reserved': () =>
    inventoryEvents.create.StockReserved({
      productId: newId(),
      warehouseId: newId(),
      sku: 'BENCH',
      basketId: newId(),
      placementId: newId(),
      quantity: 1,
      change: 1,
      stock: 100,
      reserved: 1,
    }),
};

const happen = async ({ topic, count, everyMs }: HappenJob): Promise<void> => {
  const stream = (): string => streamOf.invoice(newId());
  if (everyMs > 0) {
    for (let done = 0; done < count; done++) {
      await append(stream(), [announced[topic]()]);
      await pause(everyMs);
    }
    return;
  }
  for (let done = 0; done < count; done += APPEND_TOGETHER) {
    await append(stream(), Array.from({ length: Math.min(APPEND_TOGETHER, count - done) }, announced[topic]));
  }
};

const queueMails = async ({ count, untilSent }: MailsJob): Promise<{ readonly milliseconds: number }> => {
  const said = { to: ['ada@bench.example'], cc: [], bcc: [], from: null, headers: {} };
  const text = textOfMail({ ...said, subject: 'Your order', text: 'Thank you', html: '<p>Thank you</p>' });
  const rows = Array.from({ length: count }, () =>
    ownMail(newId(), runtime.personalTexts.sealForShop(text), Date.now()),
  );
  await runtime.stateStore.write(rows.map((put) => ({ collection: mailsCollection, put })));
  const began = performance.now();
  // It waits for what it has started, which may hang.
  void jobs.find(({ name }) => name === 'send-mails')?.runOnce(Date.now());
  const isSent = async (): Promise<boolean> =>
    (await runtime.stateStore.count(mailsCollection, { status: 'Succeeded' })) >= count;
  while (untilSent && !(await isSent())) await pause(LOOK_AT_RECORDS_EVERY_MS);
  return { milliseconds: performance.now() - began };
};

const memory = (): Memory => {
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMegabytes: heapUsed / MEGABYTE, residentMegabytes: rss / MEGABYTE };
};

const untilKept = async (collection: string, count: number): Promise<Memory> => {
  while ((await runtime.stateStore.count(collection)) < count) await pause(LOOK_EVERY_MS);
  return memory();
};

/** Orders of agents that have not changed yet. */
const untouched: string[] = [];

const sell = async ({ targets, count }: AgentSalesJob): Promise<void> => {
  if ((await runtime.store.readStream(streamOf.signingKeys(SIGNING_KEYS))).length === 0)
    await openToAgents(append);
  untouched.push(...(await sellToAgents(append, targets, count)));
};

const queueLike = async ({ count }: LikeNoticesJob): Promise<void> => {
  const [like] = await runtime.stateStore.find<AgentNotice>(agentNoticesCollection, { limit: 1 });
  if (!like) throw new Error('there is no notice yet');
  for (let done = 0; done < count; done += APPEND_TOGETHER) {
    const rows = Array.from({ length: Math.min(APPEND_TOGETHER, count - done) }, () =>
      newNotice({ ...like, _id: newId(), invoiceId: newId() }, Date.now()),
    );
    await runtime.stateStore.write(rows.map((put) => ({ collection: agentNoticesCollection, put })));
  }
  void jobs.find(({ name }) => name === 'deliver-agent-notifications')?.runOnce(Date.now());
};

const record = async ({ topic, deliveries }: RecordJob): Promise<{ readonly milliseconds: number }> => {
  const before = await runtime.stateStore.count(deliveriesCollection);
  await append(streamOf.invoice(newId()), [announced[topic]()]);
  const began = performance.now();
  while ((await runtime.stateStore.count(deliveriesCollection)) < before + deliveries)
    await pause(LOOK_AT_RECORDS_EVERY_MS);
  return { milliseconds: performance.now() - began };
};

const PAGE = 1000;

const givenUp = (row: Delivery): Delivery => ({
  ...{ ...row, status: 'Abandoned', attemptNumber: 5, responseStatusCode: 500, durationMs: 3 },
  ...{ nextRetryUtc: null, dueAt: null, dateCompleted: isoInstant(Date.now()) },
  ...{ dateSent: isoInstant(Date.now()), errorMessage: 'The receiver answered with status 500' },
  attempts: [5, 4, 3, 2, 1].map((attemptNumber) => ({
    ...{ attemptNumber, dateSent: isoInstant(Date.now()), responseStatusCode: 500, durationMs: 3 },
    errorMessage: 'The receiver answered with status 500',
  })),
});

const giveUp = async ({ subscriptionId }: GiveUpJob): Promise<{ readonly deliveries: number }> => {
  const { stateStore } = runtime;
  const filter = { subscriptionId, status: { in: ['Pending', 'Retrying', 'Sending'] } };
  for (;;) {
    const rows = await stateStore.find<Delivery>(deliveriesCollection, { filter, limit: PAGE });
    if (rows.length === 0) break;
    await stateStore.write(rows.map((row) => ({ collection: deliveriesCollection, put: givenUp(row) })));
  }
  const deliveries = await stateStore.count(deliveriesCollection, { subscriptionId, status: 'Abandoned' });
  return { deliveries };
};

const LOOK_AT_REPLAY_EVERY_MS = 10;
const NANOSECONDS = 1e6;

const replay = async ({ subscriptionId, meanwhile, everyMs }: ReplayJob): Promise<Replayed> => {
  const api = await Api.open(routes, { headers: asAdmin });
  // The first request finds nothing compiled.
  await api.get('/api/v1/webhooks/stats');
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let peakResidentMegabytes = 0;
  collectGarbage();
  let isQueueing = true;
  const happening = (async () => {
    for (; isQueueing; await pause(everyMs))
      await append(streamOf.invoice(newId()), [announced[meanwhile]()]);
  })();
  try {
    delays.enable();
    const began = performance.now();
    const path = `/api/v1/webhooks/${subscriptionId}/replay`;
    const { body } = await api.post(path, { from: isoInstant(Date.now() - 86_400_000), include: 'failed' });
    for (;;) {
      peakResidentMegabytes = Math.max(peakResidentMegabytes, process.memoryUsage.rss() / MEGABYTE);
      const told = await runtime.stateStore.get<
        Document & { readonly status: string; readonly queued: number }
      >(replaysCollection, String(body.id));
      if (told && told.status !== 'Running') {
        const milliseconds = performance.now() - began;
        const longestPauseMs = delays.max / NANOSECONDS;
        const { heapMegabytes } = memory();
        return { queued: told.queued, milliseconds, peakResidentMegabytes, heapMegabytes, longestPauseMs };
      }
      await pause(LOOK_AT_REPLAY_EVERY_MS);
    }
  } finally {
    isQueueing = false;
    delays.disable();
    await happening;
    await api.close();
  }
};

const perform = async (job: DispatchJob): Promise<object> => {
  switch (job.kind) {
    case 'subscribe':
      return subscribe(job);
    case 'happen':
      await happen(job);
      return {};
    case 'queued':
      return untilKept(deliveriesCollection, job.deliveries);
    case 'record':
      return record(job);
    case 'mails':
      return queueMails(job);
    case 'give-up':
      return giveUp(job);
    case 'replay':
      return replay(job);
    case 'agent-sales':
      await sell(job);
      return {};
    case 'agent-changes':
      await changeOrders(append, untouched.splice(-job.count), job.everyMs);
      return {};
    case 'like-notices':
      await queueLike(job);
      return {};
    case 'notices':
      return untilKept(agentNoticesCollection, job.notices);
  }
};

process.on('message', (job: DispatchJob) => {
  perform(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ result: {} });
