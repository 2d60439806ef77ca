import { z } from 'zod';
import { checkoutStatuses } from '#values/abandoned-checkout.ts';
import { addressResponse } from './basket.contract.ts';
import { listFields } from './listing.contract.ts';
import { calendarDay } from './reporting.contract.ts';

/** Checkouts that were left behind, as the backoffice reads them (docs/rules/abandoned-checkouts.md#list). */

const dateFields = {
  /** Opened on this day or later; of an instant the date counts. */
  fromDate: calendarDay.optional(),
  /** Opened on this day or earlier. */
  toDate: calendarDay.optional(),
};

type Dates = Readonly<Partial<Record<keyof typeof dateFields, string | undefined>>>;

const isInOrder = ({ fromDate, toDate }: Dates): boolean =>
  fromDate === undefined || toDate === undefined || fromDate <= toDate;
const inOrder = { path: ['toDate'], message: 'must be a day not before fromDate' };

/** In any case; an unknown one is no filter. */
const status = z
  .string()
  .transform((given) => checkoutStatuses.find((name) => name.toLowerCase() === given.toLowerCase()))
  .optional();

const orders = ['DateAbandoned', 'LastActivity', 'Total', 'Email'] as const;

export const abandonedCheckoutListQuery = z
  .object({
    ...listFields(),
    ...dateFields,
    status,
    /** Another name of `sortBy`, in any case; an unknown one is DateAbandoned. */
    orderBy: z.string().optional(),
    /** Another way to say `sortDirection`. */
    descending: z
      .enum(['true', 'false'], 'must be true or false')
      .default('true')
      .transform((given) => given === 'true'),
  })
  .refine(isInOrder, inOrder)
  .transform(({ orderBy, descending, ...query }) => {
    const wanted = (orderBy ?? query.sortBy)?.toLowerCase();
    const sortBy = orders.find((name) => name.toLowerCase() === wanted) ?? 'DateAbandoned';
    const direction = descending ? ('desc' as const) : ('asc' as const);
    return { ...query, sortBy, sortDirection: query.sortDirection ?? query.sortDir ?? direction };
  });
export type AbandonedCheckoutListQuery = z.output<typeof abandonedCheckoutListQuery>;

const shown = {
  id: z.string(),
  customerEmail: z.string().nullable(),
  customerName: z.string().nullable(),
  /** In `currencyCode`, the shopper's. */
  basketTotal: z.number(),
  formattedTotal: z.string(),
  /** Products, not pieces. */
  itemCount: z.int(),
  status: z.enum(checkoutStatuses),
  statusDisplay: z.string(),
  statusCssClass: z.string(),
  lastActivityUtc: z.string(),
  dateAbandoned: z.string().nullable(),
  recoveryEmailsSent: z.int(),
  currencyCode: z.string(),
};

export const abandonedCheckoutRow = z.object(shown);
export type AbandonedCheckoutRow = z.output<typeof abandonedCheckoutRow>;

const line = z.object({
  id: z.string(),
  productId: z.string(),
  sku: z.string(),
  name: z.string(),
  productRootName: z.string(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  quantity: z.int(),
  unitPrice: z.number(),
  lineTotal: z.number(),
  formattedUnitPrice: z.string(),
  formattedLineTotal: z.string(),
  imageUrl: z.string().nullable(),
});
export type AbandonedLineResponse = z.output<typeof line>;

export const abandonedCheckoutDetail = z.object({
  ...shown,
  /** Null once the basket is gone. */
  basketId: z.string().nullable(),
  customerId: z.string().nullable(),
  dateCreated: z.string(),
  dateRecovered: z.string().nullable(),
  dateConverted: z.string().nullable(),
  dateExpired: z.string().nullable(),
  recoveredInvoiceId: z.string().nullable(),
  /** For admins, of an abandoned checkout whose link is still good; else null. */
  recoveryLink: z.string().nullable(),
  recoveryTokenExpiresUtc: z.string().nullable(),
  lastRecoveryEmailSentUtc: z.string().nullable(),
  currencySymbol: z.string(),
  billingAddress: addressResponse.nullable(),
  shippingAddress: addressResponse.nullable(),
  lineItems: z.array(line),
});
export type AbandonedCheckoutDetail = z.output<typeof abandonedCheckoutDetail>;

export const abandonedCheckoutStatsQuery = z.object(dateFields).refine(isInOrder, inOrder);

/** Of checkouts opened in the window; amounts in the store's currency. */
export const abandonedCheckoutStats = z.object({
  totalAbandoned: z.int(),
  totalRecovered: z.int(),
  totalConverted: z.int(),
  /** Percent of those abandoned, two decimals; 0 without any. */
  recoveryRate: z.number(),
  conversionRate: z.number(),
  totalValueAbandoned: z.number(),
  totalValueRecovered: z.number(),
  formattedValueAbandoned: z.string(),
  formattedValueRecovered: z.string(),
  currencyCode: z.string(),
  currencySymbol: z.string(),
});
export type AbandonedCheckoutStats = z.output<typeof abandonedCheckoutStats>;

const counts = ['created', 'abandoned', 'recovered', 'converted', 'expired'] as const;
const amounts = ['valueAbandoned', 'valueRecovered'] as const;
export const chartedCheckoutFigures = [...counts, ...amounts];

export const isCheckoutAmount = (figure: (typeof chartedCheckoutFigures)[number]): boolean =>
  amounts.some((amount) => amount === figure);

/** What has become of the checkouts opened on each day. */
export const abandonedCheckoutSeries = z.object({
  interval: z.literal('day'),
  /** Of amounts. */
  currency: z.string(),
  series: z.array(
    z.object({
      figure: z.enum(chartedCheckoutFigures),
      unit: z.enum(['amount', 'count']),
      /** Midnight UTC of each day. */
      points: z.array(z.object({ date: z.string(), value: z.number() })),
      total: z.number(),
    }),
  ),
});
export type AbandonedCheckoutSeries = z.output<typeof abandonedCheckoutSeries>;
