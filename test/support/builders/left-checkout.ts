import { abandonedCheckoutEvents, type AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { noTotals } from '#events/basket-view.ts';
import { checkoutEvents, type OpenedCheckout } from '#events/checkout.events.ts';
import type { DomainEvent, EventOfType } from '#kernel/event.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, type GivenEvent } from '../given.ts';
import { idNamed, lineOf, london } from './basket.ts';
import { addressOf } from './invoice.ts';

const { BasketStarted, BasketLineAdded } = basketEvents.create;
const { CheckoutAddressesChanged, CheckoutEmailCaptured } = checkoutEvents.create;
const of = abandonedCheckoutEvents.create;

type DataOf<Type extends AbandonedCheckoutEvent['type']> = EventOfType<AbandonedCheckoutEvent, Type>['data'];

export const pricedAt = (total: number, hasEmail = true) => ({
  totals: { ...noTotals, subTotal: total, total },
  discounts: [],
  changedLines: [],
  ...(hasEmail && { hasEmail: true as const }),
});

/** A line is added; the basket then comes to `total` (pence), and has `itemCount` pieces. */
export const lineAdded = (sku: string, total: number, { itemCount = 1, hasEmail = true } = {}) =>
  BasketLineAdded({
    line: lineOf(sku),
    quantity: 1,
    itemCount,
    pricing: pricedAt(total, hasEmail),
  });

/** What the shopper saw was in euros, 1.25 for a pound. */
const inEuros = (totalInStoreCurrency: number, lineCount = 1) => ({
  currency: 'EUR',
  total: totalInStoreCurrency * 1.25,
  storeCurrency: 'GBP',
  totalInStoreCurrency,
  rate: '1.25',
  lineCount,
});

interface LeftCheckout {
  /** Of the basket, and so of its record. */
  readonly name: string;
  readonly email?: string;
  readonly customer?: string;
  readonly openedAt?: string;
  readonly openedDay?: string;
  /** Pence. */
  readonly total?: number;
}

/** A checkout by its name: the ids of basket and record, and its events. */
export const leftCheckout = ({
  name,
  email = 'ada@example.com',
  customer = 'Ada Lovelace',
  openedAt = '2026-02-01T09:00:00.000Z',
  openedDay = openedAt.slice(0, 10),
  total = 2400,
}: LeftCheckout) => {
  const basketId = idNamed(name);
  const id = abandonedCheckoutId(basketId);
  const customerId = idNamed(email);
  const [basketStream, stream] = [streamOf.basket(basketId), streamOf.abandonedCheckout(id)];
  const record = { basketId, openedAt, openedDay, firstAbandonedAt: '2026-02-01T10:30:00.000Z' };
  const buyer = { customerId, email, customerName: customer };
  const figures = inEuros(total);
  const opens = { at: openedAt, day: openedDay, lineCount: 1, total, displayCurrency: 'GBP' };
  const link = {
    number: 1,
    issuedAt: '2026-02-01T10:30:00.000Z',
    expiresAt: '2026-03-03T10:30:00.000Z',
  };
  const { isDigital: _, ...line } = lineOf('mug');
  const at = (recordedAt: string | undefined, events: readonly GivenEvent[]): readonly GivenEvent[] =>
    recordedAt === undefined ? events : events.map((event) => ({ ...event, recordedAt }));
  return {
    id,
    basketId,
    customerId,
    /** In the basket's stream. */
    inBasket: (...events: readonly DomainEvent[]) => inStream(basketStream, ...events),
    inBasketAt: (recordedAt: string, ...events: readonly DomainEvent[]) =>
      at(recordedAt, inStream(basketStream, ...events)),
    /** A mug, before the address is known. */
    begun: inStream(
      basketStream,
      BasketStarted({ currency: 'GBP', destination: london }),
      lineAdded('mug', total, { hasEmail: false }),
    ),
    typed: (changes: Partial<OpenedCheckout> = {}) =>
      CheckoutEmailCaptured({
        email,
        customerId,
        opens: { ...opens, ...changes },
        session: { at: openedAt },
      }),
    addressed: () =>
      CheckoutAddressesChanged({
        customerId,
        email,
        billingAddress: addressOf(customer),
        shippingAddress: addressOf(customer),
        shippingSameAsBilling: true,
        acceptsMarketing: false,
        destination: london,
        keepsShipping: true,
        opens,
        pricing: pricedAt(total),
      }),
    abandoned: (changes: Partial<DataOf<'CheckoutAbandoned'>> = {}) =>
      inStream(
        stream,
        of.CheckoutAbandoned({
          ...record,
          ...buyer,
          billingAddress: addressOf(customer),
          shippingAddress: null,
          figures,
          lines: [{ ...line, quantity: 2, unitPrice: 1500, lineTotal: 3000 }],
          lastActivityAt: '2026-02-01T09:30:00.000Z',
          basketRevision: 2,
          abandonedAt: '2026-02-01T10:30:00.000Z',
          isFirst: true,
          mailsSent: 0,
          link,
          ...changes,
        }),
      ),
    resumed: () =>
      inStream(
        stream,
        of.CheckoutResumed({ ...record, resumedAt: '2026-02-01T12:00:00.000Z', basketRevision: 4 }),
      ),
    mailed: (mailsSent: number, requestedAt: string) =>
      inStream(
        stream,
        of.RecoveryMailRequested({
          ...record,
          ...buyer,
          sequence: mailsSent,
          kind: 'first',
          mailsSent,
          requestedBy: 'schedule',
          requestedAt,
          abandonedAt: '2026-02-01T10:30:00.000Z',
          figures,
          lines: [],
          link,
        }),
      ),
    relinked: (number: number, expiresAt: string) =>
      inStream(
        stream,
        of.RecoveryLinkIssued({ ...record, link: { ...link, number, expiresAt }, reason: 'regenerate' }),
      ),
    recovered: (changes: Partial<DataOf<'CheckoutRecovered'>> = {}) =>
      inStream(
        stream,
        of.CheckoutRecovered({
          ...record,
          ...buyer,
          linkNumber: 1,
          recoveredAt: '2026-02-02T08:00:00.000Z',
          isFirst: true,
          replacedBasketId: null,
          figures,
          ...changes,
        }),
      ),
    converted: (changes: Partial<DataOf<'CheckoutConverted'>> = {}) =>
      inStream(
        stream,
        of.CheckoutConverted({
          ...record,
          ...buyer,
          invoiceId: idNamed(`invoice of ${name}`),
          convertedAt: '2026-02-02T09:00:00.000Z',
          recoveredAt: '2026-02-02T08:00:00.000Z',
          figures,
          ...changes,
        }),
      ),
    expired: (changes: Partial<DataOf<'CheckoutRecoveryExpired'>> = {}) =>
      inStream(
        stream,
        of.CheckoutRecoveryExpired({
          ...record,
          expiredAt: '2026-03-03T10:30:00.000Z',
          isFirst: true,
          figures,
          ...changes,
        }),
      ),
    lost: () => inStream(stream, of.AbandonedBasketLost({ ...record, lostAt: '2026-02-03T09:00:00.000Z' })),
  };
};
