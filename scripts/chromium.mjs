// How Chromium is started by tests and benches: nothing but the page is at work in it.

/** Chrome counts only its last list of disabled features, so those of Playwright's list that matter here are repeated. */
const disabledFeatures = [
  // Chrome's address bar is two pages of its own, which every new window loads: a third of the processor time of
  // opening the page in a window of its own.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Flags in addition to those that Playwright passes itself. */
export const quietFlags = ['--disable-sync', `--disable-features=${disabledFeatures.join(',')}`];
