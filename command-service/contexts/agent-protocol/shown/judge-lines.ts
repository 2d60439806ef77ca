import type { DialectName } from '#agents/agent-request.ts';
import type { ProtocolRequest } from '#agents/commerce-protocol.ts';
import { OLDER_VERSION } from '#agents/dialect-choice.ts';
import type { LineInput, SessionInput } from '#agents/protocol-inputs.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import { protocolRefusal } from '#agents/protocol-error.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { requiredAddOns } from '#entities/product-options.ts';
import type { AgentLine } from '#events/agent-session.events.ts';
import type { Rejection } from '#kernel/rejection.ts';
import { availableToSell, isPurchasable } from '#reference/availability.ts';
import type { Reference } from '#reference/reference.ts';
import { heldUnits, type BasketState } from '../../basket/basket.state.ts';
import { unitsWanted, type FoundLine } from '../sessions/session-lines.ts';
import { findLines, type LineFailure } from './find-lines.ts';

type Sources = Pick<Reference, 'catalogue' | 'stock' | 'shipping'>;
type Units = Pick<FoundLine, 'productId' | 'quantity'>;

/** What a request that names lines may be refused with. */
export const lineErrors = [
  'missing',
  'invalid',
  'item_unavailable',
  'out_of_stock',
  'quantity-too-large',
  'amount-too-large',
] as const;

interface Selling {
  readonly reference: Sources;
  readonly storefront: string;
}

/** Lines that can be sold, and what is wrong with the others. */
export interface JudgedLines {
  readonly found: readonly FoundLine[];
  /** Errors, each with the place of its line. */
  readonly failures: readonly ProtocolMessage[];
}

const isFound = (line: FoundLine | LineFailure): line is FoundLine => 'productId' in line;

const failureAt = ({ code, text, isForBuyer }: LineFailure, index: number): ProtocolMessage => ({
  type: 'error',
  code,
  content: text,
  path: `$.line_items[${index}]`,
  severity: isForBuyer ? 'requires_buyer_input' : 'recoverable',
});

/** Add-ons are chosen on the shop's own pages: agents have no word for them (docs/rules/agent-sessions.md#lines). */
const missingChoice = ({ catalogue }: Sources, { productId }: Units): LineFailure | null => {
  const sellable = catalogue.variant(productId);
  const required = sellable ? requiredAddOns(sellable.root) : [];
  if (!sellable || required.length === 0) return null;
  const names = required.map(({ name }) => name).join(', ');
  const text = `${sellable.root.rootName} is sold with a choice of ${names} only, which the buyer makes in the shop.`;
  return { code: 'item_unavailable', text, isForBuyer: true };
};

const unitsIn = ({ basket }: BasketState, productId: string): number =>
  basket?.lines.find((line) => line.productId === productId)?.quantity ?? 0;

/**
 * Holds lines one after another against the stock, what their basket's order has reserved included; what is short does
 * not count for the lines after it.
 */
const stockJudge = (reference: Sources, basket: BasketState | null) => {
  const taken = new Map<string, number>();
  return ({ productId, quantity }: Units): LineFailure | null => {
    const sellable = reference.catalogue.variant(productId);
    if (!sellable) return { code: 'item_unavailable', text: 'This product was not found.' };
    const { rootName } = sellable.root;
    if (!isPurchasable(sellable.variant))
      return { code: 'item_unavailable', text: `${rootName} cannot be bought at the moment: not found.` };
    const requested = (taken.get(productId) ?? 0) + quantity;
    const { isUnlimited, available } = availableToSell(reference, sellable);
    const units = available + (basket === null ? 0 : heldUnits(basket, productId));
    if (!isUnlimited && requested > units) {
      const counts = `${requested} requested, ${units} available`;
      return { code: 'out_of_stock', text: `Insufficient stock of ${rootName}: ${counts}.` };
    }
    taken.set(productId, requested);
    return null;
  };
};

/** The lines of a request: known products first, then the stock (docs/rules/agent-sessions.md#lines). */
export const judgeLines = (
  reference: Sources,
  wished: readonly LineInput[],
  before: readonly AgentLine[] = [],
  basket: BasketState | null = null,
): JudgedLines => {
  const lines = findLines(reference, wished, before);
  const judge = stockJudge(reference, basket);
  const wanted = unitsWanted(lines.filter(isFound));
  /** What stays as it is may be what is not sold any more. */
  const isUnchanged = ({ productId }: FoundLine): boolean =>
    basket !== null && unitsIn(basket, productId) === wanted.get(productId);
  const found: FoundLine[] = [];
  const failures: ProtocolMessage[] = [];
  for (const [index, line] of lines.entries()) {
    if (!isFound(line)) failures.push(failureAt(line, index));
    else {
      const failure = isUnchanged(line) ? null : (missingChoice(reference, line) ?? judge(line));
      if (failure) failures.push(failureAt(failure, index));
      else found.push(line);
    }
  }
  return { found, failures };
};

/** What is wrong just now with lines that were sold to begin with. */
export const lineMessages = (
  reference: Sources,
  lines: readonly AgentLine[],
  basket: BasketState,
): readonly ProtocolMessage[] => {
  const judge = stockJudge(reference, basket);
  return lines.flatMap((line, index) => {
    const failure = judge(line);
    return failure ? [failureAt(failure, index)] : [];
  });
};

/** What lines are checked against, and where buyers continue with what agents cannot buy. */
export const soldIn = (
  { reference, settings }: Pick<CommandDeps, 'reference' | 'settings'>,
  { baseUrl }: Pick<ProtocolRequest, 'baseUrl'>,
): Selling => ({ reference, storefront: storefrontUrl(settings().websiteUrl, baseUrl) });

/**
 * The answer when no line can be sold. `storefront`: where buyers continue; `httpStatus`: overrides that of the code.
 */
export const linesRefused = (
  failures: readonly ProtocolMessage[],
  storefront: string,
  httpStatus?: number,
): Rejection => {
  // What is not known comes before what is not there.
  const first = failures.find(({ code }) => code === 'item_unavailable') ?? failures[0];
  return protocolRefusal({
    code: first?.code === 'out_of_stock' ? 'out_of_stock' : 'item_unavailable',
    text: failures.map(({ content }) => content).join(' '),
    messages: failures,
    ...(first?.path !== undefined && { path: first.path }),
    ...(first?.severity !== undefined && { severity: first.severity }),
    ...(failures.some(({ severity }) => severity === 'requires_buyer_input') && { continueUrl: storefront }),
    ...(httpStatus !== undefined && { httpStatus }),
  });
};

/**
 * What can be sold of a request that names everything. The older version refuses one of which any line fails; in the
 * current one only all of them do.
 */
export const soldLines = (
  { reference, storefront }: Selling,
  { lines = [] }: Pick<SessionInput, 'lines'>,
  dialect: DialectName,
  before?: readonly AgentLine[],
  basket?: BasketState,
): JudgedLines => {
  if (lines.length === 0)
    throw protocolRefusal({
      code: 'missing',
      text: '$.line_items: must be a list of at least one line',
      path: '$.line_items',
    });
  const judged = judgeLines(reference, lines, before, basket);
  const { found, failures } = judged;
  if (dialect === OLDER_VERSION && failures.length > 0) throw linesRefused(failures, storefront);
  if (found.length === 0) throw linesRefused(failures, storefront, 200);
  return judged;
};
