import { once } from 'node:events';
import { createServer } from 'node:net';

/** Throws when another program listens on the port on which a shop is to start; `setting` names another one. */
export const refuseTakenPort = async (port: number, setting = 'PORT=…'): Promise<void> => {
  if (port === 0) return;
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${port} is taken, perhaps by a shop that is running: stop it, or name another port with ${setting}`,
      { cause: error },
    );
  } finally {
    server.close();
  }
};
