import type { Member } from './options.ts';

/** One answer of a page: what it says, and where it leads. */
interface Page {
  readonly url: URL;
  readonly html: string;
}

const attribute = (tag: string, name: string): string | null =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? null;

/** What a person would read there. */
const wordsOf = (html: string): string =>
  html
    .replaceAll(/<(head|style)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300);

/** The fields of a form as a person would send them: signed in, and agreeing. */
const filledIn = (form: string, { email, password }: Member): URLSearchParams => {
  const fields = new URLSearchParams();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, 'name');
    const type = attribute(tag, 'type');
    if (name === null) continue;
    const typed = type === 'email' ? email : type === 'password' ? password : null;
    fields.append(name, typed ?? attribute(tag, 'value') ?? '');
  }
  const [button = ''] = /<button\b[^>]*>/.exec(form) ?? [];
  const name = attribute(button, 'name');
  if (name !== null) fields.append(name, attribute(button, 'value') ?? '');
  return fields;
};

/** A browser in place of the member's: keeps cookies, follows redirects, sends the first form of each page. */
export const signInAsMember = async (start: URL, member: Member, callbackUrl: string): Promise<void> => {
  const cookies = new Map<string, string>();
  const open = async (url: URL, fields?: URLSearchParams): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie !== '' && { cookie }), origin: url.origin, 'sec-fetch-site': 'same-origin' },
      ...(fields && { method: 'POST', body: fields }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    if (location !== null) return open(new URL(location, url));
    return { url, html: await response.text() };
  };
  let page = await open(start);
  for (let pages = 0; !page.url.href.startsWith(callbackUrl); pages++) {
    const [form] = /<form\b[\s\S]*?<\/form>/.exec(page.html) ?? [];
    if (form === undefined || pages === 5)
      throw new Error(`the page ${page.url.pathname} cannot be filled in; it says: ${wordsOf(page.html)}`);
    const [tag = ''] = /<form\b[^>]*>/.exec(form) ?? [];
    const action = new URL(attribute(tag, 'action') ?? page.url.href, page.url);
    page = await open(action, filledIn(form, member));
  }
};
