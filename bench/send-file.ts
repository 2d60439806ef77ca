import type { AddressInfo } from 'node:net';
import express from 'express';

/* What downloads are measured against: bare Express that sends a file to whoever asks. `node send-file.ts <file>`. */

const [, , file] = process.argv;
if (file === undefined) throw new Error('send-file.ts needs a file');

const app = express();
app.disable('x-powered-by');
app.get('/file', (_request, response) => response.sendFile(file));
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ result: { port: (server.address() as AddressInfo).port } });
});
process.on('disconnect', () => process.exit());
