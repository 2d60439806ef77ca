import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ContextApis } from '#command/context-apis.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { VaultCustomer, VaultedMethod } from '#ports/payment-requests.ts';
import type { OpenAttempt, SaveFor } from '../../invoices/payments/open-attempt.state.ts';

/** What a shopper ticks beside a payment. */
export interface WishToSave {
  readonly savePaymentMethod?: boolean | null | undefined;
  readonly setAsDefaultMethod?: boolean | null | undefined;
}

/** The address of the request that says so is the consent's. */
export interface ConsentFrom {
  readonly ip?: string;
}

/** Saves a method only for a signed-in customer; from anyone else the wish is ignored. */
export const saveForOf = async (
  { apis }: { readonly apis: Pick<ContextApis, 'members'> },
  { vault }: Pick<PaymentProvider, 'vault'>,
  { savePaymentMethod, setAsDefaultMethod, ip }: WishToSave & ConsentFrom,
  { kind, id }: Actor,
): Promise<SaveFor | null> => {
  if (!vault || !savePaymentMethod || kind !== 'member' || id === null) return null;
  const customerId = await apis.members.customerOf(id);
  if (customerId === null) return null;
  return { customerId, setAsDefault: setAsDefaultMethod ?? false, ipAddress: ip || null };
};

export interface SaveMethodDeps {
  readonly apis?: Pick<ContextApis, 'savedMethods'>;
}

/** As whom the provider is to keep it; null: it is to keep nothing. */
export const vaultCustomerOf = async (
  { apis }: SaveMethodDeps,
  { alias, vault }: Pick<PaymentProvider, 'alias' | 'vault'>,
  saveFor: SaveFor | null | undefined,
): Promise<VaultCustomer | null> =>
  saveFor && vault && apis ? apis.savedMethods.vaultCustomer(saveFor.customerId, alias) : null;

/** The same as it stands in the log: asked again later, the provider is told of the customer as they were. */
export const payerOf = async (
  deps: SaveMethodDeps,
  provider: Pick<PaymentProvider, 'alias' | 'vault'>,
  saveFor: SaveFor,
): Promise<NonNullable<OpenAttempt['payer']> | null> => {
  const customer = await vaultCustomerOf(deps, provider, saveFor);
  if (customer === null) return null;
  const { email, name, providerCustomerId } = customer;
  return { email, name, providerCustomerId, ipAddress: saveFor.ipAddress };
};

/** The customer that a provider is asked with, from the log. */
export const customerIn = (
  { customerId }: SaveFor,
  { email, name, providerCustomerId }: NonNullable<OpenAttempt['payer']>,
): VaultCustomer => ({ customerId, email, name, providerCustomerId });

/**
 * Before the outcome is on record: asked again under the same key, the provider tells of the same method, which is kept
 * once. One that cannot be kept changes nothing of the payment.
 */
export const saveMethod = async (
  { apis }: SaveMethodDeps,
  { provider, saveFor }: { readonly provider: string; readonly saveFor?: SaveFor | null | undefined },
  method: VaultedMethod | undefined,
  meta: CommandMeta,
): Promise<string | null> => {
  if (!saveFor || !method || !apis) return null;
  const { customerId, setAsDefault, ipAddress: consentIpAddress } = saveFor;
  const kept = { provider, method, setAsDefault, consentIpAddress };
  try {
    return await apis.savedMethods.keep(customerId, kept, meta);
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
};
