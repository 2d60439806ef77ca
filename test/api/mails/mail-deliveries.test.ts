import { expect } from 'chai';
import { startMailServer, type MailServer } from '#test/support/mail-server.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { TestShop, Shopper } from '#test/support/shop.ts';

const mgmt = '/backoffice/api/v1';
const password = 'correct horse battery';

// docs/rules/mail-deliveries.md#log-of-mails
describe('Mails in the log of deliveries', () => {
  let shop: TestShop;
  let server: MailServer;
  let configurationId: string;
  before(async () => {
    server = await startMailServer();
    shop = await TestShop.open({
      environment: { Mail__Smtp__Url: server.url, Mail__Smtp__From: 'shop@example.com' },
    });
    const { body } = await shop.admin.post(`${mgmt}/emails`, {
      name: 'Welcome',
      topic: 'customer.created',
      templatePath: 'order-confirmation',
      toExpression: '{{customerEmail}}',
      subjectExpression: 'Welcome {{firstName}}',
    });
    configurationId = body.id as string;
  });
  after(async () => {
    await shop.close();
    await server.close();
  });

  const register = async (email: string): Promise<void> => {
    const { status } = await shop.admin.post(`${mgmt}/customers`, {
      email,
      firstName: 'Ada',
      lastName: 'King',
    });
    expect(status).to.equal(201);
    await shop.settle();
  };
  const deliveries = async () =>
    (await shop.admin.get(`${mgmt}/emails/${configurationId}/deliveries`)).body.items as readonly {
      readonly id: string;
    }[];

  it('are listed for their configuration, shown with what they say, and counted', async () => {
    await register('ada@example.com');
    const [row] = await deliveries();
    expect(row).to.include({
      ...{ deliveryType: 1, deliveryTypeDisplay: 'Email', configurationId, topic: 'customer.created' },
      ...{ status: 'Succeeded', entityType: 'Customer', attemptNumber: 1 },
    });
    const { body } = await shop.admin.get(`${mgmt}/webhooks/deliveries/${row?.id}`);
    expect(body).to.deep.include({ emailRecipients: ['ada@example.com'], emailSubject: 'Welcome Ada' });
    const shown = (await shop.admin.get(`${mgmt}/emails/${configurationId}`)).body;
    expect(shown).to.include({ totalSent: 1, totalFailed: 0 });
    expect(server.messages[0]).to.contain(`Message-ID: <${row?.id}@example.com>`);
    expect((await shop.admin.get(`${mgmt}/webhooks/stats`)).body).to.include({ totalDeliveries: 0 });
  });

  it('are for admins: an analyst reads neither list nor mail', async () => {
    const email = 'ann@shop.example';
    await shop.admin.post(`${mgmt}/users`, { email, password, role: 'analyst' });
    const { token } = (await shop.admin.post(`${mgmt}/sign-in`, { email, password })).body;
    const ann = new Shopper(shop.base);
    const headers = { Authorization: `Bearer ${String(token)}` };
    const [row] = await deliveries();
    for (const path of [`/emails/${configurationId}/deliveries`, `/webhooks/deliveries/${row?.id}`])
      expect((await ann.get(mgmt + path, headers)).status, path).to.equal(403);
  });

  it('that were refused are sent again by hand, and a mail that arrived is not', async () => {
    server.verdict = '550 no such mailbox';
    await register('bob@example.com');
    const [failed] = await deliveries();
    expect(failed).to.include({ status: 'Failed', errorMessage: 'EMESSAGE 550' });
    server.verdict = '250 taken';
    const retry = () => shop.admin.post(`${mgmt}/webhooks/deliveries/${failed?.id}/retry`);
    expect((await retry()).body).to.include({ status: 'Succeeded', attemptNumber: 2 });
    const detail = await shop.admin.get(`${mgmt}/webhooks/deliveries/${failed?.id}`);
    expect(detail.body).to.include({ retriedBy: 'api-key' });
    const again = await retry();
    expect([again.status, again.text]).to.satisfy(
      ([status, text]: [number, string]) => status === 400 && text.includes('Succeeded'),
    );
    const shown = (await shop.admin.get(`${mgmt}/emails/${configurationId}`)).body;
    expect(shown).to.include({ totalSent: 2, totalFailed: 0 });
  });

  it('are 404 for a configuration or a delivery that there is not', async () => {
    const nothing = '00000000-0000-4000-8000-000000000000';
    for (const path of [`/emails/${nothing}/deliveries`, `/webhooks/deliveries/${nothing}`])
      expect((await shop.admin.get(mgmt + path)).status, path).to.equal(404);
  });
});

describe('A mail server that hangs', () => {
  it('holds up no webhook', async () => {
    const server = await startMailServer();
    server.verdict = 'hangs';
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const receiver = await startReceiver((response, _, count) => {
      response.end();
      if (count >= 30) resolve();
    });
    const shop = await TestShop.open({
      environment: {
        ...{ Mail__Smtp__Url: server.url, Mail__Smtp__From: 'shop@example.com' },
        ALLOW_LOOPBACK_TARGETS: 'true',
      },
    });
    try {
      const wanted = { templatePath: 'order-confirmation', toExpression: 'a@example.com' };
      const mail = { name: 'Hello', topic: 'customer.created', subjectExpression: 'Hello', ...wanted };
      await shop.admin.post(`${mgmt}/emails`, mail);
      const webhook = { name: 'Hook', topic: 'customer.created', targetUrl: receiver.url };
      expect((await shop.admin.post(`${mgmt}/webhooks`, webhook)).status).to.equal(201);
      for (let one = 0; one < 30; one++)
        await shop.admin.post(`${mgmt}/customers`, {
          email: `c${one}@example.com`,
          firstName: 'C',
          lastName: 'D',
        });
      await all;
      // As many as there are connections wait for its answer.
      expect(server.recipients.length).to.be.within(1, 5);
    } finally {
      await server.close();
      await shop.close();
      await receiver.close();
    }
  });
});
