import {
  customerEvents,
  type CreationEvent,
  type CustomerDetails,
  type CustomerEvent,
} from '#events/customer.events.ts';
import { defined } from '#kernel/defined.ts';
import type { Decider } from '#kernel/decider.ts';
import { notFound, refuseDependents, refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { noSales } from '#values/customer-figures.ts';
import {
  changedTerms,
  claimCredit,
  releaseCredit,
  setOutstanding,
  type CreditContext,
} from './customer-credit.ts';
import { withAddresses } from './customer-addresses.ts';
import { noteForgotten, startForgetting } from './forgetting/forgetting.decider.ts';
import { figuresWithout, besideNewSale, besideOldSale } from './customer-sales.state.ts';
import {
  initialCustomer,
  isOnRecord,
  onCustomerEvents,
  type CustomerState,
  type KnownCustomer,
} from './customer.state.ts';
import {
  type ChangeCustomer,
  type ChangeCustomerSale,
  type CustomerCommand,
  type JoinSegment,
  type LeaveSegment,
  type RecordCustomerSale,
  type RegisterCustomer,
} from './customer.commands.ts';

const {
  CustomerAcceptedMarketing,
  CustomerAccountRemoved,
  CustomerChanged,
  CustomerDeleted,
  CustomerInvoiceExpired,
  CustomerRegistered,
  CustomerSaleCancelled,
  CustomerSaleChanged,
  CustomerSaleRecorded,
  CustomerSegmentJoined,
  CustomerSegmentLeft,
  PersonalDataRequested,
} = customerEvents.create;

export interface CustomerContext extends CreditContext {
  /** Whether the segment exists: memberships of deleted segments do not block others. */
  readonly isSegment: (segmentId: string) => boolean;
  /** Unpaid invoices of the customer. */
  readonly unpaidInvoices: number;
}

export type CustomerStreamEvent = CustomerEvent | CreationEvent;

/** Manual segments that one customer can be in. */
const MAX_SEGMENTS = 200;

const nothingSaid = {
  memberKey: null,
  addresses: null,
  isFlagged: false,
  hasAccountTerms: false,
  paymentTermsDays: null,
  creditLimit: null,
  tags: [],
};

const known = (state: CustomerState): KnownCustomer => {
  if (state.status !== 'known') throw notFound('customer');
  return state;
};

/** The claimed address may belong to another customer by now. */
const claimLost = (): Rejection =>
  new Rejection('conflict', 'The e-mail address of a customer is being changed. Please try again.');

const create = (
  state: CustomerState,
  fields: CustomerDetails,
  at: string,
  madeBy: { readonly basketId?: string } = {},
): CustomerEvent[] => {
  if (state.status === 'deleted' || state.status === 'forgotten') throw claimLost();
  if (state.status === 'unknown') {
    if (state.givenUp > 0) throw claimLost();
    return [CustomerRegistered({ ...fields, at, ...madeBy })];
  }
  if (isSameJson(state.fields, fields)) return [];
  throw new Rejection('already-exists', 'This customer already exists.');
};

const register = (state: CustomerState, command: RegisterCustomer, at: string): CustomerEvent[] => {
  const { type: _, basketId, ...person } = command;
  if (state.status !== 'known')
    return create(state, { ...nothingSaid, ...person }, at, defined({ basketId }));
  const { email, firstName, lastName, acceptsMarketing } = state.fields;
  // The address is moving from one customer to another; a forgotten customer's address is unknown.
  if (email !== null && email !== command.email) throw claimLost();
  return command.acceptsMarketing && !acceptsMarketing
    ? [CustomerAcceptedMarketing({ email, firstName, lastName, at })]
    : [];
};

const change = (
  state: CustomerState,
  { changes: given, givenUpBefore, keepsAddresses }: ChangeCustomer,
  at: string,
): CustomerEvent[] => {
  const customer = known(state);
  const { fields } = customer;
  const changes =
    keepsAddresses && given.addresses
      ? { ...given, addresses: withAddresses(fields.addresses ?? [], given.addresses) }
      : given;
  const after = { ...fields, ...changes };
  if (isSameJson(after, fields)) return [];
  if (givenUpBefore !== undefined && customer.givenUp > givenUpBefore) throw claimLost();
  const tagsGained = after.tags.filter((tag) => !fields.tags.includes(tag));
  const tagsLost = fields.tags.filter((tag) => !after.tags.includes(tag));
  return [CustomerChanged({ ...after, tagsGained, tagsLost, at }), ...changedTerms(customer, after)];
};

/** Does nothing to an address that the customer uses, or that is no longer claimed. */
const giveUpEmail = (state: CustomerState, email: string): CustomerStreamEvent[] => {
  const isTheirs = state.status === 'known' && (state.fields.email ?? email) === email;
  return isTheirs || state.status === 'deleted' || state.status === 'forgotten'
    ? []
    : [{ type: 'CreationAbandoned', data: {} }];
};

const remove = (state: CustomerState, { at, unpaidInvoices }: CustomerContext): CustomerEvent[] => {
  const { fields, figures, hasExpiredInvoice, segmentIds } = known(state);
  const invoices = figures.orderCount + unpaidInvoices;
  const standing = invoices > 0 ? [`${invoices} invoice${invoices === 1 ? '' : 's'}`] : [];
  refuseDependents('customer', hasExpiredInvoice ? [...standing, 'an invoice that expired'] : standing);
  const { email, tags: tagsLost, memberKey } = fields;
  const hasAccount = memberKey !== null;
  return [CustomerDeleted({ email, segmentIds: [...segmentIds], tagsLost, at, hasAccount })];
};

const recordSale = (state: CustomerState, command: RecordCustomerSale): CustomerEvent[] => {
  if (state.status === 'unknown') throw new Rejection('customer-not-found', 'There is no such customer.');
  const { type: _, ...sale } = command;
  if (sale.invoiceId in state.sales) return [];
  return [CustomerSaleRecorded({ ...sale, ...besideNewSale(state, sale) })];
};

const cancelSale = (state: CustomerState, invoiceId: string): CustomerEvent[] => {
  const sale = state.status === 'unknown' ? undefined : state.sales[invoiceId];
  if (state.status === 'unknown' || sale === undefined) return [];
  const { businessDay, sourceType } = sale;
  return [
    CustomerSaleCancelled({
      invoiceId,
      businessDay,
      sourceType,
      ...besideOldSale(state, sale),
      figures: isOnRecord(state) ? figuresWithout(state, invoiceId, sale) : noSales,
    }),
  ];
};

const changeSale = (
  state: CustomerState,
  { invoiceId, version, total }: ChangeCustomerSale,
): CustomerEvent[] => {
  const sale = isOnRecord(state) ? state.sales[invoiceId] : undefined;
  if (!isOnRecord(state) || sale === undefined || sale.total === null) return [];
  if (version <= (sale.edit ?? 0)) return [];
  const totalSpend = state.figures.totalSpend - sale.total + total;
  return [CustomerSaleChanged({ invoiceId, version, total, totalSpend })];
};

const noteExpired = (state: CustomerState, invoiceId: string): CustomerEvent[] => {
  const isToBeNoted = state.status === 'known' && state.figures.orderCount === 0 && !state.hasExpiredInvoice;
  return isToBeNoted ? [CustomerInvoiceExpired({ invoiceId })] : [];
};

const join = (
  state: CustomerState,
  { segmentId, notes }: JoinSegment,
  { at, isSegment }: CustomerContext,
): CustomerEvent[] => {
  const { segmentIds } = known(state);
  if (segmentIds.includes(segmentId)) return [];
  if (segmentIds.filter(isSegment).length >= MAX_SEGMENTS)
    refuseProblems([`customerIds: must be in fewer than ${MAX_SEGMENTS} manual segments`]);
  return [CustomerSegmentJoined({ segmentId, notes, at })];
};

const leave = (state: CustomerState, { segmentId }: LeaveSegment, at: string): CustomerEvent[] =>
  known(state).segmentIds.includes(segmentId) ? [CustomerSegmentLeft({ segmentId, at })] : [];

/** Customers: people known by their e-mail address (docs/rules/customers.md). */
export const customerDecider: Decider<CustomerState, CustomerCommand, CustomerStreamEvent, CustomerContext> =
  {
    category: 'customer',
    initial: initialCustomer,
    decide: (state, command, context) => {
      const { at } = context;
      switch (command.type) {
        case 'RegisterCustomer':
          return register(state, command, at);
        case 'CreateCustomer':
          return create(state, command.fields, at);
        case 'ChangeCustomer':
          return change(state, command, at);
        case 'GiveUpEmail':
          return giveUpEmail(state, command.email);
        case 'DeleteCustomer':
          return remove(state, context);
        case 'StartForgetting':
          return startForgetting(state, command, at);
        case 'NoteForgotten':
          return noteForgotten(state, command, at);
        case 'NoteAccountRemoved':
          return state.status === 'deleted' && !state.isAccountRemoved ? [CustomerAccountRemoved({})] : [];
        case 'CancelCustomerSale':
          return cancelSale(state, command.invoiceId);
        case 'ChangeCustomerSale':
          return changeSale(state, command);
        case 'RecordCustomerSale':
          return recordSale(state, command);
        case 'NoteExpiredInvoice':
          return noteExpired(state, command.invoiceId);
        case 'ClaimCredit':
          return claimCredit(state, command, context);
        case 'SetOutstanding':
          return isOnRecord(state) ? setOutstanding(state, command, context) : [];
        case 'ReleaseCredit':
          return isOnRecord(state) ? releaseCredit(state, command.invoiceId, context) : [];
        case 'JoinSegment':
          return join(state, command, context);
        case 'NotePersonalDataRequest':
          known(state);
          return [PersonalDataRequested({ at })];
        case 'LeaveSegment':
          return leave(state, command, at);
      }
    },
    on: onCustomerEvents,
    remembersCommands: { last: 200 },
    subject: (id) => ({ id, customerId: id }),
  };
