import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { editedPieces } from '#command/pricing/edits/edited-pieces.ts';
import type { EditedInvoice, FoundProduct, InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import { addonNamed } from '#test/support/builders/addon.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed, sociable } from '#test/support/builders/discount.ts';
import { addedProduct, edited, editFacts, foundProduct } from '#test/support/builders/edit.ts';
import { anyBasket, basketOf, freeze } from '#test/support/builders/frozen-sale.ts';

/** Each with a limit, and in company with any other. */
const codes = [
  ruleNamed('TENTH', { value: 10, totalUsageLimit: 1, ...sociable }),
  ruleNamed('FIVER', { valueType: 'FixedAmount', value: 500, perCustomerUsageLimit: 1, ...sociable }),
  ruleNamed('PIECES', { category: 'AmountOffProducts', value: 13, totalUsageLimit: 5, ...sociable }),
  ruleNamed('THIRD', { category: 'BuyXGetY', buyXGetY: buyGet(2, 1), totalUsageLimit: 5, ...sociable }),
  ruleNamed('SHIP', {
    ...{ category: 'FreeShipping', value: 40, freeShipping: freeShipping(), totalUsageLimit: 5 },
    ...sociable,
  }),
];
const codeOf = new Map(codes.map((known) => [known.rule.code ?? '', known] as const));
const ruleOf = new Map(codes.map((known) => [known.id, known] as const));

const wrap = addonNamed('Wrap', { box: 150, plain: -40 });

/** By an option of the shop, by a carrier, or with whatever goes from there. */
const ways = [
  { optionKey: null, cost: 300 },
  { optionKey: `so:${idNamed('parcel')}`, cost: 500 },
  { optionKey: `so:${idNamed('courier')}`, cost: 1250 },
  { optionKey: 'dyn:parcel:EXPRESS', cost: 1999 },
] as const;

interface Added {
  readonly price: number;
  readonly quantity: number;
  readonly way: (typeof ways)[number];
  readonly warehouse: number;
  readonly addons: readonly number[];
}

const foundFor = ({ price, way, warehouse, addons }: Added): FoundProduct => {
  const { optionKey, cost } = way;
  const shippingOptionId = optionKey?.startsWith('so:') ? optionKey.slice(3) : null;
  return foundProduct('new', price, {
    warehouseId: idNamed(`warehouse ${warehouse}`),
    optionKey,
    shipping: { shippingOptionId, optionKey, name: 'Way', cost },
    addons: wrap.values
      .filter((_, index) => addons.includes(index))
      .map((value) => ({ option: wrap, value })),
  });
};

interface Step {
  readonly added: readonly Added[];
  readonly edit: (content: InvoiceContent) => Partial<InvoiceEdit>;
}

const added: fc.Arbitrary<Added> = fc.record({
  price: fc.integer({ min: 40, max: 30_000 }),
  quantity: fc.integer({ min: 1, max: 7 }),
  way: fc.constantFrom(...ways),
  warehouse: fc.nat(3),
  addons: fc.subarray([0, 1]),
});

const linesIn = ({ orders }: InvoiceContent) => orders.flatMap(({ lines }) => lines);
const at = <Item>(items: readonly Item[], place: number): Item | undefined => items[place % items.length];

/** What is done to lines, shipping and discounts that are there; several at once. */
const change = fc.record({
  line: fc.option(fc.tuple(fc.nat(20), fc.nat(6), fc.boolean())),
  shipping: fc.option(fc.tuple(fc.nat(5), fc.nat(3000)), { freq: 1 }),
  codes: fc.subarray([...codeOf.keys()], { maxLength: 2 }),
  removed: fc.option(fc.nat(9), { freq: 1 }),
  added: fc.array(added, { maxLength: 2 }),
});

const step: fc.Arbitrary<Step> = change.map((one) => ({
  added: one.added,
  edit: (content) => {
    const [place = 0, quantity = 1, shouldReturnToStock = true] = one.line ?? [];
    const id = at(linesIn(content), place)?.id ?? '';
    const line = { id, shouldReturnToStock };
    const [orderPlace = 0, shippingCost = 0] = one.shipping ?? [];
    const row = one.removed === null ? undefined : at(content.discounts, one.removed);
    return {
      ...(one.line === null
        ? {}
        : quantity === 0
          ? { removedLineItems: [line] }
          : { lineItems: [{ ...line, quantity }] }),
      orderShippingUpdates:
        one.shipping === null
          ? []
          : [{ orderId: at(content.orders, orderPlace)?.orderId ?? '', shippingCost }],
      orderDiscountCodes: one.codes,
      removedOrderDiscounts: row ? [row.id] : [],
      productsToAdd: one.added.map(({ quantity: units }) => addedProduct('new', units)),
    };
  },
}));

const quote = fc.constantFrom(
  null,
  { currency: 'EUR', rate: '1.1734' },
  { currency: 'JPY', rate: '190.15' },
  { currency: 'KWD', rate: '0.387' },
);

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);

/** Every invoice on the way, the sale first. What an edit may not do is refused, and passed over. */
const history = (sale: InvoiceContent, steps: readonly Step[]): EditedInvoice[] => {
  const done: EditedInvoice[] = [];
  let now = sale;
  steps.forEach(({ edit, added: products }, index) => {
    const facts = editFacts({
      products: products.map(foundFor),
      codes: codeOf,
      rules: ruleOf,
      shippingTax: { mode: 'FixedRate', rate: 20 },
      now: Date.parse('2031-01-01T00:00:00.000Z'),
    });
    try {
      const after = edited(now, edit(now), { editId: idNamed(`edit ${index}`), version: index + 1, facts });
      done.push(after);
      now = after.content;
    } catch (error) {
      const isRefusal =
        error instanceof Rejection && ['invalid-request', 'discount-not-applicable'].includes(error.code);
      if (!isRefusal) throw error;
    }
  });
  return done;
};

const histories = fc
  .tuple(anyBasket, quote, fc.array(step, { minLength: 1, maxLength: 5 }))
  .map(([[pieces, percent, cost], display, steps]) => {
    const { basket, groups } = basketOf(pieces, percent, cost);
    const presentment = display && { ...display, source: 'manual', quotedAt: '2030-06-01T00:00:00.000Z' };
    const sale = freeze(basket, groups, presentment);
    return { sale, edits: history(sale, steps) };
  });

const offShipping = ({ discounts }: InvoiceContent) =>
  discounts.filter(({ category }) => category === 'FreeShipping');
const amounts = (rows: readonly { readonly amount: number }[]): number =>
  sum(rows.map(({ amount }) => amount));

describe('Edits of what was sold with add-ons, codes, offers and discounts of shipping', () => {
  it('leave every part adding up: lines, their discounts, those of shipping, tax, and what each is by name', () => {
    fc.assert(
      fc.property(histories, ({ sale, edits }) => {
        let before = sale.amounts;
        for (const { content } of edits) {
          const { subTotal, discount, shipping, tax, total } = content.amounts;
          if (!isDeepStrictEqual(content.amounts, before))
            expect(total).to.equal(subTotal - discount + shipping + tax);
          before = content.amounts;
        }
        for (const content of [sale, ...edits.map((one) => one.content)]) {
          const pieces = editedPieces(content.orders);
          const off = sum(pieces.map(({ discount }) => discount));
          expect(content.amounts.subTotal).to.equal(sum(pieces.map(({ total }) => total)));
          expect(content.amounts.discount).to.equal(off + amounts(offShipping(content)));
          expect(content.amounts.discount).to.equal(amounts(content.discounts));
          expect(content.amounts.tax).to.equal(sum(pieces.map(({ tax }) => tax)) + content.shippingTax);
          const { discount: inStore } = content.amountsInStoreCurrency;
          expect(inStore).to.equal(
            sum(content.discounts.map((row) => row.amountInStoreCurrency ?? row.amount)),
          );
        }
        for (const content of [sale, ...edits.map((one) => one.content)]) {
          for (const { worth, discount, tax } of editedPieces(content.orders)) {
            expect(discount).to.be.within(0, worth);
            expect(tax).to.be.at.least(0);
          }
          expect(Math.min(content.amounts.total, content.amountsInStoreCurrency.total)).to.be.at.least(0);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('claim a use of a limited code when it comes, and give it up when it goes, once each', () => {
    fc.assert(
      fc.property(histories, ({ edits }) => {
        const claimed = new Map<string, string>();
        edits.forEach(({ content, gainedUses, lostUses }) => {
          for (const { discountId } of lostUses) claimed.delete(discountId);
          for (const { discountId, claimedBy } of gainedUses) {
            expect(claimed.has(discountId)).to.equal(false);
            claimed.set(discountId, claimedBy ?? '');
          }
          const there = content.discounts.filter(({ discountId }) => ruleOf.has(discountId));
          const limited = there.filter(({ claimedBy }) => claimedBy !== undefined);
          expect(new Set(limited.map(({ discountId }) => discountId))).to.deep.equal(new Set(claimed.keys()));
          for (const { discountId, claimedBy } of limited)
            expect(claimed.get(discountId)).to.equal(claimedBy);
        });
      }),
      { numRuns: 80 },
    );
  });
});
