// Serves this folder: node docs/examples/storefront/server.js. Any web server does as well; this one needs no packages.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };
const headers = {
  // Pages change while one works on them.
  'Cache-Control': 'no-cache',
  // No script or style but those of this folder.
  'Content-Security-Policy': "script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
};

/** The files of this folder and nothing else. */
const fileOf = (address) => {
  const { pathname } = new URL(address, 'http://localhost');
  const [, name = 'index.html'] = /^\/([a-z]+\.(?:html|js|css))?$/.exec(pathname) ?? [null, 'none'];
  return name;
};

const server = createServer(async (request, response) => {
  const name = fileOf(request.url);
  const content = await readFile(new URL(name, import.meta.url)).catch(() => null);
  if (content === null) response.writeHead(404).end('There is no such page.');
  else response.writeHead(200, { ...headers, 'Content-Type': types[extname(name)] }).end(content);
});

server.listen(Number(process.env.PORT ?? 3000), 'localhost', () => {
  console.log(`The storefront is open: http://localhost:${server.address().port}`);
});
