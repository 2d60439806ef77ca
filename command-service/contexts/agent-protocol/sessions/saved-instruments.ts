import type { HandledMethod } from '#agents/payment-handlers.ts';
import type { PaymentInstrument } from '#agents/protocol-session.ts';
import type { MemberMethod, MemberPayments } from '../../payments/agents/agent-payments.commands.ts';

/** A saved method with the payment handler that charges it. */
export interface SavedWay {
  readonly handlerId: string;
  readonly method: MemberMethod;
}

const types: Readonly<Record<string, string>> = {
  Card: 'card',
  PayPal: 'paypal',
  BankAccount: 'bank_account',
};

/** The member's saved methods that have a handler in the session; agents name one by its id. */
export const savedWays = (
  payments: MemberPayments | null,
  methods: readonly HandledMethod[],
): readonly SavedWay[] =>
  (payments?.saved ?? []).flatMap((method) => {
    const { providerAlias, methodAlias } = method;
    const handled = methods.find(
      (one) => one.providerAlias === providerAlias && one.methodAlias === methodAlias,
    );
    return handled ? [{ handlerId: handled.handler.id, method }] : [];
  });

/** As agents see them: never with a credential (docs/rules/linked-members.md#paying). */
export const savedInstruments = (ways: readonly SavedWay[]): readonly PaymentInstrument[] =>
  ways.map(({ handlerId, method: { id, methodType, cardBrand, last4, displayLabel } }) => ({
    ...{ id, handlerId, type: types[methodType] ?? 'other', isSelected: false },
    ...(cardBrand !== null && { brand: cardBrand }),
    ...(last4 !== null && { lastDigits: last4 }),
    display: { description: displayLabel },
  }));

/** A saved method that the agent has named is listed once. */
export const shownInstruments = (
  named: readonly PaymentInstrument[],
  ways: readonly SavedWay[],
): readonly PaymentInstrument[] => {
  const saved = savedInstruments(ways);
  const selected = new Set(named.flatMap(({ id, isSelected }) => (isSelected ? [id] : [])));
  const ids = new Set(saved.map(({ id }) => id));
  return [
    ...named.filter(({ id }) => !ids.has(id)),
    ...saved.map((one) => ({ ...one, isSelected: selected.has(one.id) })),
  ];
};
