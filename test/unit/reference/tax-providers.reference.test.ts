import { expect } from 'chai';
import { createTextCipher } from '#runtime/encryption.ts';
import { createProviderReference } from '#reference/providers.reference.ts';
import { taxProviders } from '#entities/tax.providers.ts';
import { keyFor } from '#runtime/keys.ts';
import { taxProviderEvents } from '#events/tax.events.ts';
import { givenEvents } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const { TaxProviderActivated, TaxProviderConfigured } = taxProviderEvents.create;

describe('the configuration of a tax provider', () => {
  it('survives a restart, and no snapshot holds it in clear', () => {
    const cipher = createTextCipher(keyFor(Buffer.alloc(32, 'a'), 'test'));
    const configuration = { apiKey: 'open sesame', rate: 7 };
    const before = givenEvents(
      TaxProviderConfigured({ provider: 'acme', configuration }),
      TaxProviderActivated({ provider: 'acme' }),
    ).foldInto(
      () => createProviderReference(taxProviders, cipher),
      ({ current }) => current(),
    );
    expect(JSON.stringify(snapshotOf(before)))
      .to.include('acme')
      .and.not.include('sesame');
    const after = restarted(createProviderReference(taxProviders, cipher), before);
    expect(after.current()).to.deep.equal({ provider: 'acme', configurations: { acme: configuration } });
  });
});
