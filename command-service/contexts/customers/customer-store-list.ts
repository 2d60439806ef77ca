import { storeList, type StoreList } from '#command/engine/store-list.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { importedCustomer, importedCustomerChanges, MAX_ADDRESSES } from '#entities/customer.entity.ts';
import { withAddresses } from './customer-addresses.ts';
import type { CustomerActions } from './customer.actions.ts';
import { emailValue } from './customer-claims.ts';
import { customerStream } from './customer.stream.ts';

/**
 * The customers of a store file (docs/rules/store-file.md#customers). Whoever is deleted or forgotten is not brought
 * back by a file that still names them.
 */
export const customerStoreList = (
  actions: CustomerActions,
  { streams }: Pick<CommandDeps, 'streams'>,
): StoreList => {
  const stateOf = async (id: string) => (await streams.load(customerStream, id)).state;
  return storeList({
    name: 'customers',
    references: [],
    create: importedCustomer,
    change: importedCustomerChanges,
    problemsOf: async (id, { email, addresses }) => {
      const state = await stateOf(id);
      if (state.status === 'deleted' || state.status === 'forgotten') return [];
      const isFree = await actions.isFreeFor(id, email);
      const known = state.status === 'known' ? (state.fields.addresses ?? []) : [];
      const isWithin = withAddresses(known, addresses).length <= MAX_ADDRESSES;
      return [
        ...(isFree ? [] : ['email: belongs to another customer']),
        ...(isWithin ? [] : [`addresses: must be ${MAX_ADDRESSES} at most with those that the shop knows`]),
      ];
    },
    uniqueIn: ({ email }) => {
      const { kind, value, field } = emailValue(email);
      return [{ kind, value, path: field }];
    },
    exists: async (id) => (await stateOf(id)).status !== 'unknown',
    createEntry: (id, entry, meta) => actions.create(id, entry, meta),
    changeEntry: async (id, changes, meta) =>
      (await stateOf(id)).status === 'known'
        ? actions.change(id, changes, meta, { keepsAddresses: true })
        : { hasChanged: false },
  });
};
