import { expect } from 'chai';
import {
  openLink,
  type RecoverableRecord,
} from '#command/contexts/abandoned-checkouts/recovery/open-link.ts';

const now = Date.parse('2026-01-05T12:00:00.000Z');
const later = '2026-01-05T12:00:00.001Z';
const record: RecoverableRecord = {
  status: 'Abandoned',
  basketId: 'the basket',
  link: { number: 2, expiresAt: later, usedAt: null },
  replacedBasketId: null,
};
const used: RecoverableRecord = {
  ...record,
  status: 'Recovered',
  link: { number: 2, expiresAt: later, usedAt: '2026-01-05T11:00:00.000Z' },
  replacedBasketId: 'what they had before',
};

const opened = (changes: Partial<RecoverableRecord>, held: string | null = null) =>
  openLink({ ...record, ...changes }, (basketId) => basketId === held, now);

// docs/rules/abandoned-checkouts.md#coming-back
describe('opening a recovery link', () => {
  it('leads to the basket, whatever the shopper has done since', () => {
    const first = { basketId: 'the basket', linkNumber: 2, isFirst: true };
    for (const status of ['Abandoned', 'Active', 'Recovered'])
      expect(opened({ status }), status).to.deep.equal(first);
    expect(opened({}, 'another basket')).to.deep.equal(first);
  });

  it('leads nowhere once it has expired, was bought, or has no basket left', () => {
    for (const changes of [
      { status: 'Expired' },
      { status: 'Converted' },
      { status: 'None' },
      { basketId: null },
      { link: null },
      { link: { number: 2, expiresAt: '2026-01-05T12:00:00.000Z', usedAt: null } },
    ])
      expect(opened(changes, 'the basket'), JSON.stringify(changes)).to.equal(null);
  });

  it('is good once, but for the shopper who has come back by it', () => {
    const again = { basketId: 'the basket', linkNumber: 2, isFirst: false };
    expect(opened(used)).to.equal(null);
    expect(opened(used, 'another basket')).to.equal(null);
    expect(opened(used, 'the basket')).to.deep.equal(again);
    expect(opened(used, 'what they had before')).to.deep.equal(again);
  });
});
