import { readFileSync } from 'node:fs';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { agentSessionEvents } from '#events/agent-session.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { noTotals } from '#events/basket-view.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { createCodec } from '#log/codec.ts';
import { chainStart } from '#log/hash-chain.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { streamOf } from '#values/stream-name.ts';
import { lineOf } from '#test/support/builders/basket.ts';
import { fileNames } from './data-folder.ts';

/*
 * Appends open sessions of agents, each with a basket of one line, to the log of a stopped shop.
 * `node produce-sessions.ts <data folder> <sessions> <how many are due early> <minutes until these are due>
 * <file with product ids>`; APPLICATION_KEY is the shop's.
 */

/** Appended together. */
const AT_ONCE = 500;
const MINUTE = 60_000;
/** When the others are due. */
const LONG_MINUTES = 24 * 60;
const PRICE = 1000;

const [, , dataDir = '', wanted = '', due = '', dueMinutes = '', productsFile = ''] = process.argv;
const productIds = JSON.parse(readFileSync(productsFile, 'utf8')) as readonly string[];
const applicationKey = Buffer.from(process.env['APPLICATION_KEY'] ?? '', 'base64');

const basketOf = (productId: string): readonly DomainEvent[] => {
  const line = { ...lineOf(productId), productId };
  const totals = { ...noTotals, subTotal: PRICE, total: PRICE };
  const figures = { unitPrice: PRICE, isTaxable: false, taxRate: 0, discount: 0, tax: 0 };
  return [
    basketEvents.create.BasketStarted({
      currency: 'GBP',
      destination: { countryCode: 'GB', regionCode: null, postalCode: null },
    }),
    basketEvents.create.BasketLineAdded({
      ...{ line, quantity: 1, itemCount: 1 },
      pricing: { totals, discounts: [], changedLines: [{ lineId: line.lineId, ...figures }] },
    }),
  ];
};

const sessionOf = (basketId: string, productId: string, now: number, minutes: number): DomainEvent =>
  agentSessionEvents.create.AgentSessionStarted({
    ...{ basketId, cartId: null, agent: 'https://agent.example/bench', agentName: null },
    ...{ isVerified: false, dialect: '2026-04-08', hasManyGroups: false, capabilities: [], currency: 'GBP' },
    ...{ orderWebhookUrl: null, sessionWebhookUrl: null },
    lines: [{ lineId: newId(), itemId: productId, productId, quantity: 1 }],
    startedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + minutes * MINUTE).toISOString(),
  });

const produce = async (): Promise<{ readonly sessions: number }> => {
  const files = fileNames(dataDir);
  const store = await openSqliteEventStore({ file: files.events, synchronous: 'NORMAL', mode: 'inline' });
  const stateStore = await openSqliteDocumentStore({ file: files.state });
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const now = Date.now();
  const sessions = Number(wanted);
  const begin = async (stream: string, events: readonly DomainEvent[]): Promise<void> => {
    const id = newId();
    const stamp = {
      recordedAt: new Date(now).toISOString(),
      ...{ correlationId: id, causationId: id },
      actor: { kind: 'agent', id: 'https://agent.example/bench' },
    } as const;
    const { toAppend } = codec.encode(stream, chainStart, events.map(codec.draft), stamp);
    await store.append(stream, chainStart.revision, toAppend);
  };
  const beginSession = async (number: number): Promise<void> => {
    const productId = productIds[number % productIds.length] ?? '';
    const basketId = newId();
    const minutes = number < Number(due) ? Number(dueMinutes) : LONG_MINUTES;
    await Promise.all([
      begin(streamOf.basket(basketId), basketOf(productId)),
      begin(streamOf.agentSession(newId()), [sessionOf(basketId, productId, now, minutes)]),
    ]);
  };
  for (let made = 0; made < sessions; made += AT_ONCE) {
    const count = Math.min(AT_ONCE, sessions - made);
    await Promise.all(Array.from({ length: count }, (_, index) => beginSession(made + index)));
    process.send?.({ progress: made / sessions });
  }
  await stateStore.close();
  await store.close();
  return { sessions };
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
