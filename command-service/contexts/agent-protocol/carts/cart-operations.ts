import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequest, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { dialectFor } from '#agents/dialect-choice.ts';
import type { ProtocolCart } from '#agents/protocol-cart.ts';
import type { SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import type { LimitBegun } from '../begun/limit-begun.ts';
import { askingAgent, countedAgent, unlessGone } from '../sessions/session-operations.ts';
import { changesOf } from '../sessions/session-input.ts';
import { inCommon } from '../shown/answer-capabilities.ts';
import { askedCurrency } from '../shown/presentment.ts';
import { soldIn, soldLines, type JudgedLines } from '../shown/judge-lines.ts';
import type { CartActions, KnownCart, SeenCart, WantedCart } from './agent-cart.actions.ts';
import type { CartPresenter, CartPresenterDeps } from './cart-presenter.ts';

export interface CartOperationDeps extends CartPresenterDeps {
  readonly carts: CartActions;
  readonly present: CartPresenter;
  readonly limitBegun: LimitBegun;
}

/** A cart as the answer to a request: in its own dialect, unless the request names one. */
const cartAnswer = (
  present: CartPresenter,
  seen: SeenCart,
  { agent, baseUrl }: Pick<ProtocolRequest, 'agent' | 'baseUrl'>,
  httpStatus = 200,
  messages: readonly ProtocolMessage[] = [],
): ProtocolAnswer<ProtocolCart> => ({
  httpStatus,
  dialect: dialectFor(agent, seen.cart.dialect as DialectName),
  result: present(seen, { baseUrl, messages }),
});

/** All that a request says of a cart: what it leaves out is gone. */
const contentOf = (
  { config, settings, reference }: CartOperationDeps,
  body: SessionInput,
  { found }: JudgedLines,
): { readonly content: WantedCart; readonly messages: readonly ProtocolMessage[] } => {
  const asked = askedCurrency({ settings, reference }, body);
  const said = changesOf(body, config.protocol.ucp.extensions);
  return {
    content: {
      lines: found,
      buyer: said.buyer ?? null,
      consent: said.consent ?? null,
      codes: said.codes ?? [],
      context: said.context ?? null,
      attribution: said.attribution ?? null,
      currency: asked.currency ?? settings().storeCurrencyCode,
    },
    messages: asked.messages,
  };
};

const createCart =
  (deps: CartOperationDeps) =>
  async (request: ProtocolRequest<SessionInput>): Promise<ProtocolAnswer<ProtocolCart>> => {
    const { agent, body } = request;
    const { dialect, identity } = agent;
    const begins = deps.limitBegun('cart', request);
    const judged = soldLines(soldIn(deps, request), body, dialect);
    const { content, messages } = contentOf(deps, body, judged);
    const capabilities = inCommon(agent, dialect, deps.config.protocol.ucp);
    const facts = { dialect, capabilities, agentName: identity?.name ?? null, content };
    const seen = await unlessGone(deps.carts.create(countedAgent(request), facts, metaOf(request)));
    if (seen.cart.status === 'active') begins(seen.cartId);
    return cartAnswer(deps.present, seen, request, 201, [...judged.failures, ...messages]);
  };

const updateCart =
  (deps: CartOperationDeps) =>
  async (request: ProtocolRequestFor<SessionInput>): Promise<ProtocolAnswer<ProtocolCart>> => {
    const { agent, body, id } = request;
    const told: ProtocolMessage[] = [];
    const contentFor = ({ cart, basket }: KnownCart): WantedCart => {
      const dialect = dialectFor(agent, cart.dialect as DialectName);
      const judged = soldLines(soldIn(deps, request), body, dialect, cart.lines, basket);
      const { content, messages } = contentOf(deps, body, judged);
      told.push(...judged.failures, ...messages);
      return content;
    };
    const seen = await unlessGone(deps.carts.replace(countedAgent(request), id, contentFor, metaOf(request)));
    return cartAnswer(deps.present, seen, request, 200, told);
  };

/** Carts as a protocol asks for them (docs/rules/agent-carts.md). */
export const createCartOperations = (deps: CartOperationDeps) => {
  const { carts, present } = deps;
  return {
    createCart: createCart(deps),
    getCart: async (request: ProtocolRequestFor): Promise<ProtocolAnswer<ProtocolCart>> =>
      cartAnswer(present, await carts.read(countedAgent(request), request.id, metaOf(request)), request),
    updateCart: updateCart(deps),
    cancelCart: async (request: ProtocolRequestFor): Promise<ProtocolAnswer<ProtocolCart>> =>
      cartAnswer(present, await carts.cancel(countedAgent(request), request.id, metaOf(request)), request),
  };
};

/** The dialect of an agent's own cart, for refusals. */
export const cartDialectOf =
  (carts: Pick<CartActions, 'dialectOf'>) =>
  async (agent: AgentRequest, cartId: string): Promise<DialectName | null> =>
    (await carts.dialectOf(askingAgent(agent), cartId)) as DialectName | null;
