import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { leftCheckout } from '#test/support/builders/left-checkout.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { manage, withHeaders } from '#test/support/requests.ts';
import { body, type Check } from '#test/support/scene.ts';
import { streamOf } from '#values/stream-name.ts';

const { BasketCompleted } = basketEvents.create;

const ada = leftCheckout({ name: 'of ada' });
const bob = leftCheckout({
  name: 'of bob',
  email: 'Bob@Example.com',
  customer: 'Bob Marsh',
  openedAt: '2026-02-10T23:30:00.000Z',
  total: 600,
});
const cleo = leftCheckout({
  name: 'of cleo',
  email: 'cleo@shop.example',
  customer: 'Cleo Ode',
  openedAt: '2026-02-20T09:00:00.000Z',
  total: 1000,
});
const dan = leftCheckout({
  name: 'of dan',
  email: 'dan@shop.example',
  customer: 'Dan Fox',
  openedAt: '2026-02-25T09:00:00.000Z',
  total: 5000,
});
const sold = invoice('of dan', { number: 'INV-0001' });

interface Row {
  readonly customerEmail: string;
}
const emails = (...wanted: readonly string[]): Check =>
  body(({ items }) =>
    expect((items as Row[]).map(({ customerEmail }) => customerEmail)).to.deep.equal(wanted),
  );
/** Refused, and says of which field. */
const names = (field: string): Check =>
  body(({ errors }) => expect(String(errors)).to.match(new RegExp(`^${field}: `)));
const [adas, bobs, cleos, dans] = [ada, bob, cleo, dan].map(({ id }) => id);

describe('abandoned checkouts as the backoffice reads them', () => {
  let shop: ReadingShop;
  const users = [
    { id: idNamed('owner'), role: 'admin' },
    { id: idNamed('analyst'), role: 'analyst' },
  ] as const;
  before(async () => {
    shop = await openReadingShop(
      [
        ...ada.begun,
        ...ada.inBasket(ada.addressed()),
        ...ada.abandoned(),
        ...ada.mailed(1, '2026-02-01T11:30:00.000Z'),
        ...bob.begun,
        ...bob.inBasket(bob.addressed()),
        ...bob.abandoned({ abandonedAt: '2026-02-11T00:30:00.000Z' }),
        ...bob.recovered(),
        ...bob.converted({ invoiceId: idNamed('gone') }),
        ...cleo.begun,
        ...cleo.inBasketAt('2026-02-20T09:00:00.000Z', cleo.typed()),
        ...dan.begun,
        ...dan.inBasket(dan.addressed(), BasketCompleted({ invoiceId: sold.id })),
        ...inStream(streamOf.invoice(sold.id), sold.placed),
      ],
      { users },
    );
  });
  after(() => shop.close());

  const list = (query = '') => shop.manage(`/abandoned-checkouts${query}`);
  /** What has been recorded since the shop opened is waited for. */
  let seen = 0;
  const since = async (...more: readonly GivenEvent[]) => void (seen = await shop.record(...more));
  const reached = () => ({ 'Tillroll-Position': String(seen) });
  const show = (id = '') => shop.manage(`/abandoned-checkouts/${id}`, reached());

  it('list the last abandoned first, each with what its shopper saw', async () => {
    const page = { totalItems: 4, totalPages: 1, currentPage: 1, pageSize: 50 };
    await list()
      .then(200, page)
      .and(emails('dan@shop.example', 'cleo@shop.example', 'Bob@Example.com', 'ada@example.com'))
      .and(
        body(({ items }) =>
          expect(items[3]).to.deep.equal({
            id: ada.id,
            customerEmail: 'ada@example.com',
            customerName: 'Ada Lovelace',
            basketTotal: 30,
            formattedTotal: '€30.00',
            itemCount: 1,
            status: 'Abandoned',
            statusDisplay: 'Abandoned',
            statusCssClass: 'badge-warning',
            lastActivityUtc: '2026-02-01T09:30:00.000Z',
            dateAbandoned: '2026-02-01T10:30:00.000Z',
            recoveryEmailsSent: 1,
            currencyCode: 'EUR',
          }),
        ),
      );
  });

  it('are sorted by date, activity, total or address, in any spelling', async () => {
    await list('?orderBy=email&descending=false')
      .then(200)
      .and(emails('ada@example.com', 'Bob@Example.com', 'cleo@shop.example', 'dan@shop.example'));
    await list('?orderBy=Total')
      .then(200)
      .and(emails('dan@shop.example', 'ada@example.com', 'cleo@shop.example', 'Bob@Example.com'));
    await list('?sortBy=total&sortDirection=asc&pageSize=1').then(200).and(emails('Bob@Example.com'));
    await list('?orderBy=nonsense&descending=false&pageSize=1').then(200).and(emails('ada@example.com'));
  });

  it('are found by a part of address or name, by status and by day', async () => {
    await list('?search=EXAMPLE.COM').then(200).and(emails('Bob@Example.com', 'ada@example.com'));
    await list('?search=marsh').then(200, { totalItems: 1 }).and(emails('Bob@Example.com'));
    await list('?status=active').then(200, { totalItems: 1 }).and(emails('cleo@shop.example'));
    await list('?status=Converted&pageSize=1').then(200, { totalItems: 2, totalPages: 2 });
    await list('?status=nonsense').then(200, { totalItems: 4 });
    await list('?fromDate=2026-02-10&toDate=2026-02-20')
      .then(200, { totalItems: 2 })
      .and(emails('cleo@shop.example', 'Bob@Example.com'));
    await list('?toDate=2026-02-09').then(200).and(emails('ada@example.com'));
  });

  it('refuse dates that are none, or the wrong way round', async () => {
    await list('?fromDate=yesterday').then(400).and(names('fromDate'));
    await list('?fromDate=2026-02-10&toDate=2026-02-09').then(400).and(names('toDate'));
    await list('?descending=perhaps').then(400).and(names('descending'));
    for (const path of ['stats', 'series'])
      await shop
        .manage(`/abandoned-checkouts/${path}?fromDate=2026-02-10&toDate=2026-02-09`)
        .then(400)
        .and(names('toDate'));
  });

  it('show what is in the basket, in the currency of its shopper', async () => {
    const ofCleo = {
      ...{ status: 'Active', basketId: cleo.basketId, dateCreated: '2026-02-20T09:00:00.000Z' },
      ...{ currencyCode: 'GBP', currencySymbol: '£', recoveryLink: null, billingAddress: null },
    };
    await show(cleos)
      .then(200, ofCleo)
      .and(body(({ lineItems }) => expect(lineItems[0]).to.include({ sku: 'mug', quantity: 1 })));
  });

  it('show what was bought, once it was', async () => {
    const ofDan = { status: 'Converted', recoveredInvoiceId: sold.id, dateAbandoned: null };
    await show(dans)
      .then(200, ofDan)
      .and(body(({ lineItems }) => expect(lineItems.length).to.be.above(0)));
  });

  it('show what was left in a basket that is gone', async () => {
    await since(...ada.lost());
    await show(adas)
      .then(200, { basketId: null, recoveryLink: null, itemCount: 1 })
      .and(
        body(({ lineItems, billingAddress }) => {
          expect(lineItems).to.have.length(1);
          expect(lineItems[0]).to.include({ sku: 'mug', quantity: 2, unitPrice: 15, lineTotal: 30 });
          expect(lineItems[0]).to.include({ formattedUnitPrice: '€15.00', formattedLineTotal: '€30.00' });
          expect(billingAddress).to.include({ firstName: 'Ada', lastName: 'Lovelace' });
        }),
      );
  });

  it('show the link to admins only, and while it is good', async () => {
    const eve = leftCheckout({ name: 'of eve', email: 'eve@shop.example' });
    const late = leftCheckout({ name: 'of fay', email: 'fay@shop.example' });
    const relinked = late.relinked(2, '2026-03-01T11:59:59.000Z');
    await since(...eve.abandoned(), ...late.abandoned(), ...relinked);
    const as = (user: string) =>
      shop.ask(
        withHeaders(
          { ...shop.signedIn(idNamed(user)), ...reached() },
          manage.get(`/abandoned-checkouts/${eve.id}`),
        ),
      );
    const hasLink = body(({ recoveryLink }) =>
      expect(recoveryLink).to.match(/\/checkout\/recover\/[\w-]{43}$/),
    );
    await show(eve.id).then(200).and(hasLink);
    await as('owner').then(200).and(hasLink);
    await as('analyst').then(200, { recoveryLink: null, customerEmail: 'eve@shop.example' });
    await show(late.id).then(200, {
      recoveryLink: null,
      recoveryTokenExpiresUtc: '2026-03-01T11:59:59.000Z',
    });
  });

  it('are not found where there is none', async () => {
    await show(idNamed('nothing')).then(404);
    await show(bobs).then(200, { status: 'Converted', dateRecovered: '2026-02-02T08:00:00.000Z' });
  });
});

describe('figures of abandoned checkouts', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...ada.inBasket(ada.addressed()),
      ...ada.abandoned(),
      ...bob.inBasket(bob.addressed()),
      ...bob.abandoned(),
      ...bob.recovered(),
      ...bob.converted(),
      ...cleo.inBasket(cleo.typed()),
      ...cleo.abandoned(),
      ...cleo.expired(),
      ...dan.inBasket(dan.addressed(), BasketCompleted({ invoiceId: sold.id })),
    ]);
  });
  after(() => shop.close());

  it('count who left and who came back; who bought right away did neither', async () => {
    await shop.manage('/abandoned-checkouts/stats').then(200, {
      totalAbandoned: 3,
      totalRecovered: 1,
      totalConverted: 1,
      recoveryRate: 33.33,
      conversionRate: 33.33,
      totalValueAbandoned: 40,
      totalValueRecovered: 6,
      formattedValueAbandoned: '£40.00',
      formattedValueRecovered: '£6.00',
      currencyCode: 'GBP',
      currencySymbol: '£',
    });
  });

  it('are of the days on which the checkouts were opened', async () => {
    await shop.manage('/abandoned-checkouts/stats?fromDate=2026-02-10&toDate=2026-02-10').then(200, {
      totalAbandoned: 1,
      totalRecovered: 1,
      recoveryRate: 100,
      totalValueAbandoned: 6,
    });
    await shop.manage('/abandoned-checkouts/stats?fromDate=2026-02-26').then(200, {
      totalAbandoned: 0,
      recoveryRate: 0,
      conversionRate: 0,
      totalValueRecovered: 0,
    });
  });

  interface Series {
    readonly figure: string;
    readonly unit: string;
    readonly total: number;
    readonly points: readonly { readonly date: string; readonly value: number }[];
  }
  const series = (query: string, check: (named: (figure: string) => Series) => void) =>
    shop
      .manage(`/abandoned-checkouts/series${query}`)
      .then(200, { interval: 'day', currency: 'GBP' })
      .and(
        body(({ series: all }) =>
          check((figure) => (all as Series[]).find((one) => one.figure === figure) ?? expect.fail(figure)),
        ),
      );

  it('come day by day, for charts', () =>
    series('?fromDate=2026-02-10&toDate=2026-02-20', (named) => {
      expect(named('created')).to.deep.include({ unit: 'count', total: 2 });
      expect(named('created').points).to.have.length(11);
      expect(named('created').points[0]).to.deep.equal({ date: '2026-02-10T00:00:00.000Z', value: 1 });
      expect(named('expired').points.at(-1)).to.deep.equal({ date: '2026-02-20T00:00:00.000Z', value: 1 });
      expect(named('valueAbandoned')).to.deep.include({ unit: 'amount', total: 16 });
      expect(named('valueRecovered').total).to.equal(6);
    }));

  it('come for the last thirty days, unless others are asked for, and for two years at most', async () => {
    await series('', (named) => {
      expect(named('created').points).to.have.length(30);
      expect(named('created').points.at(-1)?.date).to.equal('2026-03-01T00:00:00.000Z');
    });
    await series('?fromDate=2020-01-01', (named) => {
      expect(named('created').points).to.have.length(730);
    });
  });
});
