import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { emailValue, isHeldByAnother } from '../customer-claims.ts';
import { customerStream } from '../customer.stream.ts';
import { forgetCustomer, type ForgettingCalls, type OpenForgetting } from './forget-customer.process.ts';
import { closeBaskets, forgetStreams } from './forget-streams.ts';
import { givenEmails } from './given-emails.ts';

export interface ForgettingDeps extends Pick<
  CommandDeps,
  'streams' | 'apis' | 'claims' | 'store' | 'stateStore' | 'subjectKeys' | 'clock' | 'reference'
> {
  readonly runAlone: RunAlone;
  readonly decoder: EventDecoder;
  /** Reads the log up to its head. */
  readonly reach: () => Promise<void>;
}

/** A provider has not said yet that it has forgotten a saved method. */
class ProviderSilent extends EngineUnavailable {}

/** A provider is silent, or an order is being placed: the forgetting goes on once that has ended. */
export const isForgettingWaiting = (error: unknown): boolean =>
  error instanceof ProviderSilent || (error instanceof Rejection && error.code === 'order-being-placed');

const performs = (deps: ForgettingDeps): Performs<ForgettingCalls> => {
  const { apis, claims, subjectKeys } = deps;
  return {
    removeAccount: async ({ customerId, memberKey, emails }, meta) => {
      if (memberKey !== null) await apis.members.remove(memberKey, customerId, meta);
      for (const email of emails)
        if (!(await isHeldByAnother(deps, email, customerId)))
          await apis.members.removeByEmail(email, customerId, meta);
      if (await apis.savedMethods.removeFromProviders(customerId, meta)) return;
      throw new ProviderSilent('a payment provider has not said yet that it has forgotten a saved method');
    },
    freeEmails: ({ customerId, emails }, meta) => claims.releaseAll(emails.map(emailValue), customerId, meta),
    closeBaskets: ({ customerId }, meta) => closeBaskets(deps, customerId, stepMeta(meta)),
    destroyKeys: async ({ customerId }) => void (await subjectKeys.forget(customerId)),
    forgetStreams: ({ customerId }, meta) => forgetStreams(deps, customerId, stepMeta(meta)),
  };
};

/** Drives the forgetting of customers (docs/rules/forgetting.md#steps). */
export const createCustomerForgetting = (deps: ForgettingDeps) => {
  const { streams, runAlone } = deps;
  const instances = createInstances({ process: forgetCustomer, streams, calls: performs(deps), runAlone });
  const opened = async (customerId: string): Promise<OpenForgetting | null> => {
    const { state } = await streams.load(customerStream, customerId);
    if (state.status !== 'forgotten' || state.forgottenAt !== null) return null;
    const { fields, isGuest, namedIn } = state;
    const { email, memberKey } = fields;
    const known = email === null ? [] : [email];
    return { customerId, emails: isGuest ? await givenEmails(deps, customerId, namedIn) : known, memberKey };
  };
  return {
    resume: (customerId: string, meta: CommandMeta) =>
      instances.run(customerId, meta, () => opened(customerId)),
    drain: () => instances.drain(),
    isWaiting: isForgettingWaiting,
  };
};

export type CustomerForgetting = ReturnType<typeof createCustomerForgetting>;
