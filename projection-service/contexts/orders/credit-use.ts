import { isOverLimit } from '#values/account-terms.ts';
import type { ViewReader } from '../../engine/reader.ts';
import {
  customerAccountsProjection,
  type CustomerAccountDocument,
} from '../customers/customer-accounts.projection.ts';

/** Which of these customers owe more than they may. */
export const customersOverLimit = async (
  views: Pick<ViewReader, 'getMany'>,
  customerIds: readonly (string | null)[],
): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(customerIds.filter((id) => id !== null))];
  const accounts = await views.getMany<CustomerAccountDocument>(customerAccountsProjection.name, ids);
  return new Set(accounts.filter(isOverLimit).map(({ _id }) => _id));
};
