import { expect } from 'chai';
import { stripeProvider } from '#adapters/payment-providers/stripe/stripe-provider.ts';
import { createSettlement } from '#command/contexts/payments/settle-payment.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { VaultCustomer } from '#ports/payment-requests.ts';
import type { ContextApis } from '#command/context-apis.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { cardOf, noReferences, placeInvoice } from '#test/support/builders/payment.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';

const mugs = invoice('mugs');

/** The customer, and what was kept for them. */
const keeping = (customer: Omit<VaultCustomer, 'customerId'>) => {
  const kept: { consentIpAddress: string | null }[] = [];
  const savedMethods = {
    vaultCustomer: (customerId: string) => Promise.resolve({ customerId, ...customer }),
    keep: (_: string, method: { consentIpAddress: string | null }) => {
      kept.push(method);
      return Promise.resolve(idNamed('kept'));
    },
  } as unknown as ContextApis['savedMethods'];
  return { kept, apis: { savedMethods } };
};

describe('a charge that is asked for again (docs/rules/payments.md#asking)', () => {
  let double: StripeDouble;
  beforeEach(async () => {
    double = await startStripeDouble();
  });
  afterEach(() => double.goAway());

  it('is asked for in the same words by a shop that was killed, moved, and knows its customer by another name', async () => {
    const { engine, clock, another } = await startTestEngine();
    const shop = (commands: typeof engine, ownAddress: string, deps: ReturnType<typeof keeping>) => {
      const streams = testStreams(commands, clock);
      const settings = () => ({ secretKey: 'sk_test_1', apiBaseUrl: double.url });
      const provider = stripeProvider({ settings });
      const settlement = createSettlement({
        ...{ streams, references: noReferences, ownAddress, apis: deps.apis },
        keyedHash: (kind, value) => `${kind} ${value}`,
        provider: () => provider,
      });
      return { streams, settlement };
    };
    const ada = { email: 'ada@example.com', name: 'Ada Lovelace', providerCustomerId: null };
    const before = shop(engine, 'https://shop.example', keeping(ada));
    await placeInvoice(before.streams, mugs);
    const saveFor = { customerId: idNamed('ada'), setAsDefault: false, ipAddress: '203.0.113.9' };
    const card = { ...cardOf('stripe', 'pm_card_visa'), saveFor };
    await before.settlement.record(mugs.id, card, anyMeta());
    double.loseResponse();
    await before.settlement.settle(mugs.id, anyMeta());

    const now = keeping({ email: 'ada.king@example.com', name: 'Ada King', providerCustomerId: 'cus_2' });
    const after = shop(another(), 'https://moved.example', now);
    for (let times = 0; times < 2; times++) await after.settlement.settle(mugs.id, anyMeta());
    const state = await after.settlement.load(mugs.id);
    expect(isKnown(state) && state.payments).to.have.length(1);
    expect(double.taken()).to.equal(2640);
    const charges = double.asked.filter(({ path }) => path === '/v1/payment_intents');
    expect(charges).to.not.be.empty;
    for (const { form } of charges) expect(form).to.deep.equal(charges[0]?.form);
    expect(now.kept.map(({ consentIpAddress }) => consentIpAddress)).to.deep.equal(['203.0.113.9']);
  });
});
