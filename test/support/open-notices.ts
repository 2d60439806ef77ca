import { createPrepareNotices } from '#dispatcher/contexts/agent-notices/prepare-notices.ts';
import { dispatchNotices } from '#dispatcher/contexts/agent-notices/dispatch-notices.ts';
import { createSaleHistory } from '#dispatcher/contexts/agent-notices/sale-history.ts';
import { agentSessionEvents } from '#events/agent-session.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { createFeed } from '#log/feed.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { OutgoingRequest, Sender, SendOutcome } from '#ports/sender.ts';
import { createLeases } from '#runtime/leases.ts';
import { agentNoticesCollection, type AgentNotice } from '#topics/agent-notice.ts';
import { streamOf } from '#values/stream-name.ts';
import { agentSource, parcel, startedSession } from './builders/agent-order.ts';
import { idNamed } from './builders/basket.ts';
import { invoice } from './builders/invoice.ts';
import { memoryStores, movableClock, type WebhookStores } from './open-webhooks.ts';
import { freshOwnKeys } from './own-keys.ts';
import { appendPlain, plainDecoder, silentLog } from './plain-log.ts';

const applicationKey = Buffer.alloc(32, 1);

/** What a request said: the order's name, and what it was told. */
export interface Heard {
  readonly id: string;
  readonly event: string;
  readonly order: string;
  readonly timestamp: string;
  readonly body: string;
  readonly host: string;
}

const heardOf = ({ headers, body, targetUrl }: OutgoingRequest): Heard => ({
  id: headers['Webhook-Id'] ?? '',
  event: headers['X-Event-Type'] ?? '',
  order: (JSON.parse(body.toString()) as { readonly label: string }).label,
  timestamp: headers['Webhook-Timestamp'] ?? '',
  body: body.toString(),
  host: new URL(targetUrl).hostname,
});

const outcome = (statusCode: number): SendOutcome => ({
  ...{ statusCode, headers: {}, body: '', durationMs: 1, error: null },
});

/** Receivers that answer what a test says: a status, or never. */
export const scriptedReceivers = (answer: (heard: Heard, count: number) => number | null = () => 200) => {
  const heard: Heard[] = [];
  const script = { answer };
  const silent: ((came: SendOutcome) => void)[] = [];
  let hasHungUp = false;
  const sender: Sender = {
    send: (request) => {
      const one = heardOf(request);
      heard.push(one);
      const status = script.answer(one, heard.length);
      if (status !== null || hasHungUp) return Promise.resolve(outcome(status ?? 503));
      return new Promise((resolve) => silent.push(resolve));
    },
    /** Those that never answer hang up. */
    close: () => {
      hasHungUp = true;
      for (const hangUp of silent.splice(0)) hangUp(outcome(503));
    },
  };
  return { heard, sender, script, events: () => heard.map(({ order, event }) => `${order} ${event}`) };
};

export interface NoticeRuntimeOptions {
  readonly stores?: WebhookStores;
  readonly clock?: ReturnType<typeof movableClock>;
  readonly sender: Sender;
  /** False: another process works on the same stores. Default true. */
  readonly isOnlyWriter?: boolean;
  /** Default 30. */
  readonly webhookTimeoutSeconds?: number;
}

/** A dispatcher of notices without HTTP of its own, on these stores. */
export const openNotices = async ({ sender, isOnlyWriter = true, ...given }: NoticeRuntimeOptions) => {
  const { stores = memoryStores(), clock = movableClock(), webhookTimeoutSeconds = 30 } = given;
  const { log: store, stateStore, bus } = stores;
  const decoder = plainDecoder();
  const feed = createFeed({ store, codec: decoder, clock, log: silentLog });
  const leases = createLeases({ stateStore, instanceId: newId(), isOnlyWriter });
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const personalTexts = createPersonalTexts(keys, applicationKey);
  const dispatch = await dispatchNotices({
    ...{ feed, stateStore, bus, leases, clock, personalTexts, sender, isOnlyWriter },
    ownKeys: freshOwnKeys(clock),
    shopUrl: () => 'https://shop.example',
    askSending: () => undefined,
    prepare: createPrepareNotices({
      historyOf: createSaleHistory({ store, decoder }),
      ...{ personalTexts, clock },
      shownWith: () => ({
        ownVersion: '2026-04-08',
        schemaBaseUrl: 'https://ucp.dev',
        orderLinkOf: (id) => `https://shop.example/order/${id}`,
        imageOf: () => null,
      }),
    }),
    settings: { webhookTimeoutSeconds, deliveryLogRetentionDays: 30 },
    log: silentLog,
  });
  await feed.start();
  const happened = (order: string, ...events: readonly DomainEvent[]) =>
    appendPlain(store, streamOf.invoice(idNamed(order)), events);

  return {
    ...{ stores, clock, dispatch, happened },
    /** An agent's order that is paid; `order` is its name and its number. */
    sold: async (
      order: string,
      { target = 'https://agent.example/orders', isOfAgent = true } = {},
    ): Promise<void> => {
      const sessionId = idNamed(`session ${order}`);
      const { data } = startedSession([]);
      if (isOfAgent)
        await appendPlain(store, streamOf.agentSession(sessionId), [
          agentSessionEvents.create.AgentSessionStarted({ ...data, orderWebhookUrl: target }),
        ]);
      const source = { ...agentSource, sessionId };
      const sale = invoice(order, { number: order, content: isOfAgent ? { source } : {} });
      await happened(order, sale.placed, sale.captured(), sale.confirmed());
    },
    shipped: (order: string, name = `${order} parcel`) => {
      const { packed, sent } = parcel(name, 1);
      return happened(order, packed, sent);
    },
    settle: async (timeoutMs = 10_000): Promise<boolean> => dispatch.settled(await store.head(), timeoutMs),
    runJob: async (name: string) => dispatch.jobs.find((job) => job.name === name)?.runOnce(clock.now()),
    rows: async (): Promise<readonly AgentNotice[]> =>
      stateStore.find<AgentNotice>(agentNoticesCollection, { sort: [['dateCreated', 1]] }),
    stop: async (): Promise<void> => {
      const stopping = dispatch.stop();
      sender.close();
      await stopping;
      await feed.stop();
    },
  };
};
