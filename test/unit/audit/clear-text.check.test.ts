import { expect } from 'chai';
import type { StoredEvent } from '#ports/event-store.ts';
import { clearTextCheck } from '#projection/contexts/audit/verification/clear-text.check.ts';

const stored = (type: string, data: string, schemaVersion = 9): StoredEvent => ({
  ...{ id: 'id', type, stream: 'basket-1', revision: 4, position: 12, data },
  metadata: JSON.stringify({ schemaVersion, recordedAt: '2026-03-01T12:00:00.000Z' }),
});

const found = (type: string, data: string, schemaVersion?: number): readonly string[] => {
  const problems: string[] = [];
  clearTextCheck((problem) => {
    expect(problem).to.include({ position: 12, stream: 'basket-1', revision: 4 });
    problems.push(problem.found);
  }).takeStored?.(stored(type, data, schemaVersion));
  return problems;
};

/** docs/rules/proof.md#what-stands-in-clear */
describe('The check of clear text', () => {
  it('finds nothing in fields that are sealed, one by one or together, or that say nothing', () => {
    for (const data of [
      '{"email":{"$personal":"c2VhbGVk"},"total":7}',
      '{"total":7,"$personal":{"fields":["email","billingAddress"],"sealed":"c2VhbGVk"}}',
      '{"email":null}',
      '{ "email" : { "$personal" : "c2VhbGVk" } }',
    ])
      expect(found('InvoiceCreated', data), data).to.deep.equal([]);
  });

  it('names each field that stands in clear, however the text is written', () => {
    expect(
      found('InvoiceCreated', '{"email":"ada@example.com","billingAddress":{"name":"Ada"}}'),
    ).to.deep.equal(['InvoiceCreated with email, billingAddress in clear']);
    expect(found('InvoiceCreated', '{ "email" : "" }')).to.deep.equal(['InvoiceCreated with email in clear']);
    expect(found('WebhookSecretRegenerated', '{"at":"now","signingSecret":"abc"}')).to.have.length(1);
  });

  it('minds only the fields of the event itself, in the version that it was written in', () => {
    expect(found('InvoiceCreated', '{"email":null,"content":{"email":"a field of another"}}')).to.deep.equal(
      [],
    );
    expect(found('InvoiceCancelled', '{"reason":"expired"}', 2)).to.deep.equal([]);
    expect(found('InvoiceCancelled', '{"reason":"Ada moved"}', 3)).to.have.length(1);
    expect(found('BasketLineAdded', '{"email":"not a field of it"}')).to.deep.equal([]);
    expect(found('UnknownToThisRelease', '{"email":"ada@example.com"}')).to.deep.equal([]);
  });

  it('leaves to others what cannot be parsed', () => {
    expect(found('InvoiceCreated', '{"email":"ada')).to.deep.equal([]);
    expect(found('InvoiceCreated', '{"email":"ada"}', undefined)).to.have.length(1);
  });
});
