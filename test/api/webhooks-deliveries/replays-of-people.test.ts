import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const password = 'correct horse battery staple';

// docs/rules/webhooks.md#replays, docs/rules/personal-data.md#rows
describe('a replay in a shop with people', () => {
  let shop: TestShop;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  const registered = async (email: string): Promise<string> => {
    const { status, body } = await shop.admin.ask(manage.post('/customers', { email, firstName: 'Ada' }));
    expect(status).to.equal(201);
    return String(body.id);
  };
  const subscribed = async (topic: string): Promise<string> => {
    const subscription = { name: topic, topic, targetUrl: receiver.url };
    const { status, body } = await shop.admin.ask(manage.post('/webhooks', subscription));
    expect(status).to.equal(201);
    return String(body.id);
  };
  const from = new Date(Date.now() - 86_400_000).toISOString();
  const replayed = async (id: string) => {
    const { status, body } = await shop.admin.ask(
      manage.post(`/webhooks/${id}/replay`, { from, include: 'all' }),
    );
    expect(status, JSON.stringify(body)).to.equal(202);
    await shop.settle();
    return shop.shown(`/webhooks/${id}/replays/${body.id}`);
  };

  it('keeps what it makes sealed for its person, and tells nothing of one who is forgotten', async () => {
    const [before, forgotten] = [await registered('early@example.com'), await registered('gone@example.com')];
    const id = await subscribed('customer.created');
    await shop.shop.runtime.codec.keys.forget(forgotten);
    expect(await replayed(id)).to.include({ status: 'Completed', queued: 2 });
    const bodies = receiver.received.map(({ body }) => String(body));
    expect(bodies.filter((body) => body.includes('early@example.com'))).to.have.length(1);
    expect(bodies.filter((body) => body.includes('gone@example.com'))).to.deep.equal([]);
    const kept = JSON.stringify(await shop.shop.runtime.stateStore.find('webhookDeliveries'));
    expect(kept).not.to.include('early@example.com');

    await shop.shop.runtime.codec.keys.forget(before);
    expect(await replayed(id)).to.include({ status: 'Completed', queued: 1, skipped: 1 });
    expect(receiver.received).to.have.length(3);
  });

  it('is watched by analysts and auditors, and begun and called off by admins only', async () => {
    const id = await subscribed('order.created');
    const { id: replayId } = await replayed(id);
    for (const role of ['analyst', 'auditor']) {
      const email = `${role}@shop.example`;
      await shop.admin.ask(manage.post('/users', { email, password, role }));
      const { body } = await shop.admin.ask(manage.post('/sign-in', { email, password }));
      const user = new Browser(shop.base, { Authorization: `Bearer ${String(body['token'])}` });
      const asked = [
        manage.get(`/webhooks/${id}/replays/${replayId}`),
        manage.get(`/webhooks/${id}/events`),
        manage.post(`/webhooks/${id}/replay`, { from, include: 'all' }),
        manage.delete(`/webhooks/${id}/replays/${replayId}`),
        manage.post('/webhooks/filter-test', { topic: 'order.created', filterExpression: 'total > 1' }),
      ];
      const statuses: number[] = [];
      for (const request of asked) statuses.push((await user.ask(request)).status);
      expect(statuses, role).to.deep.equal([200, 200, 403, 403, 403]);
    }
  });
});
