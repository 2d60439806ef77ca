import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { callsOf, remember, type Effect, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { Authorization, AuthorizationAsk } from '../../invoices/payments/authorizations.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** Money that is set aside, and what its provider is to be asked for. */
export interface OpenAuthorization {
  readonly invoiceId: string;
  readonly currency: string;
  readonly authorization: Authorization;
  readonly ask: AuthorizationAsk;
}

/** How the money stands at its provider, which may have moved on by itself. Null: not known, ask again. */
export type AuthorizationOutcome =
  | { readonly kind: 'captured'; readonly amount: number }
  | { readonly kind: 'released'; readonly reason: 'voided' | 'expired' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export interface AuthorizationCalls {
  readonly askFor: (open: OpenAuthorization) => Promise<AuthorizationOutcome | null>;
}

const call = callsOf<AuthorizationCalls>();

type Refused = Extract<AuthorizationOutcome, { readonly kind: 'refused' }>;

/** What has become of the money, as a command. */
export const outcomeCommand = (paymentId: string, outcome: Exclude<AuthorizationOutcome, Refused>) =>
  outcome.kind === 'captured'
    ? ({ type: 'CompleteCapture', paymentId, amount: outcome.amount } as const)
    : ({ type: 'ReleaseAuthorization', paymentId, reason: outcome.reason } as const);

const recordOutcome = (
  { authorization: { paymentId }, ask: { askId } }: OpenAuthorization,
  outcome: AuthorizationOutcome,
) => {
  if (outcome.kind !== 'refused') return outcomeCommand(paymentId, outcome);
  const { code, message } = outcome;
  return { type: 'DeclineAsk', askId, paymentId, code, message } as const;
};

type Ended = EventOfType<
  InvoiceEvent,
  'PaymentCaptured' | 'CaptureDeclined' | 'VoidDeclined' | 'AuthorizationReleased'
>['data'];

/** Whether something else of the invoice is still being asked for; null: it was never set aside. */
const whetherLast = ({ data }: { readonly data: unknown }): Effect | null => {
  const { asksLeft } = data as Ended;
  if (asksLeft === undefined) return null;
  return asksLeft > 0 ? 'opens' : 'ends';
};

/**
 * From the wish to capture or to void to what the provider said. Asked again it goes by the same key, so that what
 * happened once is not done twice; nothing but its own word ends it.
 */
export const settleAuthorization: Process<OpenAuthorization, AuthorizationOutcome | null> = {
  name: 'settle-authorization',
  on: {
    CaptureAttempted: 'opens',
    VoidAttempted: 'opens',
    PaymentCaptured: whetherLast,
    CaptureDeclined: whetherLast,
    VoidDeclined: whetherLast,
    AuthorizationReleased: whetherLast,
  },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'ask the provider',
      commands: (open) => [remember(call('askFor', open), (_, outcome) => outcome)],
    },
    {
      name: 'record what it said',
      commands: (open, outcome) =>
        outcome === null ? [] : [to(invoiceStream, open.invoiceId, recordOutcome(open, outcome))],
    },
  ],
  completes: null,
  fails: null,
};
