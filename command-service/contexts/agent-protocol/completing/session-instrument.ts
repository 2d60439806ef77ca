import { handledMethods, type HandlerFacts } from '#agents/payment-handlers.ts';
import { protocolRefusal, type ProtocolError } from '#agents/protocol-error.ts';
import type { CredentialInput, PayingInstrument } from '#agents/protocol-inputs.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import type { AgentPayment, MemberPayments } from '../../payments/agents/agent-payments.commands.ts';
import { savedWays } from '../sessions/saved-instruments.ts';

const INSTRUMENT = '$.payment.instruments[0]';
const CREDENTIAL = `${INSTRUMENT}.credential`;

const refuse = (code: ProtocolError['code'], path: string, text: string): never => {
  throw protocolRefusal({ code, path, text: `${path}: ${text}` });
};

interface Way {
  readonly provider: PaymentProvider;
  readonly method: PaymentMethodInfo;
}

const wayOf = (handlerId: string, providers: readonly PaymentProvider[], facts: HandlerFacts): Way => {
  const methods = handledMethods(providers, facts);
  const found = methods.find(({ handler }) => handler.id === handlerId);
  const provider = providers.find(({ alias }) => alias === found?.providerAlias);
  const method = provider?.methods.find(({ methodAlias }) => methodAlias === found?.methodAlias);
  if (provider && method) return { provider, method };
  const offered = methods.map(({ handler }) => handler.id).join(', ') || 'none';
  return refuse(
    'invalid_payment_handler',
    `${INSTRUMENT}.handler_id`,
    `must be one of the handlers of this checkout (${offered})`,
  );
};

/** A card itself is taken only where the provider says so; it is never passed on. */
const tokenIn = (credential: CredentialInput | undefined, { provider }: Way): string | null => {
  if (!credential?.isCard) return credential?.token ?? null;
  return (
    provider.agentHandler?.tokenOfCard ??
    refuse('invalid', CREDENTIAL, 'card numbers are not taken: send the token of the handler')
  );
};

const neededToken = (token: string | null, { provider, method }: Way): string | null => {
  const path = `${CREDENTIAL}.token`;
  switch (method.integration) {
    case 'Redirect':
      return null;
    case 'DirectForm':
      if (token === null && method.formFields.some(({ required }) => required))
        return refuse('missing', path, `must be the ${method.formFields[0]?.label ?? 'text'}`);
      return token;
    case 'HostedFields':
      if (token === null && method.startsIntent !== true)
        return refuse('missing', path, 'must be the token of the handler');
      break;
    case 'Widget':
      break;
  }
  const problem = token === null || !provider.charge ? null : provider.checkToken(token);
  return problem === null ? token : refuse('invalid', path, problem);
};

/** How a session can be paid for. */
export interface WaysToPay {
  readonly providers: readonly PaymentProvider[];
  readonly facts: HandlerFacts;
  /** Of the member to whom it is linked. */
  readonly payments: MemberPayments | null;
}

type Paying = Pick<AgentPayment, 'providerAlias' | 'methodAlias' | 'token' | 'savedMethodId'>;

/** A payment that names a saved method and carries no credential; null: it is not one of the member's. */
const savedPayment = (
  { id, handlerId, credential }: PayingInstrument,
  { providers, facts, payments }: WaysToPay,
): Paying | null => {
  if (credential?.token !== undefined || credential?.isCard === true) return null;
  const way = savedWays(payments, handledMethods(providers, facts)).find(({ method }) => method.id === id);
  if (!way) return null;
  if (handlerId !== way.handlerId)
    return refuse('invalid_payment_handler', `${INSTRUMENT}.handler_id`, `must be ${way.handlerId}`);
  const { providerAlias, methodAlias } = way.method;
  return { providerAlias, methodAlias, token: null, savedMethodId: id };
};

/**
 * How an agent pays. Errors: a refusal of the protocol where no instrument is named, its handler is not offered, or
 * what pays is not for this session (docs/rules/agents.md#payment-handlers).
 */
export const paymentOf = (
  sessionId: string,
  instrument: PayingInstrument | undefined,
  ways: WaysToPay,
): Paying => {
  if (!instrument) return refuse('missing', '$.payment', 'must be an instrument that pays');
  const { providers, facts } = ways;
  const saved = savedPayment(instrument, ways);
  const way = wayOf(instrument.handlerId, providers, facts);
  const { credential } = instrument;
  if (credential?.checkoutId !== undefined && credential.checkoutId !== sessionId)
    return refuse('invalid', `${CREDENTIAL}.binding.checkout_id`, 'must be the id of this checkout');
  if (saved) return saved;
  const token = neededToken(tokenIn(credential, way), way);
  return {
    providerAlias: way.provider.alias,
    methodAlias: way.method.methodAlias,
    token,
    savedMethodId: null,
  };
};
