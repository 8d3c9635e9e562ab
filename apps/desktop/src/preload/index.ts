/** The console window's API to main: functions only. The page receives no channel names and no Electron events. */
import { contextBridge, ipcRenderer } from "electron"
import {
  bridgedEndpoints,
  hubChannel,
  pushes,
  shellChannel,
  type ShellMethod,
  shellMethods
} from "../bridge/channels.ts"

const listenTo = (channel: string) => (listener: (value: unknown) => void): () => void => {
  const onMessage = (_event: unknown, value: unknown) => listener(value)
  ipcRenderer.on(channel, onMessage)
  return () => void ipcRenderer.removeListener(channel, onMessage)
}

const hub = Object.fromEntries(bridgedEndpoints.map((endpoint) => {
  const channel = hubChannel(endpoint)
  return [endpoint, (input: unknown, options: unknown) => ipcRenderer.invoke(channel, input, options)]
}))

const shell = Object.fromEntries(shellMethods.map((method: ShellMethod) => {
  const channel = shellChannel(method)
  return [method, (ask: unknown) => ipcRenderer.invoke(channel, ask)]
}))

contextBridge.exposeInMainWorld("countersign", {
  hub,
  shell,
  onEvents: listenTo(pushes.events),
  onState: listenTo(pushes.state),
  onComputer: listenTo(pushes.computer),
  onScreen: (listener: (value: unknown) => void) => {
    const off = listenTo(pushes.screen)(listener)
    void ipcRenderer.invoke(shellChannel("listening"))
    return off
  }
})
