/** The owner window's API to main: functions only. */
import { contextBridge, ipcRenderer } from "electron"
import { ownerChannel, ownerMethods, ownerPush } from "../bridge/owner.ts"

const methods = Object.fromEntries(ownerMethods.map((method) => {
  const channel = ownerChannel(method)
  return [method, (ask: unknown) => ipcRenderer.invoke(channel, ask)]
}))

contextBridge.exposeInMainWorld("countersignOwner", {
  ...methods,
  onState: (listener: (value: unknown) => void) => {
    const onMessage = (_event: unknown, value: unknown) => listener(value)
    ipcRenderer.on(ownerPush, onMessage)
    return () => void ipcRenderer.removeListener(ownerPush, onMessage)
  }
})
