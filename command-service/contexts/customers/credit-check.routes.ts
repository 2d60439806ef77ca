import {
  creditCheckResponse,
  creditCheckBody,
  type CreditCheckResponse,
} from '#contracts/customers.contract.ts';
import { member, ok, route, type Route } from '#http/route.ts';
import { availableCredit, isOverLimit } from '#values/account-terms.ts';
import { toDecimal } from '#values/money.ts';
import type { CustomerAccount } from './customer.commands.ts';
import type { CustomerActions } from './customer.actions.ts';

const nothing: CreditCheckResponse = {
  hasCreditLimit: false,
  creditLimitExceeded: false,
  creditLimit: null,
  outstandingBalance: null,
  availableCredit: null,
};

const responseOf = (account: CustomerAccount, currency: string): CreditCheckResponse => {
  const { creditLimit, outstanding } = account;
  const outstandingBalance = toDecimal(outstanding, currency);
  if (creditLimit === null) return { ...nothing, outstandingBalance };
  return {
    hasCreditLimit: true,
    creditLimitExceeded: isOverLimit(account),
    creditLimit: toDecimal(creditLimit, currency),
    outstandingBalance,
    availableCredit: toDecimal(availableCredit(account) ?? 0, currency),
  };
};

/** What a customer may still buy on account (docs/rules/purchase-orders.md#credit). */
export const creditCheckRoutes = (actions: CustomerActions, currency: () => string): readonly Route[] => [
  route({
    base: 'checkout',
    service: 'command',
    caller: member,
    method: 'POST',
    path: '/credit-check',
    file: import.meta.url,
    summary: 'What a customer with account terms may still buy on account',
    schemas: { body: creditCheckBody },
    response: creditCheckResponse,
    errors: ['invalid-request'],
    handle: async ({ actor, body: { email } }) => {
      const account = actor.id === null ? null : await actions.accountOfMember(actor.id, email);
      return ok(account === null ? nothing : responseOf(account, currency()));
    },
  }),
];
