import { expect } from 'chai';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';
import { respondWith, startReceiver, type Receiver } from '#test/support/subscriber.ts';

// docs/rules/personal-data.md#rows
describe('deliveries about a person', () => {
  let shop: TestShop;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver((response, { body }) => response.writeHead(500).end(body));
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    await shop.subscribe('customer.created', receiver.url);
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  const rows = () => shop.shop.runtime.stateStore.find<Delivery>(deliveriesCollection);
  const registered = async (email: string): Promise<{ customerId: string; deliveryId: string }> => {
    const { status, body } = await shop.admin.ask(
      manage.post('/customers', { email, firstName: 'Ada', lastName: 'Lovelace' }),
    );
    expect(status).to.equal(201);
    await shop.settle();
    const row = (await rows()).find(({ entityId }) => entityId === body.id);
    return { customerId: body.id as string, deliveryId: row?._id ?? expect.fail('no delivery') };
  };

  it('are kept so that nothing of the person is read in their rows', async () => {
    const { deliveryId } = await registered('ada@example.com');
    const kept = JSON.stringify(await rows());
    expect(kept).not.to.include('ada@example.com').and.not.to.include('Lovelace');
    const shown = await shop.shown(`/webhooks/deliveries/${deliveryId}`);
    expect(JSON.parse(shown.requestBody).data).to.include({ email: 'ada@example.com' });
    expect(shown.responseBody).to.equal(shown.requestBody);
  });

  it('are given up once the person is forgotten, and show nothing more', async () => {
    const { customerId, deliveryId } = await registered('byron@example.com');
    const before = receiver.received.length;
    await shop.shop.runtime.codec.keys.forget(customerId);
    receiver.answer(respondWith(200));
    await shop.tester.post('/testing/clock', { advanceSeconds: 61 });
    await shop.settle();
    expect(receiver.received.slice(before).map(({ body }) => String(body))).to.satisfy(
      (bodies: readonly string[]) => bodies.every((body) => !body.includes('byron')),
    );
    expect(await shop.shown(`/webhooks/deliveries/${deliveryId}`)).to.include({
      status: 'Abandoned',
      errorMessage: 'The person it is about has been forgotten',
      requestBody: null,
      responseBody: null,
    });
    const again = await shop.admin.ask(manage.post(`/webhooks/deliveries/${deliveryId}/retry`, {}));
    expect([again.status, again.text]).to.satisfy(([status, text]: [number, string]) => {
      return status === 400 && text.includes('has been forgotten');
    });
  });
});
