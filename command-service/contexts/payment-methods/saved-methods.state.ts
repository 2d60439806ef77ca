import type { PaymentMethodEvent } from '#events/payment-method.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SavedMethodIds } from '#ports/payment-requests.ts';
import type { ShownMethod } from '#values/saved-method.ts';

/** A way to pay that a customer has had kept. */
export interface SavedMethod extends ShownMethod {
  readonly id: string;
  readonly provider: string;
  readonly ids: SavedMethodIds;
  readonly billingName: string | null;
  readonly isVerified: boolean;
  /** ISO instant. */
  readonly savedAt: string;
  readonly lastUsedAt: string | null;
}

/** A method that was removed here, and that its provider still has. */
export interface MethodToForget {
  readonly methodId: string;
  readonly provider: string;
  readonly ids: SavedMethodIds;
  /** ISO instant. */
  readonly removedAt: string;
}

/** The saved methods of one customer. */
export interface SavedMethods {
  /** In the order in which they were saved. */
  readonly methods: readonly SavedMethod[];
  readonly defaultId: string | null;
  readonly toForget: readonly MethodToForget[];
  /** What providers call the customer. */
  readonly providerCustomers: Readonly<Record<string, string>>;
  /** The last invoice that was paid with one. */
  readonly lastInvoiceId: string | null;
}

export const noSavedMethods = (): SavedMethods => ({
  methods: [],
  defaultId: null,
  toForget: [],
  providerCustomers: {},
  lastInvoiceId: null,
});

type Saved = EventOfType<PaymentMethodEvent, 'PaymentMethodSaved'>['data'];

/** Of a customer who was forgotten nothing is left that anybody could pay with. */
const saved = (state: SavedMethods, data: Saved): SavedMethods => {
  const {
    methodId: id,
    providerMethodId,
    providerCustomerId,
    isDefault,
    consentIpAddress: _,
    ...shown
  } = data;
  if (providerMethodId === null) return state;
  const method = { ...shown, id, ids: { providerMethodId, providerCustomerId }, lastUsedAt: null };
  const { provider } = data;
  return {
    ...state,
    methods: [...state.methods, method],
    defaultId: isDefault ? id : state.defaultId,
    toForget: state.toForget.filter(({ methodId }) => methodId !== id),
    providerCustomers: providerCustomerId
      ? { ...state.providerCustomers, [provider]: providerCustomerId }
      : state.providerCustomers,
  };
};

export const onPaymentMethodEvents: Evolution<SavedMethods, PaymentMethodEvent> = {
  PaymentMethodSaved: (state, { data }) => saved(state, data),
  DefaultPaymentMethodChanged: (state, { data: { methodId } }) => ({ ...state, defaultId: methodId }),
  PaymentMethodUsed: (state, { data: { methodId, invoiceId, usedAt } }) => ({
    ...state,
    lastInvoiceId: invoiceId,
    methods: state.methods.map((method) =>
      method.id === methodId ? { ...method, lastUsedAt: usedAt } : method,
    ),
  }),
  PaymentMethodRemoved: (state, { data: { methodId, defaultId, removedAt } }) => {
    const removed = state.methods.find(({ id }) => id === methodId);
    const toForget = removed && { methodId, provider: removed.provider, ids: removed.ids, removedAt };
    return {
      ...state,
      methods: state.methods.filter(({ id }) => id !== methodId),
      defaultId,
      toForget: toForget ? [...state.toForget, toForget] : state.toForget,
    };
  },
  PaymentMethodsForgotten: (state, { data: { methodIds } }) => ({
    ...state,
    toForget: state.toForget.filter(({ methodId }) => !methodIds.includes(methodId)),
  }),
};

export const methodNotFound = (): Rejection =>
  new Rejection('payment-method-not-found', 'There is no such saved payment method.');
