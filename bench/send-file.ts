import { bareExpress, serve } from './bare-express.ts';

/* What downloads are measured against: bare Express that sends a file to whoever asks. `node send-file.ts <file>`. */

const [, , file] = process.argv;
if (file === undefined) throw new Error('send-file.ts needs a file');

const app = bareExpress();
app.get('/file', (_request, response) => response.sendFile(file));
serve(app);
