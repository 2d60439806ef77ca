import { pageResponse } from '#contracts/listing.contract.ts';
import { mailListItem, mailPageSchema } from '#contracts/mail-deliveries.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { deliveryListQuery } from '#contracts/webhook-deliveries.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { MailReference } from '#reference/reference.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import { statusFilter } from '../../engine/status-filter.ts';
import { countMails, findMails } from './mail-rows.ts';

export interface MailDeliveriesDeps {
  readonly stateStore: DocumentStore;
  readonly mails: MailReference;
  /** Keep `mails` and the log of mails up to date. */
  readonly followers: readonly Pick<LogProgress, 'waitFor'>[];
}

export const mailDeliveryRoutes = ({
  stateStore,
  mails,
  followers,
}: MailDeliveriesDeps): readonly Route[] => [
  route({
    base: 'management',
    service: 'dispatcher',
    file: import.meta.url,
    method: 'GET',
    path: '/emails/{id}/deliveries',
    caller: admin,
    summary: 'List the mails that a configuration has written, newest first, by page',
    schemas: { params: entityParams, query: deliveryListQuery },
    response: mailPageSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen(followers, request, async () => {
        const { params, query } = request;
        const filter = { configurationId: params.id, ...statusFilter(query) };
        const { page, pageSize, search } = query;
        const wanted = search ? { ...filter, entityId: { contains: search.toLowerCase() } } : filter;
        const options = {
          sort: [['dateCreated', -1]],
          skip: (page - 1) * pageSize,
          limit: pageSize,
        } as const;
        const found = await findMails(stateStore, { filter: wanted, ...options });
        // The log outlives a configuration that was deleted.
        if (found.length === 0 && !mails.configuration(params.id)) throw notFound('mail');
        return ok(pageResponse(found.map(mailListItem), await countMails(stateStore, wanted), query));
      }),
  }),
];
