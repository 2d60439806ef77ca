import { readFileSync } from 'node:fs';
import { bareExpress, inTurn, serve } from './bare-express.ts';
import { manifestPath, sessionsPath } from './agent.ts';
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

const [, , file] = process.argv;
if (file === undefined) throw new Error('ceiling.ts needs the file with the prepared answers');
const answers = JSON.parse(readFileSync(file, 'utf8')) as PreparedResponses;
const nextAdd = inTurn(answers.add);
const nextGet = inTurn(answers.get);
const nextLook = inTurn(answers.look ?? []);
const nextSuggest = inTurn(answers.suggest ?? []);

const app = bareExpress();
app.post(addPath, (_request, response) => void response.json(nextAdd()));
app.get(basketPath, (_request, response) => void response.json(nextGet()));
app.get(`${productsPath}/:productId`, (_request, response) => void response.json(nextLook()));
app.get(`${productsPath}/:productId/availability`, (_request, response) => void response.json(nextLook()));
app.get(manifestPath, (_request, response) => void response.json(nextLook()));
app.get(`${sessionsPath}/:id`, (_request, response) => void response.json(nextLook()));
app.get(upsellsPath, (_request, response) => void response.json(nextSuggest()));
serve(app);
