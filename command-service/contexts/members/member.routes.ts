import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { checkoutBasketResponse } from '#contracts/basket-response.ts';
import {
  checkEmailResponse,
  checkEmailBody,
  confirmEmailBody,
  doneResponse,
  forgotPasswordBody,
  memberSignInResponse,
  memberSignInBody,
  resetPasswordResponse,
  resetPasswordBody,
  resetTokenResponse,
  resetTokenBody,
  validatePasswordResponse,
  validatePasswordBody,
} from '#contracts/members.contract.ts';
import { currencyCookie, memberCookie } from '#http/cookies.ts';
import { countedAddress, type RateLimit } from '#http/rate-limit.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { memberIdOf } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { presentationFor } from '#reference/presentation.ts';
import { normalEmail } from '#values/email-address.ts';
import type { MemberActions, PasswordReset } from './member.actions.ts';
import type { MemberBaskets } from './member-baskets.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, method: 'POST', file } as const;

export interface MemberRouteDeps extends Pick<CommandDeps, 'settings' | 'reference' | 'clock'> {
  readonly actions: MemberActions;
  readonly baskets: MemberBaskets;
  /** Mails that are asked for from an address, and how many. */
  readonly mailLimit: RateLimit;
  readonly mailsPerWindow: number;
  /** Base URL of links in mails; null: not configured. */
  readonly storeUrl: (request: Pick<RouteRequest, 'baseUrl'>) => string | null;
}

const SHOWN_FROM = 3;

const signInRoute = (deps: MemberRouteDeps): Route =>
  route({
    ...common,
    path: '/sign-in',
    summary: 'Sign in to the shop',
    schemas: { body: memberSignInBody },
    response: memberSignInResponse,
    errors: ['too-busy'],
    handle: async (request) => {
      const signedIn = await deps.actions.signIn(request.body, request);
      if (signedIn.kind === 'refused') {
        const { failedAttempts, message } = signedIn;
        const showForgotPassword = failedAttempts >= SHOWN_FROM;
        const code = 'sign-in-failed';
        return ok({
          success: false,
          code,
          message,
          errorMessage: message,
          failedAttempts,
          showForgotPassword,
        });
      }
      const { member, issued } = signedIn;
      const taken = await deps.baskets.take(member._id, request.basketId, metaOf(request));
      const { basketId, basket, warnings, position } = taken;
      const presentation = presentationFor(deps, request.cookies[currencyCookie]);
      const shown = checkoutBasketResponse(basketId ?? '', basket, presentation, {
        warnings: [...warnings],
        errors: [],
      });
      const reply = ok(
        {
          success: true,
          message: '',
          errorMessage: null,
          failedAttempts: 0,
          showForgotPassword: false,
          ...issued,
          basket: shown,
          warnings,
        },
        {
          cookies: [memberCookie(issued.token)],
          basketId,
          basketOf: member._id,
          ...(position > 0 && { position }),
        },
      );
      return showing(reply, request, presentation);
    },
  });

const signOutRoute = (): Route =>
  route({
    ...common,
    path: '/sign-out',
    summary: 'Sign out; the basket stays the account’s',
    response: doneResponse,
    handle: () =>
      Promise.resolve(ok({ success: true, message: '' }, { cookies: [memberCookie(null)], basketId: null })),
  });

const forgotRoute = ({ actions, mailLimit, mailsPerWindow, storeUrl }: MemberRouteDeps): Route =>
  route({
    ...common,
    path: '/forgot-password',
    summary: 'Ask for a link by mail that sets a new password; answered alike for everybody',
    schemas: { body: forgotPasswordBody },
    response: doneResponse,
    handle: async (request) => {
      const { email, resetBaseUrl } = request.body;
      const { isTaken } = await mailLimit.take(countedAddress(request), mailsPerWindow);
      const links = { resetBaseUrl, storeUrl: storeUrl(request) };
      if (isTaken) await actions.forgotPassword(email, links, metaOf(request));
      return ok({
        success: true,
        message: 'If there is an account with this e-mail address, a link is on its way to it.',
      });
    },
  });

const refusedPassword = ({ message, problems }: Extract<PasswordReset, { kind: 'refused' }>): Rejection =>
  new Rejection('invalid-request', message, { errorMessage: message, validationErrors: [...problems] });

const resetRoutes = ({ actions }: MemberRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/validate-reset-token',
    summary: 'Whether the link of a mail still works',
    schemas: { body: resetTokenBody },
    response: resetTokenResponse,
    handle: async ({ body: { email, token } }) => {
      const isValid = await actions.isLinkValid(email, token);
      const errorMessage = isValid ? null : 'This link is no longer valid. Request a new one.';
      return ok({ isValid, email: isValid ? normalEmail(email) : null, errorMessage });
    },
  }),
  route({
    ...common,
    path: '/reset-password',
    summary: 'Set a new password by the link of a mail; ends every sign-in',
    schemas: { body: resetPasswordBody },
    response: resetPasswordResponse,
    errors: ['invalid-request', 'too-busy'],
    handle: async (request) => {
      const reset = await actions.setPassword(request.body, request, metaOf(request));
      if (reset.kind === 'refused') throw refusedPassword(reset);
      return ok({ success: true, message: '', errorMessage: null, validationErrors: [] });
    },
  }),
  route({
    ...common,
    path: '/confirm-email',
    summary: 'Prove an e-mail address by the link of a mail, and set the password; ends every other sign-in',
    schemas: { body: confirmEmailBody },
    response: doneResponse,
    errors: ['invalid-request', 'too-busy'],
    handle: async (request) => {
      const { email, token, password = '', newPassword = password } = request.body;
      const reset = await actions.setPassword({ email, token, newPassword }, request, metaOf(request));
      if (reset.kind === 'refused') throw refusedPassword(reset);
      const isSignedIn = memberIdOf(request.actor) === reset.memberId;
      const cookies = isSignedIn ? [memberCookie(reset.issued().token)] : [];
      return ok({ success: true, message: '' }, { cookies });
    },
  }),
];

/** Accounts of shoppers (docs/rules/members.md). */
export const memberRoutes = (deps: MemberRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/check-email',
    summary: 'Never tells whether an account exists',
    schemas: { body: checkEmailBody },
    response: checkEmailResponse,
    handle: () => Promise.resolve(ok({ hasExistingAccount: false, exists: false })),
  }),
  route({
    ...common,
    path: '/validate-password',
    summary: 'What a password lacks',
    schemas: { body: validatePasswordBody },
    response: validatePasswordResponse,
    handle: ({ body }) => {
      const errors = deps.actions.passwordProblems(body.password ?? '');
      return Promise.resolve(ok({ isValid: errors.length === 0, errors }));
    },
  }),
  signInRoute(deps),
  signOutRoute(),
  forgotRoute(deps),
  ...resetRoutes(deps),
];
