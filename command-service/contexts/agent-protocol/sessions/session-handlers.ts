import { handledMethods } from '#agents/payment-handlers.ts';
import type { PaymentHandler } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';

export type SessionHandlerDeps = Pick<ModuleDeps, 'apis' | 'config' | 'settings'>;

/** The ways to pay that the agent of a session may use. */
export const sessionHandlers = ({
  apis,
  config,
  settings,
}: SessionHandlerDeps): readonly PaymentHandler[] => {
  const { schemaBaseUrl, capabilities } = config.protocol.ucp;
  const facts = { schemaBaseUrl, storeName: settings().name, hasMembers: capabilities.identityLinking };
  return handledMethods(apis.payments.offeredProviders(), facts).map(({ handler }) => handler);
};
