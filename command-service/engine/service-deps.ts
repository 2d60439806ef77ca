import type { DocumentStore } from '#ports/document-store.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { CheckAddress } from '#runtime/fetch-json.ts';
import type { Claims } from './claims.ts';
import type { CommandEngine } from './command-engine.ts';
import type { Sources, Streams } from './streams.ts';

/** What the contexts of the command service are given. */
export interface CommandDeps extends Sources {
  readonly commands: CommandEngine;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly stateStore: DocumentStore;
  readonly store: EventStore;
  readonly subjectKeys: SubjectKeys;
  /** Whether the shop may connect to an address that a caller gave, and the IP addresses it resolves to. */
  readonly checkAddress: CheckAddress;
}
