/**
 * Preferences of every window. Options that are not listed keep Electron's defaults, in particular `webSecurity`. Spec:
 * reference/desktop.md "E1: windows".
 */
import type { WebPreferences } from "electron"

export const webPreferences = (preload: string, partition?: string): WebPreferences => ({
  preload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  ...partition === undefined ? {} : { partition }
})
