import type { ProtocolAnswer, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { protocolRefusal, type ProtocolError } from '#agents/protocol-error.ts';
import type { CompletionInput, PayingInstrument } from '#agents/protocol-inputs.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import type { AgentMandate, AgentWebhooks } from '#events/agent-session.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { SeenSession } from '../sessions/seen-session.ts';
import { open } from '../sessions/agent-session.decider.ts';
import { checkMandate } from '../mandates/check-mandate.ts';
import { handlerFacts } from '../sessions/session-handlers.ts';
import { instrumentOf } from '../sessions/session-input.ts';
import { countedAgent, type SessionOperationDeps } from '../sessions/session-operations.ts';
import { isMandated } from '../sessions/session-answer.ts';
import { addressOf } from '../sessions/session-place.ts';
import type { SessionPresenter } from '../sessions/session-presenter.ts';
import { presentationIn } from '../shown/presentment.ts';
import { agreedOrder } from './agreed-order.ts';
import type { SessionPayment } from './complete-session.process.ts';
import { completionError } from './completion-errors.ts';
import {
  isUnderWayFor,
  knownCompletion,
  type AskedCompletion,
  type Completions,
  type Concluded,
} from './completions.actions.ts';
import { refuseWhilePaid } from '../sessions/paid-elsewhere.ts';
import { paymentOf } from './session-instrument.ts';
import { notReady, soldOut } from './session-ready.ts';

export interface CompleteDeps
  extends
    Omit<SessionOperationDeps, 'carts' | 'limitBegun'>,
    Pick<ModuleDeps, 'clock' | 'streams' | 'ownKeys' | 'agentProfiles'> {
  readonly completions: Completions;
  readonly present: SessionPresenter;
}

type CompletionRequest = ProtocolRequestFor<CompletionInput>;

const refuse = (error: ProtocolError | null): void => {
  if (error) throw protocolRefusal(error);
};

const PAGE = '/checkout';

const sessionPayment = (
  deps: CompleteDeps,
  seen: SeenSession,
  instrument: PayingInstrument | undefined,
  { agent, baseUrl, ip }: CompletionRequest,
): SessionPayment => {
  const { apis } = deps;
  const { session, sessionId, payments } = seen;
  const facts = handlerFacts(deps, payments);
  const shown = presentationIn(deps, session.currency, null).display;
  const billing = instrument?.billingAddress;
  return {
    ...paymentOf(sessionId, instrument, { providers: apis.payments.offeredToAgents(), facts, payments }),
    grantId: agent.member?.grantId ?? null,
    ownAddress: apis.payments.ownAddress ?? baseUrl,
    pages: { returnUrl: PAGE, cancelUrl: PAGE },
    billingAddress: billing ? addressOf(billing, session.buyer) : null,
    agreed: agreedOrder(deps, seen),
    wantedCurrency: shown.currency,
    shown,
    ip,
  };
};

const answered = (
  { answers }: CompleteDeps,
  seen: SeenSession,
  { failed }: Pick<Concluded, 'failed'>,
  request: CompletionRequest,
): ProtocolAnswer<ProtocolSession> => {
  if (failed) throw protocolRefusal(completionError(failed));
  return answers.answer(seen, request);
};

/** Where agent and shop have agreed on mandates, the one by which the buyer has agreed to what is shown. */
const mandated = async (
  { answers, ownKeys, agentProfiles, clock, config }: CompleteDeps,
  { session }: SeenSession,
  shown: ProtocolSession,
  { agent, body, baseUrl, ip }: CompletionRequest,
): Promise<AgentMandate | undefined> => {
  const { identity } = agent;
  if (identity === null || !isMandated(session, config.protocol.ucp.extensions)) return undefined;
  return checkMandate(body.mandate, {
    ...{ identity, ownKeys, baseUrl, now: clock.now() },
    keysAgain: async () => {
      const again = await agentProfiles?.refresh(identity.profileUri, baseUrl, ip);
      return again?.kind === 'resolved' ? again.profile.signingKeys : identity.signingKeys;
    },
    shownIn: (version) => answers.shownIn(shown, agent, version),
  });
};

/** Undefined where the profile was not read: the addresses of the session stay. */
const webhooksOf = ({ agent: { identity } }: CompletionRequest): AgentWebhooks | undefined =>
  identity?.profileState === 'resolved'
    ? { orderWebhookUrl: identity.webhookUrl, sessionWebhookUrl: identity.checkoutWebhookUrl }
    : undefined;

/** Priced for the member whom it was linked to just now: what costs them more is shown to them before it is charged. */
const refuseDearer = ({ basket: before }: SeenSession, { basket: linked }: SeenSession): void => {
  if ((linked.state.basket?.totals.total ?? 0) <= (before.state.basket?.totals.total ?? 0)) return;
  throw protocolRefusal({
    code: 'conflict',
    text: 'The checkout costs this customer more. Read it and complete it again.',
  });
};

/** Checks in the order in which agents are told of them (docs/rules/agent-sessions.md#completing). */
const checked = async (
  deps: CompleteDeps,
  seen: SeenSession,
  request: CompletionRequest,
): Promise<Pick<AskedCompletion, 'mandate' | 'payment'>> => {
  const { instrument } = request.body;
  open(seen.session, isoInstant(deps.clock.now()));
  await refuseWhilePaid(deps, seen.session, seen.basket.state);
  const presented = deps.present(seen, { baseUrl: request.baseUrl });
  const mandate = await mandated(deps, seen, presented.session, request);
  const { messages } = presented.session;
  const shown = { isFulfilmentMissing: presented.isFulfilmentMissing, messages };
  refuse(notReady(seen.session, shown));
  const payment = sessionPayment(deps, seen, instrument, request);
  refuse(soldOut(shown));
  return { mandate, payment };
};

/** Pays for a session. What the request's key has led to before is answered again, or gone on with. */
export const createCompleteOperation =
  (deps: CompleteDeps) =>
  async (request: CompletionRequest): Promise<ProtocolAnswer<ProtocolSession>> => {
    const { sessions, completions } = deps;
    const { id, body } = request;
    const asking = countedAgent(request);
    const meta = metaOf(request);
    const key = meta.commandId ?? newId();
    const seen = await sessions.read(asking, id, meta);
    const known = knownCompletion(seen.session, key);
    if (known) return answered(deps, seen, known, request);
    const isUnderWay = isUnderWayFor(seen.session, key);
    const asked = isUnderWay ? seen : await sessions.linkFirst(asking, seen, meta);
    refuseDearer(seen, asked);
    const sure = isUnderWay
      ? { mandate: undefined, payment: sessionPayment(deps, asked, body.instrument, request) }
      : await checked(deps, asked, request);
    const { instrument: given } = body;
    if (!given) throw new TypeError('a payment without an instrument');
    const instrument = { ...instrumentOf(given), isSelected: true };
    const concluded = await completions.complete(
      asked,
      { key, instrument, webhooks: webhooksOf(request), ...sure },
      meta,
    );
    return answered(deps, await sessions.read(asking, id, meta), concluded, request);
  };
