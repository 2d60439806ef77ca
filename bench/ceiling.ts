import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { addPath, basketPath, productsPath, upsellsPath } from './shopper.ts';

/*
 * What each row is measured against: bare Express with the shop's settings that answers prepared objects of the same
 * bytes as the row's answers, and does nothing else. `node ceiling.ts <file>`: the file holds the prepared texts.
 */

export interface PreparedResponses {
  readonly add: readonly string[];
  readonly get: readonly string[];
  /** Of products and their availability. */
  readonly look?: readonly string[];
  readonly suggest?: readonly string[];
}

const BODY_LIMIT = '100kb';

const inTurn = (texts: readonly string[]): (() => unknown) => {
  const objects = texts.map((text) => JSON.parse(text) as unknown);
  let at = 0;
  return () => objects[at++ % objects.length];
};

const [, , file] = process.argv;
if (file === undefined) throw new Error('ceiling.ts needs the file with the prepared answers');
const answers = JSON.parse(readFileSync(file, 'utf8')) as PreparedResponses;
const nextAdd = inTurn(answers.add);
const nextGet = inTurn(answers.get);
const nextLook = inTurn(answers.look ?? []);
const nextSuggest = inTurn(answers.suggest ?? []);

const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.use(express.json({ limit: BODY_LIMIT }));
app.post(addPath, (_request, response) => void response.json(nextAdd()));
app.get(basketPath, (_request, response) => void response.json(nextGet()));
app.get(`${productsPath}/:productId`, (_request, response) => void response.json(nextLook()));
app.get(`${productsPath}/:productId/availability`, (_request, response) => void response.json(nextLook()));
app.get(upsellsPath, (_request, response) => void response.json(nextSuggest()));
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ result: { port: (server.address() as AddressInfo).port } });
});
process.on('disconnect', () => process.exit());
