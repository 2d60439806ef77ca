import type { Mailer } from '#ports/mailer.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { Engines } from '../../shared-kernel/open-engines.ts';
import type { ServiceOptions } from '../../shared-kernel/open-services.ts';
import type { DeliveryLogs } from './other-deliveries.ts';
import type { Resumable } from './resume-from-mark.ts';

/** What the modules of the dispatcher service are given. */
export type DispatcherDeps = Omit<ServiceOptions, 'keys'> & {
  /** Of all modules. */
  readonly resumables: readonly Resumable[];
  /** Where mails go. */
  readonly mailer: Mailer;
  /** Of all modules; each adds its own. */
  readonly deliveryLogs: DeliveryLogs;
};

/** Where the log is, and how far the modules have come along it. */
export type MarkedEngines = Pick<Engines, 'store' | 'stateStore'>;

/** A context of the dispatcher service. */
export interface DispatcherModule<Followed extends ReferencePart = ReferencePart> {
  /** Its folder. */
  readonly name: string;
  /** State of its own, folded from the log beside reference state; handed to `create`. */
  readonly follows?: (applicationKey: Buffer) => Followed;
  /** What of it waits where the log was restored to before its mark. */
  readonly resumable?: (engines: MarkedEngines) => Resumable;
  create(deps: DispatcherDeps, followed: Followed): Promise<Contribution>;
}
