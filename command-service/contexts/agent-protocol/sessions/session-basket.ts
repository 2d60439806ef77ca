import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { problem, unknownCode, type DiscountProblem } from '#command/pricing/discounts/discount-problem.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { Rejection } from '#kernel/rejection.ts';
import { currentLocation } from '#reference/location.ts';
import type { ReplaceBasketLines } from '../../basket/basket.commands.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import type { AgentSession } from './agent-session.state.ts';
import { unitsWanted } from './session-lines.ts';
import { normalCode } from './session-messages.ts';

export type SessionBasketDeps = Pick<CommandDeps, 'streams' | 'reference' | 'settings' | 'apis'>;

/** By code in capitals, why it is not in force. */
export type CodeProblems = ReadonlyMap<string, DiscountProblem>;

/** The basket of a session, and what of the session it could not follow. */
export interface SettledBasket {
  readonly state: BasketState;
  readonly position: number;
  /** Why its goods are not those of the session; null: they are. */
  readonly problem: Rejection | null;
  readonly codeProblems: CodeProblems;
}

/** What makes the goods of a session those of its basket, which goes to the store's default country at first. */
export const goodsCommand = (
  { settings, reference }: Pick<SessionBasketDeps, 'settings' | 'reference'>,
  lines: AgentSession['lines'],
): ReplaceBasketLines => {
  const { countryCode, regionCode, postalCode } = currentLocation({}, settings(), reference.shipping);
  return {
    type: 'ReplaceBasketLines',
    goods: [...unitsWanted(lines)].map(([productId, quantity]) => ({ productId, quantity })),
    startFor: { countryCode, regionCode, postalCode },
  };
};

const unitsIn = (lines: ReplaceBasketLines['goods']): Readonly<Record<string, number>> =>
  Object.fromEntries(lines.map(({ productId, quantity }) => [productId, quantity]));

const isHeld = ({ basket }: BasketState, { goods }: ReplaceBasketLines): boolean =>
  basket !== null &&
  basket.lines.every(({ addons = [] }) => addons.length === 0) &&
  isSameJson(unitsIn(basket.lines), unitsIn(goods));

const codesIn = ({ basket }: BasketState): ReadonlySet<string> =>
  new Set(basket?.codes.map(({ code }) => normalCode(code)));

const takeOffOthers = async (
  { streams }: SessionBasketDeps,
  { basketId }: AgentSession,
  { basket }: BasketState,
  submitted: ReadonlySet<string>,
  meta: CommandMeta,
): Promise<void> => {
  for (const { code, discountId: id } of basket?.codes ?? []) {
    if (submitted.has(normalCode(code))) continue;
    await streams.send(basketLinesStream, basketId, { type: 'TakeOffDiscount', id }, stepMeta(meta));
  }
};

/** Why the code does not apply; null: it was taken. */
const applyCode = async (
  { streams, reference, apis }: SessionBasketDeps,
  { basketId }: AgentSession,
  code: string,
  meta: CommandMeta,
): Promise<DiscountProblem | null> => {
  const found = reference.discounts.byCode(code);
  if (!found) return unknownCode(code);
  const named = { discountId: found.id, code, name: found.rule.name, isUsedUpByCustomer: false };
  const command = { type: 'ApplyDiscountCode', ...named } as const;
  try {
    const sent = await streams.send(checkoutStream, basketId, command, stepMeta(meta));
    const { state } = await apis.checkout.withoutUsedUp(basketId, sent, stepMeta(meta));
    if (codesIn(state).has(code)) return null;
    return problem('UsageLimitReached', `${code} has been used as often as it can be.`);
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'discount-not-applicable') throw error;
    return problem(error.details['errorCode'] as DiscountProblem['errorCode'], error.message);
  }
};

/** In the order in which they were submitted: of two that do not go together the first one stays. */
const settleCodes = async (
  deps: SessionBasketDeps,
  session: AgentSession,
  state: BasketState,
  meta: CommandMeta,
): Promise<CodeProblems> => {
  const submitted = new Set(session.codes.map(normalCode));
  await takeOffOthers(deps, session, state, submitted, meta);
  const inForce = codesIn(state);
  const problems = new Map<string, DiscountProblem>();
  for (const code of submitted) {
    const why = inForce.has(code) ? null : await applyCode(deps, session, code, meta);
    if (why) problems.set(code, why);
  }
  return problems;
};

const noProblems: CodeProblems = new Map();

/**
 * Brings the basket to what its session says: what a kill between the two streams has left undone is done by whoever
 * looks at the session next. One of which an order is being made, or that is bought, stays as it is.
 */
export const settleBasket = async (
  deps: SessionBasketDeps,
  session: AgentSession,
  meta: CommandMeta,
): Promise<SettledBasket> => {
  const { streams } = deps;
  const { basketId, lines } = session;
  const load = async () => {
    const { state, position } = await streams.load(basketLinesStream, basketId);
    return { state, position };
  };
  const before = await load();
  const isBusy = before.state.placement !== null || isBought(before.state);
  if (session.status !== 'active' || session.completion !== null || isBusy)
    return { ...before, problem: null, codeProblems: noProblems };
  const command = goodsCommand(deps, lines);
  try {
    const { state } = isHeld(before.state, command)
      ? before
      : await streams.send(basketLinesStream, basketId, command, stepMeta(meta));
    const codeProblems = await settleCodes(deps, session, state, meta);
    return { ...(await load()), problem: null, codeProblems };
  } catch (error) {
    // Sold to another buyer, or withdrawn, since the agent was told: the session says so from now on.
    if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
    return { ...(await load()), problem: error, codeProblems: noProblems };
  }
};
