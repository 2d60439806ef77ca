export type RiskLevel = 'high' | 'medium' | 'low' | 'minimal';

/** What a provider's score of 0 to 100 comes to (docs/rules/payments.md#risk). */
export const riskLevel = (score: number | null): RiskLevel | null => {
  if (score === null) return null;
  if (score >= 75) return 'high';
  if (score >= 50) return 'medium';
  return score >= 25 ? 'low' : 'minimal';
};
