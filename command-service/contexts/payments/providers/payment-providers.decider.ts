import {
  paymentProviderEvents,
  type PaymentProviderEvent,
  type ShownMethod,
} from '#events/payment-provider.events.ts';
import { paymentProviders, storedProvider, type PaymentProvidersView } from '#entities/payment.providers.ts';
import type { Decider } from '#kernel/decider.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { PaymentProviderCommand, PresentedProvider } from './payment-provider.commands.ts';

const { PaymentProviderSwitched, PaymentProviderPresented, PaymentProvidersReordered } =
  paymentProviderEvents.create;

/** What was said of methods, with what is said now. */
const methodsWith = (
  before: readonly ShownMethod[],
  given: NonNullable<PresentedProvider['methods']>,
): ShownMethod[] => {
  const methods = new Map(before.map((method) => [method.methodAlias, method]));
  for (const { methodAlias, ...said } of given) {
    const known = methods.get(methodAlias) ?? { methodAlias, displayName: null, isShown: true };
    methods.set(methodAlias, { ...known, ...said });
  }
  return [...methods.values()];
};

const present = (
  view: PaymentProvidersView,
  provider: string,
  { methods: given = [], ...said }: PresentedProvider,
): PaymentProviderEvent[] => {
  const { displayName, vaultingEnabled, methods } = storedProvider(view, provider);
  const before = { displayName, vaultingEnabled, methods: [...methods] };
  const now = { ...before, ...said, methods: methodsWith(methods, given) };
  return isSameJson(before, now) ? [] : [PaymentProviderPresented({ provider, ...now })];
};

/** How the backoffice keeps payment providers (docs/rules/payment-providers.md#keeping). */
export const paymentProvidersDecider: Decider<
  PaymentProvidersView,
  PaymentProviderCommand,
  PaymentProviderEvent
> = {
  category: paymentProviders.name,
  initial: () => paymentProviders.initial,
  decide: (view, command) => {
    switch (command.type) {
      case 'SwitchProvider': {
        const { provider, isEnabled } = command;
        return storedProvider(view, provider).isEnabled === isEnabled
          ? []
          : [PaymentProviderSwitched({ provider, isEnabled })];
      }
      case 'PresentProvider': {
        const { type: _, provider, ...said } = command;
        return present(view, provider, said);
      }
      case 'ConfigureProvider': {
        const { provider, configuration } = command;
        return paymentProviders.configure(view, provider, configuration);
      }
      case 'ReorderProviders': {
        const { providers } = command;
        return isSameJson(view.order, providers)
          ? []
          : [PaymentProvidersReordered({ providers: [...providers] })];
      }
    }
  },
  on: paymentProviders.on,
  remembersCommands: true,
};
