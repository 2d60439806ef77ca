import { createHmac, createSecretKey } from 'node:crypto';
import { isSameToken } from './id-tokens.ts';
import { keyFor } from './keys.ts';

/** Links by which whoever has one sees an order, without a sign-in (docs/rules/orders.md#order-link). */
export interface OrderLinks {
  /** On the pages where people shop. */
  linkTo(invoiceId: string, storefrontUrl: string): string;
  /** In constant time. */
  isKeyOf(key: string, invoiceId: string): boolean;
}

export const createOrderLinks = (applicationKey: Buffer): OrderLinks => {
  const hashKey = createSecretKey(keyFor(applicationKey, 'order links'));
  const keyOf = (invoiceId: string): string =>
    createHmac('sha256', hashKey).update(invoiceId.toLowerCase()).digest('base64url');
  return {
    linkTo: (invoiceId, storefrontUrl) => `${storefrontUrl}/order/${invoiceId}?key=${keyOf(invoiceId)}`,
    isKeyOf: (key, invoiceId) => isSameToken(key, keyOf(invoiceId)),
  };
};
