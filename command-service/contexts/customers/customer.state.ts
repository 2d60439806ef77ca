import type { CreationEvent, CustomerDetails, CustomerEvent } from '#events/customer.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { unchanged, type Evolution } from '#kernel/evolution.ts';
import { figuresAfter, noSales, type CustomerFigures } from '#values/customer-figures.ts';
import type { CustomerFacts } from '#values/customer-segments.ts';
import type { Minor } from '#values/money.ts';
import { addSale, dropSale, noneSold, salesOf, type Sales } from './customer-sales.state.ts';

type Changed = EventOfType<CustomerEvent, 'CustomerChanged'>['data'];

interface CustomerOnRecord extends Sales {
  readonly fields: CustomerDetails;
  /** Whose addresses made the customer known; null where staff did, or an older release. */
  readonly madeByBasket: string | null;
  /** Null where an older release registered the customer. */
  readonly dateCreated: string | null;
  readonly dateUpdated: string | null;
  readonly figures: CustomerFigures;
  /** Whether there is an invoice that expired unpaid. */
  readonly hasExpiredInvoice: boolean;
  /** The manual segments that staff have put the customer in. */
  readonly segmentIds: readonly string[];
  /** How often an e-mail address has been given up that was claimed for the customer. */
  readonly givenUp: number;
  /** By invoice, what confirmed sales still have to bring in. Changes in place. */
  readonly owed: Record<string, OutstandingInvoice>;
  /** The last invoices that are owed no more, and since which revision: what comes late counts no more. In place. */
  readonly settled: Record<string, number>;
}

export interface KnownCustomer extends CustomerOnRecord {
  readonly status: 'known';
}

/**
 * Forgotten, or about to be: no one but the shop's own bookkeeping meets them any more. What they bought is paid,
 * refunded and shipped as before. `fields` are what is needed to forget them, until they are.
 */
export interface ForgottenCustomer extends CustomerOnRecord {
  readonly status: 'forgotten';
  /** How many parts of what was theirs have been forgotten. */
  readonly parts: number;
  /** ISO instant; null while it is under way. */
  readonly forgottenAt: string | null;
  /** Someone who was never a customer, or was deleted before. */
  readonly isGuest: boolean;
  /** The stream of an agent's session or cart that names them; null: none. */
  readonly namedIn: string | null;
}

export interface OutstandingInvoice {
  readonly amount: Minor;
  /** The invoice's revision that says so; -1 of credit that is claimed for it. */
  readonly asOf: number;
  readonly dueDay: string | null;
}

/** Gone for good. A sale that was under way is recorded all the same. */
interface DeletedCustomer extends Sales {
  readonly status: 'deleted';
  /** Whose account goes with the customer. */
  readonly memberKey: string | null;
  readonly isAccountRemoved: boolean;
}

/** `givenUp`: the claimed e-mail address may belong to another customer, so this id is never used. */
interface UnknownCustomer {
  readonly status: 'unknown';
  readonly givenUp: number;
}

export type CustomerState = UnknownCustomer | KnownCustomer | DeletedCustomer | ForgottenCustomer;

/** A repeat of what was owed comes soon: fewer than this many other invoices are settled in between. */
const REMEMBERED_INVOICES = 200;

/** What segments ask of a customer; null for one whom the shop does not know. */
export const factsOf = (state: CustomerState): CustomerFacts | null => {
  if (state.status !== 'known') return null;
  const { fields, figures, dateCreated, segmentIds } = state;
  return { ...figures, email: fields.email, tags: fields.tags, dateCreated, segmentIds };
};

/** What all confirmed sales still have to bring in. */
export const outstandingOf = ({ owed }: Pick<KnownCustomer, 'owed'>): Minor =>
  Object.values(owed).reduce((sum, { amount }) => sum + amount, 0);

/** Later than every revision: nothing that was told of that invoice counts any more. */
export const AT_LAST = Number.MAX_SAFE_INTEGER;

const withoutOldest = (remembered: Record<string, unknown>): void => {
  const ids = Object.keys(remembered);
  for (const id of ids.slice(0, Math.max(0, ids.length - REMEMBERED_INVOICES))) delete remembered[id];
};

type Figures = EventOfType<CustomerEvent, 'CustomerSaleRecorded' | 'CustomerSaleCancelled'>;

const withFigures = (state: CustomerState, event: Figures): CustomerState =>
  isOnRecord(state) ? { ...state, figures: figuresAfter(state.figures, event) } : state;

const impersonal = { email: null, firstName: null, lastName: null, memberKey: null, addresses: null };

const neverSeen = (givenUp: number): CustomerOnRecord => ({
  fields: {
    ...impersonal,
    acceptsMarketing: false,
    isFlagged: false,
    hasAccountTerms: false,
    paymentTermsDays: null,
    creditLimit: null,
    tags: [],
  },
  madeByBasket: null,
  dateCreated: null,
  dateUpdated: null,
  figures: noSales,
  hasExpiredInvoice: false,
  segmentIds: [],
  givenUp,
  owed: {},
  settled: {},
  ...noneSold(),
});

const fieldsOf = ({ tagsGained: _, tagsLost: __, at: ___, ...fields }: Changed): CustomerDetails => fields;

export const isOnRecord = (state: CustomerState): state is KnownCustomer | ForgottenCustomer =>
  state.status === 'known' || state.status === 'forgotten';

/** A change of a customer who is there; nothing happens to any other. */
const changed =
  <Event>(change: <Of extends KnownCustomer | ForgottenCustomer>(customer: Of, event: Event) => Of) =>
  (state: CustomerState, event: Event): CustomerState =>
    isOnRecord(state) ? change(state, event) : state;

export const initialCustomer = (): CustomerState => ({ status: 'unknown', givenUp: 0 });

export const onCustomerEvents: Evolution<CustomerState, CustomerEvent | CreationEvent> = {
  CreationAbandoned: (state) =>
    state.status === 'deleted' || state.status === 'forgotten'
      ? state
      : { ...state, givenUp: state.givenUp + 1 },
  CustomerRegistered: (_, { data: { at, basketId = null, ...fields } }) => ({
    status: 'known',
    fields,
    madeByBasket: basketId,
    dateCreated: at,
    dateUpdated: at,
    figures: noSales,
    hasExpiredInvoice: false,
    segmentIds: [],
    givenUp: 0,
    owed: {},
    settled: {},
    ...noneSold(),
  }),
  CustomerAcceptedMarketing: changed((customer, { data: { at } }) => ({
    ...customer,
    fields: { ...customer.fields, acceptsMarketing: true },
    dateUpdated: at ?? customer.dateUpdated,
  })),
  CustomerChanged: changed((customer, { data }) => ({
    ...customer,
    fields: fieldsOf(data),
    dateUpdated: data.at,
  })),
  CustomerDeleted: (state, { data: { hasAccount = true } }) =>
    state.status === 'known'
      ? {
          status: 'deleted',
          memberKey: state.fields.memberKey,
          isAccountRemoved: !hasAccount,
          saleDays: state.saleDays,
          soldOn: state.soldOn,
          bySource: state.bySource,
          sales: state.sales,
        }
      : state,
  CustomerAccountRemoved: (state) =>
    state.status === 'deleted' ? { ...state, isAccountRemoved: true } : state,
  CustomerForgettingStarted: (state, { data: { isGuest = false, namedIn = null } }) => {
    const gone = { segmentIds: [], parts: 0, forgottenAt: null, isGuest, namedIn } as const;
    const begun = { status: 'forgotten', ...gone } as const;
    if (state.status === 'known') return { ...state, ...begun };
    if (state.status === 'unknown') return { ...neverSeen(state.givenUp), ...begun };
    return state.status === 'deleted' ? { ...neverSeen(0), ...salesOf(state), ...begun } : state;
  },
  CustomerForgotten: (state, { data: { part, isLast, at } }) =>
    state.status === 'forgotten'
      ? {
          ...state,
          fields: { ...state.fields, ...impersonal },
          parts: part,
          forgottenAt: isLast ? at : null,
        }
      : state,
  CustomerSaleRecorded: (state, event) => {
    if (state.status === 'unknown') return state;
    const { invoiceId, businessDay, sourceType, total, placedAt, countryCode } = event.data;
    addSale(state, invoiceId, { businessDay, sourceType, total, placedAt, countryCode });
    return withFigures(state, event);
  },
  CustomerSaleCancelled: (state, event) => {
    if (state.status === 'unknown') return state;
    dropSale(state, event.data.invoiceId);
    return withFigures(state, event);
  },
  CustomerSaleChanged: changed<EventOfType<CustomerEvent, 'CustomerSaleChanged'>>((customer, event) => {
    const { invoiceId, version, total } = event.data;
    const sale = customer.sales[invoiceId];
    if (sale) customer.sales[invoiceId] = { ...sale, total, edit: version };
    return { ...customer, figures: figuresAfter(customer.figures, event) };
  }),
  CustomerInvoiceExpired: changed((customer) => ({ ...customer, hasExpiredInvoice: true })),
  CustomerCreditClaimed: changed((customer, { data: { invoiceId, amount, dueDay = null } }) => {
    customer.owed[invoiceId] = { amount, asOf: -1, dueDay };
    return customer;
  }),
  CustomerOutstandingChanged: changed((customer, { data }) => {
    const { invoiceId, amount, asOf, dueDay = null } = data;
    const { owed, settled } = customer;
    if (amount > 0) owed[invoiceId] = { amount, asOf, dueDay };
    else delete owed[invoiceId];
    delete settled[invoiceId];
    // A credit of zero was never announced.
    if (amount === 0 && asOf !== AT_LAST) settled[invoiceId] = asOf;
    withoutOldest(settled);
    return customer;
  }),
  CustomerTermsChanged: (state) => state,
  CustomerSegmentJoined: changed((customer, { data: { segmentId } }) => ({
    ...customer,
    segmentIds: [...customer.segmentIds, segmentId],
  })),
  PersonalDataRequested: unchanged,
  CustomerSegmentLeft: changed((customer, { data: { segmentId } }) => ({
    ...customer,
    segmentIds: customer.segmentIds.filter((id) => id !== segmentId),
  })),
};
