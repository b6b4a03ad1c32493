import { busUsers, passwordVariable, serverAccounts, sharedSubjects } from './bus-rights.ts';

const GENERATED = '# Written by `npm run generate` from packages/contracts/src/bus-rights.ts.';

/**
 * The accounts part of a nats-server configuration, written as JSON, which its configuration format accepts. The server
 * reads the passwords from its environment.
 */
export function natsAccountsFile(): string {
  const accounts = serverAccounts(
    busUsers(),
    sharedSubjects(),
    (user) => `$${passwordVariable(user)}`,
  );
  const text = JSON.stringify(accounts, undefined, 2);
  // nats-server resolves a variable only if it is not quoted:
  // https://docs.nats.io/running-a-nats-service/configuration#variables
  const withVariables = text.replaceAll(/"(\$NATS_\w+_PASSWORD)"/g, '$1');
  return `${GENERATED}
# A user for each service and for each pool of workers, and what each of them may
# do: see "Rights of users" in docs/operations/nats-users.md. For another pool, add a user
# like worker-default, with the name of the pool in the place of "default".

accounts: ${withVariables}
`;
}

/**
 * Values for the Helm chart of the NATS project. The chart removes `<< >>` together with the quotes around it, so that
 * the text becomes a variable or a size. The passwords are in a Secret with one key per user.
 */
export function natsChartValues(): object {
  const users = busUsers();
  const accounts = serverAccounts(
    users,
    sharedSubjects(),
    (user) => `<< $${passwordVariable(user)} >>`,
  );
  const env: Record<string, object> = {};
  for (const user of Object.keys(users)) {
    const secretKeyRef = { name: 'sluice-nats-users', key: user };
    env[passwordVariable(user)] = { valueFrom: { secretKeyRef } };
  }
  return {
    config: {
      jetstream: { enabled: true },
      merge: { max_payload: '<< 8MB >>', max_pending: '<< 256MB >>', accounts },
    },
    container: { env },
  };
}
