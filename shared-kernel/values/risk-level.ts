export type RiskLevel = 'high' | 'medium' | 'low' | 'minimal';

/** What a provider's score of 0 to 100 comes to (docs/rules/payments.md#risk). */
export const riskLevel = (score: number | null): RiskLevel | null => {
  if (score === null) return null;
  if (score >= 75) return 'high';
  if (score >= 50) return 'medium';
  return score >= 25 ? 'low' : 'minimal';
};

interface Risk {
  readonly score: number;
  readonly source: string;
}

/** Of several payments the riskiest counts; null where of none anything is known. */
export const riskiestOf = (payments: readonly { readonly risk: Risk | null }[]): Risk | null =>
  payments.reduce<Risk | null>(
    (highest, { risk }) => (risk !== null && risk.score > (highest?.score ?? -1) ? risk : highest),
    null,
  );
