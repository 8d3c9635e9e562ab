/** Of every window. What is not named here is Electron's own default, `webSecurity` above all. Spec: desktop E1. */
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
