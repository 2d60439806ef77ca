import type { Logger } from 'pino';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { ProtocolManager } from '#agents/protocol-manager.ts';
import type { Clock } from '#kernel/clock.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Reference } from '#reference/reference.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import type { Config } from '#runtime/config.ts';
import type { IsBusy } from '#runtime/give-way.ts';
import type { RecoveryLinks } from '#runtime/recovery-links.ts';
import type { UpsellDays } from '#runtime/upsell-days.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { Exports } from './exports/open-export.ts';
import type { ProjectionEngine } from './projection-engine.ts';
import type { Moments } from './moments.ts';
import type { ViewReader } from './reader.ts';
import type { Explanations } from './why/explanations.ts';

/** Stands for reference state among what a route reads: for what is answered from it, not from a view. */
export const referenceState = { name: 'reference state' };

/** What the contexts of the projection service are given. */
export interface ProjectionDeps {
  readonly reader: ViewReader;
  /** Of what is too much for one answer. */
  readonly exports: Exports;
  /** How far the read models are, and the order to fill one again. */
  readonly engine: Pick<ProjectionEngine, 'status' | 'askRebuild' | 'cancelRebuild' | 'rebuilds'>;
  /** For auditors; nothing else asks it. */
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'eventAt' | 'head' | 'subscribe'>;
  /** Whether callers wait for whom exports of the log make room. Default: none do. */
  readonly isBusy?: IsBusy;
  /** Decodes what is read of it. */
  readonly decoder: EventDecoder;
  /** Holds the index of time, by which auditors search. */
  readonly readStore: Pick<DocumentStore, 'find'>;
  readonly moments: Moments;
  readonly explanations: Explanations;
  /** What no read model knows: accounts of members, how often files are downloaded, the seals of the log. */
  readonly stateStore: Pick<
    DocumentStore,
    'declare' | 'get' | 'getMany' | 'find' | 'insertIfAbsent' | 'write'
  >;
  /** Where a download link leads. */
  readonly downloadUrlOf: DownloadUrls;
  /** Where the link of an abandoned checkout leads. */
  readonly recoveryLinkOf: RecoveryLinks['recoveryLink'];
  /** Where an order is seen by its link; `baseUrl`: this shop's address as the request has it. */
  readonly orderLinkOf: (invoiceId: string, baseUrl: string) => string;
  /**
   * Waits until a view reflects a position of the log that a caller brought along, for a while at most. Returns null
   * once it does, else the age in seconds of what it will be answered with.
   */
  readonly waitForPosition: (view: string, position: number) => Promise<number | null>;
  /** How old what a former version of a view answers is, in seconds; null where the present version answers. */
  readonly formerLag: (view: string) => number | null;
  readonly reference: Reference;
  readonly ownKeys: OwnKeys;
  /** The settings in force: configuration over what the log says over the defaults. */
  readonly settings: () => StoreSettings;
  readonly clock: Clock;
  /** How much was shown and clicked of suggestions: no event says so. */
  readonly upsellDays: UpsellDays;
  /** The source of exchange rates that the configuration names; null: the backoffice chooses. */
  readonly namedRateProvider: string | null;
  /** The settings of the agent protocol; null: no agent is answered here. */
  readonly ucp: Config['protocol']['ucp'] | null;
  /** Scheme and host in what agents are told, where they are set for them alone; else empty. */
  readonly agentBaseUrl: string;
  /** By which agents read: contexts register what they carry out of each. */
  readonly protocols: ProtocolManager;
}

/** What the jobs of its contexts are given. */
export interface JobDeps {
  readonly store: Pick<EventStore, 'readAll' | 'eventAt' | 'head'>;
  readonly stateStore: DocumentStore;
  /** 32 bytes, from which every other key is derived. */
  readonly applicationKey: Buffer;
  readonly log: Pick<Logger, 'warn'>;
}
