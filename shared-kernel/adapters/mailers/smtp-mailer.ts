import { createTransport, type Transporter } from 'nodemailer';
import type { Mailer, SentMail } from '#ports/mailer.ts';

/** Together less than half a minute, however slowly a server answers. */
const patience = { connectionTimeout: 8000, greetingTimeout: 8000, dnsTimeout: 5000, socketTimeout: 12_000 };
const AT_ONCE = 5;

interface SmtpFailure {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Codes alone: what a server says may repeat an address, and an error the credential. */
const failed = (error: unknown): SentMail => {
  const { code = 'EUNKNOWN', responseCode } = error as SmtpFailure;
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`;
  // Wrong credentials are the shop's trouble, not the mail's.
  const isFinal = code !== 'EAUTH' && responseCode !== undefined && responseCode >= 500;
  return isFinal ? { kind: 'refused', reason } : { kind: 'unavailable', reason };
};

const withName = /^"?([^"<>]*?)"?\s*<([^<>\s]+)>$/;

/** One recipient each: a comma makes no second one. */
const addressed = (recipients: readonly string[]) =>
  recipients.map((recipient) => {
    const [, name = '', address = recipient] = withName.exec(recipient) ?? [];
    return { name, address };
  });

const hostOf = (address: string): string => /@([\w.-]+)/.exec(address)?.[1] ?? 'localhost';

/**
 * Mails by SMTP. `url` is smtp:// or smtps://, with the credential in it. The same mail always has the same
 * Message-ID: a server that had taken it already, and mailboxes, can tell.
 */
export const smtpMailer = (url: string): Mailer => {
  const transporter: Transporter = createTransport({
    url,
    pool: true,
    maxConnections: AT_ONCE,
    ...patience,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  } as Parameters<typeof createTransport>[0]);
  return {
    atOnce: AT_ONCE,
    // Servers and mailboxes can tell the two by their Message-ID; that they do is not certain.
    isIdempotent: false,
    send: async ({ id, to, cc, bcc, from, dateCreated, ...said }) => {
      try {
        await transporter.sendMail({
          ...said,
          from,
          to: addressed(to),
          cc: addressed(cc),
          bcc: addressed(bcc),
          messageId: `<${id}@${hostOf(from)}>`,
          date: new Date(dateCreated),
        });
        return { kind: 'sent' };
      } catch (error) {
        return failed(error);
      }
    },
    close: () => transporter.close(),
  };
};
