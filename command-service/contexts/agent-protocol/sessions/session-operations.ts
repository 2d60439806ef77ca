import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequest, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { OLDER_VERSION, versionOf } from '#agents/dialect-choice.ts';
import { protocolRefusal } from '#agents/protocol-error.ts';
import type { SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { LimitBegun } from '../begun/limit-begun.ts';
import { inCommon } from '../shown/answer-capabilities.ts';
import { judgeLines, linesRefused, soldIn, soldLines } from '../shown/judge-lines.ts';
import { lostDiscounts } from '../shown/lost-discounts.ts';
import { askedCurrency } from '../shown/presentment.ts';
import type { ChangedSession, SessionActions } from './agent-session.actions.ts';
import type { BegunSession, NewSession } from './begin-session.ts';
import type { KnownSession } from './known-session.ts';
import { createKeptAnswers, type KeptAnswerDeps } from './kept-answers.ts';
import { changesOf, sendingOf } from './session-input.ts';
import type { SessionAnswers } from './session-answer.ts';
import type { AskingAgent } from './session-member.ts';
import type { PresenterDeps } from './session-presenter.ts';

/** What sessions need of the carts that they are made from. */
export interface CartsOfSessions {
  /** `isNew`: false for a second request. Errors: Rejection `not_found`. */
  checkOut(
    agent: AskingAgent,
    cartId: string,
    facts: Omit<NewSession, 'lines'>,
    meta: CommandMeta,
  ): Promise<BegunSession>;
  /** Writes back what has changed in the session. */
  follow(cartId: string, meta: CommandMeta): Promise<void>;
}

export interface SessionOperationDeps extends PresenterDeps, KeptAnswerDeps {
  readonly sessions: SessionActions;
  readonly answers: SessionAnswers;
  readonly carts: CartsOfSessions;
  readonly limitBegun: LimitBegun;
}

/** The asking agent. Throws where the agent step has identified none. */
export const askingAgent = ({ identity, member }: AgentRequest): AskingAgent => {
  if (identity === null) throw new TypeError('a session is asked for without an agent');
  const { profileUri, isVerified } = identity;
  return { profileUri, isVerified, ...defined({ memberId: member?.memberId }) };
};

/** The same with where it asks from, unless a signature has proven who it is. */
export const countedAgent = ({ agent, ip }: Pick<ProtocolRequest, 'agent' | 'ip'>): AskingAgent => {
  const asking = askingAgent(agent);
  return asking.isVerified ? asking : { ...asking, ip };
};

const unresolvedMessages = ({ identity }: AgentRequest): readonly ProtocolMessage[] => {
  if (identity?.profileState === 'resolved') return [];
  const content = 'The profile of the agent could not be read: it is told nothing of its orders.';
  return [{ type: 'info', code: 'profile_unresolved', content }];
};

/** The goods went between the look at them and the record of it. */
export const unlessGone = async <Result>(asked: Promise<Result>): Promise<Result> => {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const path = '$.line_items';
    const { code, message } = error;
    if (code === 'out-of-stock')
      throw protocolRefusal({ code: 'out_of_stock', text: `Insufficient stock. ${message}`, path });
    if (code === 'product-not-found' || code === 'product-not-purchasable')
      throw protocolRefusal({ code: 'item_unavailable', text: `Product not found. ${message}`, path });
    throw error;
  }
};

const createSession =
  (deps: SessionOperationDeps) =>
  async (request: ProtocolRequest<SessionInput>): Promise<ProtocolAnswer<ProtocolSession>> => {
    const { sessions, carts, answers, settings, config } = deps;
    const { ucp } = config.protocol;
    const { agent, body } = request;
    const { dialect, identity } = agent;
    const begins = deps.limitBegun('session', request);
    const asked = askedCurrency(deps, body);
    const version = versionOf(agent.ownVersion, dialect);
    const facts = {
      dialect,
      ...(version !== dialect && { version }),
      agentName: identity?.name ?? null,
      hasManyGroups: identity?.supportsMultiGroup ?? false,
      capabilities: inCommon(agent, dialect, ucp),
      currency: asked.currency ?? settings().storeCurrencyCode,
      orderWebhookUrl: identity?.webhookUrl ?? null,
      sessionWebhookUrl: identity?.checkoutWebhookUrl ?? null,
      changes: changesOf(body, ucp.extensions),
      sending: sendingOf(body, ucp.extensions),
    };
    const told = [...asked.messages, ...unresolvedMessages(agent)];
    const asking = countedAgent(request);
    const cartId = ucp.capabilities.cart && dialect !== OLDER_VERSION ? body.cartId : undefined;
    if (cartId !== undefined) {
      const { seen, isNew } = await unlessGone(carts.checkOut(asking, cartId, facts, metaOf(request)));
      if (isNew) begins(seen.sessionId);
      return answers.answer(seen, request, { httpStatus: isNew ? 201 : 200, messages: told });
    }
    const { found, failures } = soldLines(soldIn(deps, request), body, dialect);
    const begun = { ...facts, lines: found };
    const seen = await unlessGone(sessions.create(asking, begun, metaOf(request)));
    if (seen.session.status === 'active') begins(seen.sessionId);
    return answers.answer(seen, request, { httpStatus: 201, messages: [...failures, ...told] });
  };

const updateSession =
  (deps: SessionOperationDeps) =>
  async (request: ProtocolRequestFor<SessionInput>): Promise<ProtocolAnswer<ProtocolSession>> => {
    const { sessions, carts, answers, reference, config } = deps;
    const { body, id } = request;
    const { extensions } = config.protocol.ucp;
    const asked = askedCurrency(deps, body);
    let before: KnownSession['basket']['basket'] = null;
    const changesTo = ({ session, basket }: KnownSession): ChangedSession => {
      before = basket.basket;
      const judged = body.lines && judgeLines(reference, body.lines, session.lines, basket);
      if (judged && judged.failures.length > 0)
        throw linesRefused(judged.failures, soldIn(deps, request).storefront);
      return {
        ...changesOf(body, extensions),
        ...defined({ lines: judged?.found, currency: asked.currency }),
        sending: sendingOf(body, extensions),
      };
    };
    const seen = await unlessGone(sessions.update(countedAgent(request), id, changesTo, metaOf(request)));
    if (seen.session.cartId !== null) await carts.follow(seen.session.cartId, metaOf(request));
    const messages = [...asked.messages, ...lostDiscounts(before, seen.basket.state.basket)];
    return answers.answer(seen, request, { messages });
  };

/** The dialect of an agent's own session, for refusals. */
export const dialectsOf =
  (sessions: Pick<SessionActions, 'dialectOf'>) =>
  async (agent: AgentRequest, sessionId: string): Promise<DialectName | null> =>
    (await sessions.dialectOf(askingAgent(agent), sessionId)) as DialectName | null;

/** Checkout sessions as a protocol asks for them, but for paying (docs/rules/agent-sessions.md). */
export const createSessionOperations = (deps: SessionOperationDeps) => {
  const { sessions, answers } = deps;
  const keptAnswers = createKeptAnswers(deps);
  return {
    createSession: createSession(deps),
    getSession: async (request: ProtocolRequestFor): Promise<ProtocolAnswer<ProtocolSession | string>> => {
      const { id } = request;
      const asking = countedAgent(request);
      const settled = sessions.settled(asking, id);
      const kept = settled && keptAnswers.find(settled, request);
      if (kept) return kept;
      const meta = metaOf(request);
      const known = settled ?? (await sessions.look(asking, id, meta));
      return keptAnswers.findOrMake(known, request, async () => {
        const seen = await sessions.read(asking, id, meta);
        return { seen, answer: answers.answer(seen, request) };
      });
    },
    updateSession: updateSession(deps),
    cancelSession: async (request: ProtocolRequestFor): Promise<ProtocolAnswer<ProtocolSession>> => {
      const { agent, id } = request;
      return answers.answer(await sessions.cancel(askingAgent(agent), id, metaOf(request)), request);
    },
  };
};
