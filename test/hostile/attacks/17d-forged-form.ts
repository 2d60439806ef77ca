import { finding, must, putSomethingIn, storefront, type Attack } from '../attack.ts';

const types = ['', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];

/** A page elsewhere makes a visitor's browser send a form, with the shop's cookies. */
export const attack: Attack = {
  title: "a page elsewhere sends a form with a shopper's cookies, or asks for leave to call",
  before: 'a page of the same site emptied the basket: nobody looked at where a request came from',
  kind: 'harmless',
  run: async (target) => {
    const shopper = target.shop.shopper();
    await putSomethingIn(target, shopper);
    const put = must('the basket', await shopper.basket()).itemCount as number;
    const cookies = [...shopper.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const complaints: string[] = [];
    const send = (method: string, headers: Record<string, string>) =>
      fetch(`${target.url}${storefront}/basket/clear`, {
        method,
        headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', ...headers },
        ...(method === 'POST' && headers['Content-Type'] ? { body: 'a=b' } : {}),
      });
    for (const type of types) {
      const { status } = await send('POST', { Cookie: cookies, ...(type && { 'Content-Type': type }) });
      if (status !== 403) complaints.push(`${type || 'no content type'}: ${status}`);
    }
    const asked = await send('OPTIONS', { 'Access-Control-Request-Method': 'POST' });
    if (asked.headers.get('access-control-allow-origin') !== null) complaints.push('a preflight lets it in');
    if (must('the basket', await shopper.basket()).itemCount !== put) complaints.push('the basket is empty');
    return finding('403, and the basket stays; the preflight allows nothing', complaints);
  },
};
