import { expect } from 'chai';
import { asOf } from '#contracts/as-of.contract.ts';

const instantOf = (text: string): string | null => {
  const { data } = asOf.safeParse(text);
  return data?.kind === 'instant' ? new Date(data.instant).toISOString() : null;
};

// docs/rules/reporting.md#as-of
describe('a moment of the past, as it is named', () => {
  for (const [text, instant] of [
    ['2026-03-31T18:00Z', '2026-03-31T18:00:00.000Z'],
    ['2026-08-31T18:00+01:00', '2026-08-31T17:00:00.000Z'],
    // A plus that was not encoded in a query.
    ['2026-08-31T18:00 01:00', '2026-08-31T17:00:00.000Z'],
    ['2026-08-31T18:00:30.5-02:00', '2026-08-31T20:00:30.500Z'],
  ] as const)
    it(`may be ${text}`, () => {
      expect(instantOf(text)).to.equal(instant);
    });

  for (const text of ['2026-03-31T18:00', '2026-03-31T18Z', '2026-02-30T18:00Z', '1899-03-31T18:00Z', 'soon'])
    it(`is never ${text}`, () => {
      expect(asOf.safeParse(text).success).to.equal(false);
    });
});
