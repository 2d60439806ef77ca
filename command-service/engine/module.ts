import type { Logger } from 'pino';
import type { AgentProfiles } from '#agents/agent-profile.ts';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { ProtocolManager } from '#agents/protocol-manager.ts';
import type { RateLimits } from '#http/rate-limit.ts';
import type { AddressLookup } from '#ports/address-lookup.ts';
import type { ExchangeRateProvider } from '#ports/exchange-rate-provider.ts';
import type { FulfilmentProvider } from '#ports/fulfilment-provider.ts';
import type { ShippingRateProvider } from '#ports/shipping-rate-provider.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Bus } from '#ports/bus.ts';
import type { TaxProvider } from '#ports/tax-provider.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Config } from '#runtime/config.ts';
import type { Hooks } from '#runtime/hooks-file.ts';
import type { ShopKeys } from '#runtime/keys.ts';
import type { Passwords } from '#runtime/passwords.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { Actions } from '../actions.ts';
import type { DeclaredRules } from './entity-rules.ts';
import type { CommandHooks } from './hooks.ts';
import type { Lifetime } from './open-instances.ts';
import type { ProcessDriver } from './resume-processes.ts';
import type { RunAlone } from './run-alone.ts';
import type { CommandDeps } from './service-deps.ts';
import type { ShopCheck } from './shop-check.ts';
import type { StoreListsFor } from './store-list.ts';

/** What a module is put together from: beside what its context needs, what the composition root has chosen. */
export interface ModuleDeps extends CommandDeps {
  readonly config: Config;
  readonly keys: ShopKeys;
  readonly ownKeys: OwnKeys;
  /** Missing where no agent calls. */
  readonly agentProfiles?: AgentProfiles;
  /** Reads events as they are in the log. */
  readonly decoder: EventDecoder;
  /** Seals what rows of the state store say about people. */
  readonly personalTexts: PersonalTexts;
  readonly log: Logger;
  /** New with every start of a process. */
  readonly instanceId: string;
  /** The owner's. */
  readonly hooks: Hooks;
  readonly limits: RateLimits;
  /** For the instances of processes. */
  readonly runAlone: RunAlone;
  /** The instances of a process that are open, as far as this process has read the log. */
  readonly underWay: (process: string) => readonly string[];
  /** See `reach`. */
  readonly reach: (position?: number) => Promise<void>;
  /** See `refuseUnusable`. */
  readonly refuseUnusable: () => void;
  /** Every payment provider that there is an adapter for. */
  readonly providers: readonly PaymentProvider[];
  /** Every source of exchange rates that there is an adapter for. */
  readonly rateProviders: readonly ExchangeRateProvider[];
  /** Every carrier that there is an adapter for. */
  readonly carriers: readonly ShippingRateProvider[];
  /** Every kind of fulfilment provider that there is an adapter for. */
  readonly fulfilmentProviders: readonly FulfilmentProvider[];
  /** Every provider of tax that there is an adapter for. */
  readonly taxProviders: readonly TaxProvider[];
  /** Every address lookup there is an adapter for. */
  readonly addressLookups: readonly AddressLookup[];
  /** By which the dispatcher is told of mails. */
  readonly bus: Bus;
  /** By which agents buy: contexts register what they carry out of each. */
  readonly protocols: ProtocolManager;
  /** Shared by staff and shoppers: a process hashes a limited number at once. */
  readonly passwords: Passwords;
  /** Every list of a store file. */
  readonly storeLists: StoreListsFor;
  /** Everything that staff can have looked through. */
  readonly shopChecks: () => readonly ShopCheck[];
}

/** What a context adds to the command service. */
export interface CommandContribution extends Contribution {
  /** Its lists of a store file. */
  readonly storeLists?: StoreListsFor;
  /** What staff can have looked through. */
  readonly shopChecks?: readonly ShopCheck[];
  /** By the names of its processes. */
  readonly drivers?: Readonly<Record<string, ProcessDriver>>;
  /** What others may ask of it without a request: other contexts, an agent, a simulation. */
  readonly actions?: Partial<Actions>;
}

/** One part, or several. */
type FollowedState = ReferencePart | readonly ReferencePart[];

/** A context of the command service: what it is, and what it contributes once it is given what all of them share. */
export interface CommandModule<Followed extends FollowedState = FollowedState> {
  /** Its folder. */
  readonly name: string;
  readonly processes?: readonly Lifetime[];
  /** What it adds to resources, which need nothing more than their declaration. */
  readonly entityRules?: readonly DeclaredRules[];
  /** What the owner's hooks are asked before its commands; resources say it themselves. */
  readonly beforeHooks?: readonly CommandHooks[];
  /** State of its own, folded from the log beside reference state; handed to `create`. */
  readonly follows?: () => Followed;
  create?(deps: ModuleDeps, followed: Followed): CommandContribution | Promise<CommandContribution>;
}
