import { expect } from 'chai';
import fc from 'fast-check';
import { cartForms } from '#agents/forms/cart-forms.ts';
import { orderForms } from '#agents/forms/order-forms.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import type { SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolBuyer } from '#agents/protocol-parts.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { updateSessionBody } from '#contracts/agent-session.contract.ts';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { anyCart, anyOrder, anySession } from '#test/support/agents/arbitrary-answers.ts';
import { cartProblems, checkoutProblems, orderProblems } from '#test/support/agents/checkout-problems.ts';

const schemaBaseUrl = 'https://ucp.example';
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
const readUpdate = updateSessionBody({ maxLineItems: 200, maxQuantity: 9_999_999, maxDiscountCodes: 20 });

const nameOf = (buyer: ProtocolBuyer | null | undefined): readonly unknown[] => [
  buyer?.firstName,
  buyer?.lastName,
  buyer?.email,
  buyer?.phone,
];

/** The destination, and the option in its one group. */
const choicesOf = ({ fulfilment }: ProtocolSession): readonly unknown[] => {
  const [method] = fulfilment?.methods ?? [];
  return [method?.selectedDestinationId ?? null, method?.groups?.[0]?.selectedOptionId ?? null];
};
const choicesIn = (fulfilment: SessionInput['fulfilment']): readonly unknown[] => [
  fulfilment?.selectedDestinationId ?? null,
  fulfilment?.groups[0]?.selectedOptionId ?? null,
];

for (const version of datedVersions) {
  const context = { version, schemaBaseUrl };

  describe(`Answers to agents in ${version}`, () => {
    it('of any checkout session are valid and add up', () => {
      fc.assert(
        fc.property(anySession, (session) => {
          expect(checkoutProblems(asSent(sessionForms[version](session, context)))).to.deep.equal([]);
        }),
      );
    });

    it('of any cart are valid and add up', () => {
      fc.assert(
        fc.property(anyCart, (cart) => {
          expect(cartProblems(asSent(cartForms[version](cart, context)))).to.deep.equal([]);
        }),
      );
    });

    it('of any order are valid and add up', () => {
      fc.assert(
        fc.property(anyOrder, (order) => {
          expect(orderProblems(asSent(orderForms[version](order, context)))).to.deep.equal([]);
        }),
      );
    });

    it('may be sent back whole as an update, and mean the same', () => {
      fc.assert(
        fc.property(anySession, (session) => {
          const said = readUpdate.parse(asSent(sessionForms[version](session, context)));
          expect(said.lines?.map(({ id, itemId, quantity }) => [id, itemId, quantity])).to.deep.equal(
            session.lines.map(({ id, item, quantity }) => [id, item.id, quantity]),
          );
          expect(said.codes).to.deep.equal(session.discounts?.codes);
          expect(nameOf(said.buyer)).to.deep.equal(nameOf(session.buyer));
          expect(choicesIn(said.fulfilment)).to.deep.equal(choicesOf(session));
        }),
      );
    });
  });
}
