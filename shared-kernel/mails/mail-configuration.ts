import type { MailTopicKey } from './mail-topics.ts';

/** What staff set of a mail and change (docs/rules/mails.md#configurations). */
export interface MailSettings {
  readonly name: string;
  readonly topic: MailTopicKey;
  readonly isEnabled: boolean;
  /** Within the folders of templates, without an extension. */
  readonly templatePath: string;
  readonly toExpression: string;
  readonly ccExpression: string | null;
  readonly bccExpression: string | null;
  /** Null: the sender of all mails. */
  readonly fromExpression: string | null;
  readonly subjectExpression: string;
  readonly description: string | null;
  readonly attachmentAliases: readonly string[];
}

export interface MailConfiguration extends MailSettings {
  readonly id: string;
  /** As it is shipped: nobody has changed it. */
  readonly isDefault: boolean;
  /** Null of a default. */
  readonly dateCreated: string | null;
  readonly dateUpdated: string | null;
}
