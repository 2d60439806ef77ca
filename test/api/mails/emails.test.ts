import { expect } from 'chai';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/emails';
const wanted = {
  name: 'Tell the shop',
  topic: 'order.created',
  templatePath: 'order-confirmation',
  toExpression: 'sales@shop.example.com',
  subjectExpression: 'New order {{invoiceNumber}}',
};
type Json = Record<string, unknown>;

/** docs/rules/mails.md */
describe('mails in the backoffice', () => {
  let shop: TestShop;
  let dataDir: string;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tillroll-mails-'));
    shop = await TestShop.open({ environment: { DATA_DIR: dataDir } });
  });
  after(async () => {
    await shop.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const items = async (query = '?pageSize=100') =>
    (await shop.admin.get(path + query)).body.items as readonly Json[];
  const created = async (more: Json = {}): Promise<Json> => {
    const answer = await shop.admin.post(path, { ...wanted, ...more });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const shippedId = (topic: string): string =>
    defaultMailConfigurations.find((one) => one.topic === topic)?.id ?? expect.fail('not shipped');

  it('are there from the first start on, recovery off and the others on, and no event made them', async () => {
    const shipped = (await items()).filter(({ isDefault }) => isDefault);
    expect(shipped).to.have.length(14);
    const off = shipped.filter(({ isEnabled }) => !isEnabled).map(({ topic }) => topic);
    expect(off).to.deep.equal([
      'checkout.abandoned.first',
      'checkout.abandoned.reminder',
      'checkout.abandoned.final',
    ]);
    expect(shipped[0]).to.include({
      topic: 'order.created',
      dateCreated: null,
      topicDisplayName: 'Order Created',
    });
  });

  it('POST /emails sets one up, and it can be read, changed, switched off and deleted', async () => {
    const { id } = await created({ description: 'For the sales desk' });
    const one = `${path}/${String(id)}`;
    expect((await shop.admin.get(one)).body).to.include({
      ...wanted,
      isEnabled: true,
      enabled: true,
      isDefault: false,
      ccExpression: null,
      description: 'For the sales desk',
      category: 'Orders',
    });
    const changed = await shop.admin.put(one, { name: 'Desk', ccExpression: '{{customerEmail}}' });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.include({
      name: 'Desk',
      ccExpression: '{{customerEmail}}',
      topic: 'order.created',
    });
    const toggled = await shop.admin.post(`${one}/toggle`, { isEnabled: false });
    expect(toggled.body).to.include({ name: 'Desk', isEnabled: false });
    expect((await shop.admin.delete(one)).status).to.equal(204);
    expect((await shop.admin.get(one)).status).to.equal(404);
    expect((await shop.admin.delete(one)).status).to.equal(404);
  });

  it('that are shipped can be changed and deleted for good', async () => {
    const refund = `${path}/${shippedId('payment.refunded')}`;
    const changed = await shop.admin.put(refund, { subjectExpression: 'Money back' });
    expect(changed.body).to.include({ subjectExpression: 'Money back', isDefault: false, isEnabled: true });
    expect(changed.body['dateCreated']).to.be.a('string');
    const supplier = `${path}/${shippedId('fulfilment.supplier_order')}`;
    expect((await shop.admin.delete(supplier)).status).to.equal(204);
    expect((await items()).map(({ id }) => id)).to.not.include(shippedId('fulfilment.supplier_order'));
    expect((await shop.admin.put(supplier, { name: 'X' })).status).to.equal(404);
  });

  it('take `enabled` for `isEnabled`', async () => {
    expect(await created({ enabled: false })).to.include({ isEnabled: false, enabled: false });
  });

  it('are found by topic, by whether they are on, and by their words', async () => {
    await created({ name: 'Zebra', topic: 'invoice.paid' });
    expect((await items('?topic=invoice.paid')).map(({ name }) => name)).to.deep.equal(['Zebra']);
    expect(await items('?search=zebra')).to.have.length(1);
    expect(
      (await items('?isEnabled=false&pageSize=100')).every(({ isEnabled }) => isEnabled === false),
    ).to.equal(true);
    expect((await items('?sortBy=name&sortDirection=desc'))[0]).to.include({ name: 'Zebra' });
  });

  const refused: readonly (readonly [what: string, body: Json, field: string])[] = [
    ['a topic that there is not', { topic: 'order.eaten' }, 'topic'],
    ['a template outside its folder', { templatePath: '../../../etc/passwd' }, 'templatePath'],
    ['an absolute template', { templatePath: '/etc/passwd' }, 'templatePath'],
    ['a part of templates', { templatePath: 'parts/head' }, 'templatePath'],
    ['a template that there is not', { templatePath: 'no-such' }, 'templatePath'],
    ['a line break in an address', { toExpression: 'a@example.com\r\nBcc: b@example.com' }, 'toExpression'],
    ['an address that is none', { ccExpression: 'nobody' }, 'ccExpression'],
    ['a value that is no address', { toExpression: '{{customerName}}' }, 'toExpression'],
    ['a token that names nothing', { subjectExpression: '{{order.nummer}}' }, 'subjectExpression'],
    ['a line break in the subject', { subjectExpression: 'a\nb' }, 'subjectExpression'],
    [
      'a setting that is nobody’s business',
      { subjectExpression: '{{config.applicationKey}}' },
      'subjectExpression',
    ],
    ['an attachment that there is not', { attachmentAliases: ['invoice-pdf'] }, 'attachmentAliases'],
  ];
  for (const [what, body, field] of refused)
    it(`are refused with ${what}`, async () => {
      const before = await items();
      const answer = await shop.admin.post(path, { ...wanted, ...body });
      expect(answer.status).to.equal(400);
      expect(JSON.stringify(answer.body['errors'])).to.include(field);
      expect(await items()).to.deep.equal(before);
    });

  it('name every wrong field at once', async () => {
    const wrong = { templatePath: 'no-such', toExpression: 'nobody', subjectExpression: '{{x}}' };
    const { body } = await shop.admin.post(path, { ...wanted, ...wrong });
    expect(body['errors']).to.deep.equal([
      'templatePath: there is no no-such.txt',
      'toExpression: nobody must be one e-mail address',
      'subjectExpression: {{x}} must be a token of GET /emails/topics/order.created/tokens',
    ]);
  });

  it('keep their topic', async () => {
    const { body } = await shop.admin.put(`${path}/${shippedId('order.created')}`, { topic: 'invoice.paid' });
    expect(body['errors']).to.deep.equal(['topic: must stay order.created; create another mail']);
  });

  it('GET /emails/{id}/preview shows a mail as it would go out', async () => {
    const { body } = await shop.admin.get(`${path}/${shippedId('order.created')}/preview`);
    expect(body).to.include({
      success: true,
      errorMessage: null,
      from: null,
      subject: 'Your order INV-0001 at Tillroll',
    });
    expect(body['to']).to.deep.equal(['ada@example.com']);
    expect(body['text']).to.include('2 x Stoneware mug');
    expect(body['html']).to.include('Stoneware mug').and.include('£25.92');
    expect(body['unresolvedTokens']).to.deep.equal([]);
  });

  it('POST /emails/{id}/test sends one to one address, also where it is off', async () => {
    const one = `${path}/${shippedId('checkout.abandoned.first')}`;
    const { status, body } = await shop.admin.post(`${one}/test`, { to: 'mary@example.com' });
    expect(status).to.equal(200);
    expect(body).to.include({ success: true, errorMessage: null });
    const folder = join(dataDir, 'mails');
    const mails = await Promise.all(
      (await readdir(folder)).map(
        async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Json,
      ),
    );
    const [mail, ...others] = mails.filter(({ to }) => String(to).includes('mary@example.com'));
    expect(others).to.deep.equal([]);
    expect(mail?.['subject']).to.equal('You left something in your basket at Tillroll');
    expect(mail?.['text']).to.include('Stoneware mug');
    for (const to of ['nobody', 'a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', ''])
      expect((await shop.admin.post(`${one}/test`, { to })).status, to).to.equal(400);
  });

  it('take a template of the shop before the one that is shipped, and follow no link out of the folder', async () => {
    const folder = join(dataDir, 'mail-templates');
    await mkdir(join(folder, 'own'), { recursive: true });
    await writeFile(join(folder, 'refund.txt'), 'Money for {{invoiceNumber}} {{nothing}}\n');
    await writeFile(join(folder, 'own/thanks.txt'), 'Thanks');
    await writeFile(join(folder, 'own/thanks.html'), '<p>Thanks</p>');
    await writeFile(join(folder, 'own/broken.txt'), '{{#lines}}');
    await writeFile(join(folder, 'own/broken.html'), '<p></p>');
    await writeFile(join(dataDir, 'secret.html'), 'secret');
    await symlink(join(dataDir, 'secret.html'), join(folder, 'own/secret.html'));
    await symlink(join(dataDir, 'secret.html'), join(folder, 'own/secret.txt'));
    const listed = (await shop.admin.get(`${path}/templates`)).body as unknown as readonly Json[];
    expect(listed).to.deep.include({ path: 'own/thanks', isShipped: false, isCustomised: true });
    expect(listed).to.deep.include({ path: 'refund', isShipped: true, isCustomised: true });
    expect(listed).to.deep.include({ path: 'shipment', isShipped: true, isCustomised: false });
    expect(listed.map((one) => one['path'])).to.not.include('own/secret');
    const { body } = await shop.admin.get(`${path}/${shippedId('payment.refunded')}/preview`);
    expect(body).to.include({ success: true, text: 'Money for INV-0001 \n' });
    expect(body['unresolvedTokens']).to.deep.equal(['nothing']);
    await created({ templatePath: 'own/thanks' });
    for (const [templatePath, problem] of [
      ['own/secret', 'there is no own/secret.txt'],
      ['own/broken', 'own/broken.txt: {{#lines}}: must end with {{/lines}}'],
    ] as const) {
      const answer = await shop.admin.post(path, { ...wanted, templatePath });
      expect(answer.body['errors']).to.deep.equal([`templatePath: ${problem}`]);
    }
  });

  it('GET /emails/topics lists topics, by category too, and what each can write', async () => {
    const topics = (await shop.admin.get(`${path}/topics`)).body as unknown as readonly Json[];
    expect(topics).to.have.length(32);
    const groups = (await shop.admin.get(`${path}/topics/categories`)).body as unknown as readonly Json[];
    expect(groups.map(({ name }) => name)).to.deep.equal([
      'Orders',
      'Invoices',
      'Payments',
      'Shipments',
      'Customers',
      'Inventory',
      'Checkout Recovery',
      'Digital Products',
      'Fulfilment',
      'Webhooks',
    ]);
    const tokens = (await shop.admin.get(`${path}/topics/invoice.refunded/tokens`))
      .body as unknown as readonly Json[];
    expect(tokens).to.deep.include({
      token: '{{formattedRefundAmount}}',
      path: 'formattedRefundAmount',
      type: 'text',
      within: null,
      sample: '£12.00',
    });
    expect((await shop.admin.get(`${path}/topics/no.such/tokens`)).status).to.equal(404);
    expect((await shop.admin.get(`${path}/attachments`)).body).to.deep.equal([]);
  });
});
