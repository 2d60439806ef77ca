import { Rejection } from '#kernel/rejection.ts';
import { checkReturnAddress, type ReturnHosts } from '#values/return-address.ts';

/** The pages that a payment sends the shopper to. */
interface Pages {
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/** A page that was allowed once, where a browser may still be sent: hosts come and go, and rules do. */
export const stillAllowed = (page: string | null | undefined, hosts: ReturnHosts): string | null =>
  page && checkReturnAddress(page, hosts).isAllowed ? page : null;

/** Errors: Rejection `invalid-request`, naming every page that is not allowed. */
export const checkPages = ({ returnUrl, cancelUrl }: Pages, hosts: ReturnHosts): void => {
  const errors: Record<string, string> = {};
  for (const [field, address] of Object.entries({ returnUrl, cancelUrl })) {
    const checked = checkReturnAddress(address, hosts);
    if (!checked.isAllowed) errors[field] = checked.expected;
  }
  const lines = Object.entries(errors).map(([field, expected]) => `${field}: ${expected}`);
  if (lines.length > 0) throw new Rejection('invalid-request', lines.join('; '), { errors });
};
