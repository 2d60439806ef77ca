import { expect } from 'chai';
import { createTextCipher } from '#log/encryption.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { createTaxProviderReference } from '#reference/tax-providers.reference.ts';
import { keyFor } from '#runtime/keys.ts';
import { taxProviderEvents } from '#events/tax.events.ts';
import { recordedEvents } from '#test/support/given.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const { TaxProviderActivated, TaxProviderConfigured } = taxProviderEvents.create;

describe('what a tax provider is set to', () => {
  it('is there after a restart, and stands in no snapshot in clear', () => {
    const cipher = createTextCipher(keyFor(Buffer.alloc(32, 'a'), 'test'));
    const before = createTaxProviderReference(cipher);
    const configuration = { apiKey: 'open sesame', rate: 7 };
    for (const event of recordedEvents([
      TaxProviderConfigured({ provider: 'acme', configuration }),
      TaxProviderActivated({ provider: 'acme' }),
    ]))
      applyEvent(before, event);
    expect(JSON.stringify(snapshotOf(before)))
      .to.include('acme')
      .and.not.include('sesame');
    const after = restarted(createTaxProviderReference(cipher), before);
    expect(after.current()).to.deep.equal({ provider: 'acme', configurations: { acme: configuration } });
  });
});
