import type { OrderListQuery } from '#contracts/orders.contract.ts';
import type { Figures } from '#kernel/projection.ts';
import type { OrderDocument } from './order.document.ts';

/** What the list filters by, apart from what is searched for: so few combinations that each is counted. */
interface Kind {
  readonly cancellationStatus: string;
  readonly paymentStatus: string;
  readonly fulfillmentStatus: string;
  readonly statusSet: string;
}

const KIND = 'kind:';
const COUNTRY = 'country:';

const nameOf = ({ cancellationStatus, paymentStatus, fulfillmentStatus, statusSet }: Kind): string =>
  `${KIND}${cancellationStatus}/${paymentStatus}/${fulfillmentStatus}/${statusSet}`;

const kindOf = (name: string): Kind => {
  const [cancellationStatus = '', paymentStatus = '', fulfillmentStatus = '', statusSet = ''] = name
    .slice(KIND.length)
    .split('/');
  return { cancellationStatus, paymentStatus, fulfillmentStatus, statusSet };
};

const inCountry = (standing: string, country: string): string => `${COUNTRY}${standing}/${country}`;

/** What an invoice adds to the figures of the whole list. */
export const orderCounters = ({
  cancellationStatus,
  balance: { paymentStatus },
  fulfillmentStatus,
  statusSet,
  billingAddress,
}: OrderDocument): Figures => {
  const kind = nameOf({ cancellationStatus, paymentStatus, fulfillmentStatus, statusSet });
  if (!billingAddress) return { [kind]: 1 };
  return { [kind]: 1, [inCountry(cancellationStatus, billingAddress.countryCode)]: 1 };
};

const kindsIn = (figures: Figures): readonly (readonly [Kind, number])[] =>
  Object.entries(figures)
    .filter(([name]) => name.startsWith(KIND))
    .map(([name, count]) => [kindOf(name), count] as const);

const has = ({ statusSet }: Kind, status: string): boolean => statusSet.split(' ').includes(status);

/** The sets of statuses that there are with this one among them. */
export const statusSetsWith = (status: string, figures: Figures): readonly string[] => [
  ...new Set(kindsIn(figures).flatMap(([kind]) => (has(kind, status) ? [kind.statusSet] : []))),
];

const isGiven = (given: unknown): boolean => given !== undefined;

/** Those billed to a country, as long as no kind is asked for besides. */
const countedInCountry = (
  { cancellationStatus = 'active', paymentStatus, fulfillmentStatus, status }: OrderListQuery,
  country: string,
  figures: Figures,
): number | undefined => {
  if ([paymentStatus, fulfillmentStatus, status].some(isGiven)) return undefined;
  const standings = cancellationStatus === 'all' ? ['active', 'cancelled'] : [cancellationStatus];
  return standings.reduce((sum, standing) => sum + (figures[inCountry(standing, country)] ?? 0), 0);
};

/** How many invoices a query finds; undefined for one that has to look. */
export const countedOrders = (query: OrderListQuery, figures: Figures): number | undefined => {
  const { search, customerId, dateFrom, dateTo, country } = query;
  if (search || [customerId, dateFrom, dateTo].some(isGiven)) return undefined;
  if (country !== undefined) return countedInCountry(query, country, figures);
  const { cancellationStatus = 'active', paymentStatus, fulfillmentStatus, status } = query;
  const fits = (kind: Kind): boolean =>
    (cancellationStatus === 'all' || kind.cancellationStatus === cancellationStatus) &&
    (paymentStatus === undefined || kind.paymentStatus === paymentStatus) &&
    (fulfillmentStatus === undefined || kind.fulfillmentStatus === fulfillmentStatus) &&
    (status === undefined || has(kind, status));
  return kindsIn(figures).reduce((sum, [kind, count]) => sum + (fits(kind) ? count : 0), 0);
};
