import type { Logger } from 'pino';
import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { NotDone, PaymentVault, StartedSession } from '#ports/payment-requests.ts';
import { displayLabel, expiryFormatted, hasExpired } from '#values/saved-method.ts';
import { customerStream } from '../customers/customer.stream.ts';
import type { Forgetting } from './forget-methods.ts';
import { methodNotFound } from './saved-methods.state.ts';
import type { SavedMethodRow, SavedMethodsApi } from './saved-method.commands.ts';
import type { SavedMethod, SavedMethods } from './saved-methods.state.ts';
import { savedMethodsStream } from './saved-methods.stream.ts';
import type { SavedMethodRows, SetupWish } from './setup-sessions.ts';

export interface SavedMethodDeps extends CommandDeps {
  readonly rows: SavedMethodRows;
  readonly forgetting: Forgetting;
  readonly log: Pick<Logger, 'warn'>;
  readonly providerTimeoutMilliseconds?: number;
}

const patienceOf = ({ providerTimeoutMilliseconds }: SavedMethodDeps): number =>
  providerTimeoutMilliseconds ?? PROVIDER_TIMEOUT_MILLISECONDS;

/** What a shopper has to say to begin to save a method. */
export interface SetUp {
  readonly providerAlias: string;
  readonly methodAlias?: string | null | undefined;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** Scheme and host of the shop. */
  readonly shop: string;
}

export interface Confirmation {
  readonly providerAlias: string;
  readonly setupSessionId: string;
  readonly paymentMethodToken?: string | null | undefined;
  readonly setAsDefault?: boolean | null | undefined;
}

/** What came of a confirmation: a method, or the payer's bank wants to see them first. */
export type ConfirmedSetup =
  | { readonly kind: 'saved'; readonly row: SavedMethodRow }
  | { readonly kind: 'requiresAction'; readonly session: StartedSession };

interface Vault extends PaymentProvider {
  readonly vault: PaymentVault;
}

const isVault = (provider: PaymentProvider): provider is Vault => provider.vault !== undefined;

/** Errors: Rejection `invalid-request` for a provider that is not there, is off or keeps nothing. */
const vaultOf = ({ apis }: SavedMethodDeps, alias: string): Vault => {
  const provider = apis.payments.vaultProviders().find((one) => one.alias === alias);
  if (provider && isVault(provider)) return provider;
  throw new Rejection('invalid-request', 'providerAlias: must be a provider that saves payment methods.');
};

/** The provider's no is the caller's; no answer says nothing of what has happened, and may be tried again. */
const notDone = (outcome: NotDone): Rejection =>
  outcome.kind === 'refused'
    ? new Rejection('payment-method-refused', outcome.message, { errorMessage: outcome.message })
    : new Rejection(
        'provider-unavailable',
        'The payment provider cannot be reached. Nothing was saved; try again.',
      );

const rowOf = (
  method: SavedMethod,
  defaultId: string | null,
  now: number,
  provider: PaymentProvider | undefined,
): SavedMethodRow => ({
  id: method.id,
  providerAlias: method.provider,
  methodType: method.methodType,
  cardBrand: method.cardBrand,
  last4: method.last4,
  expiryFormatted: expiryFormatted(method),
  isExpired: hasExpired(method, now),
  displayLabel: displayLabel(method),
  isDefault: method.id === defaultId,
  iconHtml: provider?.methods[0]?.iconHtml ?? null,
});

/** The default first, then the newest. */
const inOrder = ({ methods, defaultId }: SavedMethods): readonly SavedMethod[] => {
  const newest = [...methods].reverse();
  return [...newest.filter(({ id }) => id === defaultId), ...newest.filter(({ id }) => id !== defaultId)];
};

const vaultCustomer =
  ({ streams }: SavedMethodDeps): SavedMethodsApi['vaultCustomer'] =>
  async (customerId, provider) => {
    const [customer, saved] = await Promise.all([
      streams.load(customerStream, customerId),
      streams.load(savedMethodsStream, customerId),
    ]);
    const fields = customer.state.status === 'known' ? customer.state.fields : null;
    return {
      customerId,
      email: fields?.email ?? '',
      name: [fields?.firstName, fields?.lastName].filter(Boolean).join(' '),
      providerCustomerId: saved.state.providerCustomers[provider] ?? null,
    };
  };

/** Begins to save a method at a provider; the session is this customer's from before they know of it. */
const setUp =
  (deps: SavedMethodDeps) =>
  async (
    customerId: string,
    { providerAlias, methodAlias, returnUrl, cancelUrl, shop }: SetUp,
    ip: string,
    meta: CommandMeta,
  ) => {
    const provider = vaultOf(deps, providerAlias);
    const returnPage = `${shop}/api/shop/storefront/payment-methods/return?provider=${encodeURIComponent(provider.alias)}`;
    const started = await withProviderTimeout(
      provider.vault.setUp({
        idempotencyKey: derivedId('payment-setup', customerId, meta.commandId ?? newId()),
        customer: await vaultCustomer(deps)(customerId, provider.alias),
        methodAlias: methodAlias ?? null,
        returnPage,
        ip: ip || null,
      }),
      patienceOf(deps),
    );
    if (started.kind !== 'started') throw notDone(started);
    const { session } = started;
    const { providerCustomerId } = session;
    const begun = { customerId, providerCustomerId, returnPage, returnUrl, cancelUrl };
    await deps.rows.keepSetup(provider.alias, session.sessionId, begun);
    return session;
  };

const keep =
  ({ streams, rows }: SavedMethodDeps): SavedMethodsApi['keep'] =>
  async (customerId, kept, meta) => {
    // The same method of the provider is the same one here, however often it is kept.
    const methodId = derivedId('saved-method', customerId, kept.provider, kept.method.providerMethodId);
    await rows.keepOwner(methodId, customerId);
    const command = { type: 'SavePaymentMethod', methodId, ...kept } as const;
    await streams.send(savedMethodsStream, customerId, command, stepMeta(meta));
    return methodId;
  };

const rowNamed = async (
  { streams, clock }: SavedMethodDeps,
  customerId: string,
  methodId: string,
  provider: PaymentProvider,
): Promise<SavedMethodRow> => {
  const { state } = await streams.load(savedMethodsStream, customerId);
  const saved = state.methods.find(({ id }) => id === methodId);
  if (!saved) throw methodNotFound();
  return rowOf(saved, state.defaultId, clock.now(), provider);
};

type FoundSetup = NonNullable<Awaited<ReturnType<SavedMethodRows['findSetup']>>>;

/** Asked again with the same session it is the same method. */
const confirmSetup = async (
  deps: SavedMethodDeps,
  {
    provider,
    sessionId,
    setup,
  }: { readonly provider: Vault; readonly sessionId: string; readonly setup: FoundSetup },
  given: { readonly token: string | null; readonly parameters: Readonly<Record<string, string>> } & SetupWish,
  meta: CommandMeta,
): Promise<ConfirmedSetup> => {
  const { customerId, providerCustomerId, returnPage } = setup;
  const { token, parameters, ...wish } = given;
  const confirmed = await withProviderTimeout(
    // What the shop stored at the start, whatever the browser says.
    provider.vault.confirm({ sessionId, token, providerCustomerId, parameters, returnPage }),
    patienceOf(deps),
  );
  if (confirmed.kind === 'requiresAction') return confirmed;
  if (confirmed.kind !== 'saved') throw notDone(confirmed);
  const { method } = confirmed;
  const methodId = await keep(deps)(customerId, { provider: provider.alias, method, ...wish }, meta);
  return { kind: 'saved', row: await rowNamed(deps, customerId, methodId, provider) };
};

const confirm =
  (deps: SavedMethodDeps) =>
  async (customerId: string, given: Confirmation, ip: string, meta: CommandMeta): Promise<ConfirmedSetup> => {
    const provider = vaultOf(deps, given.providerAlias);
    const { setupSessionId: sessionId } = given;
    const setup = await deps.rows.findSetup(provider.alias, sessionId);
    if (setup?.customerId !== customerId)
      throw new Rejection('invalid-request', 'setupSessionId: must be a session that you have begun.');
    const wish = { setAsDefault: given.setAsDefault ?? false, consentIpAddress: ip || null };
    const token = given.paymentMethodToken ?? null;
    // Before the provider is asked: its callback, or the payer on their way back, may come before its answer.
    await deps.rows.keepWish(provider.alias, sessionId, customerId, wish);
    return confirmSetup(deps, { provider, sessionId, setup }, { token, parameters: {}, ...wish }, meta);
  };

/** What a browser brings back from the bank of a payer who saves a card. */
export interface SetupReturn {
  readonly provider: string;
  readonly sessionId: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The payer is back from their bank. The method is kept for the customer who began, cookies or not. */
const comeBack =
  (deps: SavedMethodDeps) =>
  async ({ provider: alias, sessionId: named, parameters }: SetupReturn, meta: CommandMeta) => {
    const provider = vaultOf(deps, alias);
    const sessionId = named ?? provider.cameFrom?.(parameters) ?? '';
    const setup = await deps.rows.findSetup(alias, sessionId);
    if (setup === null) throw new Rejection('payment-not-found', 'There is no such set-up session.');
    const wish = setup.wish ?? { setAsDefault: false, consentIpAddress: null };
    const pages = { setupSessionId: sessionId, returnUrl: setup.returnUrl, cancelUrl: setup.cancelUrl };
    try {
      const of = { provider, sessionId, setup };
      const confirmed = await confirmSetup(deps, of, { token: null, parameters, ...wish }, meta);
      const status = confirmed.kind === 'saved' ? ('Saved' as const) : ('RequiresAction' as const);
      return { ...pages, status, message: '' };
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'payment-method-refused') throw error;
      return { ...pages, status: 'Failed' as const, message: error.message };
    }
  };

const remove =
  ({ streams, rows, forgetting, log }: SavedMethodDeps) =>
  async (customerId: string, methodId: string, meta: CommandMeta): Promise<number> => {
    const command = { type: 'RemovePaymentMethod', methodId } as const;
    const { position } = await streams.send(savedMethodsStream, customerId, command, meta);
    await rows.dropOwner(methodId);
    // Not awaited: what fails is driven again.
    forgetting.resume(customerId, stepMeta(meta)).catch((err: unknown) => {
      log.warn({ customerId, err }, 'saved payment methods could not be forgotten yet');
    });
    return position;
  };

/** The saved methods of customers (docs/rules/saved-methods.md). */
export const createSavedMethods = (deps: SavedMethodDeps) => {
  const { streams, apis, clock, rows, forgetting } = deps;
  const listed = async (customerId: string): Promise<readonly SavedMethodRow[]> => {
    const { state } = await streams.load(savedMethodsStream, customerId);
    const now = clock.now();
    return inOrder(state).map((method) =>
      rowOf(method, state.defaultId, now, apis.payments.providerNamed(method.provider)),
    );
  };
  const removeAll = async (customerId: string, meta: CommandMeta): Promise<void> => {
    const { methods } = (await streams.load(savedMethodsStream, customerId)).state;
    for (const { id } of methods) await remove(deps)(customerId, id, stepMeta(meta));
  };
  return {
    list: listed,
    providers: () => apis.payments.vaultProviders().filter(isVault),
    setUp: setUp(deps),
    confirm: confirm(deps),
    comeBack: comeBack(deps),
    finishSetUp: async (provider: string, sessionId: string, meta: CommandMeta): Promise<boolean> => {
      if ((await rows.findSetup(provider, sessionId)) === null) return false;
      const { status } = await comeBack(deps)({ provider, sessionId, parameters: {} }, meta);
      return status === 'Saved';
    },
    setDefault: async (customerId: string, methodId: string, meta: CommandMeta): Promise<number> => {
      const command = { type: 'SetDefaultPaymentMethod', methodId } as const;
      return (await streams.send(savedMethodsStream, customerId, command, meta)).position;
    },
    remove: remove(deps),
    of: async (customerId: string) => {
      const vaults = new Set(apis.payments.vaultProviders().map(({ alias }) => alias));
      return (await listed(customerId)).filter(({ providerAlias }) => vaults.has(providerAlias));
    },
    byId: async (methodId: string) => {
      const customerId = await rows.ownerOf(methodId);
      if (customerId === null) return null;
      const { methods } = (await streams.load(savedMethodsStream, customerId)).state;
      const method = methods.find(({ id }) => id === methodId);
      return method ? { customerId, method, isExpired: hasExpired(method, clock.now()) } : null;
    },
    keep: keep(deps),
    vaultCustomer: vaultCustomer(deps),
    markUsed: async (customerId: string, methodId: string, invoiceId: string, meta: CommandMeta) => {
      const command = { type: 'NotePaymentMethodUsed', methodId, invoiceId } as const;
      await streams.send(savedMethodsStream, customerId, command, stepMeta(meta));
    },
    removeAll,
    removeFromProviders: async (customerId: string, meta: CommandMeta): Promise<boolean> => {
      await removeAll(customerId, meta);
      await forgetting.resume(customerId, stepMeta(meta));
      return (await streams.load(savedMethodsStream, customerId)).state.toForget.length === 0;
    },
  };
};

export type SavedMethodActions = ReturnType<typeof createSavedMethods>;
