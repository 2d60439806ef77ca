import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Neighbours } from '#command/neighbours.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider, VaultCustomer, VaultedMethod } from '#ports/payment-provider.ts';
import type { OpenAttempt } from '../orders/open-attempt.state.ts';

/** For whom a method is kept that is paid with. */
export type SaveFor = NonNullable<OpenAttempt['saveFor']>;

/** What a shopper ticks beside a payment. */
export interface WishToSave {
  readonly savePaymentMethod?: boolean | null | undefined;
  readonly setAsDefaultMethod?: boolean | null | undefined;
}

/** A method is kept for a customer who is signed in; for nobody else the wish counts for nothing. */
export const saveForOf = async (
  { neighbours }: { readonly neighbours: Pick<Neighbours, 'members'> },
  { vault }: Pick<PaymentProvider, 'vault'>,
  { savePaymentMethod, setAsDefaultMethod }: WishToSave,
  { kind, id }: Actor,
): Promise<SaveFor | null> => {
  if (!vault || !savePaymentMethod || kind !== 'member' || id === null) return null;
  const customerId = await neighbours.members.customerOf(id);
  return customerId === null ? null : { customerId, setAsDefault: setAsDefaultMethod ?? false };
};

export interface KeepingDeps {
  readonly neighbours?: Pick<Neighbours, 'savedMethods'>;
}

/** As whom the provider is to keep it; null: it is to keep nothing. */
export const vaultCustomerOf = async (
  { neighbours }: KeepingDeps,
  { alias, vault }: Pick<PaymentProvider, 'alias' | 'vault'>,
  saveFor: SaveFor | null | undefined,
): Promise<VaultCustomer | null> =>
  saveFor && vault && neighbours ? neighbours.savedMethods.vaultCustomer(saveFor.customerId, alias) : null;

/**
 * Before the outcome is on record: asked again under the same key, the provider tells of the same method, which is kept
 * once. One that cannot be kept changes nothing of the payment.
 */
export const keepMethod = async (
  { neighbours }: KeepingDeps,
  { provider, saveFor }: { readonly provider: string; readonly saveFor?: SaveFor | null | undefined },
  method: VaultedMethod | undefined,
  meta: CommandMeta,
): Promise<string | null> => {
  if (!saveFor || !method || !neighbours) return null;
  const { customerId, setAsDefault } = saveFor;
  const kept = { provider, method, setAsDefault, consentIpAddress: null };
  try {
    return await neighbours.savedMethods.keep(customerId, kept, meta);
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
};
