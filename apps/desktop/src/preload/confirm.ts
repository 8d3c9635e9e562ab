/** The confirmation window's API to main. */
import { contextBridge, ipcRenderer } from "electron"
import { confirmChannel } from "../bridge/channels.ts"

contextBridge.exposeInMainWorld("countersignConfirm", {
  read: () => ipcRenderer.invoke(confirmChannel("read")),
  ready: () => ipcRenderer.invoke(confirmChannel("ready")),
  answer: (ask: unknown) => ipcRenderer.invoke(confirmChannel("answer"), ask)
})
