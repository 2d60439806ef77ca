import { expect } from 'chai';
import { sendThrough } from '#test/support/fulfilling-shop.ts';
import {
  fulfilmentCallback,
  startFulfilmentServer,
  type FulfilmentServer,
} from '#test/support/fulfilment-server.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** docs/rules/fulfilment.md#once */
describe('a shop that is killed while others send for it', () => {
  const at = useMortalShop({ ALLOW_LOOPBACK_TARGETS: 'true' });
  let server: FulfilmentServer;
  let mug: string;
  beforeEach(async () => {
    server = await startFulfilmentServer();
    await sendThrough(at.shop, server);
    mug = await at.shop.sell('mug', { price: 10, stock: 5 });
  });
  afterEach(() => server.close());

  const buy = async (quantity: number): Promise<string> => {
    const shopper = at.shop.shopper();
    await shopper.prepare(mug, quantity);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await at.shop.settle();
    return invoiceId as string;
  };
  const types = async (): Promise<readonly string[]> =>
    (await at.shop.engines.store.readAll(0, 1000)).map(({ type }) => type);
  const count = async (type: string): Promise<number> => (await types()).filter((one) => one === type).length;

  for (const [what, death] of [
    ['before it says that it asks', { when: 'before', eventType: 'FulfilmentSubmissionAttempted' }],
    ['before it asks', { when: 'after', eventType: 'FulfilmentSubmissionAttempted' }],
    ['between the answer and its record', { when: 'before', eventType: 'FulfilmentSubmitted' }],
    ['once it is recorded', { when: 'after', eventType: 'FulfilmentSubmitted' }],
  ] satisfies readonly (readonly [string, Death])[])
    it(`hands an order to its provider, and dies ${what}: it is there once, under one key`, async () => {
      await at.shop.live(death);
      const shopper = at.shop.shopper();
      await shopper.prepare(mug);
      const { invoiceId } = (await shopper.pay()).body;
      await at.shop.dieAfter(shopper.payWith(invoiceId));
      await at.shop.live();
      await at.shop.settle();
      expect(server.orders).to.have.length(1);
      expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1);
      expect(await count('FulfilmentSubmitted')).to.equal(1);
      expect(await count('FulfilmentSubmissionAttempted')).to.equal(1);
      await at.shop.soundSales();
    });

  /** What the provider says, as often as it is answered. */
  const says = (id: string, type: string, data: object) => () =>
    at.shop.tester.ask(fulfilmentCallback('generic-http', type, data, Date.now(), { id }));
  /** Killed by it, the shop hears it twice more. */
  const hearsAgain = async (said: ReturnType<typeof says>): Promise<void> => {
    await at.shop.killedBy(said());
    const messages: string[] = [];
    for (let copy = 0; copy < 2; copy++) messages.push((await said()).body.message);
    expect(messages).to.deep.equal(['Webhook processed', 'Already processed']);
    await at.shop.settle();
  };

  const received = { rowIn: 'fulfilment_webhook_log' };
  const created = { eventType: 'ShipmentCreated' };
  const moved = { eventType: 'ShipmentStatusChanged' };
  const noted = { eventType: 'FulfilmentStatusNoted' };
  const items = [{ sku: 'mug', quantityShipped: 2 }];
  const inPart = { providerShipmentId: 'S1', items, shippedDate: '2026-03-01T10:00:00Z' };
  for (const [type, data, quantity, deliveryStatus, steps] of [
    ['shipment.created', inPart, 2, 'PartiallyShipped', [received, created, moved]],
    ['order.delivered', {}, 3, 'Delivered', [noted]],
  ] as const)
    for (const step of steps)
      for (const when of ['before', 'after'] as const)
        it(`hears ${type}, and dies ${when} ${Object.values(step).join()}: the goods have left once`, async () => {
          const invoiceId = await buy(3);
          await at.shop.live({ when, ...step });
          await hearsAgain(says('msg_1', type, { reference: 'HOUSE-1', ...data }));
          const { body } = await at.shop.admin.ask(manage.get(`/orders/${invoiceId}/fulfillment-summary`));
          expect(body).to.include({ shippedQuantity: quantity, deliveryStatus });
          expect(body.orders[0].shipments).to.have.length(1);
          expect(await count('StockAllocated')).to.equal(1);
          expect(await at.shop.soundSales()).to.equal(1);
        });

  it('hears what its provider has in stock, and dies once that is taken over: it is taken over once', async () => {
    await buy(3);
    await at.shop.live({ when: 'after', eventType: 'StockAdjusted' });
    await hearsAgain(says('msg_1', 'inventory.updated', { levels: [{ sku: 'mug', availableQuantity: 9 }] }));
    expect(await count('StockAdjusted')).to.equal(1);
    expect(await at.shop.soundSales()).to.equal(1);
  });
});
