import { metaOf } from '#command/engine/request-meta.ts';
import {
  accountResponse,
  changeAccountBody,
  changePasswordBody,
  changePasswordResponse,
  confirmNewEmailBody,
  registerBody,
  type AccountResponse,
} from '#contracts/account.contract.ts';
import { doneResponse } from '#contracts/members.contract.ts';
import { memberCookie } from '#http/cookies.ts';
import { HttpRejection } from '#http/errors.ts';
import { countedAddress, type RateLimit } from '#http/rate-limit.ts';
import { anyone, member, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { fullName, type Account, type AccountActions } from './account.actions.ts';

export interface AccountRouteDeps {
  readonly accounts: AccountActions;
  /** Mails that are asked for from an address, and how many. */
  readonly mailLimit: RateLimit;
  readonly mailsPerWindow: number;
  /** Base URL of links in mails; null: not configured. */
  readonly storeUrl: (request: Pick<RouteRequest, 'baseUrl'>) => string | null;
}

const file = import.meta.url;
const common = { base: 'account', service: 'command', caller: member, file } as const;

const memberOf = ({ actor }: Pick<RouteRequest, 'actor'>): string => actor.id ?? '';

const tooMany = (seconds: number): HttpRejection =>
  new HttpRejection('too-many-requests', 'Too many tries. Please wait a while and try again.', {
    'Retry-After': String(seconds),
  });

/** Counts a mail that is asked for. Errors: Rejection `too-many-requests`. */
const countMail = async (
  { mailLimit, mailsPerWindow }: AccountRouteDeps,
  request: RouteRequest,
): Promise<void> => {
  const taken = await mailLimit.take(countedAddress(request), mailsPerWindow);
  if (!taken.isTaken) throw tooMany(taken.retryAfterSeconds);
};

const responseOf = ({ member: found, ...said }: Account, message: string): AccountResponse => {
  const { _id: id, email, phone = null, provenAt = null, dateCreated } = found;
  const { firstName, lastName, acceptsMarketing } = said;
  const name = fullName(said);
  return {
    success: true,
    message,
    ...{ id, email, isEmailConfirmed: provenAt !== null, name, firstName, lastName, phone },
    ...{ acceptsMarketing, dateCreated },
  };
};

const registerRoute = (deps: AccountRouteDeps): Route =>
  route({
    ...common,
    caller: anyone,
    method: 'POST',
    path: '/register',
    summary: 'Make an account; answered alike where the e-mail address has one',
    schemas: { body: registerBody },
    response: doneResponse,
    errors: ['invalid-request', 'too-many-requests', 'too-busy'],
    handle: async (request) => {
      const { accounts, storeUrl } = deps;
      const { email, password, name, phone = null, acceptsMarketing = false } = request.body;
      const registration = { email, password, name, phone, acceptsMarketing };
      accounts.checkRegistration(registration);
      await countMail(deps, request);
      await accounts.register(registration, request, storeUrl(request));
      return ok({ success: true, message: 'A mail is on its way to this e-mail address.' });
    },
  });

const onItsWay =
  'If this e-mail address can be used, a link is on its way to it. Until it is confirmed, the account keeps the address that it has.';

const accountRoutesOf = (deps: AccountRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/',
    summary: 'The account of the member',
    response: accountResponse,
    handle: async (request) => ok(responseOf(await deps.accounts.show(memberOf(request)), '')),
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/',
    summary: 'Change name, phone number and consent; another e-mail address counts once it is confirmed',
    schemas: { body: changeAccountBody },
    response: accountResponse,
    errors: ['invalid-request', 'too-many-requests', 'too-busy', 'cancelled'],
    handle: async (request) => {
      const { accounts, storeUrl } = deps;
      const { currentPassword = '', ...body } = request.body;
      const changes = defined(body);
      const newEmail = await accounts.otherEmail(memberOf(request), changes);
      if (newEmail !== null) {
        const seconds = await accounts.secondsLocked(memberOf(request), currentPassword, request);
        if (seconds !== null) throw tooMany(seconds);
        await countMail(deps, request);
      }
      const links = storeUrl(request);
      const changed = await accounts.change(memberOf(request), changes, newEmail, links, metaOf(request));
      return ok(responseOf(changed, newEmail === null ? '' : onItsWay));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/confirm-email',
    summary: 'Prove a new e-mail address by the link of a mail: it is the account’s from then on',
    schemas: { body: confirmNewEmailBody },
    response: doneResponse,
    errors: ['invalid-request', 'cancelled'],
    handle: async (request) => {
      await deps.accounts.confirmNewEmail(memberOf(request), request.body, metaOf(request));
      return ok({ success: true, message: '' });
    },
  }),
];

const passwordRoute = ({ accounts }: AccountRouteDeps): Route =>
  route({
    ...common,
    method: 'PUT',
    path: '/password',
    summary: 'Change the password; ends every other sign-in',
    schemas: { body: changePasswordBody },
    response: changePasswordResponse,
    errors: ['invalid-request', 'too-many-requests', 'too-busy'],
    handle: async (request) => {
      const changed = await accounts.changePassword(
        memberOf(request),
        request.body,
        request,
        metaOf(request),
      );
      if (changed.kind === 'locked') throw tooMany(changed.endsInSeconds);
      const { issued } = changed;
      return ok({ success: true, message: '', ...issued }, { cookies: [memberCookie(issued.token)] });
    },
  });

/** Accounts, as their members keep them (docs/rules/account.md). */
export const accountRoutes = (deps: AccountRouteDeps): readonly Route[] => [
  registerRoute(deps),
  ...accountRoutesOf(deps),
  passwordRoute(deps),
];
