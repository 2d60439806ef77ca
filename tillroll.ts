import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCommandServiceCommands } from './command-service/cli.ts';
import { addProjectionServiceCommands } from './projection-service/cli.ts';
import { addConfigCommands } from './shared-kernel/runtime/cli.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// A pipe that is closed at the other end is a reader who has seen enough, not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = new Command('tillroll')
  .description('An event-sourced online-shop back end.')
  .version(version);

program
  .command('start')
  .description('Start the shop: all services in one process')
  .option('--port <port>', 'where to listen; over PORT')
  .action(async ({ port }: { port?: string }) => {
    const [{ loadConfig }, { startShop }] = await Promise.all([
      import('./shared-kernel/runtime/config.ts'),
      import('./start-shop.ts'),
    ]);
    const config = loadConfig(port === undefined ? {} : { overrides: { PORT: port } });
    await startShop(config, (line) => process.stdout.write(`${line}\n`));
  });

program
  .command('routes')
  .description('Print every endpoint: method, path, service and file')
  .option('--json', 'one JSON document')
  .option('--gateway', 'as a gateway needs them: method, pattern and service')
  .action(async ({ json, gateway }: { json?: boolean; gateway?: boolean }) => {
    const { printRoutes } = await import('./shared-kernel/http/cli.ts');
    const { allRoutes } = await import('./without-shop.ts');
    process.stdout.write(printRoutes(await allRoutes(), { json: json ?? false, gateway: gateway ?? false }));
  });

addCommandServiceCommands(program, async () => (await import('./without-shop.ts')).importStoreFile);
addProjectionServiceCommands(program, async () => (await import('./without-shop.ts')).projectionDesk);
addConfigCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  // What people can mend is a sentence; a defect keeps its stack.
  const isExpected = error instanceof Error && !(error instanceof TypeError);
  process.stderr.write(`tillroll: ${isExpected ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}
