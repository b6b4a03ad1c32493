import { writeFile } from 'node:fs/promises';
import { natsAccountsFile, natsChartValues } from '@sluice/contracts';

// Writes the NATS users of all services twice: as a configuration file of nats-server, and as values for the Helm chart
// of NATS.
const deploy = new URL('../', import.meta.url);
await writeFile(new URL('nats/accounts.conf', deploy), natsAccountsFile());
const values = JSON.stringify(natsChartValues(), undefined, 2);
await writeFile(new URL('helm/nats-accounts.json', deploy), `${values}\n`);
