import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { customerEvents } from '#events/customer.events.ts';
import type { GivenEvent } from '#test/support/given.ts';
import { abandonedCheckoutsProjection } from '#projection/contexts/abandoned-checkouts/abandoned-checkouts.projection.ts';
import { leftCheckout, lineAdded, pricedAt } from '#test/support/builders/left-checkout.ts';
import { idNamed, lineOf } from '#test/support/builders/basket.ts';
import { placementStarted } from '#test/support/builders/placement.ts';
import { givenEvents, recordedEvents } from '#test/support/given.ts';
import { streamOf } from '#values/stream-name.ts';

const { BasketCleared, BasketCompleted, BasketCurrencyChanged } = basketEvents.create;
const { BasketForgotten, BasketLineRemoved, BasketRepriced } = basketEvents.create;
const { ShippingSelected } = checkoutEvents.create;

const ada = leftCheckout({ name: 'of ada' });
const record = (...events: readonly (GivenEvent | readonly GivenEvent[])[]) =>
  givenEvents(...events.flat()).project(abandonedCheckoutsProjection, ada.id);
const opened = [...ada.begun, ...ada.inBasket(ada.typed())];
const penceGone = { lineId: lineOf('pen').lineId, productId: idNamed('pen'), sku: 'pen', name: 'pen, blue' };

describe('the record of a checkout', () => {
  it('begins with the first e-mail address, with what is in the basket', () => {
    record(...ada.begun).thenNothing();
    record(...opened).then({
      _id: ada.id,
      basketId: ada.basketId,
      customerId: ada.customerId,
      email: 'ada@example.com',
      customerName: null,
      status: 'Active',
      dateCreated: '2026-02-01T09:00:00.000Z',
      abandonedAt: null,
      total: 2400,
      lineCount: 1,
      searchText: 'ada@example.com',
      sortedAt: '2026-02-01T09:00:00.000Z',
    });
  });

  it('asks for no document for a basket whose address is not known', () => {
    const [started, added] = recordedEvents(ada.begun);
    const keysOf = abandonedCheckoutsProjection.keys as (event: unknown) => readonly string[];
    expect(Object.keys(abandonedCheckoutsProjection.on)).not.to.include(started?.type);
    expect(keysOf(added)).to.deep.equal([]);
    const [known] = recordedEvents(ada.inBasket(lineAdded('pen', 2500)));
    expect(keysOf(known)).to.deep.equal([ada.id]);
  });

  it('takes the names of the addresses', () => {
    record(...ada.begun, ...ada.inBasket(ada.addressed())).then({
      status: 'Active',
      customerName: 'Ada Lovelace',
      searchText: 'ada@example.com ada lovelace',
      total: 2400,
    });
  });

  it('follows what the shopper does', () => {
    const at = '2026-02-01T09:20:00.000Z';
    const added = record(...opened, ...ada.inBasketAt(at, lineAdded('pen', 2550, { itemCount: 2 })));
    added.then({ total: 2550, lineCount: 2, lastActivityAt: at });
    const removed = BasketLineRemoved({ ...penceGone, quantity: 1, itemCount: 1, pricing: pricedAt(2400) });
    record(...opened, ...ada.inBasket(lineAdded('pen', 2550), removed)).then({ total: 2400, lineCount: 1 });
    const shipped = ShippingSelected({ choices: [], pricing: pricedAt(2900) });
    record(...opened, ...ada.inBasketAt(at, shipped)).then({ total: 2900, lastActivityAt: at });
  });

  it('takes a new price for no activity', () => {
    const repriced = BasketRepriced({
      destination: { countryCode: 'GB', regionCode: null, postalCode: null },
      pricing: pricedAt(2200),
    });
    const before = record(...opened).document?.lastActivityAt;
    record(...opened, ...ada.inBasket(repriced)).then({ total: 2200, lastActivityAt: before });
  });

  it('is shown in the currency that the shopper chose', () => {
    record(...opened, ...ada.inBasket(BasketCurrencyChanged({ currency: 'EUR' }))).then({
      displayCurrency: 'EUR',
    });
  });

  it('is bought without ever being abandoned', () => {
    const bought = [
      ...ada.inBasket(...placementStarted()),
      ...ada.inBasketAt('2026-02-01T10:00:00.000Z', BasketCompleted({ invoiceId: idNamed('invoice') })),
    ];
    const sold = record(...opened, ...bought);
    sold.then({
      status: 'Converted',
      convertedAt: '2026-02-01T10:00:00.000Z',
      invoiceId: idNamed('invoice'),
      abandonedAt: null,
    });
    expect(sold.document?.figures, 'as it was ordered').not.to.equal(null);
    record(...opened, ...bought, ...ada.inBasket(BasketCleared({ currency: 'GBP', customerId: null }))).then({
      status: 'Converted',
      basketId: ada.basketId,
    });
  });

  it('has no basket once that is emptied, and has it again once there is something in it', () => {
    const cleared = ada.inBasket(BasketCleared({ currency: 'GBP', customerId: null }));
    record(...opened, ...cleared).then({ status: 'Active', basketId: null });
    const again = ada.inBasket(ada.typed({ isAgain: true, lineCount: 3, total: 900 }));
    record(...opened, ...cleared, ...again).then({
      basketId: ada.basketId,
      dateCreated: '2026-02-01T09:00:00.000Z',
      lineCount: 3,
      total: 900,
    });
  });

  it('is abandoned with what was left in it', () => {
    const { document } = record(...opened, ...ada.abandoned());
    expect(document).to.deep.include({
      status: 'Abandoned',
      abandonedAt: '2026-02-01T10:30:00.000Z',
      sortedAt: '2026-02-01T10:30:00.000Z',
      lastActivityAt: '2026-02-01T09:30:00.000Z',
      customerName: 'Ada Lovelace',
      link: { number: 1, expiresAt: '2026-03-03T10:30:00.000Z' },
      total: 2400,
      displayCurrency: 'EUR',
    });
    expect(document?.figures).to.include({ currency: 'EUR', total: 3000 });
    expect(document?.left?.lines.map(({ sku }) => sku)).to.deep.equal(['mug']);
  });

  it('is there once it is abandoned, of a basket of an older release, too', () => {
    record(...ada.abandoned()).then({ status: 'Abandoned', basketId: ada.basketId, recoveredAt: null });
  });

  it('is active again when the shopper comes back by themselves, and keeps link and mails', () => {
    const mailed = [...ada.abandoned(), ...ada.mailed(1, '2026-02-01T11:30:00.000Z')];
    const back = [...mailed, ...ada.inBasket(lineAdded('pen', 2550)), ...ada.resumed()];
    record(...opened, ...back).then({
      status: 'Active',
      abandonedAt: null,
      mailsSent: 1,
      lastMailAt: '2026-02-01T11:30:00.000Z',
      link: { number: 1, expiresAt: '2026-03-03T10:30:00.000Z' },
      figures: null,
      total: 2550,
      sortedAt: '2026-02-01T09:00:00.000Z',
    });
  });

  it('has the link that was issued last', () => {
    record(...ada.abandoned(), ...ada.relinked(2, '2026-03-09T10:30:00.000Z')).then({
      link: { number: 2, expiresAt: '2026-03-09T10:30:00.000Z' },
    });
  });

  it('is recovered by its link, and keeps when that was the first time', () => {
    record(...ada.abandoned(), ...ada.recovered()).then({
      status: 'Recovered',
      recoveredAt: '2026-02-02T08:00:00.000Z',
    });
    const later = ada.recovered({ recoveredAt: '2026-02-05T08:00:00.000Z', isFirst: false });
    record(...ada.abandoned(), ...ada.recovered(), ...ada.abandoned({ isFirst: false }), ...later).then({
      recoveredAt: '2026-02-02T08:00:00.000Z',
    });
  });

  it('comes to what is in it when its shopper comes back, whatever was in it when it was left', () => {
    const changed = [
      ...opened,
      ...ada.abandoned(),
      ...ada.inBasket(lineAdded('pen', 2550)),
      ...ada.resumed(),
    ];
    record(...changed, ...ada.recovered()).then({ status: 'Recovered', total: 2550, figures: null });
    record(...opened, ...ada.abandoned(), ...ada.recovered()).then({ total: 2400 });
  });

  it('comes to what was bought in the end', () => {
    const figures = {
      ...{ currency: 'EUR', total: 4500, storeCurrency: 'GBP', totalInStoreCurrency: 3600, rate: '1.25' },
      lineCount: 2,
    };
    record(...opened, ...ada.abandoned(), ...ada.converted({ figures })).then({
      ...{ status: 'Converted', figures, total: 3600, lineCount: 2 },
    });
  });

  it('stays bought where it was found abandoned at the same moment', () => {
    const sold = ada.inBasket(BasketCompleted({ invoiceId: idNamed('invoice') }));
    record(...opened, ...sold, ...ada.abandoned()).then({ status: 'Converted', abandonedAt: null });
  });

  it('is converted by its sale, from whatever it was', () => {
    for (const before of [[], ada.recovered(), ada.expired()])
      record(...ada.abandoned(), ...before, ...ada.converted()).then({
        status: 'Converted',
        convertedAt: '2026-02-02T09:00:00.000Z',
        invoiceId: idNamed('invoice of of ada'),
        link: null,
      });
  });

  it('expires, and has no link then', () => {
    record(...ada.abandoned(), ...ada.expired()).then({
      status: 'Expired',
      expiredAt: '2026-03-03T10:30:00.000Z',
      link: null,
    });
    record(...ada.abandoned(), ...ada.expired(), ...ada.resumed()).then({
      status: 'Active',
      expiredAt: null,
    });
  });

  it('keeps what was left in a basket that is gone', () => {
    const { document } = record(...ada.abandoned(), ...ada.lost());
    expect(document).to.deep.include({ status: 'Abandoned', basketId: null });
    expect(document?.left?.lines).to.have.length(1);
  });

  it('knows nobody any more once its shopper is forgotten, and has nothing to come back to', () => {
    const forgotten = BasketForgotten({ at: '2026-02-04T09:00:00.000Z' });
    const { document } = record(...opened, ...ada.abandoned(), ...ada.inBasket(forgotten));
    expect(document).to.deep.include({
      ...{ email: null, customerName: null, billingAddress: null, shippingAddress: null },
      ...{ emailKey: '', searchText: '', basketId: null, link: null, status: 'Expired', total: 2400 },
    });
    expect(JSON.stringify(document)).not.to.match(/ada|lovelace/i);
    const { document: neverLeft } = record(...opened, ...ada.inBasket(forgotten));
    expect(neverLeft).to.include({ status: 'Expired' });
    const bought = ada.inBasket(BasketCompleted({ invoiceId: idNamed('invoice') }));
    const { document: sold } = record(...opened, ...bought, ...ada.inBasket(forgotten));
    expect(sold).to.include({ status: 'Converted' });
  });

  // docs/rules/forgetting.md#steps
  it('knows nobody either where it was found abandoned after its basket was closed', () => {
    const at = '2026-02-04T09:00:00.000Z';
    const closed = ada.inBasket(BasketForgotten({ at }));
    const named = customerEvents.create.CustomerForgotten({
      ...{ part: 1, basketIds: [ada.basketId], recordIds: [ada.id], invoiceIds: [], isLast: false, at },
    });
    const stream = streamOf.customer(idNamed('ada'));
    const { document } = record(...opened, ...closed, ...ada.abandoned(), { ...named, stream });
    expect(document).to.deep.include({
      ...{ email: null, customerName: null, billingAddress: null, shippingAddress: null },
      ...{ emailKey: '', searchText: '', basketId: null, link: null, status: 'Expired', total: 2400 },
    });
    expect(JSON.stringify(document)).not.to.match(/ada|lovelace/i);
    record({ ...named, stream }).thenNothing();
  });

  it('is counted by its status', () => {
    const { counters } = abandonedCheckoutsProjection;
    const { document } = record(...ada.abandoned());
    expect(document && counters?.(document)).to.deep.equal({ Abandoned: 1 });
  });
});
