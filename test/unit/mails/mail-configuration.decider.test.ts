import { mailConfigurationDecider } from '#command/contexts/mails/configurations/mail-configuration.decider.ts';
import { mailEvents } from '#events/mail.events.ts';
import type { MailSettings } from '#mails/mail-configuration.ts';
import { given } from '../../support/given.ts';

const { MailConfigurationCreated, MailConfigurationChanged, MailConfigurationDeleted } = mailEvents.create;

const at = '2026-03-01T09:00:00.000Z';
const context = { at, shipped: null, templateProblem: null };
const settings: MailSettings = {
  name: 'Order confirmation',
  topic: 'order.created',
  isEnabled: true,
  templatePath: 'order-confirmation',
  toExpression: '{{customerEmail}}',
  ccExpression: null,
  bccExpression: null,
  fromExpression: null,
  subjectExpression: 'Your order {{invoiceNumber}}',
  description: null,
  attachmentAliases: [],
};
const recorded = { ...settings, attachmentAliases: [], at };
const created = MailConfigurationCreated(recorded);
const create = { type: 'CreateMailConfiguration', settings } as const;
const change = (changes: Partial<MailSettings>) => ({ type: 'ChangeMailConfiguration', changes }) as const;

/** docs/rules/mails.md#configurations */
describe('the configuration of a mail', () => {
  it('is created once, and not again', () => {
    given(mailConfigurationDecider).when(create, context).then([created]);
    given(mailConfigurationDecider, [created]).when(create, context).thenNothing();
    given(mailConfigurationDecider, [created])
      .when({ ...create, settings: { ...settings, name: 'Thanks' } }, context)
      .thenRefused('already-exists');
  });

  it('changes what is given and keeps the rest', () => {
    given(mailConfigurationDecider, [created])
      .when(change({ isEnabled: false }), context)
      .then([MailConfigurationChanged({ ...recorded, isEnabled: false })]);
    given(mailConfigurationDecider, [created])
      .when(change({ isEnabled: true }), context)
      .thenNothing();
  });

  it('keeps its topic, which a change may repeat', () => {
    given(mailConfigurationDecider, [created])
      .when(change({ topic: 'order.created', name: 'Thanks' }), context)
      .then([MailConfigurationChanged({ ...recorded, name: 'Thanks' })]);
    given(mailConfigurationDecider, [created])
      .when(change({ topic: 'invoice.paid' }), context)
      .thenRefused('invalid-request');
  });

  it('begins with what is shipped, where nothing is recorded of it', () => {
    const shipped = { ...context, shipped: settings };
    given(mailConfigurationDecider)
      .when(change({ isEnabled: false }), shipped)
      .then([MailConfigurationChanged({ ...recorded, isEnabled: false })]);
    given(mailConfigurationDecider)
      .when({ type: 'DeleteMailConfiguration' }, shipped)
      .then([MailConfigurationDeleted({ at })]);
  });

  it('is gone once it is deleted, also where it was shipped', () => {
    const deleted = MailConfigurationDeleted({ at });
    for (const shipped of [null, settings])
      for (const command of [change({ name: 'Thanks' }), { type: 'DeleteMailConfiguration' } as const])
        given(mailConfigurationDecider, [deleted])
          .when(command, { ...context, shipped })
          .thenRefused('entity-not-found');
  });

  it('is refused where there is no such mail', () => {
    given(mailConfigurationDecider)
      .when(change({ name: 'X' }), context)
      .thenRefused('entity-not-found');
  });

  const unsound: readonly Partial<MailSettings>[] = [
    { toExpression: '{{customerName}}' },
    { toExpression: '{{customer.phone}}' },
    { toExpression: '{{formattedBalanceDue}}' },
    { toExpression: 'ada@example.com\nBcc: eve@example.com' },
    { ccExpression: 'not an address' },
    { bccExpression: 'ada@' },
    { fromExpression: '{{store.name}}' },
    { subjectExpression: 'Order {{number}}' },
    { subjectExpression: 'Order\r\nBcc: eve@example.com' },
    { subjectExpression: 'Order {{ invoice number }}' },
    { subjectExpression: '{{config.smtp.url}}' },
  ];
  for (const changes of unsound)
    it(`is refused with ${JSON.stringify(changes)}`, () => {
      given(mailConfigurationDecider)
        .when({ ...create, settings: { ...settings, ...changes } }, context)
        .thenRefused('invalid-request');
      given(mailConfigurationDecider, [created])
        .when(change(changes), context)
        .thenRefused('invalid-request');
    });
});
