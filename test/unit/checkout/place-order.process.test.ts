import { expect } from 'chai';
import { customerUsageId } from '#command/contexts/discounts/discount-usage.commands.ts';
import { placeOrder, type OpenPlacement } from '#command/contexts/checkout/placement/place-order.process.ts';
import { stockId } from '#values/stock-id.ts';
import type { ProcessCommand } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { takenOver } from '#values/basket-hold.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { placementOf } from '#test/support/builders/order.ts';
import { givenProcess } from '#test/support/given-process.ts';

const opened = (changes: Partial<OpenPlacement> = {}): OpenPlacement => ({
  ...placementOf(changes),
  email: 'ada@example.com',
  billingAddress: addressOf('Ada Lovelace'),
  shippingAddress: addressOf('Ada Lovelace'),
  turn: 1,
  isResumed: false,
  basketId: idNamed('basket'),
  invoiceNumberPrefix: 'INV-',
  begunBy: 7,
  ...changes,
});

/** Every step of the placement is done: the invoice gets the number 7. */
const placing = (changes: Partial<OpenPlacement> = {}) =>
  givenProcess(placeOrder, opened(changes), {
    takeInvoiceNumber: 7,
    CreateInvoice: { state: { invoiceNumber: 'INV-0007' } },
  });

const soldOut = new Rejection('out-of-stock', 'Sold out.', { requestedQuantity: 2, availableQuantity: 1 });
const usedUp = (errorCode: string) => new Rejection('usage-limit-reached', 'Used up.', { errorCode });

const mug = { productId: idNamed('mug'), warehouseId: idNamed('east') };
const tea = { productId: idNamed('tea'), warehouseId: idNamed('west') };
const ten = idNamed('TEN');
const old = idNamed('OLD');

describe('placing an order', () => {
  it('reserves, claims, takes a number and creates the invoice, in this order', async () => {
    await placing().thenSends(
      'ReserveStock',
      'ClaimDiscountUse',
      'takeInvoiceNumber',
      ['CreateInvoice', { 'command.invoiceNumber': 'INV-0007' }],
      ['CompletePlacement', { id: idNamed('basket') }],
    );
  });

  it('claims and releases with the customer, too, where the uses of each customer are limited', async () => {
    const placement = placing({
      discountClaims: [{ discountId: ten, code: 'TEN', amount: 200, perCustomer: true }],
      customerReleases: [{ discountId: old, customerId: idNamed('eve') }],
    });
    const own = customerUsageId(ten, placementOf().content.customerId ?? '');
    const ofEve = customerUsageId(old, idNamed('eve'));
    const ids = (sent: readonly ProcessCommand[]) => sent.map((command) => 'id' in command && command.id);
    const { named } = await placement.run();
    expect(ids(named('ClaimDiscountUse'))).to.deep.equal([ten, own]);
    expect(ids(named('ReleaseDiscountUse'))).to.deep.equal([ofEve]);

    const ownIsRefused = (command: ProcessCommand) =>
      'id' in command && command.id === own ? usedUp('CustomerUsageLimitReached') : {};
    const refused = await placement.when({ ClaimDiscountUse: ownIsRefused }).run();
    expect(ids(refused.named('ReleaseDiscountUse'))).to.deep.equal([ten, own, ofEve]);
    expect(refused.refusal?.details).to.deep.include({ discountId: ten });
  });

  it('skips what it does not need', async () => {
    await placing({ holds: [], discountClaims: [] }).thenSends(
      'takeInvoiceNumber',
      'CreateInvoice',
      'CompletePlacement',
    );
  });

  it('closes the older invoice first, and releases at the end what the new one does not need', async () => {
    const holds = [
      { ...mug, quantity: 2 },
      { ...tea, quantity: 0 },
    ];
    await placing({ supersededInvoiceId: idNamed('older'), holds, discountReleases: [old] }).thenSends(
      'SupersedeInvoice',
      'ReserveStock',
      'ClaimDiscountUse',
      'takeInvoiceNumber',
      'CreateInvoice',
      ['ReleaseStock', { id: stockId(tea.productId, tea.warehouseId) }],
      ['ReleaseDiscountUse', { id: old }],
      'CompletePlacement',
    );
  });

  it('is answered before the basket says so, unless there is something to give back', () => {
    const isAnswered = (changes: Partial<OpenPlacement>) => placeOrder.completesAfterwards?.(opened(changes));
    expect(isAnswered({})).to.equal(true);
    expect(isAnswered({ holds: [{ ...tea, quantity: 0 }] })).to.equal(false);
    expect(isAnswered({ discountReleases: [old] })).to.equal(false);
    expect(isAnswered({ customerReleases: [{ discountId: old, customerId: idNamed('eve') }] })).to.equal(
      false,
    );
  });

  it('leaves everything as it was when the older invoice cannot be closed', async () => {
    await placing({ supersededInvoiceId: idNamed('older') })
      .when({ SupersedeInvoice: new Rejection('payment-unknown', 'Wait.') })
      .thenSends('SupersedeInvoice', [
        'FailPlacement',
        { 'command.code': 'payment-unknown', 'command.keepsHolds': true },
      ]);
  });

  for (const [refused, before] of [
    ['ReserveStock', []],
    ['ClaimDiscountUse', ['ReserveStock']],
  ] as const) {
    it(`releases everything when ${refused} is refused`, async () => {
      await placing({ discountReleases: [old] })
        .when({ [refused]: soldOut })
        .thenSends(...before, refused, 'ReleaseStock', 'ReleaseDiscountUse', 'ReleaseDiscountUse', [
          'FailPlacement',
          { 'command.keepsHolds': false },
        ]);
    });
  }

  it('voids the number of an invoice that cannot be created, and releases everything', async () => {
    const refused = placing().when({ CreateInvoice: soldOut });
    await refused.thenEndsWith(
      'CreateInvoice',
      'ReleaseStock',
      'ReleaseDiscountUse',
      ['VoidInvoice', { 'command.invoiceNumber': 'INV-0007' }],
      'FailPlacement',
    );
    await refused.thenRefused('out-of-stock');
  });

  it('says which product is out of stock', async () => {
    const { refusal } = await placing().when({ ReserveStock: soldOut }).run();
    expect(refusal).to.deep.equal({
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

  it('says which discount is used up', async () => {
    const { refusal } = await placing()
      .when({ ClaimDiscountUse: usedUp('UsageLimitReached') })
      .run();
    expect(refusal).to.deep.equal({
      code: 'usage-limit-reached',
      message: 'Used up.',
      details: { errorCode: 'UsageLimitReached', discountId: ten },
    });
  });

  it('checks the limit of unpaid invoices before it takes a number', async () => {
    await placing({ openInvoices: { address: 'here', limit: 20 } })
      .when({ keepToLimit: new Rejection('too-many-open-invoices', 'Pay one of them.') })
      .thenSends(
        'ReserveStock',
        'ClaimDiscountUse',
        'keepToLimit',
        'ReleaseStock',
        'ReleaseDiscountUse',
        'FailPlacement',
      );
  });

  it('numbers its driver in every command, and leaves a note where a resumed one releases', async () => {
    const resumed = placing({ turn: 3, isResumed: true }).when({ CreateInvoice: soldOut });
    const { sent, named } = await resumed.run();
    const commands = sent.flatMap((command) => ('command' in command ? [command.command as object] : []));
    for (const command of commands.filter((one) => 'turn' in one)) expect(command).to.include({ turn: 3 });
    expect(named('ReleaseStock')[0]).to.have.nested.property('command.isFinal', true);
  });

  it('stops and undoes nothing once another driver has taken it over', async () => {
    await placing()
      .when({ ClaimDiscountUse: takenOver() })
      .thenStops({ code: 'order-being-placed' }, 'ReserveStock', 'ClaimDiscountUse');
  });

  it('keeps the invoice even if the tidying up is refused', async () => {
    const { refusal } = await placing({ discountReleases: [old] })
      .when({ ReleaseDiscountUse: soldOut })
      .thenEndsWith('CompletePlacement');
    expect(refusal).to.equal(null);
  });
});
