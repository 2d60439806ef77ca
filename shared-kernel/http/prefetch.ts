import type { RequestFacts } from './request-facts.ts';

const saying = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Whether a program only looks at what there is: HEAD, and what browsers fetch before anyone has clicked and say so.
 */
export const isLookingAhead = ({
  isHead = false,
  header,
}: Pick<RequestFacts, 'isHead' | 'header'>): boolean =>
  isHead || saying.some((name) => /\b(prefetch|prerender|preview)\b/i.test(header(name) ?? ''));
