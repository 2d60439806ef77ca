import type { Config } from './config.ts';
import { findApiKey } from './keys.ts';

/** A shop that runs on this machine, asked over HTTP: it holds the engines, and knows what has just been written. */
export interface RunningShop {
  /** The answer's body. Throws with the shop's message when it refuses. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
}

const managementPath = '/backoffice/api/v1';
const probeMilliseconds = 2000;

/** The shop on the configured port; null when there is none. */
export const findRunningShop = async (config: Config): Promise<RunningShop | null> => {
  const base = `http://127.0.0.1:${config.port}`;
  if (!(await isLive(base))) return null;
  const apiKey = findApiKey(config);
  if (apiKey === null)
    throw new Error(`A shop runs on port ${config.port}, but its key is not here: set BACKOFFICE_API_KEY.`);
  return {
    call: async (method, path, body) => {
      const response = await fetch(`${base}${managementPath}${path}`, {
        method,
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      if (response.ok) return answer;
      throw new Error(refusal(answer));
    },
  };
};

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
  const problems = Array.isArray(errors) ? errors.map((problem) => `\n  ${String(problem)}`) : [];
  return `The shop refused: ${message ?? 'no reason given'}${problems.join('')}`;
};
