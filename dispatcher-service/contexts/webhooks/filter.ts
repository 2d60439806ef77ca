import { parseFilter, type FilterPredicate } from '#values/filter-expression.ts';
import type { Envelope } from './envelope.ts';

/** Whether a subscription's filter lets an envelope through. Never throws. */
export type FilterMatcher = (filterExpression: string | null, envelope: Envelope) => boolean;

const rememberedExpressions = 10_000;

/**
 * Parses each expression once. One that cannot be read or evaluated matches nothing; `onError` is told
 * (docs/rules/webhooks.md#filters).
 */
export const createFilterMatcher = (
  onError: (filterExpression: string, error: unknown) => void,
): FilterMatcher => {
  const known = new Map<string, FilterPredicate>();
  const predicateOf = (expression: string): FilterPredicate => {
    const found = known.get(expression);
    if (found) return found;
    if (known.size >= rememberedExpressions) known.clear();
    const parsed = parseFilter(expression);
    known.set(expression, parsed);
    return parsed;
  };
  return (expression, envelope) => {
    if (expression === null) return true;
    try {
      return predicateOf(expression)(envelope);
    } catch (error) {
      onError(expression, error);
      return false;
    }
  };
};
