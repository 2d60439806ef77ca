import { paymentMethodEvents, type PaymentMethodEvent } from '#events/payment-method.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { normalBrand } from '#values/saved-method.ts';
import type { SavedMethodCommand, SavePaymentMethod } from './saved-method.commands.ts';
import {
  methodNotFound,
  noSavedMethods,
  onPaymentMethodEvents,
  type SavedMethod,
  type SavedMethods,
} from './saved-methods.state.ts';

export interface SavedMethodContext {
  /** ISO instant. */
  readonly now: string;
}

const {
  DefaultPaymentMethodChanged,
  PaymentMethodRemoved,
  PaymentMethodSaved,
  PaymentMethodsForgotten,
  PaymentMethodUsed,
} = paymentMethodEvents.create;

/** That one customer can have. */
const MAX_METHODS = 50;

const existing = ({ methods }: SavedMethods, methodId: string): SavedMethod => {
  const method = methods.find(({ id }) => id === methodId);
  if (!method) throw methodNotFound();
  return method;
};

const makeDefault = ({ defaultId }: SavedMethods, methodId: string, now: string): PaymentMethodEvent[] =>
  defaultId === methodId ? [] : [DefaultPaymentMethodChanged({ methodId, changedAt: now })];

const save = (state: SavedMethods, command: SavePaymentMethod, now: string): PaymentMethodEvent[] => {
  const { methodId, provider, setAsDefault, consentIpAddress } = command;
  if (state.methods.some(({ id }) => id === methodId))
    return setAsDefault ? makeDefault(state, methodId, now) : [];
  if (state.methods.length >= MAX_METHODS)
    throw new Rejection(
      'too-many-payment-methods',
      `${MAX_METHODS} payment methods are saved, and no more can be. Remove one first.`,
    );
  const { cardBrand, ...method } = command.method;
  return [
    PaymentMethodSaved({
      methodId,
      provider,
      ...method,
      cardBrand: normalBrand(cardBrand),
      isDefault: setAsDefault || state.methods.length === 0,
      consentIpAddress,
      savedAt: now,
    }),
  ];
};

/** The newest of those that remain takes the place of the default. */
const remove = (state: SavedMethods, methodId: string, now: string): PaymentMethodEvent[] => {
  const { provider } = existing(state, methodId);
  const left = state.methods.filter(({ id }) => id !== methodId);
  const defaultId = state.defaultId === methodId ? (left.at(-1)?.id ?? null) : state.defaultId;
  return [PaymentMethodRemoved({ methodId, provider, defaultId, removedAt: now })];
};

const noteForgotten = ({ toForget }: SavedMethods, methodIds: readonly string[]): PaymentMethodEvent[] => {
  const forgotten = toForget.map(({ methodId }) => methodId).filter((id) => methodIds.includes(id));
  if (forgotten.length === 0) return [];
  return [PaymentMethodsForgotten({ methodIds: forgotten, isLast: forgotten.length === toForget.length })];
};

/** Ways to pay that are kept for later (docs/rules/saved-methods.md). */
export const savedMethodsDecider: Decider<
  SavedMethods,
  SavedMethodCommand,
  PaymentMethodEvent,
  SavedMethodContext
> = {
  category: 'savedMethods',
  initial: noSavedMethods,
  decide: (state, command, { now }) => {
    switch (command.type) {
      case 'SavePaymentMethod':
        return save(state, command, now);
      case 'SetDefaultPaymentMethod':
        return makeDefault(state, existing(state, command.methodId).id, now);
      case 'RemovePaymentMethod':
        return remove(state, command.methodId, now);
      case 'NotePaymentMethodUsed': {
        const { methodId, invoiceId } = command;
        const isThere = state.methods.some(({ id }) => id === methodId);
        return isThere && state.lastInvoiceId !== invoiceId
          ? [PaymentMethodUsed({ methodId, invoiceId, usedAt: now })]
          : [];
      }
      case 'NoteForgottenMethods':
        return noteForgotten(state, command.methodIds);
    }
  },
  on: onPaymentMethodEvents,
  remembersCommands: { last: 100 },
  subject: (id) => ({ id, customerId: id }),
};
