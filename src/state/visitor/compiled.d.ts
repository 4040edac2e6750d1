// A message file as scripts/nodePlugins.mjs compiles it.
declare module '*.json?compiled' {
  const messages: import('@lingui/core').Messages;
  export default messages;
}
