import { guardedPageReply, htmlPage } from '#http/page.ts';
import type { Reply } from '#http/route.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { formTargetsOf } from '#values/redirect-address.ts';
import type { AuthorizationRequest, Given } from './authorization-request.ts';

/** What every page of the dialogue needs. */
export interface Dialogue {
  readonly storeName: string;
  readonly request: AuthorizationRequest;
  /** Passed on from page to page. */
  readonly given: Given;
  readonly formToken: string;
}

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

const button = (action: string, label: string, more = ''): string =>
  `<button name="action" value="${action}"${more}>${label}</button>`;

const form = ({ given, formToken }: Dialogue, ...parts: readonly string[]): string =>
  [
    '<form method="post" action="/oauth/authorize">',
    hidden('form_token', formToken),
    ...Object.entries(given).flatMap(([name, value]) =>
      typeof value === 'string' ? [hidden(name, value)] : [],
    ),
    ...parts,
    '</form>',
  ].join('\n');

const page = (title: string, { request: { redirectUri } }: Dialogue, ...parts: readonly string[]): Reply => {
  const body = ['<main class="narrow">', `<h1>${escapeHtml(title)}</h1>`, ...parts, '</main>'].join('\n');
  return guardedPageReply(htmlPage(title, body), formTargetsOf(redirectUri));
};

/** `problem`: why the last try failed. */
export const signInPage = (dialogue: Dialogue, problem: string | null, email = ''): Reply => {
  const { storeName, request } = dialogue;
  const name = escapeHtml(request.client.name);
  const reply = page(
    `Sign in to ${storeName}`,
    dialogue,
    `<p><strong>${name}</strong> would like to shop for you. Sign in to decide. ${name} never sees your password.</p>`,
    ...(problem === null ? [] : [`<p class="problem" role="alert">${escapeHtml(problem)}</p>`]),
    form(
      dialogue,
      '<label for="email">E-mail address</label>',
      `<input id="email" name="email" type="email" autocomplete="username" value="${escapeHtml(email)}" required>`,
      '<label for="password">Password</label>',
      '<input id="password" name="password" type="password" autocomplete="current-password" required>',
      `<p>${button('sign-in', 'Sign in')} ${button('deny', 'Cancel', ' formnovalidate')}</p>`,
    ),
  );
  return problem === null ? reply : { ...reply, status: 400 };
};

/** Where the member goes next, in words. */
const placeOf = (redirectUri: string): string => {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (hostname === '127.0.0.1' || hostname === '[::1]') return 'an app on this device';
  return protocol === 'https:' ? `<strong>${escapeHtml(host)}</strong>` : 'the app on this device';
};

export const consentPage = (dialogue: Dialogue, email: string): Reply => {
  const { storeName, request } = dialogue;
  const store = escapeHtml(storeName);
  const name = escapeHtml(request.client.name);
  return page(
    `Let ${request.client.name} shop for you?`,
    dialogue,
    `<p>You are signed in to ${store} as <strong>${escapeHtml(email)}</strong>. If you agree, ${name} can:</p>`,
    '<ul>',
    '<li>check out and place orders in your name, at your prices</li>',
    '<li>use the addresses that you keep here</li>',
    '<li>pay with the cards that you have saved here</li>',
    '<li>see the orders that you have placed</li>',
    '</ul>',
    `<p>${name} sees neither your password nor your card numbers, and cannot change your account.</p>`,
    `<p>This lasts until you end it in your account at ${store}, or until ${name} has not used it for 30 days.</p>`,
    form(
      dialogue,
      `<p>${button('allow', 'Allow')} ${button('deny', 'Don’t allow')}</p>`,
      `<p>${button('switch', 'Use another account')}</p>`,
    ),
    `<p class="quiet">Either way, you go on to ${placeOf(request.redirectUri)}.</p>`,
  );
};

/** A form that was sent before, is too old, or comes from another account or another site. `again`: where to start. */
export const outdatedPage = (again: string): Reply => {
  const title = 'This page is out of date';
  const body = [
    '<main class="narrow">',
    `<h1>${title}</h1>`,
    '<p>It was answered before, was open for too long, or you have signed in with another account since. Nothing was changed.</p>',
    `<p><a href="${escapeHtml(again)}">Start again</a></p>`,
    '</main>',
  ].join('\n');
  return { ...guardedPageReply(htmlPage(title, body)), status: 400 };
};
