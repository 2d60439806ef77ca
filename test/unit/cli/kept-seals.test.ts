import { expect } from 'chai';
import { parseKeptSeals } from '#projection/cli/audit/kept-seals.ts';

const seal = {
  number: 3,
  position: 120,
  eventId: '01a21ca0-74a6-7001-838f-3ee5d59658c9',
  count: 120,
  digest: 'XYsYHFSWBgDfNlZLvIRZhjn-Sg4xEQmEPffGIvtD55g',
  previous: 'VgP8YdHtag2agyrVyXCsazX8GG6qeF82PitR00Z37Pg',
  sealedAt: '2026-03-01T12:00:00.000Z',
  signature: 'AA',
};
const page = { publicKey: 'a key', seals: [seal], nextBefore: 3 };

describe('A file of kept seals', () => {
  it('holds a page of them, or one of its entries', () => {
    expect(parseKeptSeals('seals.json', JSON.stringify(page))).to.deep.include({
      publicKey: 'a key',
      seals: [seal],
    });
    expect(parseKeptSeals('seals.json', JSON.stringify(seal))).to.deep.equal({
      publicKey: null,
      seals: [seal],
    });
  });

  it('that holds something else is refused with what it should hold', () => {
    const { signature: _, ...unsigned } = seal;
    for (const text of ['', '{', '[]', '{"seals":[]}', JSON.stringify(unsigned)])
      expect(() => parseKeptSeals('seals.json', text), text)
        .to.throw('--seal seals.json')
        .with.property('message')
        .that.includes('GET /audit/seals');
  });

  it('that is a page without any is refused as one: there is nothing to hold the log to', () => {
    const none = JSON.stringify({ ...page, seals: [], nextBefore: null });
    expect(() => parseKeptSeals('seals.json', none)).to.throw('--seal seals.json: holds no seal');
  });
});
