import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { startMailServer, type MailServer } from '#test/support/mail-server.ts';
import { TestShop } from '#test/support/shop.ts';
import {
  deliveryIdOf,
  isSigned,
  respondWith,
  startReceiver,
  type Receiver,
} from '#test/support/subscriber.ts';

const secret = Buffer.alloc(32, 'operator').toString('base64');
const mgmt = '/backoffice/api/v1';

// docs/rules/webhooks.md#telling-staff
describe('Staff', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let server: MailServer;
  let operator: Receiver;
  let customers = 0;
  before(async () => {
    receiver = await startReceiver(respondWith(500));
    server = await startMailServer();
    operator = await startReceiver();
    shop = await TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        Mail__Smtp__Url: server.url,
        Mail__Smtp__From: 'Harbour <shop@example.com>',
        Mail__OperatorEmail: 'operator@example.com',
        Webhooks__Operator__Url: operator.url,
        Webhooks__Operator__Secret: secret,
      },
    });
    const wanted = { name: 'Accounting', topic: 'customer.created', targetUrl: receiver.url };
    expect((await shop.admin.post(`${mgmt}/webhooks`, wanted)).status).to.equal(201);
  });
  after(async () => {
    await shop.close();
    await server.close();
    await receiver.stop();
    await operator.stop();
  });

  const deliver = async (count: number): Promise<void> => {
    for (let one = 0; one < count; one++)
      await shop.admin.post(`${mgmt}/customers`, { email: `customer${customers++}@example.com` });
    await shop.settle();
  };
  const watch = async (): Promise<number> => {
    const { told } = (await shop.tester.post('/testing/jobs/watch-webhooks')).body;
    await shop.settle();
    return told as number;
  };
  const pass = async (seconds: number): Promise<void> => {
    await shop.tester.post('/testing/clock', { advanceSeconds: seconds });
    await shop.settle();
  };
  const subjects = (): readonly string[] =>
    server.messages.map((message) => /^Subject: (.*)$/m.exec(message)?.[1]?.trim() ?? '');
  const failing = 'Webhook Accounting of Tillroll is failing';
  const gaveUp = 'Webhook Accounting of Tillroll has given up deliveries';
  const recovered = 'Webhook Accounting of Tillroll works again';

  it('are told by mail that a webhook fails, once, however much is queued', async () => {
    await deliver(9);
    expect(await watch()).to.equal(0);
    await deliver(1);
    expect(await watch()).to.equal(1);
    await deliver(20);
    expect(await watch()).to.equal(0);
    expect(subjects()).to.deep.equal([failing]);
    expect(server.recipients).to.deep.equal(['operator@example.com']);
    const [mail = ''] = server.messages;
    expect(mail).to.contain('Topic: customer.created').and.contain('answered with status 500');
  });

  it('are told the same at the operator’s webhook, signed in both ways', () => {
    const [told] = operator.received;
    if (!told || operator.received.length > 1) return expect.fail('not told once');
    expect(isSigned(told, secret)).to.equal(true);
    const headers = told.headers as Record<string, string>;
    const envelope = new Webhook(secret).verify(told.body, headers) as Record<string, unknown>;
    expect(envelope).to.deep.include({ id: headers['x-service-delivery-id'], topic: 'webhook.failing' });
    expect(envelope['data']).to.deep.include({
      subscriptionName: 'Accounting',
      topic: 'customer.created',
      targetUrl: receiver.url,
      failuresInARow: 10,
      errorMessage: 'The receiver answered with status 500',
    });
  });

  it('are told that it gave up, once for all deliveries', async () => {
    operator.answer(respondWith(500));
    for (const delay of [60, 300, 900, 3600]) await pass(delay);
    expect(await watch()).to.equal(1);
    expect(await watch()).to.equal(0);
    expect(subjects()).to.deep.equal([failing, gaveUp]);
    // Long lines are wrapped on their way.
    expect(server.messages[1]?.replaceAll('=\r\n', '')).to.contain('last attempt: 30 so far');
  });

  it('are told that it works again, once it takes something', async () => {
    receiver.answer(respondWith(200));
    await deliver(2);
    expect(await watch()).to.equal(1);
    await deliver(2);
    expect(await watch()).to.equal(0);
    expect(subjects()).to.deep.equal([failing, gaveUp, recovered]);
  });

  it('are told at the operator’s webhook once each, though it failed itself, and nothing of that', async () => {
    operator.answer(respondWith(200));
    await pass(60);
    const ids = operator.received.map(deliveryIdOf);
    const topics = operator.received.map(({ headers }) => headers['x-service-topic']);
    expect(new Set(topics)).to.deep.equal(
      new Set(['webhook.failing', 'webhook.gave_up', 'webhook.recovered']),
    );
    expect(new Set(ids).size).to.equal(3);
    const all = (await shop.admin.get(`${mgmt}/webhooks`)).body.items as readonly unknown[];
    expect(all).to.have.length(1);
    expect(await watch()).to.equal(0);
  });

  it('find these mails among their configurations, and the notifications among all', async () => {
    const { body } = await shop.admin.get(`${mgmt}/notifications`);
    const webhook = (
      body as unknown as readonly { name: string; domain: string; handlers: { name: string }[] }[]
    ).filter(({ domain }) => domain === 'Webhook');
    expect(webhook.map(({ name }) => name)).to.deep.equal([
      'WebhookFailingNotification',
      'WebhookGaveUpNotification',
      'WebhookRecoveredNotification',
    ]);
    const mails = (await shop.admin.get(`${mgmt}/emails?pageSize=100`)).body.items as readonly {
      topic: string;
    }[];
    expect(mails.filter(({ topic }) => topic.startsWith('webhook.'))).to.have.length(3);
  });
});
