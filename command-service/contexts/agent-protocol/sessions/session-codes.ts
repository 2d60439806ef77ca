import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { problem, unknownCode, type DiscountProblem } from '#command/pricing/discounts/discount-problem.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import { normalCode } from './session-messages.ts';

type Deps = Pick<CommandDeps, 'streams' | 'reference' | 'apis'>;

/** By code in capitals, why it is not in force. */
export type CodeProblems = ReadonlyMap<string, DiscountProblem>;

interface Coded {
  readonly basketId: string;
  readonly codes: readonly string[];
}

const codesIn = ({ basket }: BasketState): ReadonlySet<string> =>
  new Set(basket?.codes.map(({ code }) => normalCode(code)));

const takeOffOthers = async (
  { streams }: Deps,
  { basketId }: Coded,
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
  { streams, reference, apis }: Deps,
  { basketId }: Coded,
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

/** Whether exactly the submitted codes are in force. */
export const areInForce = (state: BasketState, submitted: readonly string[]): boolean => {
  const inForce = codesIn(state);
  const wanted = new Set(submitted.map(normalCode));
  return wanted.size === inForce.size && [...wanted].every((code) => inForce.has(code));
};

/**
 * Makes the codes of the basket those that were submitted, as far as they apply; of two that do not go together the
 * first one stays.
 */
export const settleCodes = async (deps: Deps, coded: Coded, meta: CommandMeta): Promise<CodeProblems> => {
  const { state } = await deps.streams.load(basketLinesStream, coded.basketId);
  const submitted = new Set(coded.codes.map(normalCode));
  await takeOffOthers(deps, coded, state, submitted, meta);
  const inForce = codesIn(state);
  const problems = new Map<string, DiscountProblem>();
  for (const code of submitted) {
    const why = inForce.has(code) ? null : await applyCode(deps, coded, code, meta);
    if (why) problems.set(code, why);
  }
  return problems;
};
