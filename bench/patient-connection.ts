import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#kernel/ids.ts';
import type { Connection } from './http-connection.ts';

const TRY_AGAIN_MILLISECONDS = 50;

/** Asks again, under the same idempotency key, whatever the shop cannot take now; tells of every answer. */
export const patientConnection = (
  connection: Connection,
  onResponse: (status: number, milliseconds: number) => void,
): Connection => ({
  request: async (method, path, cookies, body) => {
    const key = newId();
    for (;;) {
      const asked = performance.now();
      const answer = await connection.request(method, path, cookies, body, key);
      onResponse(answer.status, performance.now() - asked);
      if (answer.status !== 503 && answer.status !== 409) return answer;
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  },
  close: () => connection.close(),
});
