import { serveCatalog, type ResolveCredentialReplyInput } from '@sluice/rpc';
import { createLogger } from '@sluice/service';

/** A catalog that always returns the same answer. It measures the cost of the transport. Its argument is the port. */

const reply: ResolveCredentialReplyInput = {
  principal: {
    credentialKind: 'CREDENTIAL_KIND_API_KEY',
    credentialId: 'key_bench00000000',
    account: 'bench',
    project: 'bench',
    organization: 'bench',
    plan: 'bench',
    retention: 'zero',
    limits: {
      requestsPerMinute: 10_000_000,
      requestsPerDay: 10_000_000_000,
      tokensPerMinute: 10_000_000_000,
      tokensPerDay: 100_000_000_000,
    },
    limitsRevision: { epoch: 1_700_000_000_000, sequence: 4 },
    accessRefusal: '',
    billingRefusal: '',
  },
  position: { epoch: 1_700_000_000_000, sequence: 100_000 },
};

const server = await serveCatalog({
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  handlers: {
    resolveCredential: async () => reply,
    listModels: async () => ({ models: [] }),
  },
  logger: createLogger({ service: 'constant catalog', level: 'silent' }),
});
console.log(server.address);
