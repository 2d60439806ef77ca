import { resourceRoutes } from '#command/engine/entity-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { changeEmail, createEmail, emailResponse, emailSchema } from '#contracts/emails.contract.ts';
import { entityParams, toggleBody } from '#contracts/management.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { MailConfigurationActions, SavedMailConfiguration } from './mail-configuration.actions.ts';

const path = '/emails';
const file = import.meta.url;

const show = ({ configuration, totals }: SavedMailConfiguration): object =>
  emailResponse(configuration, totals);

/** Everything that changes a mail's configuration; the dispatcher answers the rest. */
export const mailConfigurationRoutes = (actions: MailConfigurationActions): readonly Route[] => [
  ...resourceRoutes({
    file,
    path,
    noun: 'mail',
    response: emailSchema,
    actions,
    show,
    bodies: { create: createEmail, change: changeEmail },
    summaries: {
      create: 'Set up a mail that goes out under a topic',
      change: 'Change a mail: the given fields are replaced, the topic stays',
      remove: 'Delete a mail: it goes out no more, and the log of deliveries stays',
    },
  }),
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file,
    method: 'POST',
    path: `${path}/{id}/toggle`,
    summary: 'Switch a mail on or off',
    schemas: { params: entityParams, body: toggleBody },
    response: emailSchema,
    errors: ['entity-not-found', 'invalid-request'],
    handle: async (request) => {
      const { isEnabled } = request.body;
      const saved = await actions.change(request.params.id, { isEnabled }, metaOf(request));
      return ok(show(saved), { position: saved.position });
    },
  }),
];
