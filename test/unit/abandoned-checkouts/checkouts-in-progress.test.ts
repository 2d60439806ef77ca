import { expect } from 'chai';
import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { recoveryLimits } from '#command/contexts/abandoned-checkouts/abandoned-checkout.commands.ts';
import { createCheckoutsInProgress } from '#command/contexts/abandoned-checkouts/checkouts-in-progress.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { noTotals } from '#events/basket-view.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { bought, hoursLater, passAt, seenAtNoon } from '#test/support/builders/abandoned-checkout.ts';
import { idNamed, lineOf } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given, givenEvents, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';

const { BasketCleared, BasketCurrencyChanged, BasketForgotten, BasketLineAdded, BasketRepriced } =
  basketEvents.create;
const { CheckoutEmailCaptured } = checkoutEvents.create;

const basketId = seenAtNoon.basketId;
const recordId = abandonedCheckoutId(basketId);
const limits = recoveryLimits(defaultStoreSettings);
const pricing = { totals: noTotals, discounts: [], changedLines: [] };
const destination = { countryCode: 'GB', regionCode: null, postalCode: null };

const inBasket = (hours: number, event: DomainEvent, id = basketId): GivenEvent => ({
  ...event,
  stream: streamOf.basket(id),
  recordedAt: hoursLater(hours),
});
const captured = (hours: number) => ({
  email: 'ada@example.com',
  session: { at: hoursLater(hours), begins: true } as const,
});
const typed = (hours: number, id = basketId) => {
  const figures = { lineCount: 1, total: 1000, displayCurrency: 'GBP' };
  const opens = { at: hoursLater(hours), day: '2030-06-01', ...figures };
  return inBasket(hours, CheckoutEmailCaptured({ ...captured(hours), opens }), id);
};
const added = (hours: number, hasEmail = true) =>
  inBasket(
    hours,
    BasketLineAdded({
      ...{ line: lineOf('mug'), quantity: 1, itemCount: 1 },
      pricing: { ...pricing, ...(hasEmail && { hasEmail: true }) },
    }),
  );
const record = given(abandonedCheckoutDecider);
const inRecord = (hours: number, ...events: readonly DomainEvent[]): readonly GivenEvent[] =>
  events.map((event) => ({
    ...event,
    stream: streamOf.abandonedCheckout(recordId),
    recordedAt: hoursLater(hours),
  }));
const seen = { activityRevision: 0, revision: 0 };
const abandonedAt1 = inRecord(1, ...record.after(passAt(1, seen)).history);
const saleOf = (hours: number): GivenEvent => ({
  ...invoice('sale', { content: { basketId } }).confirmed(invoiceBalance(2640, 2640, 0)),
  stream: streamOf.invoice(idNamed('sale')),
  recordedAt: hoursLater(hours),
});

const after = (...events: readonly GivenEvent[]) =>
  givenEvents(...events).foldInto(createCheckoutsInProgress);
type Followed = ReturnType<typeof after>;

const dueAt = async (followed: Followed, hours: number): Promise<readonly string[]> => {
  await followed.use(limits);
  return followed.takeDue(Date.parse(hoursLater(hours)), 10);
};
const isDueFrom = async (followed: Followed, hours: number): Promise<void> => {
  expect(await dueAt(followed, hours - 0.001), `before ${hours} h`).to.deep.equal([]);
  expect(await dueAt(followed, hours), `${hours} h`).to.deep.equal([basketId]);
};

// docs/rules/abandoned-checkouts.md#job
describe('Checkouts in progress', () => {
  it('begin with an e-mail address, and are due an hour after the last activity', async () => {
    expect(after(added(0, false)).count()).to.equal(0);
    await isDueFrom(after(typed(0)), 1);
    await isDueFrom(after(typed(0), added(0.5)), 1.5);
  });

  it('do not begin with what an older release has written: an update sends no mails to those who left long ago', () => {
    const before = inBasket(0, CheckoutEmailCaptured(captured(0)));
    expect(after(before).count()).to.equal(0);
    expect(after(before, added(0.5)).find(basketId)).to.include({ stage: 'active', mayHaveRecord: true });
  });

  it('do not begin with what an agent does for a buyer who has not visited the shop', () => {
    const { metadata } = recordedEvents([added(0)])[0] ?? expect.fail('no event');
    const byAgent = { ...metadata, actor: { kind: 'agent', id: 'https://agent.example/profile' } } as const;
    expect(after({ ...added(0), metadata: byAgent }).count()).to.equal(0);
  });

  it('are not put off by what is no activity, which they reckon with all the same', async () => {
    const repriced = inBasket(0.5, BasketRepriced({ destination, pricing }));
    const shown = inBasket(0.6, BasketCurrencyChanged({ currency: 'EUR' }));
    await isDueFrom(after(typed(0), repriced, shown), 1);
    expect(after(typed(0), repriced, shown).find(basketId)).to.include({ activityRevision: 0, revision: 2 });
  });

  it('are returned once, until something happens or they are put back', async () => {
    const followed = after(typed(0), typed(0, idNamed('another')));
    await followed.use(limits);
    const now = Date.parse(hoursLater(2));
    expect(followed.takeDue(now, 1)).to.have.length(1);
    expect(followed.takeDue(now, 10)).to.have.length(1);
    expect(followed.takeDue(now, 10)).to.deep.equal([]);
    followed.putBack(basketId);
    followed.putBack(idNamed('unknown'));
    expect(followed.takeDue(now, 10)).to.deep.equal([basketId]);
  });

  it('move when the settings change', async () => {
    const followed = after(typed(0));
    await followed.use({ ...limits, thresholdHours: 3 });
    expect(followed.takeDue(Date.parse(hoursLater(2)), 10)).to.deep.equal([]);
    await followed.use(limits);
    expect(followed.takeDue(Date.parse(hoursLater(2)), 10)).to.deep.equal([basketId]);
  });

  it('wait for the next mail, then for their expiry', async () => {
    const mailed = record.after(passAt(1, seen), passAt(2, seen));
    const [, first] = mailed.history;
    if (!first) expect.fail('no mail');
    await isDueFrom(after(typed(0), ...abandonedAt1), 2);
    await isDueFrom(after(typed(0), ...abandonedAt1, ...inRecord(2, first)), 26);
    const all = mailed.after(passAt(26, seen), passAt(74, seen));
    await isDueFrom(after(typed(0), ...inRecord(74, ...all.history)), 721);
  });

  it('have news when a shopper comes back to an abandoned one, clears it or buys', () => {
    const news = (...events: readonly GivenEvent[]): number => after(...events).takeNews(10).length;
    expect(news(typed(0))).to.equal(0);
    expect(news(typed(0), ...abandonedAt1)).to.equal(0);
    expect(
      news(typed(0), ...abandonedAt1, inBasket(1.1, BasketCurrencyChanged({ currency: 'EUR' }))),
    ).to.equal(0);
    expect(news(typed(0), ...abandonedAt1, added(1.1))).to.equal(1);
    expect(news(typed(0), ...abandonedAt1, saleOf(1.1))).to.equal(1);
    const cleared = inBasket(1.1, BasketCleared({ currency: 'GBP', customerId: null }));
    expect(news(typed(0), ...abandonedAt1, cleared)).to.equal(1);
  });

  it('have news of what was bought, or cleared, at the moment when it was found abandoned', () => {
    const cleared = inBasket(1, BasketCleared({ currency: 'GBP', customerId: null }));
    for (const over of [saleOf(1), cleared])
      expect(after(typed(0), over, ...abandonedAt1).takeNews(10)).to.deep.equal([basketId]);
  });

  it('wait for their expiry where a mail was due that could not be sent', async () => {
    const followed = after(typed(0), ...abandonedAt1);
    expect(await dueAt(followed, 2)).to.deep.equal([basketId]);
    followed.letRest(basketId, Date.parse(hoursLater(2)));
    await isDueFrom(followed, 721);
    followed.letRest(basketId, Date.parse(hoursLater(721)));
    expect(await dueAt(followed, 9999), 'nothing is left for it').to.deep.equal([]);
  });

  it('have none of what was never abandoned: it is over when it is bought or cleared', () => {
    expect(after(typed(0), saleOf(0.5)).count()).to.equal(0);
    const cleared = inBasket(0.5, BasketCleared({ currency: 'GBP', customerId: null }));
    expect(after(typed(0), cleared).count()).to.equal(0);
  });

  it('have news of activity that the abandonment has not reckoned with', () => {
    expect(after(typed(0), added(0.9), ...abandonedAt1).takeNews(10)).to.deep.equal([basketId]);
  });

  it('are over when their shopper is forgotten, but for a sale that the record has not heard of yet', () => {
    const forgotten = inBasket(3, BasketForgotten({ at: hoursLater(3) }));
    expect(after(typed(0), ...abandonedAt1, forgotten).count()).to.equal(0);
    const sold = after(typed(0), ...abandonedAt1, saleOf(2), forgotten);
    expect(sold.takeNews(10)).to.deep.equal([basketId]);
    expect(sold.find(basketId)).to.include({ soldInvoiceId: idNamed('sale'), revision: 1 });
  });

  it('tell whose record an id is', async () => {
    const followed = after(typed(0), typed(0, idNamed('another')));
    expect(await followed.basketOf(recordId)).to.equal(basketId);
    expect(await followed.basketOf(idNamed('nothing'))).to.equal(null);
  });

  it('are over once they are converted', () => {
    const { history } = record.after(passAt(1, seen), passAt(2, { ...seen, ...bought }));
    expect(after(typed(0), saleOf(1.5), ...inRecord(2, ...history)).count()).to.equal(0);
  });

  it('are let go ninety days after the last that happened, and begin again with the next', () => {
    const days = (count: number): number => count * 24;
    const other = (hours: number) => typed(hours, idNamed('another'));
    expect(after(typed(0), other(days(90))).count()).to.equal(2);
    const gone = after(typed(0), other(days(92)));
    expect([gone.count(), gone.find(basketId)]).to.deep.equal([1, undefined]);
    const kept = after(typed(0), ...abandonedAt1, other(days(92)));
    expect(kept.count(), 'an abandoned one has its expiry before it').to.equal(2);
    const back = after(typed(0), other(days(92)), added(days(93))).find(basketId);
    expect(back).to.include({ activityAt: Date.parse(hoursLater(days(93))), mayHaveRecord: true });
  });
});
