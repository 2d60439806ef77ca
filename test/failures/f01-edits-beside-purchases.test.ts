import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { holds, holdUntilBegun } from '#test/support/faults.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Shopper } from '#test/support/shop.ts';

const SHOPPERS = 10;

/** docs/rules/invoice-editing.md#stock */
describe('F01: the last units, between edits and purchases', () => {
  const at = useMortalShop();
  let mug: string;
  beforeEach(async () => {
    mug = await at.shop.sell('mug', { price: 12 });
  });

  /** A mug and so many kettles, sold. */
  const buy = async (kettle: string, quantity: number): Promise<string> => {
    const shopper = at.shop.shopper();
    if (quantity > 0) await shopper.add(kettle, quantity);
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await at.shop.settle();
    return invoiceId;
  };
  const kettlesOf = async (id: string) => {
    const { body } = await at.shop.admin.ask(manage.get(`/orders/${id}/edit`));
    const [order] = body.orders;
    const line = order.lineItems.find(({ sku }: { sku: string }) => sku === 'kettle');
    return { orderId: order.id as string, id: line.id as string };
  };
  const edit = (id: string, body: object) => at.shop.admin.ask(manage.put(`/orders/${id}/edit`, body));
  const waiting = async (kettle: string): Promise<Shopper[]> => {
    const shoppers = Array.from({ length: SHOPPERS }, () => at.shop.shopper());
    for (const [index, shopper] of shoppers.entries())
      await shopper.prepare(kettle, 1, `s${index}@example.com`);
    return shoppers;
  };
  const won = (answers: readonly ApiResponse[]): number =>
    answers.filter(({ status }) => status === 200).length;

  /** The row ends so, having never been below what is reserved; and streams, invoices and views agree. */
  const sound = async (expected: object): Promise<void> => {
    await at.shop.soundSales();
    const moves = (await at.shop.engines.store.readAll(0)).filter(({ stream }) =>
      stream.startsWith('stock-'),
    );
    expect(JSON.parse(moves.at(-1)?.data ?? '{}')).to.deep.include(expected);
  };

  for (const isEditFirst of [true, false])
    it(`the last one goes to ${isEditFirst ? 'an edit' : 'a shopper'} that was first, and to nobody else`, async () => {
      const kettle = await at.shop.sell('kettle', { price: 30, stock: 2 });
      const [withOne, without] = [await buy(kettle, 1), await buy(kettle, 0)];
      const { id } = await kettlesOf(withOne);
      const shoppers = await waiting(kettle);
      const { firstArrived } = holdUntilBegun(at.shop.log, SHOPPERS, 'StockReserved', 2);

      const raise = () => edit(withOne, { lineItems: [{ id, quantity: 2 }] });
      const [first = at.shop.shopper(), ...others] = shoppers;
      const early = isEditFirst ? raise() : first.pay();
      await firstArrived;
      const edits = [
        isEditFirst ? early : raise(),
        edit(without, { productsToAdd: [{ productId: kettle, quantity: 1 }] }),
      ];
      const purchases = [isEditFirst ? first.pay() : early, ...others.map((shopper) => shopper.pay())];
      const edited = await Promise.all(edits);
      const bought = await Promise.all(purchases);

      expect([won(edited), won(bought)]).to.deep.equal(isEditFirst ? [1, 0] : [0, 1]);
      const numbers = { requestedQuantity: 1, availableQuantity: 0 };
      for (const { status, body } of edited.filter((answer) => answer.status !== 200))
        expect({ status, ...body }).to.deep.include({
          status: 400,
          message: 'Product kettle: 1 more wanted, 0 available.',
          ...numbers,
        });
      for (const { status, body } of bought.filter((answer) => answer.status !== 200))
        expect({ status, ...body }).to.deep.include({ status: 400, ...numbers });
      await sound({ stock: 2, reserved: 2 });
    });

  it('those that edits give back are sold again, beside an edit that takes and goods that are packed', async () => {
    const kettle = await at.shop.sell('kettle', { price: 30, stock: 10 });
    const [lowered, emptied, lost] = [await buy(kettle, 3), await buy(kettle, 1), await buy(kettle, 1)];
    const [raised, packed] = [await buy(kettle, 1), await buy(kettle, 2)];
    const lines = new Map(
      await Promise.all(
        [lowered, emptied, lost, raised, packed].map(async (id) => [id, await kettlesOf(id)] as const),
      ),
    );
    const line = (id: string) => lines.get(id)?.id ?? '';
    const shoppers = await waiting(kettle);
    holdUntilBegun(at.shop.log, SHOPPERS, 'StockReserved', 5);

    const desk = [
      edit(lowered, { lineItems: [{ id: line(lowered), quantity: 1 }] }),
      edit(emptied, { removedLineItems: [{ id: line(emptied), shouldReturnToStock: true }] }),
      edit(lost, { removedLineItems: [{ id: line(lost), shouldReturnToStock: false }] }),
      edit(raised, { lineItems: [{ id: line(raised), quantity: 2 }] }),
      edit(packed, { lineItems: [{ id: line(packed), quantity: 3 }] }),
      at.shop.admin.ask(
        manage.post(`/orders/${lines.get(packed)?.orderId ?? ''}/shipments`, {
          lineItems: { [line(packed)]: 2 },
        }),
      ),
    ] as const;
    const bought = await Promise.all(shoppers.map((shopper) => shopper.pay()));
    const [isLowered, isEmptied, isLost, isRaised, isMore, isPacked] = await Promise.all(desk);

    expect([isLowered.status, isEmptied.status, isLost.status, isPacked.status]).to.deep.equal([
      ...[200, 200, 200, 201],
    ]);
    const taken = won(bought) + won([isRaised, isMore]);
    // Two were left, three were given back; one was thrown away, and two are on their way.
    expect(taken).to.be.within(2, 5);
    await sound({ stock: 7, reserved: 1 + 1 + taken });
  });

  it('that an edit destroys leave the stock, though its sale is cancelled before they have', async () => {
    const kettle = await at.shop.sell('kettle', { price: 30, stock: 10 });
    const invoiceId = await buy(kettle, 3);
    const { id } = await kettlesOf(invoiceId);
    at.shop.log.runBefore('append', holds('ReservationEdited'), () => {
      throw new Error('nobody foresaw this');
    });
    const broken = [{ id, quantity: 1, shouldReturnToStock: false }];
    await edit(invoiceId, { lineItems: broken }).catch(() => 'a 500');
    const cancel = manage.post(`/orders/${invoiceId}/cancel`, { reason: 'They are all broken' });
    expect((await at.shop.admin.ask(cancel)).status).to.equal(200);
    await sound({ stock: 8, reserved: 0 });
  });
});
