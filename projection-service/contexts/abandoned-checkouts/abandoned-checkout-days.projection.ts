import type { AbandonedCheckoutEvent, AbandonedFigures } from '#events/abandoned-checkout.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';

/** What has become of some checkouts; amounts in the store's currency. */
export interface CheckoutCounts {
  readonly created: number;
  /** At least once, like the next two. */
  readonly abandoned: number;
  readonly recovered: number;
  readonly expired: number;
  /** Bought after all, by their link or without it. */
  readonly converted: number;
  /** What they came to when they were first abandoned. */
  readonly valueAbandoned: Minor;
  readonly valueRecovered: Minor;
}

/** Of the checkouts that were opened on a business day, which is the key. */
export interface CheckoutDay extends CheckoutCounts, Document {}

const noCheckouts: CheckoutCounts = {
  created: 0,
  abandoned: 0,
  recovered: 0,
  expired: 0,
  converted: 0,
  valueAbandoned: 0,
  valueRecovered: 0,
};

const checkoutFigures = Object.keys(noCheckouts) as readonly (keyof CheckoutCounts)[];

export const countsOf = (figureOf: (figure: keyof CheckoutCounts) => number): CheckoutCounts =>
  Object.fromEntries(
    checkoutFigures.map((figure) => [figure, figureOf(figure)]),
  ) as unknown as CheckoutCounts;

type Opening = EventOfType<CheckoutEvent, 'CheckoutEmailCaptured' | 'CheckoutAddressesChanged'>;
type Counted =
  | Opening
  | EventOfType<
      AbandonedCheckoutEvent,
      'CheckoutAbandoned' | 'CheckoutRecovered' | 'CheckoutConverted' | 'CheckoutRecoveryExpired'
    >;

/** The day that an event changes; null where it says again what has been counted. */
const dayOf = ({ data }: Recorded<Counted>): string | null => {
  if ('openedDay' in data) return 'isFirst' in data && !data.isFirst ? null : data.openedDay;
  return data.opens === undefined || data.opens.isAgain ? null : data.opens.day;
};

const plus = (day: CheckoutDay | null, key: string, more: Partial<CheckoutCounts>): CheckoutDay => ({
  _id: key,
  ...countsOf((figure) => (day?.[figure] ?? 0) + (more[figure] ?? 0)),
});

const worth = ({ data }: { readonly data: { readonly figures: AbandonedFigures } }): Minor =>
  data.figures.totalInStoreCurrency;

const opened = (day: CheckoutDay | null, _event: Recorded<Opening>, key: string): CheckoutDay =>
  plus(day, key, { created: 1 });

/** Checkouts by the day on which they were opened (docs/rules/abandoned-checkouts.md#statistics). */
export const abandonedCheckoutDaysProjection = projection<Counted>()<CheckoutDay>({
  name: 'abandonedCheckoutDays',
  version: 1,
  indexes: [],
  counters: (day) => ({ ...countsOf((figure) => day[figure]) }),
  keys: (event) => {
    const day = dayOf(event);
    return day === null ? [] : [day];
  },
  on: {
    CheckoutEmailCaptured: opened,
    CheckoutAddressesChanged: opened,
    CheckoutAbandoned: (day, event, key) => plus(day, key, { abandoned: 1, valueAbandoned: worth(event) }),
    CheckoutRecovered: (day, _event, key) => plus(day, key, { recovered: 1 }),
    CheckoutConverted: (day, event, key) => plus(day, key, { converted: 1, valueRecovered: worth(event) }),
    CheckoutRecoveryExpired: (day, _event, key) => plus(day, key, { expired: 1 }),
  },
});
