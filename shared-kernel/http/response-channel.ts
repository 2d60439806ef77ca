import { channel } from 'node:diagnostics_channel';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

/** An answer on its way out. */
export interface ResponseSent {
  /** Null where no route was found. */
  readonly route: Route | null;
  readonly status: number;
  /** Why it is a refusal; null where it is not, and for unforeseen errors. */
  readonly code: string | null;
  readonly correlationId: string;
}

/** The diagnostics channel on which a process tells of its answers, for tools: the tests hold routes to their word. */
export const responseChannel = 'tillroll:answered';

const listeners = channel(responseChannel);

/** Costs nothing without a listener. */
export const publishResponse = (
  route: Route | null,
  { status, code }: Pick<Reply, 'status' | 'code'>,
  correlationId: string,
): void => {
  if (!listeners.hasSubscribers) return;
  listeners.publish({ route, status, code: code ?? null, correlationId } satisfies ResponseSent);
};
