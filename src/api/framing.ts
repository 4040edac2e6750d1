// A frame on another site may show only `embed.html`, or the page with `view=embed`. The headers of the host enforce this
// (scripts/headers.mjs); these functions hold it on hosts that send no headers, too.

type Address = Pick<Location, 'origin' | 'pathname' | 'search'>;

/** The file that other sites may show in a frame. It begins with the cover of the page. */
const embedFile = /embed\.html$/;

/** The address's path of the page itself, where it may be the path of the file for frames. */
export const pagePath = (pathname: string): string => pathname.replace(embedFile, '');

/** Whether this address asks for the part of the page that other sites may show. */
export const isEmbed = ({ pathname, search }: Address): boolean =>
  embedFile.test(pathname) || new URLSearchParams(search).get('view') === 'embed';

/** The address with which a frame, or a tab, shows the same settings. `view` replaces the view of the address. */
export function addressIn(view: 'embed' | 'stage', { origin, pathname, search }: Address): string {
  const query = new URLSearchParams(search);
  query.delete('autostart');
  if (view === 'embed') query.delete('view');
  else query.set('view', view);
  const asked = query.size > 0 ? `?${query.toString()}` : '';
  return `${origin}${pagePath(pathname)}${view === 'embed' ? 'embed.html' : ''}${asked}`;
}

/** Whether the page is in a frame of another origin, whose content it cannot read. */
export function isInForeignFrame(): boolean {
  try {
    return window.top?.location.href === undefined;
  } catch {
    return true;
  }
}
