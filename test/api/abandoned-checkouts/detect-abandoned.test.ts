import { expect } from 'chai';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { faultyEventStore, type FaultyEventStore } from '#test/support/faults.ts';
import { clearBasket, chooseCurrency, manage, payByHand, post } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const HOUR_SECONDS = 3600;
const captureEmail = (email: string) => post('/api/shop/checkout/capture-email', { email });

// docs/rules/abandoned-checkouts.md#job
describe('The job detect-abandoned', () => {
  let shop: TestShop;
  let mug: string;
  let log: FaultyEventStore;
  beforeEach(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10 });
  });
  afterEach(() => shop.close());

  const hoursPass = (hours: number) =>
    shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });
  const run = async () => {
    await shop.settle();
    return (await shop.tester.post('/testing/jobs/detect-abandoned')).body as Record<string, number>;
  };
  const recordStream = (basketId: string): string =>
    streamOf.abandonedCheckout(abandonedCheckoutId(basketId));
  const recordOf = async ({ basketId }: Shopper) => {
    await shop.settle();
    return (await eventsIn(shop)).filter(({ stream }) => stream === recordStream(basketId));
  };
  const typesIn = async (stream: string) =>
    (await eventsIn(shop)).filter((event) => event.stream === stream).map(({ type }) => type);
  const typesOf = async (shopper: Shopper) => (await recordOf(shopper)).map(({ type }) => type);
  const leaving = async (email = 'ada@example.com') => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, email);
    return shopper;
  };
  const buy = async (shopper: Shopper) => {
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId as string)).status).to.equal(200);
    return invoiceId as string;
  };

  it('finds who has left, has three mails sent, and lets go after thirty days', async () => {
    const shopper = await leaving();
    expect(await run()).to.include({ abandoned: 0, mails: 0 });
    await hoursPass(1);
    expect(await run()).to.include({ abandoned: 1, mails: 0 });
    expect(await run()).to.include({ abandoned: 0, mails: 0 });
    for (const hours of [1, 24, 48]) {
      await hoursPass(hours);
      expect(await run(), `${hours} h later`).to.include({ mails: 1 });
      expect(await run()).to.include({ mails: 0 });
    }
    await hoursPass(30 * 24 - 73);
    expect(await run()).to.include({ expired: 1, mails: 0 });
    expect(await typesOf(shopper)).to.deep.equal([
      'CheckoutAbandoned',
      ...Array<string>(3).fill('RecoveryMailRequested'),
      'CheckoutRecoveryExpired',
    ]);
  });

  it('copies what was left: lines, totals as they were shown, name and addresses', async () => {
    const shopper = await leaving();
    const { total } = (await shopper.basket()).body;
    await hoursPass(1);
    await run();
    const [abandoned] = await recordOf(shopper);
    expect(abandoned?.data).to.deep.include({
      basketId: shopper.basketId,
      email: 'ada@example.com',
      isFirst: true,
      figures: {
        ...{ currency: 'GBP', total: total * 100, storeCurrency: 'GBP', totalInStoreCurrency: total * 100 },
        ...{ rate: '1', lineCount: 1 },
      },
    });
    const { lines, customerName, billingAddress } = abandoned?.data as {
      readonly lines: readonly object[];
      readonly customerName: string;
      readonly billingAddress: { readonly name: string };
    };
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ sku: 'mug', quantity: 2, unitPrice: 1000, lineTotal: 2000 });
    expect(customerName).to.equal(billingAddress.name);
  });

  it('begins with an e-mail address that was only typed, and not without one', async () => {
    const typed = shop.shopper();
    await typed.add(mug);
    await typed.ask(captureEmail('typed@example.com'));
    const nameless = shop.shopper();
    await nameless.add(mug);
    await hoursPass(1);
    expect(await run()).to.include({ abandoned: 1 });
    expect(await typesOf(typed)).to.deep.equal(['CheckoutAbandoned']);
    expect(await typesOf(nameless)).to.deep.equal([]);
  });

  it('leaves alone what was emptied, cleared or bought, and costs a purchase no event', async () => {
    const emptied = await leaving();
    const line = (await emptied.basket()).body.lineItems[0].id as string;
    await emptied.update(line, 0);
    const cleared = await leaving();
    const before = cleared.basketId;
    await cleared.ask(clearBasket());
    const bought = await leaving('buyer@example.com');
    const { basketId } = bought;
    await buy(bought);
    await hoursPass(99);
    expect(await run()).to.include({ abandoned: 0, mails: 0, converted: 0 });
    const records = [emptied.basketId, before, basketId].map((id) =>
      streamOf.abandonedCheckout(abandonedCheckoutId(id)),
    );
    expect((await eventsIn(shop)).filter(({ stream }) => records.includes(stream))).to.deep.equal([]);
  });

  it('takes a shopper who does something for active again, at once, and a look at it for nothing', async () => {
    const shopper = await leaving();
    await hoursPass(1);
    await run();
    await shopper.basket();
    await shopper.ask(chooseCurrency({ currencyCode: 'EUR' }));
    expect(await typesOf(shopper)).to.deep.equal(['CheckoutAbandoned']);
    await shopper.add(mug);
    expect(await typesOf(shopper)).to.deep.equal(['CheckoutAbandoned', 'CheckoutResumed']);
    await shopper.add(mug);
    expect(await typesOf(shopper)).to.deep.equal(['CheckoutAbandoned', 'CheckoutResumed']);
    await hoursPass(1);
    expect(await run()).to.include({ abandoned: 1, mails: 0 });
    expect((await recordOf(shopper)).at(-1)?.data).to.deep.include({
      isFirst: false,
      figures: {
        ...((await recordOf(shopper))[0]?.data as { figures: object }).figures,
        total: 4800,
        totalInStoreCurrency: 4800,
      },
    });
  });

  it('converts a record with the confirmed sale, at once and once, and sends no mail after it', async () => {
    const shopper = await leaving();
    await hoursPass(1);
    await run();
    await hoursPass(1);
    expect(await run()).to.include({ mails: 1 });
    const { basketId } = shopper;
    await hoursPass(24);
    const invoiceId = await buy(shopper);
    await shop.settle();
    expect(await run()).to.include({ mails: 0, converted: 0 });
    await hoursPass(200);
    expect(await run()).to.include({ mails: 0, abandoned: 0 });
    const stream = streamOf.abandonedCheckout(abandonedCheckoutId(basketId));
    const events = (await eventsIn(shop)).filter((event) => event.stream === stream);
    expect(events.map(({ type }) => type).filter((type) => type === 'CheckoutConverted')).to.have.length(1);
    expect(events.at(-1)?.data).to.deep.include({ invoiceId, recoveredAt: null });
  });

  it('converts what is bought at the very moment when it is found abandoned', async () => {
    const shopper = await leaving();
    const { basketId } = shopper;
    await hoursPass(1);
    const begins = (stream: string): boolean => stream === recordStream(basketId);
    log.runBefore('append', begins, async () => void (await buy(shopper)));
    expect(await run()).to.include({ abandoned: 1 });
    await shop.settle();
    await hoursPass(200);
    expect(await run()).to.include({ abandoned: 0, mails: 0, expired: 0, kept: 0 });
    expect(await typesIn(recordStream(basketId))).to.deep.equal(['CheckoutAbandoned', 'CheckoutConverted']);
    const shown = await shop.admin.get(
      `/backoffice/api/v1/abandoned-checkouts/${abandonedCheckoutId(basketId)}`,
    );
    expect(shown.body).to.include({ status: 'Converted' });
  });

  it('lets go of a basket that is cleared at the very moment when it is found abandoned', async () => {
    const shopper = await leaving();
    const { basketId } = shopper;
    await hoursPass(1);
    const begins = (stream: string): boolean => stream === recordStream(basketId);
    log.runBefore('append', begins, async () => void (await shopper.ask(clearBasket())));
    await run();
    await shop.settle();
    await hoursPass(30 * 24);
    expect(await run()).to.include({ mails: 0, expired: 1, kept: 0 });
    expect(await typesIn(recordStream(basketId))).to.deep.equal([
      'CheckoutAbandoned',
      'AbandonedBasketLost',
      'CheckoutRecoveryExpired',
    ]);
  });

  it('abandons nothing that is being paid for: money that was promised is on its way', async () => {
    const shopper = await leaving();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.ask(payByHand({ invoiceId }))).status).to.equal(200);
    await hoursPass(2);
    expect(await run()).to.include({ abandoned: 0 });
  });

  it('lets go of a record whose link expired before its next mail, however long links last by now', async () => {
    const shopper = await leaving();
    const lasting = (days: number) =>
      shop.admin.ask(manage.put('/settings', { 'abandonedCheckout.recoveryExpiryDays': days }));
    await lasting(1);
    await hoursPass(1);
    await run();
    await hoursPass(1);
    expect(await run()).to.include({ mails: 1 });
    await lasting(3);
    await hoursPass(24);
    expect(await run(), 'its link is dead').to.include({ mails: 0, expired: 0 });
    await hoursPass(47);
    expect(await run()).to.include({ mails: 0, expired: 1 });
    expect((await typesOf(shopper)).at(-1)).to.equal('CheckoutRecoveryExpired');
  });

  it('reads its settings in every pass', async () => {
    const shopper = await leaving();
    await hoursPass(1);
    const change = (settings: object) => shop.admin.ask(manage.put('/settings', settings));
    expect((await change({ 'abandonedCheckout.abandonmentThresholdHours': 3 })).status).to.equal(200);
    expect(await run()).to.include({ abandoned: 0 });
    expect((await change({ 'abandonedCheckout.abandonmentThresholdHours': 0.5 })).status).to.equal(200);
    expect(await run()).to.include({ abandoned: 1 });
    expect(await typesOf(shopper)).to.deep.equal(['CheckoutAbandoned']);
    const refused = await change({ 'abandonedCheckout.abandonmentThresholdHours': 0 });
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.include('abandonedCheckout.abandonmentThresholdHours');
  });

  it('loses the basket that is cleared, and its mails with it', async () => {
    const shopper = await leaving();
    await hoursPass(1);
    await run();
    const { basketId } = shopper;
    await shopper.ask(clearBasket());
    await shop.settle();
    await hoursPass(30);
    expect(await run()).to.include({ mails: 0 });
    const stream = streamOf.abandonedCheckout(abandonedCheckoutId(basketId));
    expect(
      (await eventsIn(shop)).filter((event) => event.stream === stream).map(({ type }) => type),
    ).to.deep.equal(['CheckoutAbandoned', 'AbandonedBasketLost']);
  });
});
