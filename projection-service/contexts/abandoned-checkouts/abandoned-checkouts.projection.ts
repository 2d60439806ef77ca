import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import { orderedFigures } from '#events/abandoned-figures.ts';
import { isActivity } from '#events/basket-activity.ts';
import type { BasketChange } from '#events/basket-view.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { projection, type IndexSpec, type Projection } from '#kernel/projection.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { listed, type AbandonedCheckoutDocument, type CheckoutFacts } from './abandoned-checkout.document.ts';

type Forgotten = EventOfType<CustomerEvent, 'CustomerForgotten'>;
type Watched = BasketEvent | CheckoutEvent | AbandonedCheckoutEvent | Forgotten;
type Opening = EventOfType<CheckoutEvent, 'CheckoutEmailCaptured' | 'CheckoutAddressesChanged'>;
type Known = CheckoutFacts | null;

const isOfRecord = ({ stream }: Recorded<Watched>): boolean =>
  stream === streamOf.abandonedCheckout(idOf(stream));

/** Changes of a basket whose e-mail address is not known are about no record: nothing is looked up for them. */
const isOfUnknown = ({ type, data }: Recorded<Watched>): boolean =>
  'pricing' in data && data.pricing.hasEmail !== true && type !== 'CheckoutAddressesChanged';

const keysOf = (event: Recorded<Watched>): readonly string[] => {
  if (event.type === 'CustomerForgotten') return event.data.recordIds;
  if (isOfRecord(event)) return [idOf(event.stream)];
  return isOfUnknown(event) ? [] : [abandonedCheckoutId(idOf(event.stream))];
};

/** What was bought is not changed by what becomes of its basket. */
const unsold = (document: Known): Known => (document?.status === 'Converted' ? null : document);

const changed = (document: Known, { data: { pricing } }: Recorded<BasketChange>): Known => {
  const known = unsold(document);
  return known && { ...known, total: pricing.totals.total, figures: null };
};

const withLines = (document: Known, event: Recorded<BasketChange>, added: number): Known => {
  const known = changed(document, event);
  return known && { ...known, lineCount: known.lineCount + added };
};

/** Opens a record with the first e-mail address, and again once its basket has been filled again. */
const opened = (document: Known, event: Recorded<Opening>, key: string): Known => {
  const { opens } = event.data;
  const known = unsold(document);
  if (opens === undefined || (document && !known)) return known;
  const { at, lineCount, total, displayCurrency } = opens;
  const begun: CheckoutFacts = known ?? {
    _id: key,
    basketId: null,
    customerId: null,
    email: null,
    billingAddress: null,
    shippingAddress: null,
    status: 'Active',
    dateCreated: at,
    lastActivityAt: event.recordedAt,
    abandonedAt: null,
    recoveredAt: null,
    convertedAt: null,
    expiredAt: null,
    invoiceId: null,
    link: null,
    mailsSent: 0,
    lastMailAt: null,
    total,
    lineCount,
    displayCurrency,
    figures: null,
    left: null,
  };
  return { ...begun, basketId: idOf(event.stream), total, lineCount, displayCurrency, figures: null };
};

const addressed = (
  document: Known,
  event: Recorded<EventOfType<CheckoutEvent, 'CheckoutAddressesChanged'>>,
  key: string,
): Known => {
  const known = changed(opened(document, event, key), event);
  const { customerId, email, billingAddress, shippingAddress } = event.data;
  return known && { ...known, customerId, email, billingAddress, shippingAddress };
};

const emailed = (
  document: Known,
  event: Recorded<EventOfType<CheckoutEvent, 'CheckoutEmailCaptured'>>,
  key: string,
): Known => {
  const known = opened(document, event, key);
  const { email, customerId = null } = event.data;
  return known && { ...known, email, customerId };
};

const ordered = (
  document: Known,
  { data }: Recorded<EventOfType<CheckoutEvent, 'OrderPlacementStarted'>>,
): Known => {
  const known = unsold(document);
  if (!known) return known;
  const figures = orderedFigures(data.content);
  return { ...known, figures, total: figures.totalInStoreCurrency };
};

const abandoned = (
  document: Known,
  { data }: Recorded<EventOfType<AbandonedCheckoutEvent, 'CheckoutAbandoned'>>,
  key: string,
): Known => {
  // Bought at the same moment: its record hears of that next.
  if (document?.status === 'Converted') return document;
  const { basketId, customerId, email, billingAddress, shippingAddress } = data;
  const { figures, lines, link, abandonedAt, lastActivityAt, mailsSent } = data;
  return {
    ...{ recoveredAt: null, convertedAt: null, invoiceId: null, lastMailAt: null },
    ...document,
    ...{ _id: key, basketId, customerId, email, billingAddress, shippingAddress },
    ...{ figures, abandonedAt, lastActivityAt, mailsSent },
    status: 'Abandoned',
    dateCreated: data.openedAt,
    expiredAt: null,
    link: { number: link.number, expiresAt: link.expiresAt },
    left: { currency: figures.currency, lines },
    total: figures.totalInStoreCurrency,
    lineCount: figures.lineCount,
    displayCurrency: figures.currency,
  };
};

type OfRecord = Projection<CheckoutFacts, AbandonedCheckoutEvent>['on'];

/** What the record's own stream says: from the first time that it is found abandoned. */
const onRecord: OfRecord = {
  CheckoutAbandoned: abandoned,
  CheckoutResumed: (document, { data: { basketId } }) => {
    const known = unsold(document);
    return known && { ...known, basketId, status: 'Active', abandonedAt: null, expiredAt: null };
  },
  RecoveryMailRequested: (document, { data: { mailsSent, requestedAt: lastMailAt, link } }) =>
    document && {
      ...document,
      ...{ mailsSent, lastMailAt },
      link: { number: link.number, expiresAt: link.expiresAt },
    },
  RecoveryLinkIssued: (document, { data: { link } }) =>
    document && { ...document, link: { number: link.number, expiresAt: link.expiresAt } },
  // What it comes to is known from the basket's own events.
  CheckoutRecovered: (document, { data: { recoveredAt } }) =>
    document && {
      ...document,
      status: 'Recovered',
      recoveredAt: document.recoveredAt ?? recoveredAt,
    },
  CheckoutConverted: (document, { data: { convertedAt, invoiceId, figures } }) =>
    document && {
      ...document,
      ...{ status: 'Converted', convertedAt, invoiceId, figures, link: null },
      total: figures.totalInStoreCurrency,
      lineCount: figures.lineCount,
    },
  CheckoutRecoveryExpired: (document, { data: { expiredAt } }) =>
    document && { ...document, status: 'Expired', expiredAt, link: null },
  AbandonedBasketLost: (document) => document && { ...document, basketId: null },
};

/** No one comes back to a checkout whose shopper is forgotten. */
const ended = (
  { status }: CheckoutFacts,
  expiredAt: string,
): Partial<Pick<CheckoutFacts, 'status' | 'expiredAt'>> =>
  status === 'Active' || status === 'Abandoned' ? { status: 'Expired', expiredAt } : {};

/** Also by the event that comes after their keys are gone: one in between may have written to the document again. */
const forgotten = (document: Known, { recordedAt }: Recorded<Watched>): Known =>
  document && {
    ...document,
    ...ended(document, recordedAt),
    ...{ email: null, billingAddress: null, shippingAddress: null },
    // No cookie opens the basket any more.
    ...{ basketId: null, link: null },
  };

/** What the basket's stream says: all there is of a checkout that is never abandoned. */
const onBasket: Projection<CheckoutFacts, BasketEvent | CheckoutEvent>['on'] = {
  BasketLineAdded: (document, event) => withLines(document, event, 1),
  BasketLineQuantityChanged: changed,
  BasketLineRemoved: (document, event) => withLines(document, event, -1),
  BasketRepriced: changed,
  BasketBuyerIdentified: changed,
  BasketMerged: (document, event) => withLines(document, event, event.data.added.length),
  BasketLinesReplaced: (document, event) =>
    withLines(document, event, event.data.added.length - event.data.removed.length),
  BasketCurrencyChanged: (document, { data: { currency: displayCurrency } }) => {
    const known = unsold(document);
    return known && { ...known, displayCurrency, figures: null };
  },
  BasketCleared: (document) => {
    const known = unsold(document);
    return known && { ...known, basketId: null };
  },
  BasketForgotten: forgotten,
  BasketCompleted: (document, { recordedAt: convertedAt, data: { invoiceId } }) => {
    const known = unsold(document);
    return known && { ...known, status: 'Converted', convertedAt, invoiceId, link: null };
  },
  CheckoutAddressesChanged: addressed,
  CheckoutEmailCaptured: emailed,
  CheckoutAddressCaptured: (document, { data: { billingAddress, shippingAddress } }) => {
    const known = unsold(document);
    return known && { ...known, billingAddress, shippingAddress };
  },
  CheckoutDestinationChanged: changed,
  ShippingSelected: changed,
  ShippingRequoted: changed,
  DiscountCodeApplied: changed,
  DiscountCodeRemoved: changed,
  DiscountTakenOff: changed,
  AutomaticDiscountDropped: changed,
  ReferralDiscountApplied: changed,
  ReferralDiscountRemoved: changed,
  OrderPlacementStarted: ordered,
};

type Fold = (document: Known, event: Recorded<Watched>, key: string) => Known;

/** Every function of a fold, followed by when the shopper was there last, what is sorted by and what is searched in. */
const folded = (fold: object): Projection<AbandonedCheckoutDocument, Watched>['on'] =>
  Object.fromEntries(
    Object.entries(fold as Readonly<Record<string, Fold>>).map(([type, apply]) => [
      type,
      (document: AbandonedCheckoutDocument | null, event: Recorded<Watched>, key: string) => {
        const after = apply(document, event, key);
        if (after === null || after === document) return document;
        return listed(isActivity(event) ? { ...after, lastActivityAt: event.recordedAt } : after);
      },
    ]),
  );

const sorts = ['sortedAt', 'lastActivityAt', 'total', 'emailKey'];
const looked = ['status', 'dateCreated', 'searchText'];

const indexes: readonly IndexSpec[] = [
  ...sorts.map((sorted) => ({ fields: [sorted], including: looked })),
  { fields: ['status', 'sortedAt'], including: ['dateCreated', 'searchText'] },
  { fields: ['dateCreated'], including: ['status', 'searchText'] },
  { fields: ['searchText'], contains: true },
];

/** Checkouts in progress and what has become of them (docs/rules/abandoned-checkouts.md#record). */
export const abandonedCheckoutsProjection = projection<Watched>()<AbandonedCheckoutDocument>({
  name: 'abandonedCheckouts',
  version: 4,
  indexes,
  counters: ({ status }) => ({ [status]: 1 }),
  keys: keysOf,
  on: folded({ ...onBasket, ...onRecord, CustomerForgotten: forgotten }),
});
