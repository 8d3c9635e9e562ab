/** The owner's window's way to main: functions, nothing else. */
import { contextBridge, ipcRenderer } from "electron"
import { ownerChannel, ownerMethods, ownerPush } from "../bridge/owner.ts"

const methods = Object.fromEntries(ownerMethods.map((method) => {
  const channel = ownerChannel(method)
  return [method, (ask: unknown) => ipcRenderer.invoke(channel, ask)]
}))

contextBridge.exposeInMainWorld("countersignOwner", {
  ...methods,
  onState: (listener: (value: unknown) => void) => {
    const hear = (_event: unknown, value: unknown) => listener(value)
    ipcRenderer.on(ownerPush, hear)
    return () => void ipcRenderer.removeListener(ownerPush, hear)
  }
})
