import { pageResponse } from '#contracts/listing.contract.ts';
import { mailDetail, mailListItem, mailPageSchema } from '#contracts/mail-deliveries.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { deliveryListQuery } from '#contracts/webhook-deliveries.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { Clock } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import type { Actor } from '#kernel/event.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import { isUnwritten, type MailContent, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { MailReference } from '#reference/reference.ts';
import { mailOfText } from '#runtime/mail-rows.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import type { OtherDeliveries } from '../../engine/other-deliveries.ts';
import { statusFilter } from '../../engine/status-filter.ts';
import type { MailAttempts } from './attempt-mail.ts';
import { countMails, findMails, getMail, takeStep } from './mail-rows.ts';
import { retryByHand } from './mail-steps.ts';

export interface MailLogDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open'>;
  readonly attempts: MailAttempts;
  /** Mails carry links that open baskets: only admins read them. Errors: `EngineUnavailable`. */
  readonly isAdmin: (actor: Actor) => Promise<boolean>;
}

export interface MailDeliveriesDeps extends MailLogDeps {
  readonly mails: MailReference;
  /** Keep `mails` and the log of mails up to date. */
  readonly followers: readonly Pick<LogProgress, 'waitFor'>[];
}

const contentOf = async (
  { personalTexts }: MailLogDeps,
  { sealed }: MailDelivery,
): Promise<MailContent | null> => {
  const text = sealed && (await personalTexts.open(sealed));
  if (text === null) return null;
  const kept = mailOfText(text);
  return isUnwritten(kept) ? null : kept;
};

/** Mails among the deliveries of `/webhooks/deliveries`. */
export const mailsAmongDeliveries = (deps: MailLogDeps): OtherDeliveries => {
  const { stateStore, clock, attempts, isAdmin } = deps;
  return {
    detail: async (id, actor) => {
      const mail = await getMail(stateStore, id);
      if (!mail) return null;
      if (!(await isAdmin(actor))) throw new Rejection('wrong-role', 'Mails are for admins to read.');
      return mailDetail(mail, await contentOf(deps, mail));
    },
    retry: async (id) => {
      const mail = await getMail(stateStore, id);
      if (!mail) return null;
      const waiting = await takeStep(stateStore, retryByHand(mail, clock.now()));
      if (!waiting)
        throw new Rejection('conflict', 'This mail is being sent just now. Look at it again shortly.');
      // Null: a worker was faster, and it is under way all the same.
      await (await attempts.claim(id))?.send();
      return mailListItem((await getMail(stateStore, id)) ?? waiting);
    },
  };
};

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
