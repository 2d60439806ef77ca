import { customerEvents, type CustomerEvent } from '#events/customer.events.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { NoteForgotten, StartForgetting } from '../customer.commands.ts';
import { outstandingOf, type CustomerState } from '../customer.state.ts';

const { CustomerForgettingStarted, CustomerForgotten } = customerEvents.create;

/** What confirmed sales still have to bring in is not given up unasked. Returns whether it is. */
const givesUpMoney = (salesOwed: number, isForced: boolean): boolean => {
  if (salesOwed > 0 && !isForced) throw stillOwed(salesOwed);
  return salesOwed > 0;
};

const stillOwed = (invoices: number): Rejection =>
  new Rejection(
    'money-still-due',
    `The buyer still owes money for ${invoices === 1 ? 'one sale' : `${invoices} sales`}. Settle it first, or ` +
      'send "force": true to forget them all the same.',
  );

/** A customer who was deleted has left lists, segments and tags behind as well. */
const startOfGuest = (
  { status }: CustomerState,
  { namedIn, force, salesOwed = 0 }: Pick<StartForgetting, 'namedIn' | 'force' | 'salesOwed'>,
  at: string,
): CustomerEvent[] => {
  if (status === 'known')
    throw new Rejection('belongs-to-customer', 'This belongs to a customer. Forget the customer instead.');
  const facts = { segmentIds: [], tagsLost: [], isForced: givesUpMoney(salesOwed, force) };
  return [CustomerForgettingStarted({ ...facts, isGuest: true, ...defined({ namedIn }), at })];
};

/** A customer who is being forgotten, or is, is not begun with again (docs/rules/forgetting.md). */
export const startForgetting = (
  state: CustomerState,
  command: StartForgetting,
  at: string,
): CustomerEvent[] => {
  const { force, isGuest } = command;
  if (state.status === 'forgotten') return [];
  if (isGuest || state.status === 'deleted') return startOfGuest(state, command, at);
  if (state.status !== 'known') throw notFound('customer');
  const isForced = givesUpMoney(outstandingOf(state) > 0 ? Object.keys(state.owed).length : 0, force);
  const { segmentIds, fields } = state;
  return [CustomerForgettingStarted({ segmentIds: [...segmentIds], tagsLost: fields.tags, isForced, at })];
};

export const noteForgotten = (
  state: CustomerState,
  { part, basketIds, recordIds, invoiceIds, isLast }: NoteForgotten,
  at: string,
): CustomerEvent[] => {
  if (state.status !== 'forgotten' || state.forgottenAt !== null || part !== state.parts + 1) return [];
  const lists = { basketIds: [...basketIds], recordIds: [...recordIds], invoiceIds: [...invoiceIds] };
  return [CustomerForgotten({ part, ...lists, isLast, at })];
};
