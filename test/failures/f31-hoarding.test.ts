import { expect } from 'chai';
import type { EventStore } from '#ports/event-store.ts';
import { faultyEventStore, holds } from '#test/support/faults.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { DistributedShop, sharedMemory, type Replica } from '#test/support/distributed-shop.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop, type ShopAt } from '#test/support/shop.ts';

const LIMIT = 20;
const environment = { Checkout__OpenInvoicesPerAddress: String(LIMIT) };
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

const runJob = async (shop: ShopAt): Promise<ApiResponse['body']> => {
  const { status, body } = await shop.tester.post('/testing/jobs/release-reservations');
  expect(status).to.equal(200);
  return body;
};

const advance = async (shop: ShopAt, advanceSeconds: number): Promise<void> => {
  expect((await shop.tester.post('/testing/clock', { advanceSeconds })).status).to.equal(200);
};

/** Units that one more shopper could have, if she took everything. */
const unitsLeft = async (shop: ShopAt, productId: string): Promise<number> => {
  const { status, body } = await shop.shopper().add(productId, 9999);
  return status === 200 ? Infinity : (body.availableQuantity as number);
};

const invoiceOf = async (shop: ShopAt, invoiceId: string): Promise<ApiResponse['body']> =>
  (await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`)).body;

describe('F31: a visitor who takes the whole shop off sale', () => {
  it('gets no further than the limit of an address, and everything is back after an hour', async () => {
    const [WAVES, AT_ONCE] = [2, 40];
    const STOCK = WAVES * AT_ONCE;
    const shop = await TestShop.open({ environment });
    try {
      const mug = await shop.sell('mug', { price: 10, stock: STOCK });
      let refused = 0;
      let last: ApiResponse | null = null;
      for (let wave = 0; wave < WAVES; wave++) {
        const shoppers = Array.from({ length: AT_ONCE }, () => shop.shopper());
        await Promise.all(
          shoppers.map((one, index) => one.prepare(mug, 1, `thief-${wave}-${index}@example.com`)),
        );
        for (const answer of await Promise.all(shoppers.map((one) => one.pay()))) {
          if (answer.status === 200) continue;
          expect(answer.status).to.equal(429);
          refused++;
          last = answer;
        }
      }
      expect(refused).to.equal(STOCK - LIMIT);
      expect(last?.headers.get('retry-after')).to.equal('60');
      expect(last?.body).to.include({ success: false });
      expect(await unitsLeft(shop, mug)).to.equal(STOCK - LIMIT);

      await advance(shop, 61 * MINUTE);
      expect(await runJob(shop)).to.deep.equal({ expired: LIMIT, kept: 0, failed: 0 });
      await shop.settle();
      expect(await unitsLeft(shop, mug)).to.equal(STOCK);
      await advance(shop, 90 * DAY);
      expect(await runJob(shop)).to.deep.equal({ expired: 0, kept: 0, failed: 0 });

      const honest = shop.shopper();
      await honest.prepare(mug, 5);
      const { body } = await honest.pay();
      expect((await honest.payWith(body.invoiceId)).body.status).to.equal('Completed');
    } finally {
      await shop.close();
    }
  });

  it('counts one address once, whichever of two processes it asks, and however fast', async () => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 }, environment });
    try {
      const mug = await shop.sell('mug', { price: 10, stock: 1000 });
      const shoppers = Array.from({ length: 60 }, () => shop.shopper());
      await Promise.all(shoppers.map((one, index) => one.prepare(mug, 1, `s${index}@example.com`)));
      const answers = await Promise.all(shoppers.map((one) => one.pay()));
      await shop.settle();
      const placed = answers.filter(({ status }) => status === 200);
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 429]));
      expect(placed).to.have.length(LIMIT);
      const created = (await log.readAll(0, 1000)).filter(({ type }) => type === 'InvoiceCreated');
      expect(created.length).to.be.at.most(LIMIT);
      expect(await unitsLeft(shop, mug)).to.equal(1000 - LIMIT);
    } finally {
      await shop.close();
    }
  });
});

describe('F31: the count of a shop that writes its log alone', () => {
  it('is exact while reference state stands still, and no order waits for that', async () => {
    const gate = { isOpen: Promise.resolve() };
    const wrapStore = (store: EventStore): EventStore => ({
      ...faultyEventStore(store),
      subscribe: async function* (after, signal) {
        for await (const page of store.subscribe(after, signal)) {
          await gate.isOpen;
          yield page;
        }
      },
    });
    const shop = await TestShop.open({ environment, wrapStore });
    try {
      const mug = await shop.sell('mug', { price: 10, stock: 1000 });
      const shoppers = Array.from({ length: LIMIT + 1 }, () => shop.shopper());
      for (const [index, one] of shoppers.entries()) await one.prepare(mug, 1, `s${index}@example.com`);
      await shop.settle();
      const { promise, resolve: open } = Promise.withResolvers<void>();
      gate.isOpen = promise;
      const early = await Promise.all(shoppers.slice(0, LIMIT).map((one) => one.pay()));
      expect(new Set(early.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const late = shoppers[LIMIT]?.pay();
      open();
      expect((await late)?.status).to.equal(429);
    } finally {
      await shop.close();
    }
  });
});

/** Two processes on one log, three mugs, and a shopper of the first one who wants all of them. */
const openTwo = async () => {
  const { open, log } = sharedMemory();
  const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 }, environment });
  const [one, other] = shop.replicas('command') as readonly [Replica, Replica];
  const mug = await shop.sell('mug', { price: 10, stock: 3 });
  const shopper = one.at.shopper();
  await shopper.prepare(mug, 3);
  return { shop, log, other: other.at, mug, shopper };
};

describe('F31: expiry against a payment that comes in the same moment', () => {
  let two: Awaited<ReturnType<typeof openTwo>>;
  beforeEach(async () => {
    two = await openTwo();
  });
  afterEach(() => two.shop.close());

  const placed = async (): Promise<string> => (await two.shopper.pay()).body.invoiceId;
  /** No answer waits for it. */
  const placementEnds = (): Promise<void> =>
    new Promise((resolve) => two.log.runAfter('append', holds('OrderPlaced'), resolve));
  const events = () => two.log.readAll(0, 1000);
  const typesNow = async () => (await events()).map(({ type }) => type);
  const countOf = async (type: string) => (await typesNow()).filter((one) => one === type).length;

  it('lets the payment win that is in the log first: the invoice stands, nothing is given back', async () => {
    const { shop, log, other, shopper } = two;
    const invoiceId = await placed();
    // The hour is over when her attempt is on its way to the log: it was made in time.
    log.runBefore('append', holds('PaymentAttempted'), () => advance(shop, 61 * MINUTE));
    const paid = await shopper.payWith(invoiceId);
    expect(paid.body.status).to.equal('Completed');
    expect(await runJob(other)).to.include({ expired: 0, failed: 0 });
    await shop.settle();
    expect(await invoiceOf(shop, invoiceId)).to.include({ isCancelled: false, paymentStatus: 'Paid' });
    expect(await typesNow())
      .to.include('SaleConfirmed')
      .and.not.include('InvoiceCancelled')
      .and.not.include('StockReleased');
  });

  it('gives back what an invoice holds whose placement ends only after its expiry', async () => {
    const { shop, log, other, mug, shopper } = two;
    // It stood still for an hour with its invoice made, and the job comes by before it goes on.
    log.runBefore('append', holds('OrderPlaced'), async () => {
      await advance(shop, 61 * MINUTE);
      expect(await runJob(other)).to.include({ expired: 1, failed: 0 });
    });
    const ended = placementEnds();
    const late = await placed();
    await ended;
    expect(await invoiceOf(shop, late)).to.include({ isCancelled: true });
    await shopper.initialize();
    const again = await placed();
    expect(again).to.not.equal(late);
    expect((await shopper.payWith(again)).body.status).to.equal('Completed');
    await shop.settle();
    expect(await unitsLeft(shop, mug)).to.equal(0);
    expect(await countOf('OrderExpired')).to.equal(1);
    expect(await countOf('StockReleased')).to.equal(1);
  });

  it('gives back what an invoice holds that staff cancel before its placement has ended', async () => {
    const { shop, log, other, mug } = two;
    const cancel = async (): Promise<void> => {
      const created = (await events()).find(({ type }) => type === 'InvoiceCreated');
      const path = `/backoffice/api/v1/orders/${created?.stream.replace('invoice-', '')}/cancel`;
      expect((await other.admin.post(path, { reason: 'Never mind' })).status).to.equal(200);
    };
    log.runBefore('append', holds('OrderPlaced'), cancel);
    const ended = placementEnds();
    await placed();
    await ended;
    expect(await countOf('StockReleased')).to.equal(0);
    // Whoever asks again goes on with it.
    await cancel();
    await shop.settle();
    expect(await unitsLeft(shop, mug)).to.equal(3);
    expect(await countOf('OrderExpired')).to.equal(1);
    expect(await countOf('StockReleased')).to.equal(1);
    expect(await countOf('InvoiceCleared')).to.equal(1);
  });

  it('cancels nothing that was paid between its look and its append', async () => {
    const { shop, log, other, shopper } = two;
    const invoiceId = await placed();
    const [captured, cancelling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let job: Promise<ApiResponse['body']> = Promise.resolve(null);
    log.runBefore('append', holds('InvoiceCancelled'), () => {
      cancelling.resolve();
      return captured.promise;
    });
    log.runBefore('append', holds('PaymentCaptured'), async () => {
      await advance(shop, 25 * 60 * MINUTE);
      job = runJob(other);
      await cancelling.promise;
    });
    log.runAfter('append', holds('PaymentCaptured'), () => captured.resolve());
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
    expect(await job).to.deep.equal({ expired: 0, kept: 1, failed: 0 });
    await shop.settle();
    expect(await invoiceOf(shop, invoiceId)).to.include({ isCancelled: false, paymentStatus: 'Paid' });
    expect(await typesNow()).to.not.include('InvoiceCancelled');
  });

  it('notes the payment on an invoice that expired first, sells nothing, and gives back once', async () => {
    const { shop, log, other, mug, shopper } = two;
    const invoiceId = await placed();
    // The provider has charged, and a day passes before its answer is written down.
    log.runBefore('append', holds('PaymentCaptured'), async () => {
      await advance(shop, 25 * 60 * MINUTE);
      expect(await runJob(other)).to.include({ expired: 1 });
    });
    const late = await shopper.payWith(invoiceId);
    expect(late.status).to.equal(400);
    expect(late.body.message).to.include('had expired when its payment arrived');
    await shop.settle();

    const order = await invoiceOf(shop, invoiceId);
    expect(order).to.include({ isCancelled: true, cancellationReason: 'expired' });
    expect({
      captured: await countOf('PaymentCaptured'),
      sales: await countOf('SaleConfirmed'),
      cancelled: await countOf('InvoiceCancelled'),
      released: await countOf('StockReleased'),
    }).to.deep.equal({ captured: 1, sales: 0, cancelled: 1, released: 1 });
    const captured = (await events()).find(({ type }) => type === 'PaymentCaptured');
    expect(JSON.parse(captured?.data ?? '{}')).to.deep.include({ isLate: true });
    expect(await unitsLeft(shop, mug)).to.equal(3);
  });
});

describe('F31: a shopper who comes back too late', () => {
  it('is sent on to a new invoice, job or no job', async () => {
    const shop = await TestShop.open({ environment });
    try {
      const mug = await shop.sell('mug', { price: 10, stock: 3 });
      const shopper = shop.shopper();
      await shopper.prepare(mug, 3);
      const first = (await shopper.pay()).body.invoiceId as string;
      await advance(shop, 61 * MINUTE);
      const refused = await shopper.payWith(first);
      expect(refused.status).to.equal(400);
      expect(refused.body.message).to.equal('This invoice has expired. Start the payment again.');
      expect(await shop.charges()).to.have.length(0);

      // The checkout has timed out meanwhile: shipping is chosen again.
      expect((await shopper.pay()).code).to.equal('shipping-not-selected');
      await shopper.initialize();
      const again = await shopper.pay();
      expect(again.status).to.equal(200);
      expect(again.body.invoiceId).not.to.equal(first);
      expect((await shopper.payWith(again.body.invoiceId)).body.status).to.equal('Completed');
      expect(await runJob(shop)).to.deep.equal({ expired: 0, kept: 0, failed: 0 });
      await shop.settle();
      expect(await invoiceOf(shop, first)).to.include({ isCancelled: true, cancellationReason: 'expired' });
      expect(await invoiceOf(shop, again.body.invoiceId)).to.include({ paymentStatus: 'Paid' });
      expect(await unitsLeft(shop, mug)).to.equal(0);
      const released = (await eventsIn(shop)).filter(({ type }) => type === 'StockReleased');
      expect(released).to.have.length(1);
    } finally {
      await shop.close();
    }
  });
});

describe('F31: a shop that is killed while invoices expire', () => {
  let shop: MortalShop;
  afterEach(() => shop.close());

  for (const [when, eventType] of [
    ['before', 'InvoiceCancelled'],
    ['after', 'InvoiceCancelled'],
    ['after', 'StockReleased'],
    ['after', 'DiscountUseReleased'],
    ['before', 'OrderExpired'],
    ['after', 'OrderExpired'],
  ] as const) {
    it(`gives back each unit and use once when it dies ${when} ${eventType}`, async () => {
      shop = await MortalShop.open(environment);
      const mug = await shop.sell('mug', { price: 10, stock: 5 });
      await shop.discount('TWICE', 10, 2);
      await shop.live({ when, eventType });
      const shoppers = [shop.shopper(), shop.shopper()];
      for (const [index, one] of shoppers.entries()) {
        await one.prepare(mug, 2, `s${index}@example.com`);
        await one.applyCode('TWICE');
        expect((await one.pay()).status).to.equal(200);
      }
      await advance(shop, 61 * MINUTE);
      await shop.dieAfter(runJob(shop));

      await shop.live();
      await runJob(shop);
      await shop.settle();
      expect(await unitsLeft(shop, mug)).to.equal(5);
      const next = shop.shopper();
      await next.prepare(mug, 5, 'next@example.com');
      expect((await next.applyCode('TWICE')).status).to.equal(200);
      expect((await next.pay()).status).to.equal(200);
      const { invoices, sales, problems } = await shop.audit();
      expect({ invoices, sales, problems }).to.deep.equal({ invoices: 3, sales: 0, problems: [] });
    });
  }
});
