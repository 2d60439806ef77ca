import { taxedItem, type CustomItem } from '#command/pricing/custom-item.ts';
import { customItemResponse, customItemBody } from '#contracts/custom-item.contract.ts';
import { reader, ok, route, type Route } from '#http/route.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Reference } from '#reference/reference.ts';
import { formatMoney, MAX_AMOUNT, toDecimal } from '#values/money.ts';
import { findRegion } from '#values/region.ts';

export interface CustomItemDeps {
  readonly reference: Pick<Reference, 'tax'>;
  readonly storeCurrency: () => string;
}

const problemsOf = (
  { taxGroupId, countryCode, regionCode }: CustomItem,
  { reference }: CustomItemDeps,
): readonly string[] => [
  ...(taxGroupId === null || reference.tax.group(taxGroupId)
    ? []
    : ['taxGroupId: must be an existing tax group']),
  ...(regionCode === null || findRegion(countryCode, regionCode)
    ? []
    : ['regionCode: must be a region of that country']),
];

/** What a line costs that staff write by hand (docs/rules/tax.md#lines-written-by-hand). */
export const customItemRoutes = (deps: CustomItemDeps): readonly Route[] => {
  const { reference, storeCurrency } = deps;
  return [
    route({
      base: 'management',
      service: 'command',
      caller: reader,
      file: import.meta.url,
      method: 'POST',
      path: '/tax-groups/preview-custom-item',
      summary: 'What a line written by hand comes to with its tax; nothing is kept',
      schemas: { body: customItemBody(storeCurrency) },
      response: customItemResponse,
      errors: ['invalid-request', 'amount-too-large'],
      handle: ({ body }) => {
        refuseProblems(problemsOf(body, deps));
        const currency = storeCurrency();
        if (body.amount * body.quantity > MAX_AMOUNT) {
          const limit = formatMoney(MAX_AMOUNT, currency);
          throw new Rejection('amount-too-large', `quantity: a line comes to at most ${limit} before tax.`);
        }
        const { lineTotal, isTaxable, taxRate, tax } = taxedItem(body, reference.tax);
        return Promise.resolve(
          ok({
            lineTotal: toDecimal(lineTotal, currency),
            isTaxable,
            taxRate,
            tax: toDecimal(tax, currency),
            total: toDecimal(lineTotal + tax, currency),
          }),
        );
      },
    }),
  ];
};
