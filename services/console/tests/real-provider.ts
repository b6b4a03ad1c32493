import { ServiceProcess } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';

export interface RealProvider {
  readonly settings: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  readonly process: ServiceProcess;
}

/** What a console needs to know of a provider that is started later, on this port. */
export function providerSettings(port: number): RealProvider['settings'] {
  return {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'sluice-console',
    clientSecret: 'a secret of tests',
  };
}

/** Starts oidc-provider for a console at this address. */
export async function startRealProvider(
  consoleUrl: string,
  givenPort?: number,
): Promise<RealProvider> {
  const port = givenPort ?? (await findFreePort());
  const settings = providerSettings(port);
  const { issuer } = settings;
  const process = await ServiceProcess.start({
    name: 'provider',
    entry: 'services/console/tests/provider-program.ts',
    settings: {
      ISSUER: issuer,
      PORT: String(port),
      CLIENT_ID: settings.clientId,
      CLIENT_SECRET: settings.clientSecret,
      CONSOLE_URL: consoleUrl,
    },
    readyUrl: `${issuer}/.well-known/openid-configuration`,
  });
  return { settings, process };
}

/**
 * Signs in on the pages of the provider: follows its redirects and sends its forms. Returns the address at the console
 * that it leads back to.
 */
export async function signInAtProvider(start: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(start);
  let request: { url: string; form?: Readonly<Record<string, string>> } = { url: start };
  for (;;) {
    const { url, form } = request;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== origin) return next.href;
      request = { url: next.href };
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`the provider shows no form: ${page.slice(0, 500)}`);
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? url;
    request = { url: new URL(action, url).href, form: { prompt, login, password: 'any' } };
  }
}
