import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ContextApis } from '#command/context-apis.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeRequest } from '#ports/payment-requests.ts';
import type { OpenAttempt } from '../../invoices/payments/open-attempt.state.ts';
import { chargeAndTake } from '../providers/ask-provider.ts';
import { customerIn, saveMethod, vaultCustomerOf } from './save-method.ts';
import type { PaymentReferences } from '../providers/payment-references.ts';
import type { AttemptCharged, ChargeInput } from '../settle-payment.process.ts';

export interface ChargeDeps {
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly references: Pick<PaymentReferences, 'keep'>;
  readonly apis?: Pick<ContextApis, 'savedMethods'> & Partial<Pick<ContextApis, 'postPurchase'>>;
  /** Where the shop's pages are; null where it does not say. */
  readonly ownAddress?: string | null;
  readonly providerTimeoutMilliseconds?: number;
}

/** What is charged: a token, or a method that the provider keeps; null once it is forgotten. */
const sourceOf = ({ token, saved }: OpenAttempt): ChargeRequest['source'] | null => {
  if (token !== null) return { token };
  if (!saved) return null;
  const { providerMethodId, providerCustomerId } = saved;
  return { saved: { providerMethodId, providerCustomerId } };
};

/** Asks the provider of an attempt, under the attempt's own key. */
export const chargeBy =
  (deps: ChargeDeps, patience: number) =>
  async ({ invoiceId, attempt }: ChargeInput, meta: CommandMeta): Promise<AttemptCharged> => {
    const { provider, references } = deps;
    // Those of logs that did not say so yet are asked with what holds now.
    const ownAddress = attempt.ownAddress ?? deps.ownAddress ?? '';
    const {
      attemptId: idempotencyKey,
      amount: amountMinor,
      currency,
      method: methodAlias,
      saveFor,
      payer,
    } = attempt;
    const asked = provider(attempt.provider);
    const source = sourceOf(attempt);
    if (!asked || source === null) return { kind: 'unknownOutcome' };
    const returnPage = `${ownAddress}/api/shop/checkout/return?provider=${attempt.provider}&invoiceId=${invoiceId}`;
    const customer =
      saveFor && payer ? customerIn(saveFor, payer) : await vaultCustomerOf(deps, asked, saveFor);
    const price = { amountMinor, currency };
    const request = {
      idempotencyKey,
      invoiceId,
      ...price,
      methodAlias,
      source,
      returnPage,
      saveFor: customer,
    };
    const outcome = await chargeAndTake(asked, request, patience);
    // Before anybody learns of the names by which the provider may tell of it.
    if (outcome.kind === 'pending')
      await references.keep(attempt.provider, [outcome.transactionId], invoiceId);
    if (outcome.kind === 'requiresAction') {
      const { transactionId, session } = outcome;
      await references.keep(attempt.provider, [transactionId, session.sessionId], invoiceId);
    }
    if (outcome.kind !== 'completed' && outcome.kind !== 'authorized') return outcome;
    const keptMethodId = await saveMethod(deps, attempt, outcome.savedMethod, meta);
    return keptMethodId === null ? outcome : { ...outcome, keptMethodId };
  };
