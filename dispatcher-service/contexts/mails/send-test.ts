import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { MailConfiguration } from '#mails/mail-configuration.ts';
import type { Mailer } from '#ports/mailer.ts';
import { sampleMail, type PreviewDeps } from './preview.ts';

export interface SendTestDeps extends PreviewDeps {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly clock: Clock;
  /** The sender of every mail that names no other. */
  readonly from: string;
}

const outcome = (errorMessage: string | null, durationMs = 0) => ({
  success: errorMessage === null,
  errorMessage,
  durationMs,
});

/**
 * Sends a mail with the sample of its topic to one address and to no one else, once: staff see how it went, and the log
 * of deliveries does not count it.
 */
export const sendTest = async (
  deps: SendTestDeps,
  configuration: MailConfiguration,
  to: string,
): Promise<ReturnType<typeof outcome>> => {
  const { mailer, clock, from } = deps;
  const mail = await sampleMail(deps, configuration);
  if (mail.kind === 'failed') return outcome(`${mail.field}: ${mail.reason}`);
  const { subject, text, html } = mail;
  const begun = performance.now();
  const sent = await mailer.send({
    id: newId(),
    to: [to],
    cc: [],
    bcc: [],
    from: mail.from ?? from,
    subject,
    text,
    html,
    headers: {},
    dateCreated: isoInstant(clock.now()),
    ownerId: null,
  });
  const durationMs = performance.now() - begun;
  return outcome(sent.kind === 'sent' ? null : sent.reason, durationMs);
};
