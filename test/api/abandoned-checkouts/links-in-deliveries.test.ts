import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { LeftCheckouts, recoveryTokenOf } from '#test/support/left-checkouts.ts';
import { manage } from '#test/support/requests.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const password = 'correct horse battery staple';

// docs/rules/abandoned-checkouts.md#links
describe('a recovery link that a webhook has told', () => {
  let left: LeftCheckouts;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver((response, { body }) => response.end(body));
    left = await LeftCheckouts.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    await left.shop.subscribe('checkout.abandoned', receiver.url);
  });
  after(async () => {
    await left.close();
    await receiver.stop();
  });

  const signedIn = async (role: string): Promise<Browser> => {
    const { shop } = left;
    const email = `${role}@shop.example`;
    await shop.admin.ask(manage.post('/users', { email, password, role }));
    const { body } = await shop.admin.ask(manage.post('/sign-in', { email, password }));
    return new Browser(shop.base, { Authorization: `Bearer ${String(body['token'])}` });
  };

  it('is shown to admins with the delivery, and to no analyst or auditor', async () => {
    const { basketId } = await left.left();
    const token = recoveryTokenOf(basketId);
    const [row] = (await left.shop.admin.ask(manage.get('/webhooks'))).body['items'] as { id: string }[];
    const { items } = await left.shop.shown(`/webhooks/${row?.id}/deliveries`);
    const path = `/webhooks/deliveries/${items[0].id}`;
    expect(JSON.stringify(await left.shop.shown(path))).to.include(token);
    expect(JSON.stringify(await left.shop.shown(`/webhooks/${row?.id}/events`))).to.include(token);
    for (const role of ['analyst', 'auditor']) {
      const { status, text } = await (await signedIn(role)).ask(manage.get(path));
      expect([status, text.includes('"status":"Succeeded"')], text).to.deep.equal([200, true]);
      expect(text).not.to.include(token);
      const events = await (await signedIn(role)).ask(manage.get(`/webhooks/${row?.id}/events`));
      expect([events.status, events.text.includes('"data":null')], events.text).to.deep.equal([200, true]);
      expect(events.text).not.to.include(token);
    }
  });
});
