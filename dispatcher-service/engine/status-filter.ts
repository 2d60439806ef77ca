import type { Filter } from '#ports/document-store.ts';
import type { DeliveryStatus } from '#topics/webhook-delivery.ts';

interface StatusQuery {
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/** Each once; undefined: any. `statuses` wins over `status` (docs/rules/webhooks.md#log-of-deliveries). */
export const statusesOf = ({ statuses = [], status }: StatusQuery): readonly DeliveryStatus[] | undefined => {
  if (statuses.length > 0) return [...new Set(statuses)];
  return status === undefined ? undefined : [status];
};

export const statusFilter = (query: StatusQuery): Filter => {
  const statuses = statusesOf(query);
  return statuses === undefined ? {} : { status: { in: statuses } };
};
