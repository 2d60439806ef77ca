import { derivedId } from '#kernel/ids.ts';

/** Under which a customer's e-mail address is claimed. */
export const CUSTOMER_EMAIL = 'customer-email';

/** The id of the stream in which a value is claimed: it gives nothing away of the value. */
export const claimIdOf = (
  keyedHash: (kind: string, value: string) => string,
  kind: string,
  value: string,
): string => derivedId('claim', kind, keyedHash(kind, value));
