import { expect } from 'chai';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import { placeOrder, type OpenPlacement } from '#command/contexts/checkout/placement/place-order.process.ts';
import { stockId } from '#command/contexts/inventory/stock.stream.ts';
import { runSteps } from '#command/engine/run-process.ts';
import type { ProcessCommand } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { takenOver } from '#values/basket-hold.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { placementOf } from '#test/support/builders/order.ts';

const open = (changes: Parameters<typeof placementOf>[0] = {}): OpenPlacement => ({
  ...placementOf(changes),
  email: 'ada@example.com',
  billingAddress: addressOf('Ada Lovelace'),
  shippingAddress: addressOf('Ada Lovelace'),
  turn: 1,
  isResumed: false,
  basketId: idNamed('basket'),
  invoiceNumberPrefix: 'INV-',
  begunBy: 7,
});

const nameOf = (ask: ProcessCommand): string => ('call' in ask ? ask.call : ask.command.type);
const soldOut = new Rejection('out-of-stock', 'Sold out.', { requestedQuantity: 2, availableQuantity: 1 });

/** Sends the steps of a placement; every one is done, but for those that are refused. */
const place = async (
  placement: OpenPlacement,
  isRefused: (ask: ProcessCommand) => boolean = () => false,
  refusal = soldOut,
) => {
  const asks: ProcessCommand[] = [];
  const ended = await runSteps(placeOrder, placement, (ask) => {
    asks.push(ask);
    if (isRefused(ask)) return Promise.reject(refusal);
    if (nameOf(ask) === 'takeInvoiceNumber') return Promise.resolve(7);
    return Promise.resolve({ state: { invoiceNumber: 'INV-0007' }, position: 40 });
  });
  return { ended, asks, names: asks.map(nameOf) };
};

const commandNamed = (asks: readonly ProcessCommand[], type: string) =>
  asks.flatMap((ask) => ('command' in ask && ask.command.type === type ? [ask] : []));

const mug = { productId: idNamed('mug'), warehouseId: idNamed('east') };
const tea = { productId: idNamed('tea'), warehouseId: idNamed('west') };

describe('placing an order', () => {
  it('reserves, claims, takes a number and makes the invoice, in this order', async () => {
    const { names, asks } = await place(open());
    expect(names).to.deep.equal([
      'ReserveStock',
      'ClaimDiscountUse',
      'takeInvoiceNumber',
      'CreateInvoice',
      'CompletePlacement',
    ]);
    expect(commandNamed(asks, 'CreateInvoice')[0]?.command).to.include({ invoiceNumber: 'INV-0007' });
    expect(asks.at(-1)).to.deep.include({ id: idNamed('basket') });
  });

  it('claims and gives back with the customer, too, where the uses of a customer are limited', async () => {
    const customer = (discount: string, name: string) => customerUsageId(idNamed(discount), idNamed(name));
    const placement = open({
      discountClaims: [{ discountId: idNamed('TEN'), code: 'TEN', amount: 200, perCustomer: true }],
      customerReleases: [{ discountId: idNamed('OLD'), customerId: idNamed('eve') }],
    });
    const { customerId } = placement.content;
    const own = customerUsageId(idNamed('TEN'), customerId);
    const { asks } = await place(placement);
    const to = (type: string) => commandNamed(asks, type).map(({ id }) => id);
    expect(to('ClaimDiscountUse')).to.deep.equal([idNamed('TEN'), own]);
    expect(to('ReleaseDiscountUse')).to.deep.equal([customer('OLD', 'eve')]);
    const refusal = new Rejection('usage-limit-reached', 'Used up.', {
      errorCode: 'CustomerUsageLimitReached',
    });
    const failed = await place(
      placement,
      (ask) => 'id' in ask && ask.id === own && nameOf(ask) === 'ClaimDiscountUse',
      refusal,
    );
    expect(commandNamed(failed.asks, 'ReleaseDiscountUse').map(({ id }) => id)).to.deep.equal([
      idNamed('TEN'),
      own,
      customer('OLD', 'eve'),
    ]);
    expect(failed.ended.refusal?.details).to.deep.include({ discountId: idNamed('TEN') });
  });

  it('passes over what it does not need', async () => {
    const { names } = await place(open({ holds: [], discountClaims: [] }));
    expect(names).to.deep.equal(['takeInvoiceNumber', 'CreateInvoice', 'CompletePlacement']);
  });

  it('closes the older invoice first, and gives back at the end what the new one does not need', async () => {
    const { names, asks } = await place(
      open({
        supersededInvoiceId: idNamed('older'),
        holds: [
          { ...mug, quantity: 2 },
          { ...tea, quantity: 0 },
        ],
        discountReleases: [idNamed('OLD')],
      }),
    );
    expect(names).to.deep.equal([
      'SupersedeInvoice',
      'ReserveStock',
      'ClaimDiscountUse',
      'takeInvoiceNumber',
      'CreateInvoice',
      'ReleaseStock',
      'ReleaseDiscountUse',
      'CompletePlacement',
    ]);
    expect(commandNamed(asks, 'ReleaseStock')[0]?.id).to.equal(stockId(tea.productId, tea.warehouseId));
    expect(commandNamed(asks, 'ReleaseDiscountUse')[0]?.id).to.equal(idNamed('OLD'));
  });

  it('leaves everything as it was when the older invoice cannot be closed', async () => {
    const refusal = new Rejection('payment-unknown', 'Wait.');
    const { names, asks } = await place(
      open({ supersededInvoiceId: idNamed('older') }),
      (ask) => nameOf(ask) === 'SupersedeInvoice',
      refusal,
    );
    expect(names).to.deep.equal(['SupersedeInvoice', 'FailPlacement']);
    expect(commandNamed(asks, 'FailPlacement')[0]?.command).to.deep.include({
      code: 'payment-unknown',
      keepsHolds: true,
    });
  });

  for (const refused of ['ReserveStock', 'ClaimDiscountUse']) {
    it(`gives everything back when it is refused at ${refused}`, async () => {
      const { names, asks } = await place(
        open({ discountReleases: [idNamed('OLD')] }),
        (ask) => nameOf(ask) === refused,
      );
      expect(names.slice(names.indexOf(refused) + 1)).to.deep.equal([
        'ReleaseStock',
        'ReleaseDiscountUse',
        'ReleaseDiscountUse',
        'FailPlacement',
      ]);
      expect(commandNamed(asks, 'FailPlacement')[0]?.command).to.include({ keepsHolds: false });
    });
  }

  it('voids the number of an invoice that cannot be made, and gives everything back', async () => {
    const { names, asks, ended } = await place(open(), (ask) => nameOf(ask) === 'CreateInvoice');
    expect(names.slice(names.indexOf('CreateInvoice') + 1)).to.deep.equal([
      'ReleaseStock',
      'ReleaseDiscountUse',
      'VoidInvoice',
      'FailPlacement',
    ]);
    expect(commandNamed(asks, 'VoidInvoice')[0]?.command).to.include({ invoiceNumber: 'INV-0007' });
    expect(ended.refusal).to.include({ code: 'out-of-stock' });
  });

  it('tells which product is out of stock', async () => {
    const { ended } = await place(open(), (ask) => nameOf(ask) === 'ReserveStock');
    expect(ended.refusal).to.deep.equal({
      code: 'out-of-stock',
      message: 'Mug: 2 wanted, 1 available.',
      details: {
        requestedQuantity: 2,
        availableQuantity: 1,
        unavailableItems: [
          {
            lineItemId: idNamed('basket line'),
            sku: 'mug',
            name: 'Mug',
            reason: 'stock',
            message: 'Mug: 2 wanted, 1 available.',
            requestedQuantity: 2,
            availableQuantity: 1,
          },
        ],
      },
    });
  });

  it('tells which discount is used up', async () => {
    const refusal = new Rejection('usage-limit-reached', 'Used up.', { errorCode: 'UsageLimitReached' });
    const { ended } = await place(open(), (ask) => nameOf(ask) === 'ClaimDiscountUse', refusal);
    expect(ended.refusal).to.deep.equal({
      code: 'usage-limit-reached',
      message: 'Used up.',
      details: { errorCode: 'UsageLimitReached', discountId: idNamed('TEN') },
    });
  });

  it('keeps to the limit of unpaid invoices before it takes a number', async () => {
    const limited = open({ openInvoices: { address: 'here', limit: 20 } });
    const refusal = new Rejection('too-many-open-invoices', 'Pay one of them.');
    const { names } = await place(limited, (ask) => nameOf(ask) === 'keepToLimit', refusal);
    expect(names).to.not.include('takeInvoiceNumber');
    expect(names.slice(-3)).to.deep.equal(['ReleaseStock', 'ReleaseDiscountUse', 'FailPlacement']);
  });

  it('says in every command whose turn it is, and leaves a note where a resumed one gives back', async () => {
    const resumed = { ...open(), turn: 3, isResumed: true };
    const { asks } = await place(resumed, (ask) => nameOf(ask) === 'CreateInvoice');
    const commands = asks.flatMap((ask) => ('command' in ask ? [ask.command as object] : []));
    for (const command of commands.filter((one) => 'turn' in one)) expect(command).to.include({ turn: 3 });
    expect(commandNamed(asks, 'ReleaseStock')[0]?.command).to.include({ isFinal: true });
  });

  it('stops and takes nothing back once another driver has taken it over', async () => {
    const sent: string[] = [];
    const error = await runSteps(placeOrder, open(), (ask) => {
      sent.push(nameOf(ask));
      return nameOf(ask) === 'ClaimDiscountUse' ? Promise.reject(takenOver()) : Promise.resolve({});
    }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'order-being-placed' });
    expect(sent).to.deep.equal(['ReserveStock', 'ClaimDiscountUse']);
  });

  it('keeps an invoice that was made, whatever is said of the tidying up', async () => {
    const { names, ended } = await place(
      open({ discountReleases: [idNamed('OLD')] }),
      (ask) => nameOf(ask) === 'ReleaseDiscountUse',
    );
    expect(names.at(-1)).to.equal('CompletePlacement');
    expect(ended.refusal).to.equal(null);
  });
});
