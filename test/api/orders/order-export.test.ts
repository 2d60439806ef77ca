import { expect } from 'chai';
import { invoiceEvents } from '#events/invoice.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { asAdmin } from '#test/support/api.ts';
import { invoice, twoMugs, type InvoiceWith } from '#test/support/builders/invoice.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { manage, withHeaders } from '#test/support/requests.ts';
import { body, header } from '#test/support/scene.ts';

const { InvoiceCancelled, InvoiceDeleted } = invoiceEvents.create;

/** A sale of a day, with the last figure of its number as the hour. */
const soldOn = (day: string, number: number, given: InvoiceWith = {}) =>
  invoice(`sale ${number}`, {
    number: `INV-000${number}`,
    ...given,
    content: { createdAt: `${day}T0${number}:00:00.000Z`, businessDay: day, ...given.content },
  });

const balance = invoiceBalance(0, 2640, 0);
const sale = { amounts: twoMugs().amounts, cost: 600, items: 2, returns: 0 };
const later = '2026-03-02T10:00:00.000Z';

const cancelled = ({ stream, invoiceName }: ReturnType<typeof invoice>): readonly GivenEvent[] =>
  inStream(
    stream,
    InvoiceCancelled({ ...invoiceName, reason: 'changed her mind', cancelledAt: later, balance, sale }),
  );

const deleted = ({ stream, invoiceName }: ReturnType<typeof invoice>): readonly GivenEvent[] => {
  const whole = { deletedBy: 'bea', deletedAt: later, orderIds: [], paymentIds: [], completedDays: [] };
  return inStream(stream, InvoiceDeleted({ ...invoiceName, ...whole, wasCancelled: false, balance, sale }));
};

const path = '/orders/export';
const march = { fromDate: '2026-03-01', toDate: '2026-03-31' };

/** docs/rules/exports.md#orders */
const firstRow = {
  invoiceNumber: 'INV-0001',
  invoiceDate: '2026-03-01T01:00:00.000Z',
  paymentStatus: 'Paid',
  billingName: 'Ada Lovelace',
  subTotal: 20,
  tax: 4.4,
  shipping: 4,
  total: 26.4,
  currencyCode: 'GBP',
  storeCurrencyCode: 'GBP',
  subTotalInStoreCurrency: 20,
  taxInStoreCurrency: 4.4,
  shippingInStoreCurrency: 4,
  totalInStoreCurrency: 26.4,
  orderNumber: 'INV-0001',
  customerName: 'Ada Lovelace',
  customerEmail: 'ada@example.com',
  channel: 'Online Store',
  sourceType: 'web',
  discount: 2,
  lineItems: [{ name: 'Mug, blue', sku: 'mug', quantity: 2, unitPrice: 10, lineTotal: 20, type: 'Product' }],
};

describe('POST /orders/export', () => {
  let shop: ReadingShop;
  before(async () => {
    const gone = soldOn('2026-03-02', 3);
    const forgotten = soldOn('2026-03-02', 4);
    const staff = { ...twoMugs().source, type: 'draft' as const };
    const formula = { customer: '=HYPERLINK("http://evil.example")', email: '+44@example.com' };
    shop = await openReadingShop(
      [
        ...soldOn('2026-03-31', 5, { ...formula, content: { source: staff } }).sold(),
        ...soldOn('2026-03-01', 1).sold(),
        ...gone.sold(),
        ...cancelled(gone),
        ...forgotten.sold(),
        ...deleted(forgotten),
        ...soldOn('2026-02-28', 6).sold(),
        { ...soldOn('2026-03-03', 7).placed, stream: soldOn('2026-03-03', 7).stream },
      ],
      {
        users: [
          { id: 'ann', role: 'analyst' },
          { id: 'bob', role: 'auditor' },
        ],
      },
    );
  });
  after(() => shop.close());

  const asked = (given: unknown, query = '', headers = {}) =>
    shop.ask(withHeaders({ ...asAdmin, ...headers }, manage.post(path + query, given)));
  const numbers = async (given: unknown, query = ''): Promise<readonly string[]> => {
    const { body: rows } = await asked(given, query).then(200);
    return (rows as { invoiceNumber: string }[]).map(({ invoiceNumber }) => invoiceNumber);
  };

  it('lists the sales of these days, the oldest first: a row an invoice, with its lines', async () => {
    await asked(march)
      .then(200)
      .and(header('content-type', 'application/json; charset=utf-8'))
      .and(body(([first]) => expect(first).to.deep.equal(firstRow)))
      .and(body(([first]) => expect(Object.keys(first)).to.deep.equal(Object.keys(firstRow))));
    expect(await numbers(march)).to.deep.equal(['INV-0001', 'INV-0005']);
    expect(await numbers({ fromDate: '2026-02-28', toDate: '2026-03-01' })).to.deep.equal([
      'INV-0006',
      'INV-0001',
    ]);
    expect(await numbers({ fromDate: '2026-04-01', toDate: '2026-04-30' })).to.deep.equal([]);
  });

  it('counts as reports do: cancelled sales where they are asked for, deleted ones never', async () => {
    const all = ['INV-0001', 'INV-0003', 'INV-0005'];
    expect(await numbers({ ...march, includeCancelled: true })).to.deep.equal(all);
    expect(await numbers(march, '?includeCancelled=true')).to.deep.equal(all);
    expect(await numbers({ ...march, sourceType: 'draft' })).to.deep.equal(['INV-0005']);
    expect(await numbers({ ...march, sourceType: 'manual' })).to.deep.equal(['INV-0005']);
    expect(await numbers({ ...march, sourceType: 'pos' })).to.deep.equal([]);
  });

  it('takes its parameters from the query, from the body, or from both: the body wins', async () => {
    expect(await numbers({}, '?fromDate=2026-03-01&toDate=2026-03-30')).to.deep.equal(['INV-0001']);
    expect(
      await numbers({ toDate: '2026-03-31T10:00:00Z' }, '?fromDate=2026-03-02&toDate=2026-03-30'),
    ).to.deep.equal(['INV-0005']);
    expect(await numbers({ fromDate: '1000-01-01', toDate: '2999-12-31' })).to.have.length(3);
  });

  it('is about days of the shop, however far its zone is from Greenwich', async () => {
    const soldAt = (createdAt: string, businessDay: string, number: string) =>
      invoice(`sale ${number}`, { number, content: { createdAt, businessDay } }).sold();
    const zones = await openReadingShop([
      // Half past midnight on Kiritimati, and half past eleven at night on Pago Pago.
      ...soldAt('2026-02-09T10:30:00.000Z', '2026-02-10', 'INV-0001'),
      ...soldAt('2026-02-11T10:30:00.000Z', '2026-02-10', 'INV-0002'),
      ...soldAt('2026-02-10T10:30:00.000Z', '2026-02-11', 'INV-0003'),
    ]);
    const { body: rows } = await zones
      .ask(withHeaders(asAdmin, manage.post(path, { fromDate: '2026-02-10', toDate: '2026-02-10' })))
      .then(200);
    await zones.close();
    expect((rows as { invoiceNumber: string }[]).map(({ invoiceNumber }) => invoiceNumber)).to.deep.equal([
      'INV-0001',
      'INV-0002',
    ]);
  });

  it('is CSV for whoever asks for it, with texts that a spreadsheet would calculate as texts', async () => {
    const lineItems =
      '"[{""name"":""Mug, blue"",""sku"":""mug"",""quantity"":2,""unitPrice"":10,""lineTotal"":20,""type"":""Product""}]"';
    const amounts = '20,4.4,4,26.4,GBP,GBP,20,4.4,4,26.4';
    const csv = [
      `${Object.keys(firstRow).join(',')}`,
      `INV-0001,2026-03-01T01:00:00.000Z,Paid,Ada Lovelace,${amounts},INV-0001,Ada Lovelace,ada@example.com,Online Store,web,2,${lineItems}`,
      `INV-0005,2026-03-31T05:00:00.000Z,Paid,"'=HYPERLINK(""http://evil.example"")",${amounts},INV-0005,"'=HYPERLINK(""http://evil.example"")",'+44@example.com,Online Store,draft,2,${lineItems}`,
      '',
    ].join('\r\n');
    const expectCsv = async (answer: ReturnType<typeof asked>) => {
      const { text } = await answer
        .then(200)
        .and(header('content-type', 'text/csv; charset=utf-8'))
        .and(header('content-disposition', 'attachment; filename="orders-2026-03-01-2026-03-31.csv"'));
      expect(text).to.equal(csv);
    };
    await expectCsv(asked(march, '?format=csv'));
    await expectCsv(asked({ ...march, format: 'csv' }, '?format=json'));
    await expectCsv(asked(march, '', { Accept: 'text/csv' }));
  });

  it('is NDJSON likewise; format= wins over Accept', async () => {
    const { text } = await asked(march, '?format=ndjson', { Accept: 'text/csv' })
      .then(200)
      .and(header('content-type', 'application/x-ndjson'));
    const [first, second, ...rest] = text.split('\n');
    expect(JSON.parse(first ?? '')).to.deep.equal(firstRow);
    expect(JSON.parse(second ?? '')).to.include({
      invoiceNumber: 'INV-0005',
      billingName: '=HYPERLINK("http://evil.example")',
    });
    expect(rest).to.deep.equal(['']);
  });

  it('is JSON for who takes anything, unless something else is liked better', async () => {
    const typeFor = async (accept: string) =>
      (await asked(march, '', { Accept: accept }).then(200)).headers.get('content-type')?.split(';')[0];
    expect(await typeFor('*/*')).to.equal('application/json');
    expect(await typeFor('text/csv;q=0.1, */*')).to.equal('application/json');
    expect(await typeFor('text/csv, */*;q=0.1')).to.equal('text/csv');
  });

  it('refuses what it cannot tell apart, naming it', async () => {
    const errors = async (given: unknown, query = ''): Promise<readonly string[]> =>
      (await asked(given, query).then(400)).body.errors;
    const day = 'must be a date YYYY-MM-DD';
    expect(await errors({})).to.deep.equal([`fromDate: ${day}`, `toDate: ${day}`]);
    expect(await errors({ fromDate: '2026-03-01' })).to.deep.equal([`toDate: ${day}`]);
    expect(await errors({ ...march, fromDate: 'March' })).to.deep.equal([`fromDate: ${day}`]);
    expect(await errors({ ...march, fromDate: '2026-02-30' })).to.deep.equal([
      'fromDate: must be a day of the calendar',
    ]);
    expect(await errors({ fromDate: '2026-03-02', toDate: '2026-03-01' })).to.deep.equal([
      'toDate: must be a day not before fromDate',
    ]);
    expect(await errors(march, '?format=xlsx')).to.deep.equal(['format: must be json, csv or ndjson']);
    expect(await errors({ ...march, format: 7 })).to.deep.equal(['format: must be json, csv or ndjson']);
    expect(await errors(march, '?includeCancelled=perhaps')).to.deep.equal([
      'includeCancelled: must be true or false',
    ]);
    expect(await errors(march, '?sourceType=fax')).to.deep.equal([
      'sourceType: must be web, draft, ucp, api, pos or manual',
    ]);
  });

  it('is a read: analysts and auditors may, nobody without a credential', async () => {
    for (const user of ['ann', 'bob'])
      await shop.ask(withHeaders(shop.signedIn(user), manage.post(path, march))).then(200);
    await shop.ask(manage.post(path, march)).then(401);
  });
});
