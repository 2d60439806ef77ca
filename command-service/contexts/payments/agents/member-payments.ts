import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import { savedWayOf } from '../charging/process-saved.ts';
import type { AgentPaymentsApi, MemberPayments } from './agent-payments.commands.ts';

interface Deps extends Pick<CommandDeps, 'apis'> {
  /** Those that agents are offered. */
  readonly providers: () => readonly PaymentProvider[];
}

const nothing: MemberPayments = { saved: [], buysOnAccount: false };

/** What a member can pay with here, as far as agents may use it (docs/rules/linked-members.md#paying). */
export const createMemberPayments =
  ({ apis, providers }: Deps): AgentPaymentsApi['ofMember'] =>
  async (memberId) => {
    const customerId = await apis.members.customerOf(memberId);
    if (customerId === null) return nothing;
    const [methods, account] = await Promise.all([
      apis.savedMethods.of(customerId),
      apis.customers.accountOf(customerId),
    ]);
    const charging = new Map(
      providers().flatMap((one) => (one.charge ? [[one.alias, savedWayOf(one)]] : [])),
    );
    const saved = methods.flatMap((method) => {
      const methodAlias = method.isExpired ? undefined : charging.get(method.providerAlias);
      return methodAlias === undefined ? [] : [{ ...method, methodAlias }];
    });
    return { saved, buysOnAccount: account !== null };
  };
