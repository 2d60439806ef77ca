import type {
  AgentBuyer,
  AgentConsent,
  AgentDestination,
  AgentFulfilment,
  AgentInstrument,
  AgentLine,
  AgentSessionEvent,
} from '#events/agent-session.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';

type Told<Type extends AgentSessionEvent['type']> = EventOfType<AgentSessionEvent, Type>['data'];

/** A completion that is under way. */
export interface Completion {
  readonly completionId: string;
  /** Null once the buyer is forgotten. */
  readonly instrument: AgentInstrument | null;
  readonly startedAt: string;
  /** Null: the order is being placed. */
  readonly awaited: {
    readonly invoiceId: string;
    readonly from: 'provider' | 'buyer';
    readonly continueUrl: string | null;
  } | null;
}

type Facts = Omit<Told<'AgentSessionStarted'>, 'lines' | 'expiresAt'>;

interface SessionContent extends Facts {
  readonly lines: readonly AgentLine[];
  /** To whom it is linked; null: it is a guest's. */
  readonly memberId: string | null;
  readonly buyer: AgentBuyer | null;
  /** Whose e-mail address was named last. */
  readonly customerId: string | null;
  readonly consent: AgentConsent | null;
  readonly codes: readonly string[];
  readonly destinations: readonly AgentDestination[];
  readonly fulfilment: AgentFulfilment | null;
  readonly instruments: readonly AgentInstrument[];
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly attribution: Readonly<Record<string, unknown>> | null;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly updates: number;
  /** Completions that came to nothing; part of the next one's id. */
  readonly failures: number;
  /** The last of them: a repeat of it fails alike. */
  readonly failed: Pick<
    Told<'AgentSessionCompletionFailed'>,
    'completionId' | 'invoiceId' | 'code' | 'message'
  > | null;
  /** Its agent has yet to be told that it is over. */
  readonly owesNotice: boolean;
}

export interface ActiveSession extends SessionContent {
  readonly status: 'active';
  readonly completion: Completion | null;
}

export interface CompletedSession extends SessionContent {
  readonly status: 'completed';
  readonly order: { readonly invoiceId: string; readonly invoiceNumber: string };
  /** How it was paid; null: by the shopper to whom it was handed over. */
  readonly completion: Completion | null;
}

interface EndedSession extends SessionContent {
  readonly status: 'cancelled' | 'expired';
}

export type AgentSession = ActiveSession | CompletedSession | EndedSession;

/** State of the stream `agentSession-<id>`. */
export type AgentSessionState = { readonly status: 'none' } | AgentSession;

export const isSession = (state: AgentSessionState): state is AgentSession => state.status !== 'none';

/** The completion that is under way, or that has completed it. */
export const completionOf = (state: AgentSessionState): Completion | null =>
  state.status === 'active' || state.status === 'completed' ? state.completion : null;

/** What only waits for the buyer bars nothing (docs/rules/agent-sessions.md#completing). */
export const isBusy = ({ completion }: Pick<ActiveSession, 'completion'>): boolean =>
  completion !== null && completion.awaited?.from !== 'buyer';

/** True once its time is over, unless a payment is under way. */
export const isDue = (
  { completion, expiresAt }: Pick<ActiveSession, 'completion' | 'expiresAt'>,
  now: string,
): boolean => completion === null && expiresAt <= now;

/** Of a session of which its agent has said nothing but the goods. */
export const nothingSaid = {
  buyer: null,
  consent: null,
  codes: [],
  destinations: [],
  fulfilment: null,
  instruments: [],
  context: null,
  attribution: null,
} as const;

const started = ({ lines, ...data }: Told<'AgentSessionStarted'>): ActiveSession => ({
  ...data,
  status: 'active',
  lines,
  ...nothingSaid,
  memberId: null,
  customerId: null,
  updatedAt: data.startedAt,
  updates: 0,
  failures: 0,
  failed: null,
  owesNotice: false,
  completion: null,
});

/** For a session that is active; to any other the event means nothing. */
const onActive =
  <Type extends AgentSessionEvent['type']>(
    change: (session: ActiveSession, data: Told<Type>) => AgentSession,
  ) =>
  (state: AgentSessionState, { data }: { readonly data: Told<Type> }): AgentSessionState =>
    state.status === 'active' ? change(state, data) : state;

const awaited = (
  session: ActiveSession,
  { completionId, awaitedAt, ...awaits }: Told<'AgentSessionPaymentAwaited'>,
): ActiveSession => {
  const { completion } = session;
  if (completion?.completionId !== completionId) return session;
  return { ...session, updatedAt: awaitedAt, completion: { ...completion, awaited: awaits } };
};

const ended =
  (status: EndedSession['status']) =>
  ({ completion: _, ...session }: ActiveSession, updatedAt: string): EndedSession => ({
    ...session,
    status,
    updatedAt,
  });

const on: Evolution<AgentSessionState, AgentSessionEvent> = {
  AgentSessionStarted: (_, { data }) => started(data),
  AgentSessionMemberLinked: onActive<'AgentSessionMemberLinked'>((session, { memberId, customerId }) => ({
    ...session,
    ...{ memberId, customerId: customerId ?? session.customerId },
  })),
  AgentSessionLinesChanged: onActive<'AgentSessionLinesChanged'>((session, { lines }) => ({
    ...session,
    lines,
  })),
  AgentSessionBuyerNamed: onActive<'AgentSessionBuyerNamed'>((session, { buyer, customerId }) => ({
    ...session,
    ...{ buyer, customerId: customerId ?? session.customerId },
  })),
  AgentSessionConsentGiven: onActive<'AgentSessionConsentGiven'>((session, { consent }) => ({
    ...session,
    consent,
  })),
  AgentSessionCodesSubmitted: onActive<'AgentSessionCodesSubmitted'>((session, { codes }) => ({
    ...session,
    codes,
  })),
  AgentSessionDestinationsGiven: onActive<'AgentSessionDestinationsGiven'>((session, { destinations }) => ({
    ...session,
    destinations: destinations ?? [],
  })),
  AgentSessionFulfilmentChosen: onActive<'AgentSessionFulfilmentChosen'>((session, { fulfilment }) => ({
    ...session,
    fulfilment,
  })),
  AgentSessionInstrumentsOffered: onActive<'AgentSessionInstrumentsOffered'>((session, { instruments }) => ({
    ...session,
    instruments: instruments ?? [],
  })),
  AgentSessionCurrencyChosen: onActive<'AgentSessionCurrencyChosen'>((session, { currency }) => ({
    ...session,
    currency,
  })),
  AgentSessionContextGiven: onActive<'AgentSessionContextGiven'>((session, { context, attribution }) => ({
    ...session,
    ...{ context, attribution },
  })),
  AgentSessionExtended: onActive<'AgentSessionExtended'>((session, times) => ({
    ...session,
    ...times,
    updates: session.updates + 1,
  })),
  AgentSessionCompletionStarted: onActive<'AgentSessionCompletionStarted'>(
    (session, { completionId, instrument, webhooks, startedAt }) => ({
      ...session,
      ...webhooks,
      updatedAt: startedAt,
      completion: { completionId, instrument, startedAt, awaited: null },
    }),
  ),
  AgentSessionPaymentAwaited: onActive<'AgentSessionPaymentAwaited'>(awaited),
  AgentSessionCompletionFailed: onActive<'AgentSessionCompletionFailed'>(
    (session, { completionId, invoiceId, code, message, failedAt, expiresAt }) => ({
      ...session,
      ...{
        completion: null,
        failed: { completionId, invoiceId, code, message },
        updatedAt: failedAt,
        expiresAt,
      },
      failures: session.failures + 1,
    }),
  ),
  AgentSessionCompleted: onActive<'AgentSessionCompleted'>(
    (session, { completedAt, invoiceId, invoiceNumber }) => ({
      ...session,
      ...{ status: 'completed', order: { invoiceId, invoiceNumber }, updatedAt: completedAt },
    }),
  ),
  AgentSessionCancelled: onActive<'AgentSessionCancelled'>((session, { cancelledAt }) =>
    ended('cancelled')(session, cancelledAt),
  ),
  AgentSessionExpired: onActive<'AgentSessionExpired'>((session, { expiredAt }) =>
    ended('expired')(session, expiredAt),
  ),
  AgentSessionNoticeDue: (session) => (isSession(session) ? { ...session, owesNotice: true } : session),
  AgentSessionNoticeQueued: (session) => (isSession(session) ? { ...session, owesNotice: false } : session),
};

/** Personal fields are those of the basket: forgetting its buyer reaches the session with it. */
export const agentSessionStream = {
  category: 'agentSession',
  initial: (): AgentSessionState => ({ status: 'none' }),
  on,
  remembersCommands: true,
  subject: (id: string, state: AgentSessionState): DataSubject => ({
    ...(isSession(state) ? { id: state.basketId, customerId: state.customerId } : { id }),
  }),
} as const;
