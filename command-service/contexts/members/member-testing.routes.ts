import { testLinkResponse, testLinkBody } from '#contracts/members.contract.ts';
import { ok, route, testing, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { MemberActions } from './member.actions.ts';

/** What the mails of accounts carry, for tests that read none. */
export const memberTestingRoutes = (actions: Pick<MemberActions, 'linkFor'>): readonly Route[] => [
  route({
    method: 'POST',
    base: 'testing',
    service: 'command',
    caller: testing,
    file: import.meta.url,
    path: '/member-links',
    summary: 'A link like those in mails that prove the e-mail address of an account',
    schemas: { body: testLinkBody },
    response: testLinkResponse,
    errors: ['customer-not-found'],
    handle: async ({ body: { email } }) => {
      const token = await actions.linkFor(email);
      if (token === null) throw new Rejection('customer-not-found', 'There is no account with this address.');
      return ok({ token });
    },
  }),
];
