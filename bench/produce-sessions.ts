import { readFileSync } from 'node:fs';
import { agentSessionEvents } from '#events/agent-session.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { noTotals } from '#events/basket-view.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { lineOf } from '#test/support/builders/basket.ts';
import { openStoppedLog } from './stopped-log.ts';

/*
 * Appends open sessions of agents, each with a basket of one line, to the log of a stopped shop.
 * `node produce-sessions.ts <data folder> <sessions> <how many are due early> <minutes until these are due>
 * <file with product ids>`; APPLICATION_KEY is the shop's.
 */

const MINUTE = 60_000;
/** When the others are due. */
const LONG_MINUTES = 24 * 60;
const PRICE = 1000;
const actor = { kind: 'agent', id: 'https://agent.example/bench' } as const;

const [, , dataDir = '', wanted = '', due = '', dueMinutes = '', productsFile = ''] = process.argv;
const productIds = JSON.parse(readFileSync(productsFile, 'utf8')) as readonly string[];

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
  const log = await openStoppedLog(dataDir);
  const now = Date.now();
  const sessions = Number(wanted);
  await log.fill(sessions, async (number) => {
    const productId = productIds[number % productIds.length] ?? '';
    const basketId = newId();
    const minutes = number < Number(due) ? Number(dueMinutes) : LONG_MINUTES;
    await Promise.all([
      log.begin(streamOf.basket(basketId), basketOf(productId), actor),
      log.begin(streamOf.agentSession(newId()), [sessionOf(basketId, productId, now, minutes)], actor),
    ]);
  });
  await log.close();
  return { sessions };
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
