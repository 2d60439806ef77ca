import { prefersHtml } from './home-page.routes.ts';
import type { Reply } from './reply.ts';
import type { RouteRequest } from './route.ts';

/** A page of a storefront, with what it is told. */
export const pageWith = (page: string, fields: Readonly<Record<string, string>>): string => {
  const nowhere = 'http://shop.invalid';
  const address = new URL(page, nowhere);
  for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value);
  const text = address.href;
  // `/.//elsewhere.example` is a path of the shop to its parser; a browser that is sent to what is left of it leaves.
  return text.startsWith(`${nowhere}/`) ? text.slice(nowhere.length).replace(/^\/+/, '/') : text;
};

/** Browsers are redirected; JSON callers get a response. */
export const sentOn = (request: Pick<RouteRequest, 'header'>, reply: Reply, page: string): Reply => {
  if (!prefersHtml(request.header('accept'))) return reply;
  const { json: _, ...rest } = reply;
  return { ...rest, status: 303, headers: { Location: page } };
};
