import type { Address } from './address.ts';

/** Where mails about an order go once its billing address was changed: to an address that was corrected there. */
export const correctedEmail = (
  email: string | null,
  before: Address | null,
  after: Address | null,
): string | null => (after?.email && after.email !== before?.email ? after.email : email);
