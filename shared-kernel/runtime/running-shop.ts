import { defined } from '#kernel/defined.ts';
import { OPERATOR_HEADER } from './backoffice-users.ts';
import type { Config } from './config.ts';
import { findApiKey } from './keys.ts';
import { refusalText } from './refusal-text.ts';

/** A shop running on this machine, asked over HTTP: it holds the engines, and knows the latest writes. */
export interface RunningShop {
  /** Returns the body, null where there is none. Throws with the shop's message if it refuses. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** Sends bytes as they are; otherwise like `call`. */
  send(path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<unknown>;
  /** Returns the body's bytes as they arrive. Errors: likewise. */
  read(path: string): Promise<AsyncIterable<Uint8Array>>;
}

const managementPath = '/backoffice/api/v1';
const probeMilliseconds = 2000;

/** The shop on the configured port; null if there is none. */
export const findRunningShop = async (config: Config): Promise<RunningShop | null> => {
  const base = `http://127.0.0.1:${config.port}`;
  if (!(await isLive(base))) return null;
  const apiKey = findApiKey(config);
  if (apiKey === null)
    throw new Error(`A shop runs on port ${config.port}, but its key is not here: set BACKOFFICE_API_KEY.`);
  const ask = async (method: string, path: string, contentType: string, body?: RequestInit['body']) => {
    const response = await fetch(`${base}${managementPath}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': contentType,
        [OPERATOR_HEADER]: 'tillroll',
      },
      ...defined({ body }),
    });
    if (response.ok) return response;
    throw new Error(refusal(await response.json()));
  };
  return {
    call: async (method, path, body) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await ask(method, path, 'application/json', text);
      return response.status === 204 ? null : response.json();
    },
    send: async (path, bytes, contentType) => (await ask('POST', path, contentType, bytes)).json(),
    read: async (path) => (await ask('GET', path, 'application/json')).body ?? nothing(),
  };
};

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An answer without a body.
}

const isLive = async (base: string): Promise<boolean> => {
  try {
    const response = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(probeMilliseconds) });
    return ((await response.json()) as { status?: unknown }).status === 'live';
  } catch {
    return false;
  }
};

const refusal = (answer: unknown): string => {
  const { message, errors } = answer as { message?: string; errors?: unknown };
  return refusalText(`The shop refused: ${message ?? 'no reason given'}`, errors);
};
