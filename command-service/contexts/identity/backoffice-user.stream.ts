import type { BackofficeUserEvent } from '#events/backoffice-user.events.ts';
import type { ShopStream } from '#command/engine/streams.ts';
import { backofficeUserDecider, type RecordUserChanges } from './backoffice-user.decider.ts';

export const backofficeUserStream: ShopStream<
  Readonly<Record<string, never>>,
  RecordUserChanges,
  BackofficeUserEvent
> = { decider: backofficeUserDecider };
