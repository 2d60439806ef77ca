import { maskTexts, secretTexts, SHORTEST_SECRET } from '#values/secret-address.ts';
import { withoutSecrets } from '#values/webhook-headers.ts';
import type { SendOutcome } from '#ports/sender.ts';
import type { Receiver } from './operator-webhook.ts';
import type { Headers } from './signature.ts';

/** What of a header field is a secret by itself: a token, a key, a signature. */
const withoutScheme = (value: string): string => value.replace(/^(?:Bearer |Basic |v1,)/, '');

const passwordOf = ({ authType, authHeaderValue }: Receiver): string =>
  authType === 'BasicAuth' ? (authHeaderValue?.replace(/^[^:]*:/, '') ?? '') : '';

/** As a receiver may write it in an answer: as it is, in JSON, in JSON of PHP, in an address. */
const spellings = (secret: string): readonly string[] => {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)];
};

/** What stays the same from attempt to attempt, by receiver as it was read: much is sent to few. */
const known = new WeakMap<Receiver, readonly string[]>();

const secretsOf = (receiver: Receiver): readonly string[] => {
  const kept = known.get(receiver);
  if (kept) return kept;
  const { targetUrl, signingSecret, authHeaderValue, headers } = receiver;
  const password = passwordOf(receiver);
  const secrets = [targetUrl, signingSecret, authHeaderValue ?? '', password, ...Object.values(headers)];
  const texts = secretTexts(secrets.flatMap(spellings));
  known.set(receiver, texts);
  return texts;
};

/** Signatures, and tokens as they are sent. */
const secretsIn = (sent: Headers): readonly string[] => {
  const shown = withoutSecrets(sent);
  const hidden = Object.entries(sent).flatMap(([name, value]) => (shown[name] === value ? [] : [value]));
  return hidden
    .map(withoutScheme)
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .flatMap(spellings);
};

/** What a receiver answered, without what it may repeat of how it is called (docs/rules/webhooks.md#targets). */
export const withoutEchoes = (outcome: SendOutcome, receiver: Receiver, sent: Headers): SendOutcome => {
  const secrets = [...secretsOf(receiver), ...secretsIn(sent)];
  const said = [outcome.body ?? '', ...Object.values(outcome.headers)].join('\n');
  if (!secrets.some((secret) => said.includes(secret))) return outcome;
  const mask = (text: string): string => maskTexts(text, secrets);
  const headers = Object.entries(outcome.headers).map(([name, value]) => [name, mask(value)] as const);
  return { ...outcome, headers: Object.fromEntries(headers), body: outcome.body && mask(outcome.body) };
};
