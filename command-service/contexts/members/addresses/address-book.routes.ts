import { idOfCreated } from '#command/engine/command-meta.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  accountAddressBody,
  accountAddressResponse,
  accountAddressesResponse,
  type AccountAddressResponse,
} from '#contracts/account.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { doneResponse } from '#contracts/members.contract.ts';
import { created, member, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { account } from '#http/surfaces/account.ts';
import { splitName } from '#values/address.ts';
import type { AddressBookActions } from './address-book.actions.ts';
import type { AccountAddress, AddressBook } from './address-book.state.ts';

const common = { base: 'account', service: 'command', caller: member, file: import.meta.url } as const;
const path = '/addresses';
const done = { success: true, message: '' } as const;

const memberOf = ({ actor }: Pick<RouteRequest, 'actor'>): string => actor.id ?? '';

const responseOf = (
  { defaultBillingId, defaultShippingId }: AddressBook,
  { id, address: { email: _, ...address } }: AccountAddress,
): AccountAddressResponse => ({
  id,
  ...address,
  ...splitName(address.name),
  isDefaultBilling: id === defaultBillingId,
  isDefaultShipping: id === defaultShippingId,
});

/** One address of the book, as it is after a change. */
const shown = (book: AddressBook, addressId: string) => {
  const found = book.addresses.find(({ id }) => id === addressId);
  return { ...done, ...(found && responseOf(book, found)) };
};

const listRoute = ({ show }: AddressBookActions): Route =>
  route({
    ...common,
    method: 'GET',
    path,
    summary: 'The addresses that the member keeps',
    response: accountAddressesResponse,
    handle: async (request) => {
      const book = await show(memberOf(request));
      return ok({ ...done, addresses: book.addresses.map((one) => responseOf(book, one)) });
    },
  });

/** Addresses that members keep (docs/rules/account.md#addresses). */
export const addressBookRoutes = (actions: AddressBookActions): readonly Route[] => [
  listRoute(actions),
  route({
    ...common,
    method: 'POST',
    path,
    summary: 'Keep an address; the first one is the default for billing and shipping',
    schemas: { body: accountAddressBody },
    response: accountAddressResponse,
    status: 201,
    errors: ['invalid-address', 'entity-not-found', 'too-many-addresses'],
    isIdempotent: true,
    handle: async (request) => {
      const id = idOfCreated('account address', request);
      const { book, position } = await actions.add(memberOf(request), id, request.body, metaOf(request));
      return created(`${account.mountPoints[0]}${path}/${id}`, shown(book, id), { position });
    },
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/{id}`,
    summary: 'Replace an address; what is not said of defaults stays as it is',
    schemas: { params: entityParams, body: accountAddressBody },
    response: accountAddressResponse,
    errors: ['invalid-address', 'entity-not-found'],
    handle: async (request) => {
      const { id } = request.params;
      const { book, position } = await actions.change(memberOf(request), id, request.body, metaOf(request));
      return ok(shown(book, id), { position });
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Remove an address',
    schemas: { params: entityParams },
    response: doneResponse,
    errors: ['entity-not-found'],
    handle: async (request) => {
      const position = await actions.remove(memberOf(request), request.params.id, metaOf(request));
      return ok(done, { position });
    },
  }),
];
