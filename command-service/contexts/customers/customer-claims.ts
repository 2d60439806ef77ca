import type { ClaimOwners, UniqueValue } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { CUSTOMER_EMAIL } from '#values/claim-id.ts';
import type { CustomerState } from './customer.state.ts';
import { customerStream } from './customer.stream.ts';

export type CustomerDeps = Pick<CommandDeps, 'streams' | 'claims' | 'commands' | 'clock' | 'reference'>;

/** The e-mail address of a customer, unique in the shop (docs/architecture.md#uniqueness). */
export const emailValue = (email: string): UniqueValue => ({
  kind: CUSTOMER_EMAIL,
  value: email,
  field: 'email',
});

/** What a customer has to themselves; nothing once they are forgotten. */
export const valuesOf = (state: CustomerState): readonly UniqueValue[] =>
  state.status === 'known' && state.fields.email !== null ? [emailValue(state.fields.email)] : [];

const hasEmail = (state: CustomerState, email: string): boolean =>
  state.status === 'known' && (state.fields.email ?? email) === email;

/**
 * Those who have claimed an e-mail address. A crash may have left the claim of a customer who never came to be, is
 * gone, or has another address by now.
 */
export const ownersOf = ({ streams }: Pick<CustomerDeps, 'streams'>, email: string): ClaimOwners => ({
  isThere: async (id) => hasEmail((await streams.load(customerStream, id)).state, email),
  abandon: async (id: string, meta: CommandMeta) => {
    const { state } = await streams.send(customerStream, id, { type: 'GiveUpEmail', email }, meta);
    return !hasEmail(state, email);
  },
});

/** True where it is refused. */
export const isRefused = (asked: Promise<void>): Promise<boolean> =>
  asked.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Rejection) return true;
      throw error;
    },
  );

export const isHeldByAnother = (
  { claims }: Pick<CustomerDeps, 'claims'>,
  email: string,
  id: string,
): Promise<boolean> => isRefused(claims.refuseTaken([emailValue(email)], id));
