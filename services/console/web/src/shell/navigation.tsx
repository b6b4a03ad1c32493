import { type ReactElement, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IconButton } from '../components/button.tsx';
import { Icon, type IconName, Logo } from '../components/icons.tsx';
import { type Membership, useSession } from '../session/session-context.ts';
import { SignOutButton } from '../session/sign-out-button.tsx';
import { texts } from '../texts.ts';
import {
  type OrganizationPage,
  type PlatformPage,
  accountPath,
  pathOf,
  platformPath,
} from './paths.ts';
import { ThemeSwitch } from './theme.tsx';

const words = texts.navigation;

const build: readonly OrganizationPage[] = ['keys', 'playground'];
const observe: readonly OrganizationPage[] = ['usage', 'limits', 'requests'];
const manage: readonly OrganizationPage[] = ['members', 'projects', 'settings'];
const platform: readonly PlatformPage[] = [
  'fleet',
  'models',
  'plans',
  'organizations',
  'accounts',
  'audit',
];

const icons: Readonly<Record<OrganizationPage | PlatformPage, IconName>> = {
  keys: 'key',
  playground: 'playground',
  usage: 'usage',
  limits: 'limits',
  requests: 'requests',
  members: 'members',
  projects: 'projects',
  settings: 'settings',
  fleet: 'fleet',
  models: 'models',
  plans: 'plans',
  organizations: 'organizations',
  accounts: 'accounts',
  audit: 'audit',
};

interface NavigationProps {
  /** Undefined for an operator who is not a member of any organization. */
  readonly organization: Membership | undefined;
}

export function Navigation({ organization }: NavigationProps): ReactElement {
  const { account } = useSession();
  const [location] = useLocation();
  const [open, setOpen] = useState(false);
  const content = useId();
  const close = (): void => setOpen(false);
  const own = (pages: readonly OrganizationPage[]): PageLink[] =>
    organization === undefined
      ? []
      : pages.map((page) => ({ page, href: pathOf(organization.id, page) }));
  return (
    <header className={open ? 'side open' : 'side'}>
      <div className="side-top">
        <Link href="/" className="brand" onClick={close}>
          <Logo />
          {texts.product}
        </Link>
        <IconButton
          className="menu-button"
          icon={open ? 'close' : 'menu'}
          label={open ? words.closeMenu : words.openMenu}
          aria-expanded={open}
          aria-controls={content}
          onClick={() => setOpen(!open)}
        />
      </div>
      <div className="side-content" id={content}>
        {organization === undefined ? null : (
          <OrganizationSwitch organization={organization} chosen={close} />
        )}
        <nav aria-label={words.label}>
          {organization === undefined ? null : (
            <>
              <Group title={words.build} links={own(build)} go={close} />
              <Group title={words.observe} links={own(observe)} go={close} />
              <Group title={words.manage} links={own(manage)} go={close} />
            </>
          )}
          {account.operator ? (
            <Group
              title={words.platform}
              links={platform.map((page) => ({ page, href: platformPath(page) }))}
              go={close}
            />
          ) : null}
        </nav>
        <div className="side-bottom">
          <Link
            href={accountPath}
            className="who"
            aria-current={location === accountPath ? 'page' : undefined}
            onClick={close}
          >
            <span className="for-screen-readers">{texts.account.own}</span>
            <span className="who-name">{account.name}</span>
            {account.email === null ? null : <span className="who-email">{account.email}</span>}
          </Link>
          <div className="side-buttons">
            <SignOutButton />
            <ThemeSwitch />
          </div>
        </div>
      </div>
    </header>
  );
}

interface PageLink {
  readonly page: OrganizationPage | PlatformPage;
  readonly href: string;
}

interface GroupProps {
  readonly title: string;
  readonly links: readonly PageLink[];
  readonly go: () => void;
}

function Group({ title, links, go }: GroupProps): ReactElement {
  const [location] = useLocation();
  return (
    <div className="nav-group">
      <p className="nav-title">{title}</p>
      <ul>
        {links.map(({ page, href }) => {
          const here = location === href || location.startsWith(`${href}/`);
          return (
            <li key={page}>
              <Link href={href} aria-current={here ? 'page' : undefined} onClick={go}>
                <Icon name={icons[page]} />
                {words.pages[page]}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface SwitchProps {
  readonly organization: Membership;
  readonly chosen: () => void;
}

function OrganizationSwitch({ organization, chosen }: SwitchProps): ReactElement {
  const { organizations } = useSession();
  const [, navigate] = useLocation();
  if (organizations.length === 1) {
    return (
      <p className="organization-name" title={organization.name}>
        {organization.name}
      </p>
    );
  }
  return (
    <label className="organization-switch">
      <span className="for-screen-readers">{words.organization}</span>
      <span className="select">
        <select
          value={organization.id}
          onChange={({ currentTarget }) => {
            navigate(pathOf(currentTarget.value, 'keys'));
            chosen();
          }}
        >
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </span>
    </label>
  );
}
