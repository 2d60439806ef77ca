import { expect } from 'chai';
import { add, giveAddresses, manage, pay } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

interface HeldEvent {
  readonly type: string;
  readonly actor: { readonly kind: string };
  readonly data: Readonly<Record<string, unknown>>;
}
interface Held {
  readonly customerId: string;
  readonly streams: readonly { readonly stream: string; readonly events: readonly HeldEvent[] }[];
  readonly deliveries: readonly { readonly topic: string; readonly requestBody: string }[];
  readonly mails: readonly { readonly topic: string; readonly content: object | null }[];
  readonly isComplete: true;
}

// docs/rules/personal-data.md#answer
describe('GET /customers/{id}/personal-data', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let mug: string;

  before(async () => {
    receiver = await startReceiver();
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    mug = await shop.sell('MUG', { price: 10, stock: 100 });
    await shop.subscribe('customer.created', receiver.url);
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  /** Buys as a guest; returns who the shop has made of them. */
  const bought = async (email: string): Promise<string> => {
    const shopper = shop.shopper();
    await shopper.ask(add(mug));
    await shopper.ask(giveAddresses({ email }));
    await shopper.initialize();
    const { body } = await shopper.ask(pay());
    expect((await shopper.payWith(String(body.invoiceId))).status).to.equal(200);
    const { items } = await shop.shown(`/customers?search=${email}`);
    return String(items[0].id);
  };
  const held = async (customerId: string): Promise<Held> => {
    const { status, text } = await shop.admin.ask(manage.get(`/customers/${customerId}/personal-data`));
    expect(status, text).to.equal(200);
    return JSON.parse(text) as Held;
  };
  const typesIn = ({ streams }: Held): readonly string[] =>
    streams.flatMap(({ events }) => events.map(({ type }) => type));

  it('shows what is held about a customer: their own record, baskets, invoices and deliveries', async () => {
    const customerId = await bought('ada@example.com');
    await bought('grace@example.com');
    const answer = await held(customerId);
    expect(answer).to.include({ customerId, isComplete: true });
    expect(typesIn(answer)).to.include.members([
      'CustomerRegistered',
      'CheckoutAddressesChanged',
      'InvoiceCreated',
      'PaymentCaptured',
      'CustomerSaleRecorded',
    ]);
    const text = JSON.stringify(answer);
    expect(text).to.include('ada@example.com').and.not.to.include('grace@example.com');
    expect(answer.mails.map(({ topic }) => topic)).to.include('order.created');
    expect(JSON.stringify(answer.mails)).to.include('ada@example.com');
    expect(answer.deliveries.map(({ topic }) => topic)).to.include('customer.created');
    expect(answer.deliveries.some(({ requestBody }) => requestBody.includes('ada@example.com'))).to.equal(
      true,
    );
  });

  it('shows what became of a checkout that they left', async () => {
    const shopper = shop.shopper();
    await shopper.ask(add(mug));
    await shopper.ask(giveAddresses({ email: 'leaves@example.com' }));
    await shop.tester.post('/testing/clock', { advanceSeconds: 48 * 3600 });
    await shop.tester.post('/testing/jobs/detect-abandoned');
    const { items } = await shop.shown('/customers?search=leaves@example.com');
    expect(typesIn(await held(String(items[0].id)))).to.include('CheckoutAbandoned');
  });

  it('records that it was asked for, and by whom, before it answers', async () => {
    const customerId = await bought('edsger@example.com');
    const answer = await held(customerId);
    const [own] = answer.streams;
    const asked = own?.events.filter(({ type }) => type === 'PersonalDataRequested') ?? [];
    expect(asked.map(({ actor }) => actor.kind)).to.deep.equal(['backoffice']);
  });

  it('is for admins, and for customers that there are', async () => {
    const nobody = '01a1fd9e-e314-7000-9cae-47293de64a71';
    expect((await shop.admin.ask(manage.get(`/customers/${nobody}/personal-data`))).status).to.equal(404);
    expect((await shop.shopper().ask(manage.get(`/customers/${nobody}/personal-data`))).status).to.equal(401);
  });
});
