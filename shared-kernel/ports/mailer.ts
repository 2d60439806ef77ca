/** A mail as it goes out. */
export interface Mail {
  /** By which a mail that is sent twice is recognised as one. */
  readonly id: string;
  /** One address each, with or without a name: `"Ada" <ada@example.com>`. At least one. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Beside those that every mail has, without line breaks. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO instant. */
  readonly dateCreated: string;
  /** The data subject to whom it goes, at whatever address; null: nobody's, or somebody else's. For files alone. */
  readonly ownerId: string | null;
}

/** How sending ended. `reason` is for operators: it names no person and holds no credential. */
export type SentMail =
  | { readonly kind: 'sent' }
  /** It will never be taken: another try is of no use. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have gone out, or go out later: to be tried again with the same id. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Where mails go (docs/guides/configuration.md#mail). */
export interface Mailer {
  /** How many mails are worth handing to it at a time. */
  readonly atOnce: number;
  /** Handed the same mail again it has one mail still, however often. */
  readonly isIdempotent: boolean;
  /** Never throws, and takes half a minute at most: every failure is a result. */
  send(mail: Mail): Promise<SentMail>;
  /** Lets go of what it keeps open. */
  close(): void;
}
