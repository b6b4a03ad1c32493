import { busUsers, passwordVariable, serverAccounts, sharedSubjects } from './bus-rights.ts';

const GENERATED = '# Written by `npm run generate` from packages/contracts/src/bus-rights.ts.';

/** Part of a configuration of nats-server, whose language JSON is a part of. Passwords come from its environment. */
export function natsAccountsFile(): string {
  const accounts = serverAccounts(
    busUsers(),
    sharedSubjects(),
    (user) => `$${passwordVariable(user)}`,
  );
  const text = JSON.stringify(accounts, undefined, 2);
  // Only without quotes is it the name of a variable.
  const withVariables = text.replaceAll(/"(\$NATS_\w+_PASSWORD)"/g, '$1');
  return `${GENERATED}
# A user for each service and for each pool of workers, and what each of them may
# do: see "Rights of users" in docs/operations.md. For another pool, add a user
# like worker-default, with the name of the pool in the place of "default".

accounts: ${withVariables}
`;
}

/**
 * Values of the NATS project's own Helm chart, which are JSON as well as YAML. It takes `<< >>` off with its quotes.
 * Passwords are in a Secret, by user.
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
