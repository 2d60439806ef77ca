import { hash } from 'node:crypto';
import { parseDictionary } from 'structured-headers';

/** The field `Content-Digest` of a body (RFC 9530). */
export const contentDigest = (body: Buffer): string => `sha-256=:${hash('sha256', body, 'base64')}:`;

const algorithms = [
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
] as const;

const isOf = (member: unknown, algorithm: string, body: Buffer): boolean =>
  member instanceof ArrayBuffer && hash(algorithm, body, 'base64') === Buffer.from(member).toString('base64');

/** What is wrong with a body's digest, in words; null: nothing. Every digest whose algorithm is known must match. */
export const digestProblem = (field: string | undefined, body: Buffer): string | null => {
  if (field === undefined)
    return body.length === 0 ? null : 'Content-Digest: must be there, as sha-256 or sha-512 of the body.';
  if (field === contentDigest(body)) return null;
  let members: ReturnType<typeof parseDictionary>;
  try {
    members = parseDictionary(field);
  } catch {
    return 'Content-Digest: cannot be read; send sha-256=:…: or sha-512=:…:.';
  }
  const known = algorithms.filter(([name]) => members.has(name));
  if (known.length === 0) return 'Content-Digest: must be sha-256 or sha-512.';
  const differing = known.find(([name, algorithm]) => !isOf(members.get(name)?.[0], algorithm, body));
  return differing ? `Content-Digest: the ${differing[0]} is not that of the body as it came.` : null;
};
