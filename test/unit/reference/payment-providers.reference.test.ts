import { expect } from 'chai';
import { paymentProviderEvents } from '#events/payment-provider.events.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createProviderReference } from '#reference/providers.reference.ts';
import { paymentProviders, storedProvider } from '#entities/payment.providers.ts';
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
    () => createProviderReference(paymentProviders, cipherOf('a')),
    ({ current }) => current(),
  );

  it('survives a restart, and no snapshot holds its secrets in clear', () => {
    expect(JSON.stringify(snapshotOf(kept)))
      .to.include('stripe')
      .and.not.include('sesame');
    const after = restarted(createProviderReference(paymentProviders, cipherOf('a')), kept);
    expect(after.current()).to.deep.equal(kept.current());
  });

  it('keeps providers off under another key, which cannot open their secrets', () => {
    const after = restarted(createProviderReference(paymentProviders, cipherOf('b')), kept);
    expect(storedProvider(after.current(), 'stripe')).to.deep.include({
      isEnabled: false,
      configuration: {},
    });
  });
});
