import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { SessionToVoid } from '../../invoices/payments/payment-sessions.state.ts';
import type { RecordAuthorization } from '../../invoices/payments/authorization.commands.ts';
import type { RecordProviderPayment } from '../../invoices/payments/payment.commands.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** Void sessions whose providers have not been told yet. */
export interface OpenVoiding {
  readonly invoiceId: string;
  readonly sessions: readonly SessionToVoid[];
}

export interface VoidInput extends SessionToVoid {
  readonly invoiceId: string;
}

/** The result: nothing while unknown, else what was paid in it all the same. */
export interface VoidedSession {
  readonly sessionId: string;
  readonly isVoided: boolean;
  /** What was paid, or authorised, in it all the same. */
  readonly paid: RecordProviderPayment | RecordAuthorization | null;
}

export interface VoidingCalls {
  readonly voidSession: (session: VoidInput) => Promise<VoidedSession>;
}

const call = callsOf<VoidingCalls>();

/**
 * Tells providers that a session is void. A payment made in it before that is recorded: the money came too late, or
 * twice.
 */
export const voidSessions: Process<OpenVoiding, readonly VoidedSession[]> = {
  name: 'void-sessions',
  on: {
    PaymentSessionClosed: ({ data }) =>
      (data as { readonly reason: string }).reason === 'voided' ? 'opens' : null,
    PaymentSessionsVoided: ({ data }) => ((data as { readonly isLast: boolean }).isLast ? 'ends' : null),
  },
  takenOver: null,
  begins: () => [],
  steps: [
    {
      name: 'tell the providers',
      commands: ({ invoiceId, sessions }) =>
        sessions.map((session) =>
          remember(call('voidSession', { ...session, invoiceId }), (voided, one) => [...voided, one]),
        ),
    },
    {
      name: 'record what was paid in them',
      commands: ({ invoiceId }, voided) =>
        voided.flatMap(({ paid }) => (paid ? [to(invoiceStream, invoiceId, paid)] : [])),
      // A payment in another currency is not recorded.
      isTidyingUp: true,
    },
    {
      name: 'note that they know',
      commands: ({ invoiceId }, voided) => {
        const sessionIds = voided.filter(({ isVoided }) => isVoided).map(({ sessionId }) => sessionId);
        return sessionIds.length === 0
          ? []
          : [to(invoiceStream, invoiceId, { type: 'NoteVoidedSessions', sessionIds })];
      },
    },
  ],
  completes: null,
  fails: null,
};
