import { defined } from '#kernel/defined.ts';
import type { Filter } from '#ports/document-store.ts';
import type { DeliveryStatus } from '#topics/webhook-delivery.ts';

/** `statuses` wins over `status` (docs/rules/webhooks.md#log-of-deliveries). */
export const statusFilter = ({
  statuses,
  status,
}: {
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly status?: DeliveryStatus | undefined;
}): Filter =>
  statuses !== undefined && statuses.length > 0 ? { status: { in: statuses } } : defined({ status });
