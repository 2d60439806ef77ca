import { mailDetail, mailListItem } from '#contracts/mail-deliveries.contract.ts';
import type { Clock } from '#kernel/clock.ts';
import { actorName, type Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import { isUnwritten, type MailContent, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { mailOfText } from '#runtime/mail-rows.ts';
import type { OtherDeliveries } from '../../engine/other-deliveries.ts';
import type { MailAttempts } from './attempt-mail.ts';
import { getMail, takeStep } from './mail-rows.ts';
import { retryByHand } from './mail-steps.ts';

export interface MailLogDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open'>;
  readonly attempts: MailAttempts;
  /** Mails carry links that open baskets: only admins read them. Errors: `EngineUnavailable`. */
  readonly isAdmin: (actor: Actor) => Promise<boolean>;
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
    retry: async (id, actor) => {
      const mail = await getMail(stateStore, id);
      if (!mail) return null;
      const waiting = await takeStep(stateStore, retryByHand(mail, clock.now(), actorName(actor)));
      if (!waiting)
        throw new Rejection('conflict', 'This mail is being sent just now. Look at it again shortly.');
      // Null: a worker was faster, and it is under way all the same.
      await (await attempts.claim(id))?.send();
      return mailListItem((await getMail(stateStore, id)) ?? waiting);
    },
  };
};
