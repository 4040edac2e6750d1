// The flags with which tests and benches start Chromium, so that nothing but the page works in it.

/**
 * Chrome uses only its last list of disabled features, so the important ones of Playwright's list are repeated here.
 */
const disabledFeatures = [
  // Chrome's address bar consists of two pages that every new window loads, which takes a third of the processor time
  // of opening the page in a new window.
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

/** Flags in addition to those that Playwright passes. */
export const quietFlags = ['--disable-sync', `--disable-features=${disabledFeatures.join(',')}`];
