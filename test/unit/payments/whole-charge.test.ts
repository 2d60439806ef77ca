import { expect } from 'chai';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { chargingWhole } from '#command/contexts/payments/whole-charge.ts';
import type { CaptureOutcome, PaymentProvider } from '#ports/payment-provider.ts';
import { chargeOf } from '#test/support/builders/payment.ts';

/** Charges once with a provider that authorises first, and captures so. */
const chargeWith = async (captured: CaptureOutcome) => {
  const asked: string[] = [];
  const provider: PaymentProvider = {
    ...manualProvider(),
    charge: () => Promise.resolve({ kind: 'authorized', transactionId: 'tx' }),
    capture: ({ idempotencyKey }) => {
      asked.push(`capture ${idempotencyKey}`);
      return Promise.resolve(captured);
    },
    void: () => {
      asked.push('void');
      return Promise.resolve({ kind: 'completed' });
    },
  };
  const { charge } = chargingWhole(provider);
  return { outcome: await charge?.(chargeOf('tok')), again: await charge?.(chargeOf('tok')), asked };
};

describe('a charge that is authorised first', () => {
  it('is captured at once, under a key that follows from its own', async () => {
    const { outcome, again, asked } = await chargeWith({ kind: 'completed', transactionId: 'tx' });
    expect(outcome).to.deep.equal({ kind: 'completed', transactionId: 'tx' });
    expect(again).to.deep.equal(outcome);
    expect(asked[0]).to.equal(asked[1]);
  });

  it('is undone where the money cannot be captured', async () => {
    const refused = { kind: 'refused', code: 'expired', message: 'Too late.' } as const;
    const { outcome, asked } = await chargeWith(refused);
    expect(outcome).to.deep.equal(refused);
    expect(asked[1]).to.equal('void');
  });

  for (const kind of ['unavailable', 'unknownOutcome'] as const) {
    it(`is no failure while its capture is ${kind}`, async () => {
      const { outcome, asked } = await chargeWith({ kind });
      expect(outcome).to.deep.equal({ kind: 'unknownOutcome' });
      expect(asked).to.not.include('void');
    });
  }
});
