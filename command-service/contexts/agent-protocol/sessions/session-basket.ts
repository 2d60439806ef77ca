import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ReplaceBasketLines } from '../../basket/basket.commands.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { SessionChanges } from './agent-session.commands.ts';
import type { AgentSession } from './agent-session.state.ts';
import { orderOfSession, type OrderedBasket } from './ordered-basket.ts';
import { expectedPlace, settleBuyer } from './session-buyer.ts';
import { areInForce, settleCodes, type CodeProblems } from './session-codes.ts';
import { linesInBasket, unitsWanted } from './session-lines.ts';
import { asBasketBearsOut } from './session-member.ts';
import { chosenShipping, orderedShipping, settleShipping, type SettledShipping } from './session-shipping.ts';

export type SessionBasketDeps = Pick<CommandDeps, 'streams' | 'reference' | 'settings' | 'apis'>;

/** The basket of a session, and what of the session it could not follow. */
export interface SettledBasket {
  readonly state: BasketState;
  readonly position: number;
  /** The basket was not yet as it should be. */
  readonly hasChanged: boolean;
  /** Why its goods are not those of the session; null: they are. */
  readonly problem: Rejection | null;
  readonly codeProblems: CodeProblems;
  /** Null: no place is selected, so that nothing is quoted. */
  readonly shipping: SettledShipping | null;
  /** What a completed session has sold, where the basket has gone on since; null everywhere else. */
  readonly ordered: OrderedBasket | null;
}

/** Lines, and what hints at where the buyer is. */
export type GoodsWanted = Pick<AgentSession, 'lines' | 'context'>;

/** What makes the goods of a session those of its basket, which goes where the buyer seems to be at first. */
export const goodsCommand = (
  deps: Pick<SessionBasketDeps, 'settings' | 'reference'>,
  { lines, context }: GoodsWanted,
): ReplaceBasketLines => {
  const { countryCode, regionCode, postalCode } = expectedPlace(deps, { context });
  return {
    type: 'ReplaceBasketLines',
    goods: [...unitsWanted(lines)].map(([productId, quantity]) => ({ productId, quantity })),
    startFor: { countryCode, regionCode, postalCode },
  };
};

const unitsIn = (lines: ReplaceBasketLines['goods']): Readonly<Record<string, number>> =>
  Object.fromEntries(lines.map(({ productId, quantity }) => [productId, quantity]));

const isHeld = ({ basket }: BasketState, { lines }: Pick<GoodsWanted, 'lines'>): boolean =>
  basket !== null &&
  basket.lines.every(({ addons = [] }) => addons.length === 0) &&
  isSameJson(unitsIn(basket.lines), Object.fromEntries(unitsWanted(lines)));

const load = async ({ streams }: Pick<SessionBasketDeps, 'streams'>, basketId: string) => {
  const { state, position } = await streams.load(basketLinesStream, basketId);
  return { state, position };
};

/** Makes these the goods of the basket, unless they are. Errors: those of `ReplaceBasketLines`. */
export const settleLines = async (
  deps: Pick<SessionBasketDeps, 'streams' | 'settings' | 'reference'>,
  { basketId, ...wanted }: GoodsWanted & { readonly basketId: string },
  meta: CommandMeta,
  known?: BasketState,
): Promise<BasketState> => {
  const state = known ?? (await load(deps, basketId)).state;
  if (isHeld(state, wanted)) return state;
  const command = goodsCommand(deps, wanted);
  return (await deps.streams.send(basketLinesStream, basketId, command, stepMeta(meta))).state;
};

/** The lines of a completed session are those of its order. */
export const asOrdered = <Shown extends Pick<AgentSession, 'lines'>>(
  shown: Shown,
  { basket }: OrderedBasket,
): Shown => ({ ...shown, lines: linesInBasket(shown.lines, basket.lines) });

/** What has been handed over is as the shopper has it. */
export const asShopperHasIt = <Shown extends Pick<AgentSession, 'lines'>>(
  shown: Shown,
  { handOver, basket }: BasketState,
): Shown =>
  handOver === null || basket === null
    ? shown
    : { ...shown, lines: linesInBasket(shown.lines, basket.lines) };

/** Prices the basket of a member's session for them, unless a shopper has taken it over. */
const identify = async (
  { apis }: Pick<SessionBasketDeps, 'apis'>,
  { basketId, memberId }: Pick<AgentSession, 'basketId' | 'memberId'>,
  { handOver }: BasketState,
  meta: CommandMeta,
): Promise<boolean> =>
  memberId !== null &&
  handOver === null &&
  (await apis.members.identifyBuyer(basketId, memberId, meta)) !== null;

const noProblems: CodeProblems = new Map();

/** On what occasion a basket is looked at. */
export interface Settling {
  /** Where the agent asks from; null: new customers from there are not limited. */
  readonly ip?: string | null;
  /** What its agent has just said: nothing where it only reads. */
  readonly named?: 'everything' | readonly Part[];
}

type Part = keyof SessionChanges;

const nothingSent = { shipping: null, hasChanged: false };

/** Nothing is wrong with the session: the request may be sent again. */
const isPassing = new Set(['conflict', 'too-many-requests']);
const isOvertaken = new Set(['order-being-placed', 'shipping-incomplete']);

const goods: readonly Part[] = ['lines'];
const codes: readonly Part[] = ['codes'];
const place: readonly Part[] = ['buyer', 'destinations', 'fulfilment'];
const shipping: readonly Part[] = ['destinations', 'fulfilment'];

/**
 * Brings the basket to what its session says: what a kill between the two streams has left undone is done by whoever
 * looks at the session next. One of which an order is being made, or that is bought, stays as it is; and of one that
 * was handed over only what its agent has just said is changed: it is the shopper's by then.
 */
export const settleBasket = async (
  deps: SessionBasketDeps,
  recorded: AgentSession,
  meta: CommandMeta,
  { ip = null, named = [] }: Settling = {},
): Promise<SettledBasket> => {
  const { basketId } = recorded;
  const before = await load(deps, basketId);
  const session = asBasketBearsOut(recorded, before.state);
  const { placement, handOver } = before.state;
  const mayChange = (parts: readonly Part[]): boolean =>
    handOver === null || named === 'everything' || parts.some((part) => named.includes(part));
  const asItIs = (state: BasketState): SettledShipping | null =>
    chosenShipping(deps, asShopperHasIt(session, state), state);
  const settled = { ...before, problem: null, codeProblems: noProblems, hasChanged: false, ordered: null };
  if (
    session.status !== 'active' ||
    session.completion !== null ||
    placement !== null ||
    isBought(before.state)
  ) {
    const ordered = await orderOfSession(deps, session, before.state.basket);
    if (ordered)
      return { ...settled, ordered, shipping: orderedShipping(deps, asOrdered(session, ordered), ordered) };
    return { ...settled, shipping: asItIs(before.state) };
  }
  try {
    const state = mayChange(goods) ? await settleLines(deps, session, meta, before.state) : before.state;
    const isIdentified = await identify(deps, session, state, meta);
    const { basket } = state;
    const said = handOver === null ? null : named;
    const isNamed =
      basket !== null && mayChange(place) && (await settleBuyer(deps, session, basket, meta, ip, said));
    // A buyer who has used a code up loses it by being named.
    const priced = isNamed || isIdentified ? (await load(deps, basketId)).state : state;
    const isCoded = mayChange(codes) && !areInForce(priced, session.codes);
    const codeProblems = isCoded ? await settleCodes(deps, session, meta) : noProblems;
    const isFilled = basket !== null && basket.lines.length > 0;
    const sent = isFilled && mayChange(shipping) ? await settleShipping(deps, session, meta) : nothingSent;
    const hasChanged = state !== before.state || isIdentified || isNamed || isCoded || sent.hasChanged;
    const after = hasChanged ? await load(deps, basketId) : before;
    const shippedBy = mayChange(shipping) ? sent.shipping : asItIs(after.state);
    return { ...settled, ...after, codeProblems, hasChanged, shipping: shippedBy };
  } catch (error) {
    if (!(error instanceof Rejection) || isPassing.has(error.code)) throw error;
    const current = { ...settled, ...(await load(deps, basketId)), hasChanged: true };
    // Another request was faster: the next look finds what it has made of the basket.
    if (isOvertaken.has(error.code)) return { ...current, shipping: asItIs(current.state) };
    // Sold to another buyer, or withdrawn, since the agent was told: the session says so from now on.
    return { ...current, problem: error, shipping: null };
  }
};
