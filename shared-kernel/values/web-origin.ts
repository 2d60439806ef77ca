const expected =
  'must be an origin as browsers send it, such as https://www.example.com or http://localhost:3000: scheme, host and port, nothing after them';

const pattern = 'must be one origin without *: pages that you do not know could act for your shoppers';
const none = 'must not be null: pages without an origin, such as sandboxed frames, would all be let in';

/** What is wrong with a text that is not exactly the origin of pages on the web; null: nothing. */
export const originProblem = (text: string): string | null => {
  if (text.includes('*')) return pattern;
  if (text === 'null') return none;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return expected;
  return url.origin === text ? null : `${expected}; for ${url.host} it is ${url.origin}`;
};
