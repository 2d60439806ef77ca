import { z } from 'zod';
import type { TaxRequest } from '#ports/tax-provider.ts';
import { isAmountIn, toMinor } from '#values/money.ts';
import type { TaxResponse } from '#values/tax-response.ts';

const rate = z.number().min(0).max(100);

const answer = z.object({
  totalTax: z.number().min(0),
  lines: z.array(
    z.object({
      lineItemId: z.string(),
      taxRate: rate,
      taxAmount: z.number().min(0),
      isTaxable: z.boolean(),
    }),
  ),
  shippingTax: z.number().min(0),
  transactionId: z.string().max(250).nullish(),
  isEstimated: z.boolean().default(false),
});

const problemOf = (
  { currency, lines, shipping }: TaxRequest,
  given: z.output<typeof answer>,
): string | null => {
  const amounts = [given.totalTax, given.shippingTax, ...given.lines.map(({ taxAmount }) => taxAmount)];
  if (amounts.some((amount) => !isAmountIn(amount, currency))) return `no amounts in ${currency}`;
  const [total, ...parts] = amounts.map((amount) => toMinor(amount, currency));
  if (parts.reduce((sum, part) => sum + part, 0) !== total) return 'parts that do not sum to the total';
  const wanted = new Map(lines.map(({ lineItemId, amount }) => [lineItemId, amount]));
  const ids = given.lines.map(({ lineItemId }) => lineItemId);
  if (ids.length !== wanted.size || new Set(ids).size !== ids.length) return 'not every line once';
  for (const { lineItemId, taxAmount } of given.lines) {
    const amount = wanted.get(lineItemId);
    if (amount === undefined) return 'a line that was not asked about';
    if (toMinor(taxAmount, currency) > amount) return 'more tax than the line costs';
  }
  return toMinor(given.shippingTax, currency) > shipping ? 'more tax than the shipping costs' : null;
};

/** Reads what a provider said to a request; a text says what is wrong with it. */
export const readTaxResponse = (request: TaxRequest, text: string): TaxResponse | string => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  const parsed = answer.safeParse(given);
  if (!parsed.success) return 'no tax for these lines';
  const problem = problemOf(request, parsed.data);
  if (problem !== null) return problem;
  const { lines, shippingTax, isEstimated } = parsed.data;
  return {
    lines: lines.map(({ lineItemId, taxRate, isTaxable, taxAmount }) => ({
      lineId: lineItemId,
      taxRate: Math.round(taxRate * 10_000) / 10_000,
      isTaxable,
      tax: toMinor(taxAmount, request.currency),
    })),
    shippingTax: toMinor(shippingTax, request.currency),
    isEstimated,
  };
};
