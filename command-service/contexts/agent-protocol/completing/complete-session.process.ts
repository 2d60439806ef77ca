import type { Address } from '#values/address.ts';
import type { DisplayCurrency } from '#values/exchange.ts';
import type { AgentPaid, AgentPayment } from '../../payments/agents/agent-payments.commands.ts';
import { callsOf, remember, type Process, type Refusal } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { AwaitPayment, CompleteSession, FailCompletion } from '../sessions/agent-session.commands.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import type { AgreedOrder } from './agreed-order.ts';

/** What an agent pays with, and what for. It is in no event: what pays is never kept. */
export interface SessionPayment extends AgentPayment {
  /** The consent by which the agent buys for a member; null: it buys for a guest. */
  readonly grantId: string | null;
  /** Null: the address that the goods go to. */
  readonly billingAddress: Address | null;
  readonly agreed: AgreedOrder;
  readonly wantedCurrency: string;
  readonly shown: DisplayCurrency | null;
  readonly ip: string;
}

/** A completion that has started and come to nothing yet. */
export interface OpenCompletion {
  readonly sessionId: string;
  readonly basketId: string;
  readonly completionId: string;
  /** An earlier run may have asked for the payment already. */
  readonly isResumed: boolean;
  /** Null once the request is lost: a payment that was asked for by then is followed, and none is begun. */
  readonly payment: SessionPayment | null;
  /** ISO instants. */
  readonly startedAt: string;
  readonly now: string;
  readonly expiresAt: string;
}

export interface CompletionCalls {
  readonly pay: (open: OpenCompletion & { readonly payment: SessionPayment }) => Promise<AgentPaid>;
  /** Null: nothing is under way for the basket. */
  readonly look: (open: Pick<OpenCompletion, 'basketId' | 'startedAt'>) => Promise<AgentPaid | null>;
}

const call = callsOf<CompletionCalls>();

export const PAYMENT_FAILED = 'payment_failed';
/** A payment that a provider takes to be a thief's. */
export const PAYMENT_SUSPECTED = 'payment-suspected';
export const PROVIDER_UNAVAILABLE = 'provider-unavailable';

const INTERRUPTED = 'The payment was interrupted before anything was charged. Complete the checkout again.';

interface Found {
  readonly paid: AgentPaid | null;
}

type Concluding = Pick<OpenCompletion, 'completionId' | 'now' | 'expiresAt'>;

/** Goods that went meanwhile are one refusal, whether checkout or the stock itself has seen it. */
const soldOut = (refusal: Refusal): Refusal => {
  const [first] = (refusal.details['unavailableItems'] ?? []) as readonly { readonly reason: string }[];
  return first?.reason === 'stock' ? { ...refusal, code: 'out-of-stock' } : refusal;
};

/** What came of a completion, for its session. */
export const conclusionOf = (
  { completionId, now, expiresAt }: Concluding,
  paid: AgentPaid | null,
): AwaitPayment | CompleteSession | FailCompletion => {
  const failed = { type: 'FailCompletion', completionId, now, expiresAt } as const;
  if (paid === null) return { ...failed, invoiceId: null, code: PROVIDER_UNAVAILABLE, message: INTERRUPTED };
  const { invoiceId } = paid;
  switch (paid.kind) {
    case 'bought':
      return { type: 'CompleteSession', invoiceId, invoiceNumber: paid.invoiceNumber, now };
    case 'awaited': {
      const { from, continueUrl } = paid;
      return { type: 'AwaitPayment', completionId, invoiceId, from, continueUrl, now };
    }
    case 'declined':
      return {
        ...failed,
        ...{ invoiceId, code: paid.isFraud ? PAYMENT_SUSPECTED : PAYMENT_FAILED, message: paid.message },
      };
  }
};

/**
 * From a completion that has started to what came of it. Placing and paying are those of every checkout, with their own
 * compensations and keys: sent again, they go on from what the streams say.
 */
export const completeSession: Process<OpenCompletion, Found> = {
  name: 'complete-session',
  on: {
    AgentSessionCompletionStarted: 'opens',
    AgentSessionPaymentAwaited: 'ends',
    AgentSessionCompletionFailed: 'ends',
    AgentSessionCompleted: 'ends',
  },
  takenOver: null,
  begins: () => ({ paid: null }),
  steps: [
    {
      name: 'see what an earlier run has come to',
      commands: ({ isResumed, basketId, startedAt }) =>
        isResumed
          ? [remember(call('look', { basketId, startedAt }), (_, paid: AgentPaid | null) => ({ paid }))]
          : [],
    },
    {
      name: 'place the order and ask for its payment',
      commands: ({ payment, ...open }, { paid }) =>
        payment === null || paid !== null
          ? []
          : [remember(call('pay', { ...open, payment }), (_, now: AgentPaid | null) => ({ paid: now }))],
      explains: soldOut,
    },
    {
      name: 'tell the session',
      commands: (open, { paid }) => [to(agentSessions, open.sessionId, conclusionOf(open, paid))],
    },
  ],
  completes: null,
  fails: ({ sessionId, completionId, now, expiresAt }, { code, message, details }) => {
    const { invoiceId = null } = details as { readonly invoiceId?: string };
    return to(agentSessions, sessionId, {
      type: 'FailCompletion',
      ...{ completionId, invoiceId, code, message, now, expiresAt },
    });
  },
};
