import { recipientsOf, subjectOf } from './expressions.ts';
import type { MailData } from './look-up.ts';
import type { MailSettings } from './mail-configuration.ts';
import { fillIn, TemplateError, type MailTemplate } from './template.ts';

export interface RenderedMail {
  readonly kind: 'mail';
  /** Addresses, with or without a name: `"Ada" <ada@example.com>`. At least one. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** Null: the sender of all mails. */
  readonly from: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Tokens of the bodies that name nothing. */
  readonly unresolved: readonly string[];
}

/** It can never be sent as it is. `reason` names no person. */
export interface FailedMail {
  readonly kind: 'failed';
  readonly field: 'to' | 'cc' | 'bcc' | 'from' | 'template';
  readonly reason: string;
}

const failed = (field: FailedMail['field'], reason: string): FailedMail => ({
  kind: 'failed',
  field,
  reason,
});

const bodiesOf = (template: MailTemplate, data: MailData) => {
  const text = fillIn(template.text, data);
  const html = fillIn(template.html, data);
  return { text: text.text, html: html.text, unresolved: [...text.unresolved.union(html.unresolved)] };
};

/** Writes a mail (docs/rules/mails.md). Pure: the same data gives the same mail. */
export const renderMail = (
  configuration: MailSettings,
  template: MailTemplate,
  data: MailData,
): RenderedMail | FailedMail => {
  const { toExpression, ccExpression, bccExpression, fromExpression, subjectExpression } = configuration;
  const to = recipientsOf(toExpression, data);
  if (to.kind === 'refused') return failed('to', to.reason);
  if (to.addresses.length === 0) return failed('to', `${toExpression} names no recipient`);
  const cc = recipientsOf(ccExpression ?? '', data);
  if (cc.kind === 'refused') return failed('cc', cc.reason);
  const bcc = recipientsOf(bccExpression ?? '', data);
  if (bcc.kind === 'refused') return failed('bcc', bcc.reason);
  const from = recipientsOf(fromExpression ?? '', data);
  if (from.kind === 'refused') return failed('from', from.reason);
  if (fromExpression !== null && from.addresses.length !== 1)
    return failed('from', `${fromExpression} must name one sender`);
  try {
    return {
      kind: 'mail',
      to: to.addresses,
      cc: cc.addresses,
      bcc: bcc.addresses,
      from: from.addresses[0] ?? null,
      subject: subjectOf(subjectExpression, data),
      ...bodiesOf(template, data),
    };
  } catch (error) {
    if (error instanceof TemplateError) return failed('template', error.message);
    throw error;
  }
};
