import { agentSessionEvents, type AgentSessionEvent } from '#events/agent-session.events.ts';
import { decideBy, type Decider } from '#kernel/decider.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { SessionNotice } from '#topics/agent-notice.ts';
import type {
  AgentSessionCommand,
  AskedFor,
  AwaitPayment,
  CancelSession,
  CompleteSession,
  ExpireSession,
  FailCompletion,
  NoteNoticeQueued,
  SessionChanges,
  StartCompletion,
  StartSession,
  UpdateSession,
} from './agent-session.commands.ts';
import {
  agentSessionStream,
  isBusy,
  isDue,
  completionOf,
  isSession,
  nothingSaid,
  type ActiveSession,
  type AgentSession,
  type AgentSessionState,
  type Completion,
} from './agent-session.state.ts';

const {
  AgentSessionBuyerNamed,
  AgentSessionCancelled,
  AgentSessionCodesSubmitted,
  AgentSessionCompleted,
  AgentSessionCompletionFailed,
  AgentSessionCompletionStarted,
  AgentSessionConsentGiven,
  AgentSessionContextGiven,
  AgentSessionCurrencyChosen,
  AgentSessionDestinationsGiven,
  AgentSessionExpired,
  AgentSessionExtended,
  AgentSessionFulfilmentChosen,
  AgentSessionInstrumentsOffered,
  AgentSessionLinesChanged,
  AgentSessionMemberLinked,
  AgentSessionNoticeDue,
  AgentSessionNoticeQueued,
  AgentSessionPaymentAwaited,
  AgentSessionStarted,
} = agentSessionEvents.create;

type Content = Pick<AgentSession, keyof SessionChanges>;

/** Lists are replaced, and what an event holds is its own. */
const copied = <Value>(values: readonly Value[]): Value[] => [...values];

/** One event for each part that is not so already. */
const changed = (
  before: Content,
  changes: SessionChanges,
  customerId: string | null = null,
): AgentSessionEvent[] => {
  const { lines, buyer, consent, codes, destinations, fulfilment, instruments, currency } = changes;
  const differs = <Part extends keyof SessionChanges>(part: Part): boolean =>
    changes[part] !== undefined && !isSameJson(changes[part], before[part]);
  const events: AgentSessionEvent[] = [];
  if (lines && differs('lines')) events.push(AgentSessionLinesChanged({ lines: copied(lines) }));
  if (buyer !== undefined && differs('buyer')) events.push(AgentSessionBuyerNamed({ buyer, customerId }));
  if (consent !== undefined && differs('consent')) events.push(AgentSessionConsentGiven({ consent }));
  if (codes && differs('codes')) events.push(AgentSessionCodesSubmitted({ codes: copied(codes) }));
  if (destinations && differs('destinations'))
    events.push(AgentSessionDestinationsGiven({ destinations: copied(destinations) }));
  if (fulfilment !== undefined && differs('fulfilment'))
    events.push(AgentSessionFulfilmentChosen({ fulfilment }));
  if (instruments && differs('instruments'))
    events.push(AgentSessionInstrumentsOffered({ instruments: copied(instruments) }));
  if (currency !== undefined && differs('currency')) events.push(AgentSessionCurrencyChosen({ currency }));
  const { context = before.context, attribution = before.attribution } = changes;
  if (differs('context') || differs('attribution'))
    events.push(AgentSessionContextGiven({ context, attribution }));
  return events;
};

/** Recorded before anything personal, which is encrypted under the key of the member's customer. */
const linked = (known: string | null, member: AskedFor | null): AgentSessionEvent[] =>
  member === null || known === member.memberId ? [] : [AgentSessionMemberLinked({ ...member })];

const start = (
  state: AgentSessionState,
  { type: _, lines, capabilities, member, changes, customerId, now: startedAt, ...facts }: StartSession,
): AgentSessionEvent[] => {
  if (isSession(state)) return [];
  const given = { lines: copied(lines), capabilities: copied(capabilities), startedAt };
  return [
    AgentSessionStarted({ ...facts, ...given }),
    ...linked(null, member),
    ...changed({ lines: [], ...nothingSaid, currency: facts.currency }, changes, customerId),
  ];
};

/** As the completion that is left behind is remembered. */
export const PAYMENT_GIVEN_UP = 'payment-given-up';

const notModifiable = (message: string): Rejection => new Rejection('checkout_not_modifiable', message);

const endings = {
  completed: 'This checkout is completed.',
  cancelled: 'This checkout was canceled.',
  expired: 'This checkout has expired.',
} as const;

const notFound = (): Rejection => new Rejection('not_found', 'This checkout was not found.');

/** Errors: Rejection `not_found`, `checkout_not_modifiable`. */
const active = (state: AgentSessionState, now: string): ActiveSession => {
  if (!isSession(state)) throw notFound();
  if (state.status !== 'active') throw notModifiable(endings[state.status]);
  if (isDue(state, now)) throw notModifiable(endings.expired);
  return state;
};

const beingPaid = (): Rejection =>
  notModifiable('This checkout is being completed. Read it again to see what came of it.');

/** A payment that is under way is not disturbed. Errors: Rejection `not_found`, `checkout_not_modifiable`. */
export const open = (state: AgentSessionState, now: string): ActiveSession => {
  const session = active(state, now);
  if (isBusy(session)) throw beingPaid();
  return session;
};

/** The payment that waits for the buyer, when the agent goes on without it. */
export const givingUp = (
  { completionId, awaited }: Completion,
  now: string,
  expiresAt: string,
): FailCompletion => ({
  type: 'FailCompletion',
  ...{ completionId, invoiceId: awaited?.invoiceId ?? null, code: PAYMENT_GIVEN_UP },
  message: 'The agent went on before the buyer had confirmed the payment.',
  ...{ now, expiresAt },
});

const failed = ({ type: _, now: failedAt, ...why }: FailCompletion): AgentSessionEvent =>
  AgentSessionCompletionFailed({ ...why, failedAt });

const givenUp = ({ completion }: ActiveSession, now: string, expiresAt: string): AgentSessionEvent[] =>
  completion === null ? [] : [failed(givingUp(completion, now, expiresAt))];

/** Another request may have linked another member meanwhile. Errors: Rejection `not_found`. */
const update = (
  state: AgentSessionState,
  { member = null, changes, customerId, now: updatedAt, expiresAt }: UpdateSession,
): AgentSessionEvent[] => {
  const session = open(state, updatedAt);
  const { memberId } = session;
  if (member !== null && memberId !== null && memberId !== member.memberId) throw notFound();
  return [
    ...givenUp(session, updatedAt, expiresAt),
    ...linked(memberId, member),
    ...changed(session, changes, customerId),
    AgentSessionExtended({ updatedAt, expiresAt }),
  ];
};

/** Whether it came to something before is seen in the state: a repeat starts nothing. */
const startCompletion = (
  state: AgentSessionState,
  { completionId, updates, instrument, webhooks, mandate, now }: StartCompletion,
): AgentSessionEvent[] => {
  if (completionOf(state)?.completionId === completionId) return [];
  if (isSession(state) && state.failed?.completionId === completionId) return [];
  const session = open(state, now);
  if (session.updates !== updates)
    throw new Rejection(
      'basket-changed',
      'This checkout was changed meanwhile. Read it and complete it again.',
    );
  return [
    ...givenUp(session, now, session.expiresAt),
    AgentSessionCompletionStarted({
      ...{ completionId, instrument, startedAt: now },
      ...defined({ webhooks, mandate }),
    }),
  ];
};

const awaitPayment = (
  state: AgentSessionState,
  { completionId, invoiceId, from, continueUrl, now }: AwaitPayment,
): AgentSessionEvent[] => {
  const completion = state.status === 'active' ? state.completion : null;
  if (completion?.completionId !== completionId) return [];
  const awaited = { invoiceId, from, continueUrl };
  if (isSameJson(completion.awaited, awaited)) return [];
  return [AgentSessionPaymentAwaited({ completionId, ...awaited, awaitedAt: now })];
};

/** The agent may try again, for as long as after any other change. */
const fail = (state: AgentSessionState, command: FailCompletion): AgentSessionEvent[] =>
  state.status === 'active' && state.completion?.completionId === command.completionId
    ? [failed(command)]
    : [];

/** The end of a session, with the notice that is due where its agent has named an address. */
const over = (
  { sessionWebhookUrl }: ActiveSession,
  event: AgentSessionEvent,
  notice: SessionNotice,
  dueAt: string,
): AgentSessionEvent[] =>
  sessionWebhookUrl === null ? [event] : [event, AgentSessionNoticeDue({ notice, dueAt })];

/** What is paid is paid: a session that had ended stays so, and its invoice says the rest. */
const complete = (
  state: AgentSessionState,
  { invoiceId, invoiceNumber, now }: CompleteSession,
): AgentSessionEvent[] => {
  if (state.status !== 'active') return [];
  const completed = AgentSessionCompleted({ invoiceId, invoiceNumber, completedAt: now });
  return over(state, completed, 'checkout_completed', now);
};

const cancel = (state: AgentSessionState, { now }: CancelSession): AgentSessionEvent[] => {
  const session = open(state, now);
  const cancelled = AgentSessionCancelled({ cancelledAt: now });
  return [...givenUp(session, now, session.expiresAt), ...over(session, cancelled, 'checkout_canceled', now)];
};

const expire = (state: AgentSessionState, { now }: ExpireSession): AgentSessionEvent[] =>
  state.status === 'active' && isDue(state, now)
    ? over(state, AgentSessionExpired({ expiredAt: now }), 'checkout_expired', now)
    : [];

const noteNoticeQueued = (
  state: AgentSessionState,
  { noticeId, now }: NoteNoticeQueued,
): AgentSessionEvent[] =>
  isSession(state) && state.owesNotice ? [AgentSessionNoticeQueued({ noticeId, queuedAt: now })] : [];

const decide = decideBy<AgentSessionState, AgentSessionCommand, AgentSessionEvent, void>({
  StartSession: start,
  UpdateSession: update,
  StartCompletion: startCompletion,
  AwaitPayment: awaitPayment,
  FailCompletion: fail,
  CompleteSession: complete,
  CancelSession: cancel,
  ExpireSession: expire,
  NoteNoticeQueued: noteNoticeQueued,
});

/** What becomes of a checkout session (docs/rules/agent-sessions.md#states). */
export const agentSessionDecider: Decider<AgentSessionState, AgentSessionCommand, AgentSessionEvent> = {
  ...agentSessionStream,
  decide,
};
