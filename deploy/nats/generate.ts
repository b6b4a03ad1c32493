import { writeFile } from 'node:fs/promises';
import { natsAccountsFile, natsChartValues } from '@sluice/contracts';

/** Writes the configurations of a NATS with a user for each service. */
const deploy = new URL('../../../deploy/', import.meta.url);
await writeFile(new URL('nats/accounts.conf', deploy), natsAccountsFile());
const values = JSON.stringify(natsChartValues(), undefined, 2);
await writeFile(new URL('helm/nats-accounts.json', deploy), `${values}\n`);
