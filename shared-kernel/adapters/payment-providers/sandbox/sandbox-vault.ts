import type { Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type {
  NotDone,
  PaymentVault,
  SavedMethodIds,
  StartedSession,
  VaultCustomer,
  VaultedMethod,
} from '#ports/payment-requests.ts';
import { challengeAddress } from './sandbox-sessions.ts';
import { tokenNamed, unknownToken } from './sandbox-tokens.ts';

/** A way to pay that the sandbox keeps. */
interface SandboxMethod extends Document {
  readonly token: string;
  readonly method: VaultedMethod;
}

interface SandboxSetup extends Document {
  readonly customer: VaultCustomer;
  readonly providerCustomerId: string;
  /** What is saved once the bank has seen the payer. */
  readonly token?: string;
}

const METHODS = 'sandbox_methods';
const SETUPS = 'sandbox_setups';

const refuse = (code: string, message: string): NotDone => ({ kind: 'refused', code, message });

const customerOf = ({ customerId, providerCustomerId }: VaultCustomer): string =>
  providerCustomerId ?? `sandbox-customer-${derivedId('sandbox-customer', customerId)}`;

/** Valid for four more years, or since last year no more. */
const expiryOf = (token: string, clock: Clock): Pick<VaultedMethod, 'expiryMonth' | 'expiryYear'> => {
  const year = new Date(clock.now()).getUTCFullYear();
  return token === 'tok_saved_expired'
    ? { expiryMonth: 1, expiryYear: year - 1 }
    : { expiryMonth: 12, expiryYear: year + 4 };
};

const declined = refuse('card_declined', 'The card was declined.');

const challengedSession = (sessionId: string, returnPage: string): StartedSession => ({
  sessionId,
  redirectUrl: challengeAddress(sessionId, returnPage),
  clientSecret: null,
  clientToken: null,
  sdkConfig: {},
});

type Keep = (key: string, token: string, customer: VaultCustomer) => Promise<VaultedMethod>;

const vaultOver = (store: DocumentStore, keep: Keep): PaymentVault => ({
  requiresProviderCustomerId: false,
  setUp: async ({ idempotencyKey, customer, methodAlias }) => {
    if (methodAlias !== null && methodAlias !== 'card')
      return refuse('cannot_be_saved', `The sandbox cannot save ${methodAlias}.`);
    const sessionId = `sandbox-setup-${derivedId('sandbox-setup', idempotencyKey)}`;
    const providerCustomerId = customerOf(customer);
    const setup: SandboxSetup = { _id: sessionId, customer, providerCustomerId };
    await store.insertIfAbsent(SETUPS, setup);
    const session = {
      sessionId,
      redirectUrl: null,
      clientSecret: `${sessionId}_secret`,
      clientToken: null,
      sdkConfig: {},
      providerCustomerId,
    };
    return { kind: 'started', session };
  },
  confirm: async ({ sessionId, token: given, providerCustomerId, parameters, returnPage }) => {
    const setup = await store.get<SandboxSetup>(SETUPS, sessionId);
    if (setup === null) return refuse('unknown_session', 'There is no such set-up session.');
    const token = given ?? setup.token ?? null;
    if (providerCustomerId !== null && providerCustomerId !== setup.providerCustomerId)
      return refuse('other_customer', 'The session was set up for another customer.');
    if (token === null || !tokenNamed(token)) return unknownToken;
    if (token === 'tok_unavailable') return { kind: 'unavailable' };
    if (tokenNamed(token)?.hasChallenge && parameters['outcome'] !== 'approve') {
      if (parameters['outcome'] === 'decline') return declined;
      const challenged: SandboxSetup = { ...setup, token };
      await store.write([{ collection: SETUPS, put: challenged }]);
      return { kind: 'requiresAction', session: challengedSession(sessionId, returnPage) };
    }
    return { kind: 'saved', method: await keep(sessionId, token, setup.customer) };
  },
  remove: async ({ providerMethodId }) => {
    await store.write([{ collection: METHODS, remove: providerMethodId }]);
  },
});

/** What the sandbox keeps for later, in the state store. */
export const openSandboxVault = async (store: DocumentStore, clock: Clock) => {
  await store.declare(METHODS);
  await store.declare(SETUPS);

  /** Keeps what a token stands for, once a key. */
  const keep: Keep = async (key, token, customer) => {
    const _id = `sandbox-method-${derivedId('sandbox-method', key)}`;
    const method: VaultedMethod = {
      providerMethodId: _id,
      providerCustomerId: customerOf(customer),
      methodType: 'Card',
      cardBrand: 'visa',
      last4: tokenNamed(token)?.last4 ?? null,
      ...expiryOf(token, clock),
      billingName: customer.name,
      billingEmail: customer.email,
      isVerified: true,
    };
    const row: SandboxMethod = { _id, token, method };
    await store.insertIfAbsent(METHODS, row);
    return (await store.get<SandboxMethod>(METHODS, _id))?.method ?? method;
  };

  return {
    vault: vaultOver(store, keep),
    keep,
    /** A card that waits to be saved until the payer has been at their bank. */
    isChallenged: async (sessionId: string): Promise<boolean> =>
      (await store.get<SandboxSetup>(SETUPS, sessionId))?.token !== undefined,
    /** What a saved method stands for; null for one that is not kept, or not for this customer. */
    tokenOf: async ({ providerMethodId, providerCustomerId }: SavedMethodIds): Promise<string | null> => {
      const kept = await store.get<SandboxMethod>(METHODS, providerMethodId);
      const isTheirs = providerCustomerId === null || kept?.method.providerCustomerId === providerCustomerId;
      return kept !== null && isTheirs ? kept.token : null;
    },
  };
};
