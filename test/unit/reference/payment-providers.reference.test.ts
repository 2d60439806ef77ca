import { expect } from 'chai';
import { paymentProviderEvents } from '#events/payment-provider.events.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createPaymentProviderReference } from '#reference/payment-providers.reference.ts';
import { keyFor } from '#runtime/keys.ts';
import { givenEvents } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const { PaymentProviderConfigured, PaymentProviderSwitched, PaymentProvidersReordered } =
  paymentProviderEvents.create;

const cipherOf = (byte: string) => createTextCipher(keyFor(Buffer.alloc(32, byte), 'test'));

describe('how the backoffice keeps payment providers', () => {
  const kept = givenEvents(
    PaymentProviderConfigured({ provider: 'stripe', configuration: { secretKey: 'open sesame' } }),
    PaymentProviderSwitched({ provider: 'stripe', isEnabled: false }),
    PaymentProvidersReordered({ providers: ['stripe'] }),
  ).foldInto(
    () => createPaymentProviderReference(cipherOf('a')),
    ({ current }) => current(),
  );

  it('survives a restart, and no snapshot holds its secrets in clear', () => {
    expect(JSON.stringify(snapshotOf(kept)))
      .to.include('stripe')
      .and.not.include('sesame');
    const after = restarted(createPaymentProviderReference(cipherOf('a')), kept);
    expect(after.current()).to.deep.equal(kept.current());
  });

  it('keeps providers off under another key, which cannot open their secrets', () => {
    const after = restarted(createPaymentProviderReference(cipherOf('b')), kept);
    expect(after.current().providers['stripe']).to.deep.include({ isEnabled: false, configuration: {} });
  });
});
