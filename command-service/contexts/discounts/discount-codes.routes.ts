import { randomInt } from 'node:crypto';
import {
  codeAvailability,
  codeQuery,
  generateCodeQuery,
  generatedCode,
} from '#contracts/discounts.contract.ts';
import { discount } from '#entities/discount.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import type { DiscountReference } from '#reference/reference.ts';

/** Letters and digits that cannot be mistaken for one another. */
const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const randomCode = (length: number): string =>
  Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');

/** A code that no rule has. */
const freeCode = (discounts: Pick<DiscountReference, 'byCode'>, length: number): string => {
  for (;;) {
    const code = randomCode(length);
    if (discounts.byCode(code) === undefined) return code;
  }
};

const common = { base: 'management', service: 'command', caller: reader, file: import.meta.url } as const;

const questions = [
  { path: 'validate-code', summary: 'Whether a new rule may have this code' },
  { path: 'check-code', summary: 'Whether a rule may have this code beside those that there are' },
] as const;

/** Codes before a rule is saved, which alone says who has one (docs/rules/discounts.md#codes-for-rules). */
export const discountCodeRoutes = (discounts: Pick<DiscountReference, 'byCode'>): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: `${discount.path}/generate-code`,
    summary: 'A code that no rule has',
    schemas: { query: generateCodeQuery },
    response: generatedCode,
    errors: ['invalid-request'],
    handle: ({ query }) => Promise.resolve(ok({ code: freeCode(discounts, query.length) })),
  }),
  ...questions.map(({ path, summary }) =>
    route({
      ...common,
      method: 'GET',
      path: `${discount.path}/${path}`,
      summary,
      schemas: { query: codeQuery },
      response: codeAvailability,
      errors: ['invalid-request'],
      handle: ({ query }) => {
        const owner = discounts.byCode(query.code)?.id;
        const isAvailable = owner === undefined || owner === query.excludeId;
        return Promise.resolve(ok({ isAvailable, available: isAvailable }));
      },
    }),
  ),
];
