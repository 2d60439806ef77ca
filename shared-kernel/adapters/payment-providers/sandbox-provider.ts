import { setTimeout as wait } from 'node:timers/promises';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { ChargeOutcome, ChargeRequest, MadeCharge, PaymentProvider } from '#ports/payment-provider.ts';

/** A charge that the sandbox made. */
export interface SandboxCharge extends Document, MadeCharge {
  readonly status: 'Completed';
}

const SANDBOX_CHARGES = 'sandbox_charges';

const tokens = ['tok_success', 'tok_decline', 'tok_insufficient_funds', 'tok_unavailable', 'tok_timeout'];

/** How long the adapter waits for an answer that never comes before it asks again. */
const ANSWER_TIMEOUT_MILLISECONDS = 2000;

const sandbox: Omit<PaymentProvider, 'checkToken'> = {
  alias: 'sandbox',
  displayName: 'Sandbox card',
  methods: [
    {
      methodAlias: 'card',
      displayName: 'Card',
      integration: 'HostedFields',
      isExpress: false,
      methodType: null,
      iconHtml: null,
      sdk: null,
      formFields: [],
    },
  ],
  fields: [],
  supports: {
    refunds: false,
    partialRefunds: false,
    authAndCapture: false,
    paymentLinks: false,
    requiresCallback: false,
  },
  direct: null,
};

interface SandboxOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  /** Replaced in tests, which do not wait. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

type SandboxProvider = PaymentProvider & Required<Pick<PaymentProvider, 'charge' | 'charges'>>;

/** A card provider without cards: how a charge ends is told by its token (docs/rules/payments.md#sandbox-tokens). */
export const sandboxProvider = async ({
  stateStore,
  clock,
  sleep = wait,
}: SandboxOptions): Promise<SandboxProvider> => {
  await stateStore.declare(SANDBOX_CHARGES, [{ fields: ['dateCreated'] }]);

  /** The provider's side: the same key never charges twice. */
  const chargeOnce = async (
    { idempotencyKey, invoiceId, amountMinor, currency }: ChargeRequest,
    token: string,
  ) => {
    const dateCreated = isoInstant(clock.now());
    const transactionId = `sandbox-${derivedId('sandbox', idempotencyKey)}`;
    const charge: SandboxCharge = {
      _id: idempotencyKey,
      invoiceId,
      transactionId,
      token,
      amountMinor,
      currency,
      status: 'Completed',
      dateCreated,
    };
    await stateStore.insertIfAbsent(SANDBOX_CHARGES, charge);
    return { kind: 'completed', transactionId } as const;
  };

  const charge = async (request: ChargeRequest): Promise<ChargeOutcome> => {
    const token = 'token' in request.source ? request.source.token : request.source.saved.providerMethodId;
    switch (token) {
      case 'tok_success':
        return chargeOnce(request, token);
      case 'tok_decline':
        return { kind: 'refused', code: 'card_declined', message: 'The card was declined.' };
      case 'tok_insufficient_funds':
        return { kind: 'refused', code: 'insufficient_funds', message: 'Insufficient funds.' };
      case 'tok_unavailable':
        return { kind: 'unavailable' };
      case 'tok_timeout':
        // The provider charges, but its answer is lost; asking again with the same key brings it.
        await chargeOnce(request, token);
        await sleep(ANSWER_TIMEOUT_MILLISECONDS);
        return chargeOnce(request, token);
      default:
        return { kind: 'refused', code: 'unknown_token', message: 'unknown sandbox token' };
    }
  };

  return {
    ...sandbox,
    checkToken: (token) => (tokens.includes(token) ? null : 'unknown sandbox token'),
    charge,
    charges: () => listSandboxCharges(stateStore),
  };
};

const PAGE = 1000;

/** Every charge that the sandbox made, oldest first. */
export const listSandboxCharges = async (stateStore: DocumentStore): Promise<SandboxCharge[]> => {
  const charges: SandboxCharge[] = [];
  for (;;) {
    const sort = [['dateCreated', 1]] as const;
    const page = await stateStore.find<SandboxCharge>(SANDBOX_CHARGES, {
      sort,
      skip: charges.length,
      limit: PAGE,
    });
    charges.push(...page);
    if (page.length < PAGE) return charges;
  }
};
