import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CustomersForNeighbours, RegisterCustomer } from './customer.commands.ts';
import { customerDecider } from './customer.decider.ts';
import { customerStream } from './customer.stream.ts';

type CustomerDeps = Pick<CommandDeps, 'streams' | 'claims' | 'commands'>;

/** Somebody who would be new is objected to before anything is claimed for them: a refusal leaves nothing behind. */
const askBeforeClaiming = async (
  { claims, commands }: CustomerDeps,
  candidate: string,
  command: RegisterCustomer,
  meta: CommandMeta,
): Promise<void> => {
  const wanted = { kind: 'customer-email', value: command.email, field: 'email' };
  const isKnown = await claims.refuseTaken([wanted], candidate).then(
    () => false,
    (error: unknown) => error instanceof Rejection,
  );
  if (isKnown) return;
  const context = (): undefined => undefined;
  await commands.rehearse({
    decider: customerDecider,
    id: candidate,
    command,
    context,
    meta,
    isProcessStep: true,
  });
};

export const createCustomerActions = (deps: CustomerDeps): CustomersForNeighbours => ({
  /** A crash between claim and registration leaves a claim whose owner the next address registers. */
  ensure: async (details, meta) => {
    const { streams, claims, commands } = deps;
    const email = details.email.toLowerCase();
    const candidate = newId();
    const command = { type: 'RegisterCustomer', ...details, email } as const;
    if (commands.isHooked) await askBeforeClaiming(deps, candidate, command, meta);
    const claimed = await claims.claim('customer-email', email, candidate, meta);
    const isNew = claimed.kind === 'ok';
    const customerId = isNew ? candidate : claimed.ownerId;
    await streams.send(customerStream, customerId, command, meta, { isProcessStep: true, isNewId: isNew });
    return customerId;
  },
});
