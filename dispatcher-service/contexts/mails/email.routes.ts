import {
  emailAttachmentSchema,
  emailListQuery,
  emailPageSchema,
  emailPreviewSchema,
  emailResponse,
  emailSchema,
  emailTemplateSchema,
  emailTestSchema,
  emailTokenSchema,
  emailTopicGroupSchema,
  emailTopicParams,
  emailTopicSchema,
  selectEmails,
  testEmailBody,
} from '#contracts/emails.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { MailConfiguration } from '#mails/mail-configuration.ts';
import { mailTopicRecords } from '#mails/mail-topics.ts';
import { tokensOfTopic } from '#mails/tokens.ts';
import type { MailReference } from '#reference/reference.ts';
import type { MailTotals } from '#runtime/mail-totals.ts';
import type { MailTemplates } from '#runtime/mail-templates.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import { previewOf } from './preview.ts';
import { sendTest, type SendTestDeps } from './send-test.ts';

export interface EmailRoutesDeps extends SendTestDeps {
  readonly mails: MailReference;
  /** Keeps `mails` up to date. */
  readonly follower: Pick<LogProgress, 'waitFor'>;
  readonly templates: MailTemplates;
  /** Errors: `EngineUnavailable`. */
  readonly totals: (configurationId: string) => Promise<MailTotals>;
}

const common = {
  base: 'management',
  service: 'dispatcher',
  method: 'GET',
  caller: reader,
  file: import.meta.url,
} as const;

export const knownMail = (mails: MailReference, id: string): MailConfiguration => {
  const configuration = mails.configuration(id);
  if (!configuration) throw notFound('mail');
  return configuration;
};

const configurationRoutes = (deps: EmailRoutesDeps): readonly Route[] => {
  const { mails, follower, totals } = deps;
  const shown = async (configuration: MailConfiguration) =>
    emailResponse(configuration, await totals(configuration.id));
  return [
    route({
      ...common,
      path: '/emails',
      summary: 'List the mails that the shop sends, by page',
      schemas: { query: emailListQuery },
      response: emailPageSchema,
      handle: (request) =>
        onceSeen([follower], request, async () => {
          const { query } = request;
          const found = selectEmails(mails.configurations(), query);
          const first = (query.page - 1) * query.pageSize;
          const page = found.slice(first, first + query.pageSize);
          return ok(pageResponse(await Promise.all(page.map(shown)), found.length, query));
        }),
    }),
    route({
      ...common,
      path: '/emails/{id}',
      summary: 'Show a mail',
      schemas: { params: entityParams },
      response: emailSchema,
      errors: ['entity-not-found'],
      handle: (request) =>
        onceSeen([follower], request, async () => ok(await shown(knownMail(mails, request.params.id)))),
    }),
    route({
      ...common,
      path: '/emails/{id}/preview',
      summary: "Show a mail as it looks with its topic's sample",
      schemas: { params: entityParams },
      response: emailPreviewSchema,
      errors: ['entity-not-found'],
      handle: (request) =>
        onceSeen([follower], request, async () =>
          ok(await previewOf(deps, knownMail(mails, request.params.id))),
        ),
    }),
  ];
};

const topicOf = ({ sample: _, ...topic }: (typeof mailTopicRecords)[number]) => topic;

const topicGroups = [...Map.groupBy(mailTopicRecords, ({ category }) => category)].map(([name, topics]) => ({
  name,
  topics: topics.map(topicOf),
}));

const topicRoutes = (): readonly Route[] => [
  route({
    ...common,
    path: '/emails/topics',
    summary: 'List the topics that a mail can be about',
    response: emailTopicSchema.array(),
    handle: async () => ok(mailTopicRecords.map(topicOf)),
  }),
  route({
    ...common,
    path: '/emails/topics/categories',
    summary: 'List the topics by category',
    response: emailTopicGroupSchema.array(),
    handle: async () => ok(topicGroups),
  }),
  route({
    ...common,
    path: '/emails/topics/{topic}/tokens',
    summary: 'List what a mail of a topic can write, with samples',
    schemas: { params: emailTopicParams },
    response: emailTokenSchema.array(),
    errors: ['invalid-request'],
    handle: async ({ params }) => ok(tokensOfTopic(params.topic)),
  }),
];

const partRoutes = ({ templates }: EmailRoutesDeps): readonly Route[] => [
  route({
    ...common,
    path: '/emails/templates',
    summary: 'List the templates that a mail can be written with',
    response: emailTemplateSchema.array(),
    handle: async () => ok(await templates.list()),
  }),
  route({
    ...common,
    path: '/emails/attachments',
    summary: 'List what can be attached to a mail: nothing is built in',
    response: emailAttachmentSchema.array(),
    handle: async () => ok([]),
  }),
];

const testRoute = (deps: EmailRoutesDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/emails/{id}/test',
    caller: admin,
    summary: "Send a mail with its topic's sample to one address, and tell how it went",
    schemas: { params: entityParams, body: testEmailBody },
    response: emailTestSchema,
    errors: ['entity-not-found', 'invalid-request'],
    handle: (request) =>
      onceSeen([deps.follower], request, async () =>
        ok(await sendTest(deps, knownMail(deps.mails, request.params.id), request.body.to)),
      ),
  });

/** What there is to know of the mails that the shop sends, and trying them; the command service changes them. */
export const emailRoutes = (deps: EmailRoutesDeps): readonly Route[] => [
  ...configurationRoutes(deps),
  ...topicRoutes(),
  ...partRoutes(deps),
  testRoute(deps),
];
