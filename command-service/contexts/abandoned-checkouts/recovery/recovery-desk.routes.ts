import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { regeneratedLink, resentMail } from '#contracts/recovery.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { RecoveryLinks } from '#runtime/recovery-links.ts';
import type { RecoveryMailKind } from '#values/abandoned-checkout.ts';
import type { RecoveryDesk } from './recovery-desk.actions.ts';

export interface RecoveryDeskRouteDeps {
  readonly desk: RecoveryDesk;
  readonly links: Pick<RecoveryLinks, 'recoveryLink'>;
  /** Whether a mail is switched on for this place in the sequence. */
  readonly isMailed: (kind: RecoveryMailKind) => boolean;
}

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  method: 'POST',
  isIdempotent: true,
  schemas: { params: entityParams },
  errors: ['abandoned-checkout-not-found', 'checkout-not-abandoned'],
} as const;

/** Staff who win checkouts back (docs/rules/abandoned-checkouts.md#by-staff). */
export const recoveryDeskRoutes = ({ desk, links, isMailed }: RecoveryDeskRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/abandoned-checkouts/{id}/resend-email',
    summary: 'Send the next recovery mail now, however many were sent',
    response: resentMail,
    handle: async (request) => {
      const { kind, position } = await desk.resendMail(request.params.id, metaOf(request));
      const emailQueued = isMailed(kind);
      const message = emailQueued
        ? 'Recovery email sent.'
        : 'Webhooks are told. No mail is sent: recovery mails are switched off.';
      return ok({ success: true, message, emailQueued }, { position });
    },
  }),
  route({
    ...common,
    path: '/abandoned-checkouts/{id}/regenerate-link',
    summary: 'Make a new recovery link; the one before leads nowhere any more',
    response: regeneratedLink,
    handle: async (request) => {
      const { id: recordId } = request.params;
      const { issue, position } = await desk.regenerateLink(recordId, metaOf(request));
      return ok({ recoveryLink: links.recoveryLink({ recordId, issue }) }, { position });
    },
  }),
];
