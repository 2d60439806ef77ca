import { expect } from 'chai';
import { startMailServer, type MailServer } from '#test/support/mail-server.ts';
import { TestShop } from '#test/support/shop.ts';
import { respondWith, startReceiver, type Receiver } from '#test/support/subscriber.ts';

const mgmt = '/backoffice/api/v1';

// docs/rules/webhooks.md#telling-staff
describe('Staff', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let server: MailServer;
  let customers = 0;
  before(async () => {
    receiver = await startReceiver(respondWith(500));
    server = await startMailServer();
    shop = await TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        Mail__Smtp__Url: server.url,
        Mail__Smtp__From: 'Harbour <shop@example.com>',
        Mail__OperatorEmail: 'operator@example.com',
      },
    });
    const wanted = { name: 'Accounting', topic: 'customer.created', targetUrl: receiver.url };
    expect((await shop.admin.post(`${mgmt}/webhooks`, wanted)).status).to.equal(201);
  });
  after(async () => {
    await shop.close();
    await server.close();
    await receiver.stop();
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

  it('are told that it gave up, once for all deliveries', async () => {
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
