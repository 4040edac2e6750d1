// `npm run screens` takes pictures of every screen of the built page, for people to look at. It is not part of `npm test`.
import e2e from '../../vitest.e2e.config.ts';

export default { ...e2e, test: { ...e2e.test, include: ['e2e/screens/*.screens.ts'] } };
