import { expect } from 'chai';
import type { WhyResponse } from '#contracts/why.contract.ts';
import { ListedShop, worth } from '#test/support/listed-shop.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import type { GivenEvent } from '#test/support/given.ts';

// It is noon (UTC) of 1 March 2026. Amounts are in yen.

/** Two sales of 10 February, one paid a day later; then 500 of it went back, and the other was cancelled. */
const february = (): readonly GivenEvent[] => {
  const shop = new ListedShop();
  shop.at('2026-02-10T10:00:00.000Z', () => shop.sell('2026-02-10', 'web', 'ada', worth(1000)));
  shop.at('2026-02-11T15:00:00.000Z', () => shop.sell('2026-02-10', 'draft', 'bob', worth(2000)));
  shop.at('2026-02-12T15:00:00.000Z', () => shop.sell('2026-02-12', 'web', 'cyd', worth(7000)));
  const [cancelled, refunded] = shop.list;
  if (!cancelled || !refunded) throw new Error('nothing was sold');
  shop.at('2026-02-20T09:00:00.000Z', () => shop.refund(refunded, 500));
  shop.at('2026-03-01T08:00:00.000Z', () => shop.cancel(cancelled));
  return shop.events;
};

/** docs/rules/why.md#a-days-sales */
describe('why a day sold what it sold', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(february(), { storeCurrencyCode: 'JPY' });
  });
  after(() => shop.close());

  const why = async (key: string, query = ''): Promise<WhyResponse> =>
    (await shop.manage(`/audit/why/salesJournal/${encodeURIComponent(key)}?${query}`).then(200))
      .body as WhyResponse;
  const told = ({ items }: WhyResponse) => items.map(({ type, contribution }) => [type, contribution]);

  it('is said by the events of the days on which it became known', async () => {
    const answer = await why('2026-02-10', 'figure=sales.total');
    expect(answer).to.deep.include({
      figure: 'sales.total',
      value: 2000,
      sum: 2000,
      addsUp: true,
      next: null,
    });
    expect(told(answer)).to.deep.equal([
      ['SaleConfirmed', 1000],
      ['SaleConfirmed', 2000],
      ['InvoiceCancelled', -1000],
    ]);
    expect(answer.items[0]).to.have.all.keys('position', 'stream', 'type', 'recordedAt', 'contribution');
    expect(answer.items[0]).to.include({ recordedAt: '2026-02-10T10:00:00.000Z' });
  });

  it('shows every event of the day where no figure is named, with what it contributed to its sales', async () => {
    const answer = await why('2026-02-10');
    expect(answer).to.deep.include({ figure: 'sales.total', value: 2000, addsUp: true });
    expect(told(answer)).to.deep.include(['PaymentRefunded', 0]);
  });

  it('is told for one source, and for any figure of the day, one that is 0 among them', async () => {
    expect(told(await why('web 2026-02-10', 'figure=sales.total'))).to.deep.equal([
      ['SaleConfirmed', 1000],
      ['InvoiceCancelled', -1000],
    ]);
    expect(told(await why('2026-02-10', 'figure=sales.returns'))).to.deep.equal([['PaymentRefunded', 500]]);
    expect(await why('2026-02-10', 'figure=sales.discounts')).to.include({ value: 0, sum: 0, addsUp: true });
  });

  it('is told for a document of the journal, and for a day in it', async () => {
    const february = 'all month 2026-02 2026-02';
    const all = await why(february);
    expect(all).to.deep.include({ figure: 'days.*.sales.total', value: 10_000, sum: 10_000, addsUp: true });
    const day = await why(february, 'figure=days.2026-02-12.sales.total');
    expect(told(day)).to.deep.equal([['SaleConfirmed', 7000]]);
  });

  it('goes on from page to page, each with the whole sum', async () => {
    const first = await why('2026-02-10', 'figure=sales.total&limit=2');
    expect(told(first)).to.have.length(2);
    expect(first).to.include({ sum: 2000, addsUp: true });
    const second = await why('2026-02-10', `figure=sales.total&limit=2&position=${first.next}`);
    expect(told(second)).to.deep.equal([['InvoiceCancelled', -1000]]);
    expect(second).to.include({ sum: 2000, next: null });
  });

  it('is told as of a moment of the past, which the header names', async () => {
    const path = '/audit/why/salesJournal/2026-02-10?figure=sales.total&asOf=';
    const asOf = async (moment: string) => (await shop.manage(`${path}${moment}`).then(200)).body;
    expect(await asOf('2026-02-10')).to.include({ value: 1000, sum: 1000, addsUp: true });
    expect(await asOf('2026-02-28')).to.include({ value: 3000, sum: 3000 });
    expect(await asOf('2026-03-01T07:59:59Z')).to.include({ value: 3000 });
    expect(await asOf('2026-03-01')).to.include({ value: 2000 });
    await shop.manage(`${path}2026-02-09`).then(404);
    await shop.manage(`${path}2026-03-02`).then(400);
  });

  it('refuses what is not there, and says what is', async () => {
    const refusal = async (path: string, status: 400 | 404) =>
      JSON.stringify((await shop.manage(`/audit/why/${path}`).then(status)).body);
    expect(await refusal('sails/2026-02-10', 404)).to.include('There is no view');
    expect(await refusal('salesJournal/2026-02-11', 404)).to.include('no document');
    expect(await refusal('salesJournal/2026-02-10?figure=sales.profit', 404)).to.include('sales.total');
    expect(await refusal('abandonedCheckoutDays/2026-02-10', 400)).to.include('salesJournal');
    expect(await refusal('salesJournal/2026-02-10?asOf=yesterday', 400)).to.include('asOf');
    expect(await refusal('salesJournal/2026-02-10?limit=0', 400)).to.include('limit');
  });
});
