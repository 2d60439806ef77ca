import type { ReferencePart } from '#reference/reference-part.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { ServiceOptions } from '../../shared-kernel/open-services.ts';

/** What the modules of the dispatcher service are given. */
export type DispatcherDeps = Omit<ServiceOptions, 'keys'>;

/** A context of the dispatcher service. */
export interface DispatcherModule<Followed extends ReferencePart = ReferencePart> {
  /** Its folder. */
  readonly name: string;
  /** State of its own, folded from the log beside reference state; handed to `create`. */
  readonly follows?: (applicationKey: Buffer) => Followed;
  create(deps: DispatcherDeps, followed: Followed): Promise<Contribution>;
}
