/** The frame around the pages: menu, who is signed in, and the page of the address. */
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { base, to } from './addresses.js';
import { Page } from './parts/page.js';
import { Written } from './parts/text.js';
import { pages } from './pages.js';
import { may, session, signOut } from './session.js';
import { SignIn } from './views/sign-in.js';

export function App() {
  if (session.value === undefined) return <SignIn />;
  const open = pages.filter(({ scopes }) => scopes.some(may));
  return (
    <LocationProvider scope={base}>
      <a class="skip" href="#content">
        To the content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            {open.map(({ path, view }) => (
              <Route key={path} path={`${base}${path}`} component={view} />
            ))}
            <Route default component={Nowhere} />
          </Router>
        </ErrorBoundary>
        <p class="quiet">
          Times are in your time zone, {timeZone}, unless a page says UTC. Point at a time to see it in UTC.
        </p>
      </main>
    </LocationProvider>
  );
}

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function Header() {
  const { path } = useLocation();
  const key = session.value?.key;
  const isHere = (page: string): boolean =>
    page === '/' ? path === base || path === `${base}/` : path === base + page || path.startsWith(`${base}${page}/`);
  return (
    <header>
      <nav aria-label="Pages">
        <ul>
          {pages
            .filter(({ name, scopes }) => name !== undefined && scopes.some(may))
            .map(({ path: page, name }) => (
              <li key={page}>
                <a href={to(page)} aria-current={isHere(page) ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      <p class="who">
        <span title="The key that you are signed in with">
          <Written text={key?.name} />
        </span>
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      </p>
    </header>
  );
}

const Nowhere = () => (
  <Page title="Nothing here">
    <p>There is no such page, or your key may not open it.</p>
    {pages.some(({ path, scopes }) => path === '/' && scopes.some(may)) && (
      <p>
        <a href={to('/')}>Find a person or a thing</a>
      </p>
    )}
  </Page>
);
