/** Tests start servers of their own: those that the environment of whoever runs them names hold somebody's data. */
export function forgetGivenServers(environment: NodeJS.ProcessEnv = process.env): void {
  delete environment['REDIS_URL'];
  delete environment['NATS_URL'];
}
