import type { AddressInfo } from 'node:net';
import express from 'express';

/** Express with the shop's settings, and nothing in it. */
export const bareExpress = (): express.Express => {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use(express.json({ limit: '100kb' }));
  return app;
};

/** Objects of these texts, one after the other, over and over. */
export const inTurn = (texts: readonly string[]): (() => unknown) => {
  const objects = texts.map((text) => JSON.parse(text) as unknown);
  let at = 0;
  return () => objects[at++ % objects.length];
};

/** Listens, tells the benchmark where, and ends with it. */
export const serve = (app: express.Express): void => {
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ result: { port: (server.address() as AddressInfo).port } });
  });
  process.on('disconnect', () => process.exit());
};
