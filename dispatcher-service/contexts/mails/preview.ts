import type { MailConfiguration } from '#mails/mail-configuration.ts';
import { mailTopicRecord } from '#mails/mail-topics.ts';
import { renderMail, type FailedMail, type RenderedMail } from '#mails/render-mail.ts';
import type { ConfigFacts, StoreFacts } from '#mails/store-facts.ts';
import { TemplateError } from '#mails/template.ts';
import type { MailTemplates } from '#runtime/mail-templates.ts';

export interface PreviewDeps {
  readonly templates: Pick<MailTemplates, 'load'>;
  readonly store: () => StoreFacts;
  readonly config: () => ConfigFacts;
}

/** A mail with the sample of its topic, and the shop as it is. */
export const sampleMail = async (
  { templates, store, config }: PreviewDeps,
  configuration: MailConfiguration,
): Promise<RenderedMail | FailedMail> => {
  try {
    const template = await templates.load(configuration.templatePath);
    const { sample: notification } = mailTopicRecord(configuration.topic);
    return renderMail(configuration, template, { notification, store: store(), config: config() });
  } catch (error) {
    if (error instanceof TemplateError) return { kind: 'failed', field: 'template', reason: error.message };
    throw error;
  }
};

const nothing = { to: [], cc: [], bcc: [], from: null, subject: null, text: null, html: null };

export const previewOf = async (deps: PreviewDeps, configuration: MailConfiguration): Promise<object> => {
  const mail = await sampleMail(deps, configuration);
  if (mail.kind === 'failed') {
    const { field, reason } = mail;
    return { success: false, errorMessage: `${field}: ${reason}`, ...nothing, unresolvedTokens: [] };
  }
  const { kind: _, unresolved, ...written } = mail;
  return { success: true, errorMessage: null, ...written, unresolvedTokens: unresolved };
};
