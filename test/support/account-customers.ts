import { manage } from './requests.ts';
import type { Customer, MemberShop } from './member-shop.ts';
import type { ShopAt } from './shop.ts';

/** What staff say of a customer who may buy on account. */
export interface Terms {
  readonly hasAccountTerms?: boolean;
  readonly paymentTermsDays?: number;
  readonly creditLimit?: number;
  readonly clearPaymentTermsDays?: true;
  readonly clearCreditLimit?: true;
}

/** The customer with an e-mail address, as staff see one. */
export const customerNamed = async (shop: ShopAt, email: string): Promise<string> => {
  await shop.settle();
  const { body } = await shop.admin.ask(manage.get(`/customers?search=${encodeURIComponent(email)}`));
  return body.items[0].id as string;
};

export const giveTerms = async (shop: ShopAt, customerId: string, terms: Terms): Promise<void> => {
  const { status, text } = await shop.admin.ask(manage.put(`/customers/${customerId}`, terms));
  if (status !== 200) throw new Error(`${status}: ${text}`);
};

/** Somebody with an account and, unless `terms` say otherwise, with account terms of 30 days. */
export const customerOnAccount = async (
  { shop, customer }: Pick<MemberShop, 'customer'> & { readonly shop: ShopAt },
  email: string,
  productId: string,
  terms: Terms = {},
): Promise<{ readonly shopper: Customer; readonly customerId: string }> => {
  const shopper = customer();
  await shopper.register(email, productId);
  const customerId = await customerNamed(shop, email);
  await giveTerms(shop, customerId, { hasAccountTerms: true, paymentTermsDays: 30, ...terms });
  const { status, text } = await shopper.initialize();
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return { shopper, customerId };
};
