import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { Notices } from './components/notices.tsx';
import { App } from './shell/app.tsx';
import { applyTheme, readTheme } from './shell/theme.tsx';

applyTheme(readTheme());
const place = document.querySelector('#console');
if (place === null) throw new Error('The page has no place for the console.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Notices>
        <App />
      </Notices>
    </QueryClientProvider>
  </StrictMode>,
);
