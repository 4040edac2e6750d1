// `npm run screens`: pictures of every screen of the built page, to be looked at. No test of the gate: it proves nothing.
import e2e from '../../vitest.e2e.config.ts';

export default { ...e2e, test: { ...e2e.test, include: ['e2e/screens/*.screens.ts'] } };
